"""Float constants of MLIR text as exact bit patterns.

xDSL keeps a constant as a Python float, and converts NaNs on the way in and out; these functions
keep every bit. A NaN of a narrower format is kept as the binary64 NaN with the same fraction on
top, a signaling one as a signaling one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
from loom.elements import CHUNK, Block, Elements, encode_elements, join_blocks


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


def elements_of(elements: DenseIntOrFPElementsAttr) -> Elements:
    """The elements in row-major order: floats as bit patterns, integers as they stand."""
    data, size = elements.data.data, elements.type.element_type.compile_time_size
    chunks = (data[at : at + CHUNK * size] for at in range(0, len(data), CHUNK * size))
    return join_blocks(decode_chunk(elements, chunk, size) for chunk in chunks)


def decode_chunk(elements: DenseIntOrFPElementsAttr, data: bytes, size: int) -> Block:
    """The block that some elements are, each of which is of `size` [bytes]."""
    count, first = len(data) // size, data[:size]
    same = data == first * count
    return count, decode_elements(elements, first if same else data)


def decode_elements(elements: DenseIntOrFPElementsAttr, data: bytes) -> tuple[int, ...]:
    """The elements that these bytes are."""
    form = form_of(elements.get_element_type())
    if form is None:
        values = elements.get_element_type().iter_unpack(data)
        return tuple(value for value in values if isinstance(value, int))
    size = form.width // 8
    return tuple(int.from_bytes(data[k : k + size], "little") for k in range(0, len(data), size))


def words_of(elements: DenseIntOrFPElementsAttr, width: int) -> Elements:
    """The elements as unsigned bit patterns of `width` [bits], in row-major order."""
    return elements_of(elements).map(lambda element: element % (1 << width))


def dense_of(
    type_: RankedStructure[AnyDenseElement], elements: Sequence[int]
) -> DenseIntOrFPElementsAttr:
    """Dense elements in row-major order: floats from bit patterns, integers as they stand."""
    return DenseIntOrFPElementsAttr(type_, BytesAttr(b"".join(pack_blocks(type_, elements))))


def pack_blocks(
    type_: RankedStructure[AnyDenseElement], elements: Sequence[int]
) -> Iterator[bytes]:
    """The bytes of the elements, block by block."""
    form = form_of(type_.element_type)
    for count, values in encode_elements(elements).blocks:
        if form is not None:
            data = b"".join(pattern.to_bytes(form.width // 8, "little") for pattern in values)
        else:
            assert isa(type_, RankedStructure[IntegerType | IndexType])
            element = type_.element_type
            if isinstance(element, IntegerType):
                values = tuple(map(element.get_normalized_value, values))
            data = element.pack(values)
        yield data * count if len(values) == 1 else data
