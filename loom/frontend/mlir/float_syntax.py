"""Custom forms of casts between floats, which in MLIR may say a rounding mode and flags.

The flags only permit what LOOM does not do; they are kept and change nothing.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Attribute
from xdsl.parser import Parser

from loom.dialects.floats.formats import ROUNDING_MODES
from loom.frontend.mlir.syntax_pieces import Syntax, parse_cast


def parse_rounding(parser: Parser) -> dict[str, Attribute]:
    """``to_nearest_even fastmath<fast>``, both optional, as attributes."""
    found: dict[str, Attribute] = {}
    words = enumerate(ROUNDING_MODES)
    mode = next((k for k, word in words if parser.parse_optional_keyword(word)), None)
    if mode is not None:
        found["roundingmode"] = IntegerAttr(mode, i32)
    if parser.parse_optional_keyword("fastmath"):
        found["fastmath"] = FastMathFlagsAttr(FastMathFlagsAttr.parse_parameter(parser))
    return found


FLOAT_SYNTAX: dict[str, Syntax] = {
    "arith.extf": parse_cast(arith.ExtFOp, parse_rounding),
    "arith.truncf": parse_cast(arith.TruncFOp, parse_rounding),
}
