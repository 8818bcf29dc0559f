"""A constant operand is a parameter of the unit that reads it, not a token.

The graph of the specification makes a constant from a control token wherever one is read: a
replicate, a fork and a FIFO repeat that token for each iteration. Every token of a constant is the
same. A unit that takes a token from each of its operands computes the same from the others alone,
if it knows the constant: as many tokens leave it, in the same order, with the same data, and none
later than before, as it waits for fewer.

So the operand becomes an `arith.constant`, which has no channel, and the unit's module has a
parameter instead of a port. One operand stays a token: it says how often the unit works. What made
the control token is then dead (`remove_dead_units`).

The rows of the catalogue name the operands that may be constants (`Signature.constants`), and may
refuse some of them: a float factor is a parameter if it is a power of two. A
stream whose start, step and bound all are is a counter to a known last index; one that never ends
keeps the token of its start, and a step of zero, which is an error, stays a token. A stream that
would have no token, or only one that may be there before the start of the activation, begins with
the control token of its start: indices come after the start then, as before, and accesses at them
need no control token. An access never comes too early by any of this: `drop_idle_control` runs
later, and looks at the tokens that are left.

A cast of a constant between index and an integer, as of the bounds of a loop that counts in another
type, is a constant first.
"""

from __future__ import annotations

from collections.abc import Container, Set

from xdsl.dialects.arith import ConstantOp as ParameterOp
from xdsl.dialects.arith import IndexCastOp
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from loom.dialects.facts.instances import shape_of
from loom.dialects.operators.catalogue import find
from loom.dialects.ops.dataflow import StreamOp
from loom.dialects.ops.handshake import ConstantOp
from loom.dialects.ops.handshake_function import FuncOp
from loom.dialects.ops.index import IndexCastUIOp
from loom.lower.dataflow.control_tokens import values_after_start
from loom.lower.options import Options


def fold_constants(module: ModuleOp, options: Options) -> None:
    """No operand that may be a parameter is a token that is always the same."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            fold_in_block(function.body.block, options.index_width, options.cores)


def fold_in_block(block: Block, index_width: int, cores: Container[str]) -> None:
    """The constants of the block are parameters of the units that take them so.

    The operators in `cores` keep all their tokens: a core of the user's has a port for each.
    """
    fold_casts(block, index_width, cores)
    parameters: dict[Attribute, SSAValue] = {}
    streams = [operation for operation in block.ops if isinstance(operation, StreamOp)]
    for operation in list(block.ops):
        places = constant_places(operation)
        if not isinstance(operation, StreamOp) and operation.name not in cores:
            spared = len(places) == len(operation.operands)
            for place in places[spared:]:
                fold_operand(operation, place, parameters, index_width)
    started = values_after_start(block)
    for stream in streams:
        fold_stream(stream, parameters, started, index_width)
    for operation in list(block.ops):
        if isinstance(operation, ConstantOp) and not operation.result.uses.get_length():
            unit: Operation = operation
            unit.detach()
            unit.erase()


def fold_casts(block: Block, index_width: int, cores: Container[str]) -> None:
    """Casts of constants between index and integers are constants, as many tokens as before."""
    for cast in list(block.ops):
        if not isinstance(cast, IndexCastOp | IndexCastUIOp) or cast.name in cores:
            continue
        token, operator = cast.operands[0].owner, find(cast.name)
        if not isinstance(token, ConstantOp) or not isinstance(token.value, IntegerAttr):
            continue
        assert operator is not None and operator.semantics.meaning is not None
        shape, type_ = shape_of(cast, operator, index_width), cast.results[0].type
        pattern = token.value.value.data & ((1 << shape.inputs[0]) - 1)
        found = operator.semantics.meaning(shape)(pattern)
        assert isinstance(found, int) and isinstance(type_, IntegerType | IndexType)
        half = 1 << (shape.outputs[0] - 1)
        number = IntegerAttr((found + half) % (2 * half) - half, type_)
        constant = ConstantOp(token.ctrl, number)
        constant.location, constant.result.name_hint = token.location, token.result.name_hint
        block.insert_op_before(constant, cast)
        cast.results[0].replace_all_uses_with(constant.result)
        gone: Operation = cast
        gone.detach()
        gone.erase()


def constant_places(operation: Operation) -> list[int]:
    """The operands that are constants and may be parameters."""
    operator = find(operation.name)
    if operator is None or not operator.signature.constants:
        return []
    names = [port.name for port in operator.signature.inputs]
    return [
        place
        for place, operand in enumerate(operation.operands[: len(names)])
        if names[place] in operator.signature.constants and isinstance(operand.owner, ConstantOp)
    ]


def fold_operand(
    operation: Operation, place: int, parameters: dict[Attribute, SSAValue], index_width: int
) -> None:
    """The operand is a parameter, if the unit takes this constant; equal ones are one value."""
    token = operation.operands[place]
    constant = operation.operands[place].owner
    assert isinstance(constant, ConstantOp)
    if constant.value not in parameters:
        parameter = ParameterOp(constant.value)
        parameter.location = constant.location
        parameter.result.name_hint = constant.result.name_hint
        block = operation.parent
        assert block is not None and block.first_op is not None
        block.insert_op_before(parameter, block.first_op)
        parameters[constant.value] = parameter.result
    operation.operands[place] = parameters[constant.value]
    operator = find(operation.name)
    assert operator is not None
    if not operator.signature.fits(shape_of(operation, operator, index_width)):
        operation.operands[place] = token


def fold_stream(
    stream: StreamOp,
    parameters: dict[Attribute, SSAValue],
    started: Set[SSAValue],
    index_width: int,
) -> None:
    """Start, step and bound are parameters if they are constants.

    The control token of a constant start begins a burst if no other operand is in `started`: the
    values that come after the start of the activation.
    """
    places = constant_places(stream)
    first = stream.start.owner
    for place in sorted(places, reverse=True):  # the start last
        fold_operand(stream, place, parameters, index_width)
    is_folded = isinstance(first, ConstantOp) and not isinstance(stream.start.owner, ConstantOp)
    if is_folded and not any(operand in started for operand in stream.operands):
        assert isinstance(first, ConstantOp)
        stream.operands = [*stream.operands, first.ctrl]
