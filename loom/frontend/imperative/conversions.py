"""Expressions in another type."""

from __future__ import annotations

from loom.errors import Place
from loom.frontend.imperative.tree import Convert, Expression, Number
from loom.frontend.imperative.types import Int, Type


def convert_expression(
    expression: Expression, type_: Type, place: Place | None = None
) -> Expression:
    """The expression in another type, as C converts; a constant is converted at once."""
    if expression.type == type_:
        return expression
    place = place or expression.place
    if (
        isinstance(expression, Number)
        and isinstance(expression.type, Int)
        and isinstance(type_, Int)
    ):
        number = expression.type.decode(expression.pattern)
        pattern = int(number != 0) if type_.is_truth else number & ((1 << type_.width) - 1)
        return Number(type_, place, pattern)
    return Convert(type_, place, expression)
