"""Python text for atomic accesses: alone in its circuit, a program reads, computes and writes.

The result is the element before the write, as MLIR's own compiler has it (docs/decisions/0012).
"""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.ir import Operation

from loom.dialects.operators.catalogue import find
from loom.dialects.operators.operator import Shape
from loom.dialects.ops.atomic_kinds import KINDS
from loom.dialects.ops.memref_more import GenericAtomicRMWOp, PrefetchOp
from loom.model.reference.generate_memory import check_indices, ignore, read, write_text
from loom.model.reference.generate_scalars import expression
from loom.model.reference.generate_switch import run_here
from loom.model.reference.generator import FunctionWriter, Handler


def atomic_rmw(writer: FunctionWriter, op: Operation) -> None:
    """The element has the value that the kind makes of it and of the operand."""
    assert isinstance(op, memref.AtomicRMWOp)
    view = writer.views[op.memref]
    indices = [writer.value(index) for index in op.indices]
    check_indices(writer, op, view, op.indices, indices)
    read(writer, op, view, indices)
    text = writer.value(op.value)
    combining = KINDS[op.kind.value.data].operation
    if combining is not None:
        row = find(combining.name)
        assert row is not None
        width = writer.program.width(op.result.type, op)
        formats = {name: str(op.result.type) for name in row.signature.formats}
        shape = Shape((width, width), (width,), formats)
        text = expression(writer.program, row, shape, [writer.value(op.result), text])
    write_text(writer, op, view, indices, text)


def generic_atomic_rmw(writer: FunctionWriter, op: Operation) -> None:
    """The element has the value that the region makes of it."""
    assert isinstance(op, GenericAtomicRMWOp)
    view = writer.views[op.memref]
    indices = [writer.value(index) for index in op.indices]
    check_indices(writer, op, view, op.indices, indices)
    read(writer, op, view, indices)
    block = op.atomic_body.block
    writer.names[block.args[0]] = writer.value(op.result)
    end = run_here(writer, block)
    write_text(writer, op, view, indices, writer.value(end.operands[0]))


ATOMIC_HANDLERS: dict[type[Operation], Handler] = {
    memref.AtomicRMWOp: atomic_rmw,
    GenericAtomicRMWOp: generic_atomic_rmw,
    PrefetchOp: ignore,
}
