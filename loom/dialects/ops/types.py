"""Token types: what a channel may carry and how many bits it takes in hardware."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    NoneType,
    Signedness,
    TupleType,
)
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

DEFAULT_INDEX_WIDTH = 64
"""Bits of `index` [bits]: MLIR's own default data layout."""

FLOAT_WIDTHS: dict[type[Attribute], int] = {
    BFloat16Type: 16,
    Float16Type: 16,
    Float32Type: 32,
    Float64Type: 64,
}


@irdl_attr_definition
class TaggedType(ParametrizedAttribute, TypeAttribute):
    """A value with a small tag above it (docs/spec/operations.md, "Tagged values")."""

    name = "dataflow.tagged"
    value_type: Attribute
    tag_type: Attribute

    VALUE_WIDTHS: ClassVar[tuple[int, ...]] = (1, 8, 16, 32, 64)
    MAX_TAG_WIDTH: ClassVar[int] = 16

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Parse ``<value_type, tag_type>``."""
        with parser.in_angle_brackets():
            value = parser.parse_type()
            parser.parse_punctuation(",")
            tag = parser.parse_type()
        return (value, tag)

    def print_parameters(self, printer: Printer) -> None:
        """Print ``<value_type, tag_type>``."""
        with printer.in_angle_brackets():
            printer.print_attribute(self.value_type)
            printer.print_string(", ")
            printer.print_attribute(self.tag_type)

    def verify(self) -> None:
        """Refuse value and tag types outside the lists of docs/spec/operations.md."""
        value, tag = self.value_type, self.tag_type
        scalar = isinstance(value, IndexType) or type(value) in FLOAT_WIDTHS
        if isinstance(value, IntegerType):
            scalar = value.width.data in self.VALUE_WIDTHS
        if not scalar:
            raise VerifyException(f"{value} as the value of a tagged type")
        signless = isinstance(tag, IntegerType) and tag.signedness.data is Signedness.SIGNLESS
        if not (signless and isinstance(tag, IntegerType)) or not (
            1 <= tag.width.data <= self.MAX_TAG_WIDTH
        ):
            raise VerifyException(f"{tag} as the tag of a tagged type")


def is_token_type(type_: Attribute) -> bool:
    """True for a type that a channel can carry."""
    if isinstance(type_, TupleType):
        return all(is_token_type(element) for element in type_.types)
    return (
        isinstance(type_, IntegerType | IndexType | NoneType | TaggedType)
        or type(type_) in FLOAT_WIDTHS
    )


def width_of(type_: Attribute, index_width: int = DEFAULT_INDEX_WIDTH) -> int:
    """Width of a token of this type [bits]; a control token has none."""
    if isinstance(type_, IntegerType):
        return int(type_.width.data)
    if isinstance(type_, IndexType):
        return index_width
    if isinstance(type_, NoneType):
        return 0
    if isinstance(type_, TaggedType):
        return width_of(type_.value_type, index_width) + width_of(type_.tag_type)
    if isinstance(type_, TupleType):
        return sum(width_of(element, index_width) for element in type_.types)
    return FLOAT_WIDTHS[type(type_)]
