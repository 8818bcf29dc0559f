"""Packing of tuples, in CIRCT's syntax; a tuple's first element has the high bits.

Source: CIRCT's handshake dialect documentation; the order of bits is that of a packed structure
in SystemVerilog.
"""

from __future__ import annotations

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    result_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser

from loom.dialects.ops.graph_operation import GraphOperation, require_token
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


def split_tuple(parser: Parser, listed: list[Attribute]) -> tuple[list[Attribute], list[Attribute]]:
    """The tuple type that is listed, and the types of its elements."""
    if len(listed) != 1 or not isinstance(listed[0], TupleType):
        parser.raise_error("a tuple type expected")
    return listed, list(listed[0].types)


@irdl_op_definition
class PackOp(GraphOperation):
    """``%0 = handshake.pack %a, %b : tuple<i32, i8>``."""

    name = "handshake.pack"
    elements = var_operand_def()
    tuple_ = result_def()

    def verify_(self) -> None:
        """Check that the operands are the tuple's elements."""
        require_elements(self.tuple_.type, [value.type for value in self.elements], "a pack of")

    @classmethod
    def spread_types(
        cls, parser: Parser, listed: list[Attribute], inputs: int, outputs: int
    ) -> tuple[list[Attribute], list[Attribute]]:
        """The elements of the tuple, and the tuple."""
        whole, elements = split_tuple(parser, listed)
        return elements, whole

    def listed_types(self) -> list[Attribute]:
        """The tuple."""
        return [self.tuple_.type]


@irdl_op_definition
class UnpackOp(GraphOperation):
    """``%a, %b = handshake.unpack %t : tuple<i32, i8>``."""

    name = "handshake.unpack"
    tuple_ = operand_def()
    elements = var_result_def()

    def verify_(self) -> None:
        """Check that the results are the tuple's elements."""
        require_elements(self.tuple_.type, [value.type for value in self.elements], "an unpack of")

    @classmethod
    def spread_types(
        cls, parser: Parser, listed: list[Attribute], inputs: int, outputs: int
    ) -> tuple[list[Attribute], list[Attribute]]:
        """The tuple, and its elements."""
        return split_tuple(parser, listed)

    def listed_types(self) -> list[Attribute]:
        """The tuple."""
        return [self.tuple_.type]


OPERATIONS: list[type[Operation]] = [PackOp, UnpackOp]
