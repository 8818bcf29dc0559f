"""Affine expressions divide by positive numbers only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineExpr,
)

from loom.errors import LoomError, Place

DIVISIONS = {AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.CeilDiv, AffineBinaryOpKind.Mod}


def expression_problem(place: Place, expressions: Sequence[AffineExpr]) -> Iterator[LoomError]:
    """A problem for each division by zero or by a negative constant."""
    for expression in expressions:
        if not isinstance(expression, AffineBinaryOpExpr):
            continue
        rhs = expression.rhs
        if expression.kind in DIVISIONS and isinstance(rhs, AffineConstantExpr) and rhs.value <= 0:
            what = f"{expression.kind.get_token()} by {rhs.value} in an affine expression"
            yield LoomError("MLIR_VERIFY", place, what, "divisors of 1 and more")
        yield from expression_problem(place, [expression.lhs, rhs])
