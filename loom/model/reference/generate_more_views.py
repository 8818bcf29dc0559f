"""Python text for views that turn, promise or take apart a memref; no word moves."""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects import memref
from xdsl.ir import Operation

from loom.dialects.facts.layouts import row_major
from loom.dialects.ops.memref_more import DistinctObjectsOp, TransposeOp
from loom.model.reference.generate_views import named, static_sizes
from loom.model.reference.generator import FunctionWriter, Handler
from loom.model.reference.views import is_literal


def same(writer: FunctionWriter, op: Operation) -> None:
    """Every result is the operand at its place."""
    for operand, result in zip(op.operands, op.results, strict=True):
        writer.views[result] = writer.views[operand]


def transpose(writer: FunctionWriter, op: Operation) -> None:
    """The result has the source's dimensions in another order."""
    assert isinstance(op, TransposeOp)
    source, axes = writer.views[op.source], op.axes()
    writer.views[op.result] = replace(
        source,
        sizes=tuple(source.sizes[axis] for axis in axes),
        strides=tuple(source.strides[axis] for axis in axes),
    )


def view_of_bytes(writer: FunctionWriter, op: Operation) -> None:
    """The result is the bytes from the shift on, which must lie inside the source."""
    assert isinstance(op, memref.ViewOp)
    source, sizes = writer.views[op.source], static_sizes(op, op.result)
    shift = named(writer, writer.signed(op.byte_shift, op))
    strides = row_major(sizes)
    count = 1
    for size in sizes:
        count *= size
    if count:
        number = writer.program.faults.number(op)
        (whole,) = source.sizes
        test = f"not 0 <= {shift} <= {whole - count}"
        writer.line(f"if {test}: bounds({number}, ({whole},), ({shift} + {count - 1},))")
    offset = f"{source.offset} + {shift}"
    if is_literal(source.offset) and is_literal(shift):
        offset = str(int(source.offset) + int(shift))
    writer.views[op.result] = replace(
        source, sizes=sizes, offset=named(writer, offset), strides=tuple(map(str, strides))
    )
    writer.scope.cost += 1


def metadata(writer: FunctionWriter, op: Operation) -> None:
    """The results are the memory from its start, the offset, the sizes and the strides."""
    assert isinstance(op, memref.ExtractStridedMetaDataOp)
    source = writer.views[op.source]
    writer.views[op.base_buffer] = replace(source, sizes=(), offset="0", strides=())
    mask = (1 << writer.program.index_width) - 1
    numbers = (source.offset, *map(str, source.sizes), *source.strides)
    for result, text in zip(op.results[1:], numbers, strict=True):
        if is_literal(text):
            writer.names[result] = str(int(text) & mask)
        else:
            writer.line(f"{writer.define(result)} = {text} & {mask}")
    writer.scope.cost += 1


def rank(writer: FunctionWriter, op: Operation) -> None:
    """The result is the number of dimensions."""
    assert isinstance(op, memref.RankOp)
    writer.names[op.rank] = str(len(writer.views[op.source].sizes))


MORE_VIEW_HANDLERS: dict[type[Operation], Handler] = {
    memref.AssumeAlignmentOp: same,
    DistinctObjectsOp: same,
    TransposeOp: transpose,
    memref.ViewOp: view_of_bytes,
    memref.ExtractStridedMetaDataOp: metadata,
    memref.RankOp: rank,
}
