"""Python's operators: functions on constants, and operations on values of a type."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from xdsl.dialects import arith
from xdsl.ir import Operation

from loom.errors import MOST_BITS, LoomError, Place
from loom.frontend.imperative.tree import Relation
from loom.frontend.imperative.types import Float, Int, Type

BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
}
COMPARISONS: dict[type[ast.cmpop], tuple[Callable[[Any, Any], bool], Relation]] = {
    ast.Eq: (operator.eq, Relation.EQ),
    ast.NotEq: (operator.ne, Relation.NE),
    ast.Lt: (operator.lt, Relation.LT),
    ast.LtE: (operator.le, Relation.LE),
    ast.Gt: (operator.gt, Relation.GT),
    ast.GtE: (operator.ge, Relation.GE),
}
SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|",
    ast.BitXor: "^", ast.MatMult: "@",
}  # fmt: skip

INTEGER: dict[type[ast.operator], type[Operation]] = {
    ast.Add: arith.AddiOp,
    ast.Sub: arith.SubiOp,
    ast.Mult: arith.MuliOp,
    ast.BitAnd: arith.AndIOp,
    ast.BitOr: arith.OrIOp,
    ast.BitXor: arith.XOrIOp,
}
"""Operators that are one operation on the bits of an integer."""
BOOLEAN: dict[type[ast.operator], type[Operation]] = {
    ast.Add: arith.OrIOp,
    ast.Mult: arith.AndIOp,
    ast.BitAnd: arith.AndIOp,
    ast.BitOr: arith.OrIOp,
    ast.BitXor: arith.XOrIOp,
}
"""Operators on NumPy's booleans: a sum is an or."""
FLOAT: dict[type[ast.operator], type[Operation]] = {
    ast.Add: arith.AddfOp,
    ast.Sub: arith.SubfOp,
    ast.Mult: arith.MulfOp,
    ast.Div: arith.DivfOp,
}
BITWISE = (ast.BitAnd, ast.BitOr, ast.BitXor)
SHIFTS = (ast.LShift, ast.RShift)


def find_operations(type_: Type) -> dict[type[ast.operator], type[Operation]]:
    """The operators that are one operation on values of the type."""
    if isinstance(type_, Float):
        return FLOAT
    return BOOLEAN if type_.is_truth else INTEGER


def compute_constant(
    kind: type[ast.operator], left: Any, right: Any, place: Place
) -> bool | int | float:
    """The number that Python computes; refused where there is none, or one too large."""
    accepted = f"constants that have a value, of up to {MOST_BITS} bits"
    what = f"{left} {SIGNS[kind]} {right}"
    if kind in (ast.LShift, ast.Pow) and (abs(right) > MOST_BITS or abs(left) > 1 << MOST_BITS):
        raise LoomError("PY_CONSTANT", place, what, accepted)
    try:
        found = BINARY[kind](left, right)
    except (ArithmeticError, ValueError, TypeError):
        raise LoomError("PY_CONSTANT", place, what, accepted) from None
    if isinstance(found, complex) or (isinstance(found, int) and abs(found) >> MOST_BITS):
        raise LoomError("PY_CONSTANT", place, what, accepted)
    assert isinstance(found, bool | int | float)
    return found


def is_within_width(amount: int, type_: Int) -> bool:
    """True if a shift by the amount leaves bits of the type."""
    return 0 <= amount < type_.width
