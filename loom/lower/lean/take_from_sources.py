"""Tokens that say nothing come from a source at their reader.

A control token made of the start token alone waits for no access, and has no data; the token of a
constant made of it has always the same. Where such a token goes into a store or a mux whose address
or select comes after the start of the activation, the reader takes it with that one: it would be
there, or come a little later. A `handshake.source` at the reader gives an equal token when the
reader takes one. So as many tokens leave the reader, in the same order, with the same data, none
before the start and none later than before. Branches, FIFOs and forks that brought the token are
then dead (`remove_dead_units`), and so is the register of what a fork has sent.

A mux whose select is a condition of the program thus passes the done token of an access where there
was one, and goes on at once where there was none.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from loom.dialects.ops.handshake import CondBranchOp, ConstantOp, MuxOp
from loom.dialects.ops.handshake_function import FuncOp
from loom.dialects.ops.handshake_memory import MemoryInterface, StoreOp
from loom.dialects.ops.handshake_routing import SourceOp
from loom.dialects.ops.types import width_of
from loom.lower.dataflow.control_tokens import values_after_start, waits_for_access
from loom.lower.lean.remove_dead_units import remove_dead_units
from loom.lower.options import Options


def take_from_sources(module: ModuleOp, options: Options) -> None:
    """No store or mux waits for a token that says nothing."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            block = function.body.block
            started = values_after_start(block)
            for unit in list(block.ops):
                for index, leader in paired_operands(unit):
                    if leader in started and says_nothing(unit.operands[index]):
                        unit.operands[index] = copy_from_source(unit, unit.operands[index])
    remove_dead_units(module, options)


def paired_operands(unit: Operation) -> Iterator[tuple[int, SSAValue]]:
    """Operands that the unit takes together with another one, and that one."""
    if isinstance(unit, MuxOp | CondBranchOp):
        yield from ((index, unit.operands[0]) for index in range(1, len(unit.operands)))
    elif isinstance(unit, StoreOp):
        yield 1, unit.ctrl
    elif isinstance(unit, MemoryInterface):
        for store in range(unit.store_count):
            index = unit.first_port + 2 * store
            yield index, unit.operands[index + 1]


def says_nothing(token: SSAValue) -> bool:
    """True of a control token made of the start alone, or of a constant that is made of one."""
    owner = token.owner
    if isinstance(owner, ConstantOp):
        return not waits_for_access(owner.ctrl)
    return (
        not isinstance(owner, SourceOp)
        and width_of(token.type, 1) == 0
        and not waits_for_access(token)
    )


def copy_from_source(reader: Operation, token: SSAValue) -> SSAValue:
    """A token equal to this one, from a source of the reader's own."""
    block = reader.parent
    assert isinstance(block, Block)
    source = SourceOp()
    source.location = reader.location
    block.insert_op_before(source, reader)
    owner = token.owner
    if not isinstance(owner, ConstantOp):
        return source.out
    constant = ConstantOp(source.out, owner.value)
    constant.location = owner.location
    constant.result.name_hint = token.name_hint
    block.insert_op_before(constant, reader)
    return constant.result
