"""Numbers of the text as attributes: floats keep every bit, dense elements are counted first.

Source: MLIR's language reference ("float literal", "DenseIntOrFPElementsAttr"). A float is a
decimal with a point, read to binary64 and then rounded to its type, or its bit pattern.
"""

from __future__ import annotations

import re
from math import prod
from typing import Any

from xdsl.dialects.builtin import (
    AnyDenseElement,
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    RankedStructure,
    f64,
    i1,
    i64,
)
from xdsl.parser.attribute_parser import AttrParser
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.lexer import Span

from loom.dialects.floats.attributes import dense_of, float_attribute, form_of
from loom.dialects.floats.formats import Format
from loom.dialects.floats.text import nearest
from loom.elements import repeat_element
from loom.errors import LoomError
from loom.frontend.mlir.bounded_parser import BoundedParser

MOST_ELEMENTS = 1 << 24
"""Elements of a memory whose initial contents are given: far above what a circuit holds."""

HEXADECIMAL = re.compile(r"0x([0-9A-Fa-f]{2})*").fullmatch
"""Whole bytes."""


class Element(AttrParser._TensorLiteralElement):
    """An element of a dense literal, whose text is read once its type is known."""

    def to_type(self, parser: AttrParser, type: Any) -> Any:
        """A stand-in for floats that LOOM reads itself, else what xDSL makes of it."""
        return 0.0 if form_of(type) is not None else super().to_type(parser, type)


class NumberParser(BoundedParser):
    """Reads numbers and dense elements; the rest is xDSL's."""

    elements: list[Element]

    def parse_optional_builtin_int_or_float_attr(self) -> IntegerAttr | FloatAttr | None:
        """A number under its type; one that the type does not hold is refused where it stands."""
        position = self.pos
        boolean = self.try_parse_builtin_boolean_attr()
        if boolean is not None:
            return boolean
        found = self._parse_optional_bool_int_or_float()
        if found is None:
            return None
        value, span = found
        default = f64 if isinstance(value, float) else i64
        colon = self.parse_optional_punctuation(":") is not None
        type_ = self.parse_type() if colon else default
        form = form_of(type_)
        if form is not None and isinstance(type_, AnyFloat):
            return float_attribute(self.pattern(span, form), type_)
        if isinstance(type_, AnyFloat):
            return FloatAttr(float(value), type_)
        if not isinstance(type_, IntegerType | IndexType) or isinstance(value, float):
            raise self.misfit(position, f"{span.text} : {type_}", "integers under integer types")
        try:
            return IntegerAttr(value, type_)
        except VerifyException:
            end = self._parser_state.lexer.input.content[position : self.pos]
            accepted = "numbers that the type holds, signed or unsigned"
            raise self.misfit(position, " ".join(end.split()), accepted) from None

    def misfit(self, position: int, number: str, accepted: str) -> LoomError:
        """The refusal of a number that its type does not hold."""
        return LoomError("MLIR_TYPE", self.place(position), f"the number {number}", accepted)

    def pattern(self, span: Span, form: Format) -> int:
        """The bit pattern that a literal stands for."""
        digits = span.text.removeprefix("-").strip()
        sign = form.sign_bit if span.text.startswith("-") else 0
        if digits.startswith("0x"):
            pattern = int(digits, 16)
            if sign or pattern >> form.width:
                accepted = f"bit patterns of {form.width} bits without sign"
                raise self.misfit(span.start, f"{span.text} : {form.name}", accepted)
            return pattern
        if "." not in digits:
            accepted = f"floats with a point: {span.text}.0"
            raise self.misfit(span.start, f"{span.text} : {form.name}", accepted)
        return nearest(float(digits), form) ^ sign

    def _parse_tensor_literal_element(self) -> Element:
        found = super()._parse_tensor_literal_element()
        element = Element(found.is_negative, found.value, found.span)
        self.elements.append(element)
        return element

    def parse_dense_int_or_fp_elements_attr(
        self, type: RankedStructure[AnyDenseElement] | None
    ) -> DenseIntOrFPElementsAttr:
        """Dense elements; one value for all of them may stand for many, but not for any number."""
        if type is not None:
            self._check_count(type)
        bits = self._parse_optional_packed_bits(type)
        if bits is not None:
            return bits
        same = self._parse_optional_splat(type)
        if same is not None:
            return same
        self.elements = []
        found = super().parse_dense_int_or_fp_elements_attr(type)
        form = form_of(found.get_element_type())
        if form is None or not self.elements:
            return found
        patterns = [self.pattern(element.span, form) for element in self.elements]
        return dense_of(found.type, patterns)

    def _parse_optional_splat(
        self, type: RankedStructure[AnyDenseElement] | None
    ) -> DenseIntOrFPElementsAttr | None:
        """One number for all elements, which are not made one by one as xDSL does."""
        start = self.pos
        self.parse_punctuation("<", " in dense attribute")
        found = self._parse_optional_bool_int_or_float()
        if found is None:
            self._resume_from(start)
            return None
        value, span = found
        self.parse_punctuation(">", " in dense attribute")
        if type is None:
            self.parse_punctuation(":", " in dense attribute")
            type = self._parse_dense_literal_type()
        form, count = form_of(type.element_type), prod(type.get_shape())
        if form is not None:
            return dense_of(type, repeat_element(self.pattern(span, form), count))
        if not isinstance(type.element_type, IntegerType | IndexType):
            self._resume_from(start)
            return None
        element = Element(value < 0, value, span)
        try:
            return dense_of(type, repeat_element(element.to_type(self, type.element_type), count))
        except ValueError:
            accepted = "numbers that the type holds, signed or unsigned"
            raise self.misfit(span.start, f"{span.text} : {type.element_type}", accepted) from None

    def _parse_optional_packed_bits(
        self, type: RankedStructure[AnyDenseElement] | None
    ) -> DenseIntOrFPElementsAttr | None:
        """Elements of one bit in hexadecimal: eight a byte, the first one lowest.

        A byte of equal bits stands for any number of them. xDSL takes a byte for each element.
        """
        start = self.pos
        self.parse_punctuation("<", " in dense attribute")
        text = self.parse_optional_str_literal()
        if text is not None:
            self.parse_punctuation(">", " in dense attribute")
            if type is None:
                self.parse_punctuation(":", " in dense attribute")
                type = self._parse_dense_literal_type()
        if text is None or type is None or type.element_type != i1 or not HEXADECIMAL(text):
            self._resume_from(start)
            return None
        data, count = bytes.fromhex(text[2:]), prod(type.get_shape())
        size = -(-count // 8)
        if data in (b"\x00", b"\xff"):
            data *= size
        if len(data) != size:
            what = f"{len(data)} bytes in a dense literal of {count} bits, which take {size}"
            self.raise_error(what, start)
        bits = int.from_bytes(data, "little")
        return dense_of(type, [bits >> k & 1 for k in range(count)])

    def _parse_dense_literal_type(self) -> RankedStructure[AnyDenseElement]:
        type_: RankedStructure[AnyDenseElement] = super()._parse_dense_literal_type()
        self._check_count(type_)
        return type_

    def _check_count(self, type_: RankedStructure[AnyDenseElement]) -> None:
        count = prod(type_.get_shape())
        if count > MOST_ELEMENTS:
            raise self.too_large(self.pos, f"{count} initial values", MOST_ELEMENTS)
