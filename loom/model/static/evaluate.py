"""What single operations give: operators by their meaning, addresses by the memref's layout."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, MemRefType
from xdsl.ir import Operation

from loom.dialects.facts.layouts import Layout, extent
from loom.dialects.facts.places import place_of
from loom.dialects.floats.attributes import pattern_of
from loom.dialects.operators.operator import Shape
from loom.dialects.ops.staticlogic import Access
from loom.dialects.ops.types import width_of
from loom.errors import LoomError
from loom.model.reference.generate_scalars import attributes_of, find_meaning
from loom.model.reference.layout import buffer_layout


def evaluate(op: Operation, tokens: Sequence[int], index_width: int) -> tuple[int, ...]:
    """The results of a constant or an operator, as unsigned bit patterns.

    Refused (REF_UNSUPPORTED): operations without a meaning.
    """
    if not op.operands and len(op.results) == 1:
        return (constant(op, index_width),)
    row = find_meaning(op, op.name)
    shape = Shape(
        tuple(width_of(value.type, index_width) for value in op.operands),
        tuple(width_of(value.type, index_width) for value in op.results),
        attributes_of(op, row),
    )
    meaning = row.semantics.meaning
    assert meaning is not None
    found = meaning(shape)(*tokens)
    return found if isinstance(found, tuple) else (found,)


def constant(op: Operation, index_width: int) -> int:
    """The bit pattern of a constant."""
    value = op.properties.get("value", op.attributes.get("value"))
    if isinstance(value, FloatAttr):
        return pattern_of(value)
    if isinstance(value, IntegerAttr):
        return int(value.value.data) % (1 << width_of(op.results[0].type, index_width))
    raise LoomError("REF_UNSUPPORTED", place_of(op), op.name, "constants of scalars")


def layout_of_buffer(type_: MemRefType, op: Operation) -> Layout[int | None]:
    """The layout of a memory; refused (REF_SHAPE) if it is not static."""
    return buffer_layout(type_, place_of(op))


def words_of(type_: MemRefType, op: Operation) -> int:
    """The elements of a memory [words]."""
    return extent(layout_of_buffer(type_, op))


def address_of(op: Access, indices: Sequence[int]) -> int:
    """The address of an access [words]; -1 where it lies outside.

    A circuit may load from there before the loop's test is known, and then drops the value.
    """
    type_ = op.memref.type
    assert isinstance(type_, MemRefType)
    layout = layout_of_buffer(type_, op)
    if any(not 0 <= index < size for index, size in zip(indices, layout.sizes, strict=True)):
        return -1
    address = layout.offset or 0
    for index, stride in zip(indices, layout.strides, strict=True):
        address += index * (stride or 0)
    return address


def is_load(op: Operation) -> bool:
    """True for a load, false for a store."""
    return isinstance(op, memref.LoadOp)
