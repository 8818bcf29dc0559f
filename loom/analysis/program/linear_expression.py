"""A constant and variables, each times a constant."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

VariableT = TypeVar("VariableT", bound=Hashable)


@dataclass(frozen=True)
class LinearExpression(Generic[VariableT]):
    """`constant` and each variable times its factor; no factor is 0."""

    constant: int
    terms: Mapping[VariableT, int]

    def plus(
        self, other: LinearExpression[VariableT], factor: int = 1, own: int = 1
    ) -> LinearExpression[VariableT]:
        """`own` times this sum and `factor` times the other."""
        terms = {v: own * n for v, n in self.terms.items()}
        for variable, number in other.terms.items():
            terms[variable] = terms.get(variable, 0) + factor * number
        constant = own * self.constant + factor * other.constant
        return LinearExpression(constant, {v: n for v, n in terms.items() if n != 0})

    def times(self, factor: int) -> LinearExpression[VariableT]:
        """`factor` times this sum."""
        return LinearExpression(0, dict[VariableT, int]()).plus(self, factor)

    def divided(self, divisor: int) -> LinearExpression[VariableT]:
        """All factors divided by what divides them, the constant rounded down."""
        terms = {v: n // divisor for v, n in self.terms.items()}
        return LinearExpression(self.constant // divisor, terms)
