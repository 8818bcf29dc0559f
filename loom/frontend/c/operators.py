"""The operators and library functions of C, and the operations of a circuit that they are."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, math
from xdsl.ir import Operation

from loom.dialects.ops.float_ops import RemFOp
from loom.errors import Place
from loom.frontend.imperative.tree import (
    Apply,
    Choose,
    Compare,
    Convert,
    Expression,
    Number,
    Relation,
)
from loom.frontend.imperative.types import Float, Int, Type

# Operators of one operand, as libclang numbers them
POST_INCREMENT, POST_DECREMENT, PRE_INCREMENT, PRE_DECREMENT = 1, 2, 3, 4
ADDRESS, DEREFERENCE, PLUS, MINUS, COMPLEMENT, NOT, EXTENSION = 5, 6, 7, 8, 9, 10, 13
STEPS = (POST_INCREMENT, POST_DECREMENT, PRE_INCREMENT, PRE_DECREMENT)

# Operators of two operands
MULTIPLY, DIVIDE, REMAINDER, ADD, SUBTRACT, SHIFT_LEFT, SHIFT_RIGHT = 3, 4, 5, 6, 7, 8, 9
AND, EXCLUSIVE_OR, OR, LOGICAL_AND, LOGICAL_OR, ASSIGN = 17, 18, 19, 20, 21, 22
COMMA = 33
LOGICAL = (LOGICAL_AND, LOGICAL_OR)

RELATIONS = {
    11: Relation.LT,
    12: Relation.GT,
    13: Relation.LE,
    14: Relation.GE,
    15: Relation.EQ,
    16: Relation.NE,
}
COMPOUND = {
    23: MULTIPLY,
    24: DIVIDE,
    25: REMAINDER,
    26: ADD,
    27: SUBTRACT,
    28: SHIFT_LEFT,
    29: SHIFT_RIGHT,
    30: AND,
    31: EXCLUSIVE_OR,
    32: OR,
}
"""The operator that a compound assignment computes with."""
SHIFTS = (SHIFT_LEFT, SHIFT_RIGHT)

SIGNED: dict[int, type[Operation]] = {
    MULTIPLY: arith.MuliOp,
    DIVIDE: arith.DivSIOp,
    REMAINDER: arith.RemSIOp,
    ADD: arith.AddiOp,
    SUBTRACT: arith.SubiOp,
    SHIFT_LEFT: arith.ShLIOp,
    SHIFT_RIGHT: arith.ShRSIOp,
    AND: arith.AndIOp,
    EXCLUSIVE_OR: arith.XOrIOp,
    OR: arith.OrIOp,
}
UNSIGNED: dict[int, type[Operation]] = {
    **SIGNED,
    DIVIDE: arith.DivUIOp,
    REMAINDER: arith.RemUIOp,
    SHIFT_RIGHT: arith.ShRUIOp,
}
FLOATING: dict[int, type[Operation]] = {
    MULTIPLY: arith.MulfOp,
    DIVIDE: arith.DivfOp,
    ADD: arith.AddfOp,
    SUBTRACT: arith.SubfOp,
}


def find_operation(operator: int, type_: Type) -> type[Operation]:
    """The operation that the operator is on values of this type."""
    if isinstance(type_, Int):
        return (SIGNED if type_.signed else UNSIGNED)[operator]
    return FLOATING[operator]


# Functions of C's library

FLOAT_FUNCTIONS: dict[str, type[Operation]] = {
    "sqrt": math.SqrtOp,
    "fabs": math.AbsFOp,
    "floor": math.FloorOp,
    "ceil": math.CeilOp,
    "trunc": math.TruncOp,
    "round": math.RoundOp,
    "rint": math.RoundEvenOp,
    "nearbyint": math.RoundEvenOp,
    "fma": math.FmaOp,
    "fmod": RemFOp,
    "copysign": math.CopySignOp,
    "exp": math.ExpOp,
    "exp2": math.Exp2Op,
    "expm1": math.ExpM1Op,
    "log": math.LogOp,
    "log2": math.Log2Op,
    "log10": math.Log10Op,
    "log1p": math.Log1pOp,
    "pow": math.PowFOp,
    "sin": math.SinOp,
    "cos": math.CosOp,
    "tan": math.TanOp,
    "tanh": math.TanhOp,
}
"""Functions of double; those of float have an f behind their names."""
COUNTS: dict[str, type[Operation]] = {
    f"__builtin_{name}{suffix}": operation
    for name, operation in (
        ("popcount", math.CtPopOp), ("clz", math.CountLeadingZerosOp),
        ("ctz", math.CountTrailingZerosOp),
    )
    for suffix in ("", "l", "ll")
}  # fmt: skip
"""Functions on the bits of an integer that gcc and clang have."""
EXPECTATIONS = ("__builtin_expect", "__builtin_expect_with_probability")
"""Functions whose value is their first argument: the others tell which one is likely."""
MAGNITUDES = ("abs", "labs", "llabs")
TESTS = ("isnan", "__builtin_isnan", "__isnan", "__isnanf")
EXTREMES: dict[str, Relation] = {
    f"{name}{suffix}": relation
    for name, relation in (("fmin", Relation.LT), ("fmax", Relation.GT)) for suffix in ("", "f")
}  # fmt: skip
"""The smaller and the larger one of two floats, that is the other one if one is a NaN."""
FUNCTIONS = frozenset(
    {*FLOAT_FUNCTIONS, *(f"{name}f" for name in FLOAT_FUNCTIONS), *MAGNITUDES, *TESTS, *COUNTS,
     *EXTREMES}
)  # fmt: skip
CONSOLE = {
    **{name: name for name in ("printf", "puts", "putchar", "putc", "fputc", "fputs", "fprintf",
                               "fflush", "perror", "abort", "exit")},
    "__assert_fail": "assert", "__assert": "assert", "__assert_rtn": "assert",
}  # fmt: skip
"""Functions that print, or end the program: they have no circuit. What they are called."""


def apply_function(name: str, values: Sequence[Expression], place: Place) -> Expression:
    """What the function gives for these values."""
    value = values[0]
    type_ = value.type
    if name in TESTS:
        return Convert(Int(32, True), place, Compare(place, Relation.NE, value, value))
    if name in COUNTS:
        return Convert(Int(32, True), place, Apply(type_, place, COUNTS[name], (value,)))
    if name in EXTREMES:
        other = values[1]
        is_missing = Compare(place, Relation.NE, other, other)
        is_less = Compare(place, EXTREMES[name], value, other)
        chosen = Apply(is_less.type, place, arith.OrIOp, (is_less, is_missing))
        return Choose(type_, place, chosen, value, other)
    if name in MAGNITUDES:
        zero = Number(type_, place, 0)
        opposite = Apply(type_, place, arith.SubiOp, (zero, value))
        return Choose(type_, place, Compare(place, Relation.LT, value, zero), opposite, value)
    found = FLOAT_FUNCTIONS.get(name) or FLOAT_FUNCTIONS[name.removesuffix("f")]
    assert isinstance(type_, Float)
    return Apply(type_, place, found, tuple(values))
