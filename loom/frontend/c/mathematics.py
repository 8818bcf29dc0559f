"""Functions of C's library that are operations of a circuit."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, math
from xdsl.ir import Operation

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
from loom.frontend.imperative.types import Float, Int

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
FUNCTIONS = frozenset(
    {*FLOAT_FUNCTIONS, *(f"{name}f" for name in FLOAT_FUNCTIONS), *MAGNITUDES, *TESTS, *COUNTS}
)


def operation_of_function(name: str, values: Sequence[Expression], place: Place) -> Expression:
    """What the function gives for these values."""
    value = values[0]
    type_ = value.type
    if name in TESTS:
        return Convert(Int(32, True), place, Compare(place, Relation.NE, value, value))
    if name in COUNTS:
        return Convert(Int(32, True), place, Apply(type_, place, COUNTS[name], (value,)))
    if name in MAGNITUDES:
        zero = Number(type_, place, 0)
        opposite = Apply(type_, place, arith.SubiOp, (zero, value))
        return Choose(type_, place, Compare(place, Relation.LT, value, zero), opposite, value)
    found = FLOAT_FUNCTIONS.get(name) or FLOAT_FUNCTIONS[name.removesuffix("f")]
    assert isinstance(type_, Float)
    return Apply(type_, place, found, tuple(values))
