"""The handshake operations LOOM's circuits are made of, in CIRCT's syntax.

Source: CIRCT's handshake dialect documentation. A control token has type ``none``.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
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

from loom.dialects.ops.graph_operation import (
    NONE,
    GraphOperation,
    SizedOperation,
    parse_values,
    print_values,
    require_type,
)


@irdl_op_definition
class ForkOp(SizedOperation):
    """``%0:2 = handshake.fork [2] %in : T``."""

    name = "handshake.fork"
    source = operand_def()
    copies = var_result_def()

    def __init__(self, source: SSAValue, count: int) -> None:
        super().__init__(operands=[source], result_types=[[source.type] * count])


@irdl_op_definition
class JoinOp(GraphOperation):
    """``%0 = handshake.join %a, %b : i32, none``."""

    name = "handshake.join"
    tokens = var_operand_def()
    out = result_def()

    def __init__(self, tokens: Sequence[SSAValue]) -> None:
        super().__init__(operands=[list(tokens)], result_types=[NONE])


@irdl_op_definition
class SinkOp(GraphOperation):
    """``handshake.sink %in : T``."""

    name = "handshake.sink"
    source = operand_def()

    def __init__(self, source: SSAValue) -> None:
        super().__init__(operands=[source])


@irdl_op_definition
class ConstantOp(GraphOperation):
    """``%0 = handshake.constant %ctrl {value = 1 : i32} : i32``."""

    name = "handshake.constant"
    ctrl = operand_def()
    result = result_def()
    value = attr_def(base(IntegerAttr) | base(FloatAttr))

    def __init__(self, ctrl: SSAValue, value: IntegerAttr | FloatAttr) -> None:
        super().__init__(operands=[ctrl], result_types=[value.type], attributes={"value": value})

    def verify_(self) -> None:
        """Check the ports, and that the value has the result's type."""
        super().verify_()
        require_type(self.value.type, self.result.type, "a constant's value")


@irdl_op_definition
class CondBranchOp(GraphOperation):
    """``%t, %f = handshake.cond_br %cond, %data : T``."""

    name = "handshake.cond_br"
    condition = operand_def()
    data = operand_def()
    true_result = result_def()
    false_result = result_def()

    def __init__(self, condition: SSAValue, data: SSAValue) -> None:
        super().__init__(operands=[condition, data], result_types=[data.type, data.type])


@irdl_op_definition
class MuxOp(GraphOperation):
    """``%0 = handshake.mux %select [%in0, %in1] : S, T``."""

    name = "handshake.mux"
    select = operand_def()
    data = var_operand_def()
    out = result_def()

    def __init__(self, select: SSAValue, data: Sequence[SSAValue]) -> None:
        super().__init__(operands=[select, list(data)], result_types=[data[0].type])

    @classmethod
    def parse_operands(cls, parser: Parser) -> tuple[list[UnresolvedOperand], int]:
        """``%select [%in0, %in1]``."""
        select = parser.parse_unresolved_operand()
        return [select, *parse_values(parser, parser.Delimiter.SQUARE)], 1

    def print_operands(self, printer: Printer) -> None:
        """``%select [%in0, %in1]``."""
        printer.print_string(" ")
        printer.print_ssa_value(self.select)
        printer.print_string(" [")
        print_values(printer, self.data)
        printer.print_string("]")


OPERATIONS: list[type[Operation]] = [ForkOp, JoinOp, SinkOp, ConstantOp, CondBranchOp, MuxOp]
