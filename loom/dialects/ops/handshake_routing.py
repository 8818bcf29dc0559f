"""Handshake operations that route tokens by arrival, or that other compilers make.

In CIRCT's syntax; only `handshake.share` is LOOM's own.

Source: CIRCT's handshake dialect documentation. Those that no pass names are derived from their
rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import ArrayAttr, FunctionType, NoneType, SymbolRefAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    attr_def,
    irdl_op_definition,
    operand_def,
    opt_attr_def,
    result_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from loom.dialects.operators.operator import Signature, parse_ports
from loom.dialects.ops.graph_operation import GraphOperation, parse_values, print_values


@irdl_op_definition
class MergeOp(GraphOperation):
    """``%0 = handshake.merge %a, %b : T``."""

    name = "handshake.merge"
    data = var_operand_def()
    out = result_def()


@irdl_op_definition
class ControlMergeOp(GraphOperation):
    """``%0, %index = handshake.control_merge %a, %b : T, index``; older texts leave index out."""

    name = "handshake.control_merge"
    data = var_operand_def()
    out = result_def()
    index = result_def()


@irdl_op_definition
class SyncOp(GraphOperation):
    """``%0, %1 = handshake.sync %a, %b : i32, none``."""

    name = "handshake.sync"
    tokens = var_operand_def()
    outs = var_result_def()

    def __init__(self, tokens: Sequence[SSAValue]) -> None:
        super().__init__(operands=[tokens], result_types=[[token.type for token in tokens]])


@irdl_op_definition
class ShareOp(GraphOperation):
    """``%called, %a, %b = handshake.share %returned, %x, %y : R, T``."""

    name = "handshake.share"
    returned = operand_def()
    callers = var_operand_def()
    called = result_def()
    outs = var_result_def()

    def __init__(
        self, returned: SSAValue, callers: Sequence[SSAValue], result_type: Attribute
    ) -> None:
        super().__init__(
            operands=[returned, list(callers)],
            result_types=[callers[0].type, [result_type] * len(callers)],
        )

    def way_of_operand(self, index: int) -> int:
        """The caller, from 1, that operand `index` is of; 0 of what is returned."""
        return index

    def way_of_result(self, index: int) -> int:
        """The caller, from 1, that result `index` is for; -1 of what is called."""
        return index or -1

    def results_after(self, index: int) -> tuple[SSAValue, ...]:
        """The results that come only after the token of operand `index`: its caller's."""
        return (self.results[index],) if index else ()

    def taken_before(self, result: SSAValue) -> tuple[SSAValue, ...]:
        """The operands of which all tokens are taken when all of `result` are there."""
        pairs = zip(self.callers, self.outs, strict=True)
        return tuple(caller for caller, out in pairs if out is result)


@irdl_op_definition
class SourceOp(GraphOperation):
    """``%0 = handshake.source``: a control token whenever one is taken."""

    name = "handshake.source"
    out = result_def()

    def __init__(self) -> None:
        super().__init__(result_types=[NoneType()])


@irdl_op_definition
class BranchOp(GraphOperation):
    """``%0 = handshake.br %a : T``, which is a wire."""

    name = "handshake.br"
    SIGNATURE: ClassVar[Signature] = Signature(*parse_ports("data:T -> out:T"))
    data = operand_def()
    out = result_def()


@irdl_op_definition
class SelectOp(GraphOperation):
    """``%0 = handshake.select %condition, %a, %b : T``: all three are taken, one is passed."""

    name = "handshake.select"
    SIGNATURE: ClassVar[Signature] = Signature(
        *parse_ports("condition:i1 true_value:T false_value:T -> result:T")
    )
    condition = operand_def()
    true_value = operand_def()
    false_value = operand_def()
    result = result_def()


@irdl_op_definition
class InstanceOp(IRDLOperation):
    """``%0:2 = handshake.instance @f(%a, %ctrl) : (i32, none) -> (i32, none)``.

    With a `function_type` it is one of an external function, whose ports have the names.
    """

    name = "handshake.instance"
    arguments = var_operand_def()
    outs = var_result_def()
    module = attr_def(SymbolRefAttr)
    external_type = opt_attr_def(FunctionType, attr_name="function_type")
    arg_names = opt_attr_def(ArrayAttr, attr_name="argNames")
    res_names = opt_attr_def(ArrayAttr, attr_name="resNames")

    @property
    def function(self) -> str:
        """The name of the function."""
        return str(self.module.root_reference.data)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse ``@f(operands) attr-dict : (types) -> (types)``."""
        callee = SymbolRefAttr(parser.parse_symbol_name())
        names = parse_values(parser, parser.Delimiter.PAREN)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_: FunctionType = parser.parse_function_type()
        return cls.create(
            operands=parser.resolve_operands(names, list(type_.inputs), parser.pos),
            result_types=list(type_.outputs),
            attributes={**attributes, "module": callee},
        )

    def print(self, printer: Printer) -> None:
        """Print ``@f(operands) attr-dict : (types) -> (types)``."""
        printer.print_string(" ")
        printer.print_attribute(self.module)
        printer.print_string("(")
        print_values(printer, self.operands)
        printer.print_string(")")
        printer.print_op_attributes(self.attributes, reserved_attr_names={"module"})
        printer.print_string(" : ")
        printer.print_operation_type(self)


OPERATIONS: list[type[Operation]] = [
    MergeOp, ControlMergeOp, ShareOp, BranchOp, SelectOp, InstanceOp,
]  # fmt: skip
