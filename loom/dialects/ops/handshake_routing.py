"""The handshake operations that only graphs from other compilers hold, in CIRCT's syntax.

Source: CIRCT's handshake dialect documentation.
"""

from __future__ import annotations

from typing import Self

from xdsl.dialects.builtin import (
    FunctionType,
    IndexType,
    IntegerType,
    NoneType,
    SymbolRefAttr,
)
from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    IRDLOperation,
    attr_def,
    irdl_op_definition,
    operand_def,
    result_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from loom.dialects.ops.handshake import (
    parse_sized,
    parse_values,
    print_sized,
    print_values,
    require_token,
    require_type,
)
from loom.dialects.ops.problem import require

I1 = IntegerType(1)
INDEX = IndexType()
NONE = NoneType()


@irdl_op_definition
class LazyForkOp(IRDLOperation):
    """``%0:2 = handshake.lazy_fork [2] %in : T``."""

    name = "handshake.lazy_fork"
    source = operand_def()
    copies = var_result_def()

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
class MergeOp(IRDLOperation):
    """``%0 = handshake.merge %a, %b : T``."""

    name = "handshake.merge"
    data = var_operand_def()
    out = result_def()

    def verify_(self) -> None:
        """Check that there are inputs, all of the output's type."""
        require_token(self.out.type, "a merge's output")
        require(len(self.data) >= 1, "COMP_HANDSHAKE_ARITY", "a merge of no inputs", "1 or more")
        for value in self.data:
            require_type(value.type, self.out.type, "a merge's input")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse ``%a, %b attr-dict : T``."""
        names = parse_values(parser, parser.Delimiter.NONE)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(name, type_) for name in names],
            result_types=[type_],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print ``%a, %b attr-dict : T``."""
        printer.print_string(" ")
        print_values(printer, self.operands)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.out.type)


@irdl_op_definition
class ControlMergeOp(IRDLOperation):
    """``%0, %index = handshake.control_merge %a, %b : T, index``; older texts leave index out."""

    name = "handshake.control_merge"
    data = var_operand_def()
    out = result_def()
    index = result_def()

    def verify_(self) -> None:
        """Check that there are inputs of the output's type, and that the index is a number."""
        require_token(self.out.type, "a control merge's output")
        require(
            len(self.data) >= 1, "COMP_HANDSHAKE_ARITY", "a control merge of no inputs", "1 or more"
        )
        for value in self.data:
            require_type(value.type, self.out.type, "a control merge's input")
        require(
            isinstance(self.index.type, IntegerType | IndexType),
            "COMP_HANDSHAKE_TYPE",
            f"a control merge's index of type {self.index.type}",
            "an integer type or index",
        )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse ``%a, %b attr-dict : T, index``."""
        names = parse_values(parser, parser.Delimiter.NONE)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        index: Attribute = INDEX
        if parser.parse_optional_punctuation(","):
            index = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(name, type_) for name in names],
            result_types=[type_, index],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print ``%a, %b attr-dict : T, index``."""
        printer.print_string(" ")
        print_values(printer, self.operands)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.out.type)
        printer.print_string(", ")
        printer.print_attribute(self.index.type)


@irdl_op_definition
class SyncOp(IRDLOperation):
    """``%0:2 = handshake.sync %a, %b : i32, none``."""

    name = "handshake.sync"
    tokens = var_operand_def()
    outs = var_result_def()

    def verify_(self) -> None:
        """Check that every output has its input's type."""
        require(len(self.tokens) >= 1, "COMP_HANDSHAKE_ARITY", "a sync of no inputs", "1 or more")
        require(
            [value.type for value in self.tokens] == [value.type for value in self.outs],
            "COMP_HANDSHAKE_TYPE",
            "a sync whose outputs differ in type from its inputs",
            "one output for each input, of its type",
        )
        for value in self.tokens:
            require_token(value.type, "a sync's input")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse ``%a, %b attr-dict : types``."""
        names = parse_values(parser, parser.Delimiter.NONE)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        return cls.create(
            operands=parser.resolve_operands(names, types, parser.pos),
            result_types=types,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print ``%a, %b attr-dict : types``."""
        printer.print_string(" ")
        print_values(printer, self.operands)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_list([value.type for value in self.tokens], printer.print_attribute)


@irdl_op_definition
class SourceOp(IRDLOperation):
    """``%0 = handshake.source``: control tokens without end."""

    name = "handshake.source"
    out = result_def(NONE)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse ``attr-dict``, behind which older texts say ``: none``."""
        attributes = parser.parse_optional_attr_dict()
        if parser.parse_optional_punctuation(":"):
            parser.parse_type()
        return cls.create(result_types=[NONE], attributes=attributes)

    def print(self, printer: Printer) -> None:
        """Print ``attr-dict``."""
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class NeverOp(IRDLOperation):
    """``%0 = handshake.never : T``."""

    name = "handshake.never"
    out = result_def()
    assembly_format = "attr-dict `:` type($out)"

    def verify_(self) -> None:
        """Check that a channel can carry the output."""
        require_token(self.out.type, "the output of never")


@irdl_op_definition
class BranchOp(IRDLOperation):
    """``%0 = handshake.br %a : T``, which is a wire."""

    name = "handshake.br"
    data = operand_def()
    out = result_def()

    def verify_(self) -> None:
        """Check that the output has the input's type."""
        require_token(self.data.type, "a branch's datum")
        require_type(self.out.type, self.data.type, "a branch's result")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse ``%a attr-dict : T``."""
        name = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(name, type_)],
            result_types=[type_],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print ``%a attr-dict : T``."""
        printer.print_string(" ")
        printer.print_ssa_value(self.data)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.data.type)


@irdl_op_definition
class SelectOp(IRDLOperation):
    """``%0 = handshake.select %condition, %a, %b : T``: all three are taken, one is passed."""

    name = "handshake.select"
    condition = operand_def(I1)
    true_value = operand_def()
    false_value = operand_def()
    result = result_def()

    def verify_(self) -> None:
        """Check that both values have the result's type."""
        require_token(self.result.type, "a select's result")
        for value in (self.true_value, self.false_value):
            require_type(value.type, self.result.type, "a select's value")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse ``%condition, %a, %b attr-dict : T``."""
        names = parse_values(parser, parser.Delimiter.NONE)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        types = [I1, *([type_] * (len(names) - 1))]
        return cls.create(
            operands=parser.resolve_operands(names, types, parser.pos),
            result_types=[type_],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print ``%condition, %a, %b attr-dict : T``."""
        printer.print_string(" ")
        print_values(printer, self.operands)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class InstanceOp(IRDLOperation):
    """``%0:2 = handshake.instance @f(%a, %ctrl) : (i32, none) -> (i32, none)``."""

    name = "handshake.instance"
    arguments = var_operand_def()
    outs = var_result_def()
    module = attr_def(SymbolRefAttr)

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
    LazyForkOp,
    MergeOp,
    ControlMergeOp,
    SyncOp,
    SourceOp,
    NeverOp,
    BranchOp,
    SelectOp,
    InstanceOp,
]
