"""A buffer holds a value before it is widened: the token of a constant, the bits of a number.

A constant gives its number for each control token, a cast gives a number more bits; each takes one
token and gives one, in the same cycle, by wires alone. So a buffer behind such a unit and one
before it hold as many tokens, give them in the same cycles and cut the same paths. Before it the
buffer is as wide as the operand: for a constant it holds no data at all. Where a fork stands
between a cast and a buffer, each of its legs gets a cast: a fork passes on what it takes.

Source: retiming, Leiserson and Saxe, Retiming synchronous circuitry, Algorithmica 6, 1991.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from loom.dialects.ops.handshake import ConstantOp, ForkOp
from loom.dialects.ops.handshake_buffer import BufferOp
from loom.dialects.ops.handshake_function import FuncOp
from loom.dialects.ops.index import IndexCastUIOp
from loom.dialects.ops.types import width_of
from loom.lower.options import Options

CASTS = (arith.ExtUIOp, arith.ExtSIOp, arith.IndexCastOp, IndexCastUIOp)
WIRES = (ConstantOp, *CASTS)
"""Units of one operand that are wires."""


def narrow_buffers(module: ModuleOp, options: Options) -> None:
    """No buffer stands behind a unit of wires whose operand has fewer bits than its result."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            for operation in list(function.body.block.ops):
                if isinstance(operation, BufferOp) and operation.initial is None:
                    narrow_buffer(operation, options.index_width)


def narrow_buffer(buffer: BufferOp, index_width: int) -> None:
    """The buffer stands before all units of wires that widen what it holds."""
    spread_cast(buffer, index_width)
    while isinstance(unit := buffer.source.owner, WIRES):
        (given,), (made,) = unit.operands, unit.results
        if width_of(given.type, index_width) >= width_of(made.type, index_width):
            return
        narrow = BufferOp(given, buffer.slots.value.data, buffer.kind.data)
        narrow.location, narrow.out.name_hint = buffer.location, given.name_hint
        block = unit.parent
        assert block is not None
        block.insert_op_before(narrow, unit)
        unit.operands[0] = narrow.out
        buffer.out.replace_all_uses_with(made)
        wide: Operation = buffer
        wide.detach()
        wide.erase()
        buffer = narrow
        spread_cast(buffer, index_width)


def spread_cast(buffer: BufferOp, index_width: int) -> None:
    """The cast that widens what a fork in front of the buffer takes stands on each of its legs."""
    fork = buffer.source.owner
    if not isinstance(fork, ForkOp) or not isinstance(cast := fork.source.owner, CASTS):
        return
    (given,), (made,) = cast.operands, cast.results
    if width_of(given.type, index_width) >= width_of(made.type, index_width):
        return
    block = fork.parent
    assert block is not None
    narrow = ForkOp(given, len(fork.copies))
    narrow.location = fork.location
    block.insert_op_before(narrow, fork)
    for leg, copy in zip(fork.copies, narrow.copies, strict=True):
        copy.name_hint = given.name_hint
        wide = cast.clone({given: copy})
        wide.location, wide.results[0].name_hint = cast.location, leg.name_hint
        block.insert_op_before(wide, fork)
        leg.replace_all_uses_with(wide.results[0])
    gone: tuple[Operation, ...] = (fork, cast)
    for operation in gone:
        operation.detach()
        operation.erase()
