"""Float constants of MLIR text as exact bit patterns.

xDSL keeps a constant as a Python float, and converts NaNs on the way in and out; these functions
keep every bit. A NaN of a narrower format is kept as the binary64 NaN with the same fraction on
top, a signaling one as a signaling one.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AnyDenseElement,
    AnyFloat,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    FloatData,
    IndexType,
    IntegerType,
    RankedStructure,
)
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from loom.dialects.floats.formats import FORMATS, Format
from loom.dialects.floats.text import DOUBLE, double_of, double_pattern, nearest, number_of


def form_of(type_: Attribute) -> Format | None:
    """The format of a float type that LOOM computes with, else None."""
    return FORMATS.get(type_.name)


def float_attribute(pattern: int, type_: AnyFloat) -> FloatAttr:
    """The constant of this bit pattern."""
    form = FORMATS[type_.name]
    number = number_of(pattern, form)
    if form.is_nan(pattern):
        more = DOUBLE.fraction_width - form.fraction_width
        fraction = (pattern & (form.hidden_bit - 1)) << more
        number = double_of(form.sign(pattern) << 63 | DOUBLE.infinity | fraction)
    # Not through the constructor, which would convert the number once more.
    return FloatAttr.new((FloatData(number), type_))


def pattern_of(attribute: FloatAttr) -> int:
    """The bit pattern of a constant in its own format."""
    form = FORMATS[attribute.type.name]
    pattern = double_pattern(attribute.value.data)
    if not DOUBLE.is_nan(pattern):
        return nearest(attribute.value.data, form)
    fraction = (pattern & (DOUBLE.hidden_bit - 1)) >> (DOUBLE.fraction_width - form.fraction_width)
    return DOUBLE.sign(pattern) << (form.width - 1) | form.infinity | fraction


def elements_of(elements: DenseIntOrFPElementsAttr) -> list[int]:
    """The elements in row-major order: floats as bit patterns, integers as they stand."""
    form = form_of(elements.get_element_type())
    if form is None:
        return [value for value in elements.get_values() if isinstance(value, int)]
    data, size = elements.data.data, form.width // 8
    return [int.from_bytes(data[k : k + size], "little") for k in range(0, len(data), size)]


def words_of(elements: DenseIntOrFPElementsAttr, width: int) -> list[int]:
    """The elements as unsigned bit patterns of `width` [bits], in row-major order."""
    return [element % (1 << width) for element in elements_of(elements)]


def dense_of(
    type_: RankedStructure[AnyDenseElement], elements: Sequence[int]
) -> DenseIntOrFPElementsAttr:
    """Dense elements in row-major order: floats from bit patterns, integers as they stand."""
    form = form_of(type_.element_type)
    if form is None:
        assert isa(type_, RankedStructure[IntegerType | IndexType])
        return DenseIntOrFPElementsAttr.from_list(type_, elements)
    data = b"".join(pattern.to_bytes(form.width // 8, "little") for pattern in elements)
    return DenseIntOrFPElementsAttr(type_, BytesAttr(data))
