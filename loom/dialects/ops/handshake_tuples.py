"""Packing of tuples, in CIRCT's syntax; a tuple's first element has the high bits.

Source: CIRCT's handshake dialect documentation; the order of bits is that of a packed structure
in SystemVerilog.
"""

from __future__ import annotations

from typing import Self

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    result_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from loom.dialects.ops.handshake import parse_values, print_values, require_token
from loom.dialects.ops.problem import require


def require_elements(tuple_: Attribute, found: list[Attribute], what: str) -> None:
    """Return if the types found are those of the tuple's elements, and can travel."""
    require_token(tuple_, "a tuple")
    require(
        isinstance(tuple_, TupleType) and list(tuple_.types) == found,
        "COMP_HANDSHAKE_TYPE",
        f"{what} {tuple_} with values of other types",
        "one value of the element's type for each element",
    )


def parse_tuple(parser: Parser) -> tuple[Attribute, list[Attribute]]:
    """A tuple type and the types of its elements."""
    type_ = parser.parse_type()
    if not isinstance(type_, TupleType):
        parser.raise_error("a tuple type expected")
    return type_, list(type_.types)


@irdl_op_definition
class PackOp(IRDLOperation):
    """``%0 = handshake.pack %a, %b : tuple<i32, i8>``."""

    name = "handshake.pack"
    elements = var_operand_def()
    tuple_ = result_def()

    def verify_(self) -> None:
        """Check that the operands are the tuple's elements."""
        require_elements(self.tuple_.type, [value.type for value in self.elements], "a pack of")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse ``%a, %b attr-dict : tuple<..>``."""
        names = parse_values(parser, parser.Delimiter.NONE)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_, types = parse_tuple(parser)
        return cls.create(
            operands=parser.resolve_operands(names, types, parser.pos),
            result_types=[type_],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print ``%a, %b attr-dict : tuple<..>``."""
        printer.print_string(" ")
        print_values(printer, self.operands)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.tuple_.type)


@irdl_op_definition
class UnpackOp(IRDLOperation):
    """``%a, %b = handshake.unpack %t : tuple<i32, i8>``."""

    name = "handshake.unpack"
    tuple_ = operand_def()
    elements = var_result_def()

    def verify_(self) -> None:
        """Check that the results are the tuple's elements."""
        require_elements(self.tuple_.type, [value.type for value in self.elements], "an unpack of")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse ``%t attr-dict : tuple<..>``."""
        name = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_, types = parse_tuple(parser)
        return cls.create(
            operands=[parser.resolve_operand(name, type_)],
            result_types=types,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print ``%t attr-dict : tuple<..>``."""
        printer.print_string(" ")
        printer.print_ssa_value(self.tuple_)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.tuple_.type)


OPERATIONS: list[type[Operation]] = [PackOp, UnpackOp]
