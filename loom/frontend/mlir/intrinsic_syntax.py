"""Custom forms of the llvm dialect's intrinsics on integers."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.parser import Parser

from loom.dialects.ops.llvm_intrinsics import INTRINSICS, AssumeOp, ExpectOp
from loom.frontend.mlir.syntax_pieces import Syntax, parse_attributes_and_colon, parse_pair


def parse_intrinsic(class_: type[Operation]) -> Syntax:
    """``llvm.intr.smax(%a, %b) : (i32, i32) -> i32``; flags stand in the attributes."""

    def parse(parser: Parser) -> Operation:
        operands = parser.parse_comma_separated_list(
            Parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        properties = parser.parse_optional_properties_dict()
        attributes = parse_attributes_and_colon(parser)
        position = parser.pos
        type_ = parser.parse_function_type()
        op = class_.create(
            operands=parser.resolve_operands(operands, type_.inputs.data, position),
            result_types=type_.outputs.data,
            properties=properties,
            attributes=attributes,
        )
        for name in FLAGS & op.attributes.keys():
            op.properties[name] = op.attributes.pop(name)
        return op

    return parse


FLAGS = {"is_zero_poison", "is_int_min_poison"}


def parse_expect(parser: Parser) -> Operation:
    """``llvm.intr.expect %a, %b : i32``."""
    names = parse_pair(parser)
    attributes = parse_attributes_and_colon(parser)
    type_ = parser.parse_type()
    operands = [parser.resolve_operand(name, type_) for name in names]
    return ExpectOp.create(operands=operands, result_types=[type_], attributes=attributes)


def parse_assume(parser: Parser) -> Operation:
    """``llvm.intr.assume %c : i1``."""
    name = parser.parse_unresolved_operand()
    attributes = parse_attributes_and_colon(parser)
    operand = parser.resolve_operand(name, parser.parse_type())
    return AssumeOp.create(operands=[operand], attributes=attributes)


INTRINSIC_SYNTAX: dict[str, Syntax] = {
    **{class_.name: parse_intrinsic(class_) for class_ in INTRINSICS},
    "llvm.intr.expect": parse_expect,
    "llvm.intr.assume": parse_assume,
}
"""Functions that read what follows the operation's name."""
