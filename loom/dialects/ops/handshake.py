"""The handshake operations LOOM's circuits are made of, in CIRCT's syntax.

Source: CIRCT's handshake dialect documentation. A control token has type ``none``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self, TypeVar

from xdsl.dialects.builtin import (
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    NoneType,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    attr_def,
    base,
    irdl_op_definition,
    operand_def,
    result_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from loom.dialects.ops.exact_printing import print_attributes
from loom.dialects.ops.problem import require
from loom.dialects.ops.types import is_token_type

OperationT = TypeVar("OperationT", bound=Operation)
I1 = IntegerType(1)
MAX_COPIES = 1 << 20
"""The outputs of the widest fork."""
NONE = NoneType()


def parse_values(parser: Parser, delimiter: Parser.Delimiter) -> list[UnresolvedOperand]:
    """The operand names of a comma-separated list."""
    return parser.parse_comma_separated_list(delimiter, parser.parse_unresolved_operand)


def print_values(printer: Printer, values: Sequence[SSAValue]) -> None:
    """Print operand names with commas between them."""
    printer.print_list(values, printer.print_ssa_value)


def parse_sized(class_: type[OperationT], parser: Parser) -> OperationT:
    """Parse ``[n] %in attr-dict : T`` of an operation with n results."""
    with parser.in_square_brackets():
        count = parser.parse_integer(allow_negative=False)
    if count > MAX_COPIES:
        parser.raise_error(f"a fork of {count} outputs")
    name = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    type_ = parser.parse_type()
    return class_.create(
        operands=[parser.resolve_operand(name, type_)],
        result_types=[type_] * count,
        attributes=attributes,
    )


def print_sized(operation: Operation, printer: Printer) -> None:
    """Print ``[n] %in attr-dict : T``."""
    (source,) = operation.operands
    printer.print_string(f" [{len(operation.results)}] ")
    printer.print_ssa_value(source)
    printer.print_op_attributes(operation.attributes)
    printer.print_string(" : ")
    printer.print_attribute(source.type)


def require_type(found: Attribute, wanted: Attribute, what: str) -> None:
    """Return if `what` has the wanted type."""
    require(found == wanted, "COMP_HANDSHAKE_TYPE", f"{what} of type {found}", str(wanted))


def require_token(found: Attribute, what: str) -> None:
    """Return if a channel can carry `what`."""
    require(
        is_token_type(found),
        "COMP_HANDSHAKE_TYPE",
        f"{what} of type {found}",
        "an integer, index, float, tagged, tuple or none type",
    )


@irdl_op_definition
class ForkOp(IRDLOperation):
    """``%0:2 = handshake.fork [2] %in : T``."""

    name = "handshake.fork"
    source = operand_def()
    copies = var_result_def()

    def __init__(self, source: SSAValue, count: int) -> None:
        super().__init__(operands=[source], result_types=[[source.type] * count])

    def verify_(self) -> None:
        """Check that every copy has the source's type."""
        require_token(self.source.type, "a fork's input")
        require(len(self.results) >= 1, "COMP_HANDSHAKE_ARITY", "a fork of no outputs", "1 or more")
        for copy in self.results:
            require_type(copy.type, self.source.type, "a fork's output")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse ``[n] %in attr-dict : T``."""
        return parse_sized(cls, parser)

    def print(self, printer: Printer) -> None:
        """Print ``[n] %in attr-dict : T``."""
        print_sized(self, printer)


@irdl_op_definition
class JoinOp(IRDLOperation):
    """``%0 = handshake.join %a, %b : i32, none``."""

    name = "handshake.join"
    tokens = var_operand_def()
    out = result_def(NONE)
    assembly_format = "$tokens attr-dict `:` type($tokens)"

    def __init__(self, tokens: Sequence[SSAValue]) -> None:
        super().__init__(operands=[list(tokens)], result_types=[NONE])

    def verify_(self) -> None:
        """Check that tokens are joined, one or more."""
        require(len(self.operands) >= 1, "COMP_HANDSHAKE_ARITY", "a join of no inputs", "1 or more")
        for token in self.operands:
            require_token(token.type, "a join's input")


@irdl_op_definition
class SinkOp(IRDLOperation):
    """``handshake.sink %in : T``."""

    name = "handshake.sink"
    source = operand_def()
    assembly_format = "$source attr-dict `:` type($source)"

    def __init__(self, source: SSAValue) -> None:
        super().__init__(operands=[source])

    def verify_(self) -> None:
        """Check that a channel can carry the input."""
        require_token(self.source.type, "a sink's input")


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """``%0 = handshake.constant %ctrl {value = 1 : i32} : i32``."""

    name = "handshake.constant"
    ctrl = operand_def(NONE)
    result = result_def()
    value = attr_def(base(IntegerAttr) | base(FloatAttr))

    def __init__(self, ctrl: SSAValue, value: IntegerAttr | FloatAttr) -> None:
        super().__init__(operands=[ctrl], result_types=[value.type], attributes={"value": value})

    def verify_(self) -> None:
        """Check that the value has the result's type."""
        require_type(self.value.type, self.result.type, "a constant's value")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse ``%ctrl attr-dict : T``."""
        ctrl = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        result = parser.parse_type()
        operand = parser.resolve_operand(ctrl, NONE)
        return cls.create(operands=[operand], result_types=[result], attributes=attributes)

    def print(self, printer: Printer) -> None:
        """Print ``%ctrl attr-dict : T``."""
        printer.print_string(" ")
        printer.print_ssa_value(self.ctrl)
        print_attributes(printer, self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class CondBranchOp(IRDLOperation):
    """``%t, %f = handshake.cond_br %cond, %data : T``."""

    name = "handshake.cond_br"
    condition = operand_def(I1)
    data = operand_def()
    true_result = result_def()
    false_result = result_def()

    def __init__(self, condition: SSAValue, data: SSAValue) -> None:
        super().__init__(operands=[condition, data], result_types=[data.type, data.type])

    def verify_(self) -> None:
        """Check that both results have the datum's type."""
        require_token(self.data.type, "a branch's datum")
        for result in self.results:
            require_type(result.type, self.data.type, "a branch's result")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse ``%cond, %data attr-dict : T``."""
        condition = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        data = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(condition, I1), parser.resolve_operand(data, type_)],
            result_types=[type_, type_],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print ``%cond, %data attr-dict : T``."""
        printer.print_string(" ")
        print_values(printer, self.operands)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.data.type)


@irdl_op_definition
class MuxOp(IRDLOperation):
    """``%0 = handshake.mux %select [%in0, %in1] : S, T``."""

    name = "handshake.mux"
    select = operand_def()
    data = var_operand_def()
    out = result_def()

    def __init__(self, select: SSAValue, data: Sequence[SSAValue]) -> None:
        super().__init__(operands=[select, list(data)], result_types=[data[0].type])

    def verify_(self) -> None:
        """Check the select's type and that all data have the result's type."""
        require(
            isinstance(self.select.type, IntegerType | IndexType),
            "COMP_HANDSHAKE_TYPE",
            f"a select of type {self.select.type}",
            "an integer type or index",
        )
        require(
            len(self.data) >= 1, "COMP_HANDSHAKE_ARITY", f"a mux of {len(self.data)}", "1 or more"
        )
        for value in self.data:
            require_type(value.type, self.out.type, "a mux's input")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse ``%select [%in0, %in1] attr-dict : S, T``."""
        select = parser.parse_unresolved_operand()
        data = parse_values(parser, parser.Delimiter.SQUARE)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        select_type = parser.parse_type()
        parser.parse_punctuation(",")
        type_ = parser.parse_type()
        return cls.create(
            operands=[
                parser.resolve_operand(select, select_type),
                *(parser.resolve_operand(name, type_) for name in data),
            ],
            result_types=[type_],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print ``%select [%in0, %in1] attr-dict : S, T``."""
        printer.print_string(" ")
        printer.print_ssa_value(self.select)
        printer.print_string(" [")
        print_values(printer, self.data)
        printer.print_string("]")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.select.type)
        printer.print_string(", ")
        printer.print_attribute(self.out.type)


OPERATIONS: list[type[Operation]] = [
    ForkOp,
    JoinOp,
    SinkOp,
    ConstantOp,
    CondBranchOp,
    MuxOp,
]
