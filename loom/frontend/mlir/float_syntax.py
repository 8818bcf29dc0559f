"""Custom forms of casts between floats, which in MLIR may say a rounding mode and flags.

The flags only permit what LOOM does not do; they are kept and change nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Operation
from xdsl.parser import Parser

from loom.dialects.floats.formats import ROUNDING_MODES


def parse_float_cast(class_: type[Operation]) -> Callable[[Parser], Operation]:
    """``arith.truncf %a to_nearest_even fastmath<fast> : f64 to f32``, the words optional."""

    def parse(parser: Parser) -> Operation:
        operand = parser.parse_unresolved_operand()
        words = enumerate(ROUNDING_MODES)
        mode = next((k for k, word in words if parser.parse_optional_keyword(word)), None)
        fast = None
        if parser.parse_optional_keyword("fastmath"):
            fast = FastMathFlagsAttr(FastMathFlagsAttr.parse_parameter(parser))
        attributes = parser.parse_optional_attr_dict()
        if mode is not None:
            attributes["roundingmode"] = IntegerAttr(mode, i32)
        if fast is not None:
            attributes["fastmath"] = fast
        parser.parse_punctuation(":")
        value = parser.resolve_operand(operand, parser.parse_type())
        parser.parse_keyword("to")
        return class_.create(
            operands=[value], result_types=[parser.parse_type()], attributes=attributes
        )

    return parse


FLOAT_SYNTAX: dict[str, Callable[[Parser], Operation]] = {
    "arith.extf": parse_float_cast(arith.ExtFOp),
    "arith.truncf": parse_float_cast(arith.TruncFOp),
}
