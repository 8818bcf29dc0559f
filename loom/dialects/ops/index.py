"""The index dialect, and arith's unsigned cast of index: what xDSL has no classes for.

Source: MLIR's documentation of the index and arith dialects. Meanings stand in the catalogue.
"""

from __future__ import annotations

from typing import Self

from xdsl.dialects.builtin import BoolAttr, IndexType, IntegerAttr, IntegerType
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Dialect, Operation, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

I1 = IntegerType(1)
INDEX = IndexType()


class Predicate(StrEnum):
    """The comparisons of `index.cmp`, named as arith names them."""

    EQ = "eq"
    NE = "ne"
    SLT = "slt"
    SLE = "sle"
    SGT = "sgt"
    SGE = "sge"
    ULT = "ult"
    ULE = "ule"
    UGT = "ugt"
    UGE = "uge"


@irdl_attr_definition
class PredicateAttr(EnumAttribute[Predicate], SpacedOpaqueSyntaxAttribute):
    """``#index<cmp_predicate slt>``."""

    name = "index.cmp_predicate"


class BinaryOp(IRDLOperation):
    """Two values of type index to one."""

    lhs = operand_def(IndexType)
    rhs = operand_def(IndexType)
    result = result_def(IndexType)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict"

    def __init__(self, lhs: SSAValue, rhs: SSAValue) -> None:
        super().__init__(operands=[lhs, rhs], result_types=[INDEX])


BINARY_NAMES = (
    *("add", "sub", "mul", "divs", "divu", "ceildivs", "ceildivu", "floordivs", "rems", "remu"),
    *("maxs", "maxu", "mins", "minu", "shl", "shrs", "shru", "and", "or", "xor"),
)


def _binary_operation(word: str) -> type[BinaryOp]:
    """The class of ``index.<word>``."""
    members = {"name": f"index.{word}", "__doc__": f"``%r = index.{word} %lhs, %rhs``."}
    return irdl_op_definition(type(f"{word.capitalize()}Op", (BinaryOp,), members))


BINARY_OPERATIONS: tuple[type[BinaryOp], ...] = tuple(map(_binary_operation, BINARY_NAMES))


@irdl_op_definition
class CmpOp(IRDLOperation):
    """``%r = index.cmp slt(%lhs, %rhs)``."""

    name = "index.cmp"
    pred = prop_def(PredicateAttr)
    lhs = operand_def(IndexType)
    rhs = operand_def(IndexType)
    result = result_def(I1)
    traits = traits_def(Pure())

    def __init__(self, predicate: str, lhs: SSAValue, rhs: SSAValue) -> None:
        super().__init__(
            operands=[lhs, rhs],
            result_types=[I1],
            properties={"pred": PredicateAttr(Predicate(predicate))},
        )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse ``slt(%lhs, %rhs)``."""
        predicate = parser.parse_str_enum(Predicate)
        lhs, rhs = parser.parse_comma_separated_list(
            Parser.Delimiter.PAREN, lambda: parser.parse_operand(INDEX)
        )
        op = cls(predicate, lhs, rhs)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        """Print ``slt(%lhs, %rhs)``."""
        printer.print_string(f" {self.pred.data}")
        with printer.in_parens():
            printer.print_list((self.lhs, self.rhs), printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)


class CastOp(IRDLOperation):
    """Between index and an integer."""

    input = operand_def(base(IndexType) | base(IntegerType))
    output = result_def(base(IndexType) | base(IntegerType))
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `to` type($output)"

    def __init__(self, input: SSAValue | Operation, type_: Attribute) -> None:
        super().__init__(operands=[input], result_types=[type_])

    def verify_(self) -> None:
        """Refuse a cast that has index on both sides or on none."""
        if isinstance(self.input.type, IndexType) == isinstance(self.output.type, IndexType):
            raise VerifyException(f"a cast from {self.input.type} to {self.output.type}")


@irdl_op_definition
class CastSOp(CastOp):
    """``%r = index.casts %a : index to i64``: sign extension or the low bits."""

    name = "index.casts"


@irdl_op_definition
class CastUOp(CastOp):
    """``%r = index.castu %a : index to i64``: zero extension or the low bits."""

    name = "index.castu"


@irdl_op_definition
class IndexCastUIOp(CastOp):
    """``%r = arith.index_castui %a : index to i64``: zero extension or the low bits."""

    name = "arith.index_castui"


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """``%r = index.constant 42``."""

    name = "index.constant"
    value = prop_def(IntegerAttr[IndexType])
    result = result_def(IndexType)
    traits = traits_def(Pure())

    def __init__(self, value: int) -> None:
        super().__init__(result_types=[INDEX], properties={"value": IntegerAttr(value, INDEX)})

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse the number."""
        attributes = parser.parse_optional_attr_dict()
        op = cls(parser.parse_integer(allow_boolean=False))
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        """Print the number."""
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" {self.value.value.data}")


@irdl_op_definition
class BoolConstantOp(IRDLOperation):
    """``%r = index.bool.constant true``."""

    name = "index.bool.constant"
    value = prop_def(BoolAttr)
    result = result_def(I1)
    traits = traits_def(Pure())

    def __init__(self, value: bool) -> None:
        super().__init__(result_types=[I1], properties={"value": IntegerAttr.from_bool(value)})

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse ``true`` or ``false``."""
        attributes = parser.parse_optional_attr_dict()
        op = cls(parser.parse_boolean())
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        """Print ``true`` or ``false``."""
        printer.print_op_attributes(self.attributes)
        printer.print_string(" true" if self.value.value.data else " false")


@irdl_op_definition
class SizeOfOp(IRDLOperation):
    """``%r = index.sizeof``: the bits of an index."""

    name = "index.sizeof"
    result = result_def(IndexType)
    traits = traits_def(Pure())
    assembly_format = "attr-dict"


OPERATIONS: list[type[Operation]] = [
    *BINARY_OPERATIONS,
    CmpOp,
    CastSOp,
    CastUOp,
    ConstantOp,
    BoolConstantOp,
    SizeOfOp,
]

Index = Dialect("index", OPERATIONS, [PredicateAttr])
