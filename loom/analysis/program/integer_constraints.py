"""Sums of integers that no numbers can make true.

Equations are solved for a variable with factor 1 or -1, or must share no divisor that their
constant does not have; what is left is eliminated by Fourier and Motzkin, with every constant
rounded to what integers reach. What is refuted has no solution. What is not refuted may have none
either: a question too long to eliminate is given up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import gcd

from loom.analysis.program.linear_expression import LinearExpression

Row = LinearExpression[int]
"""A sum of variables that have numbers for names."""
MOST_ROWS = 200
"""Inequalities at a time after which a question is given up."""


def is_infeasible(zero: Iterable[Row], not_negative: Iterable[Row]) -> bool:
    """True if no integers make all of `zero` 0 and none of `not_negative` less."""
    rows = list(not_negative)
    equations = list(zero)
    while equations:
        equation = equations.pop()
        divisor = gcd(*equation.terms.values())
        if equation.constant % divisor if divisor else equation.constant:
            return True
        if not divisor:
            continue
        equation = equation.divided(divisor)
        unit = next((v for v, n in equation.terms.items() if abs(n) == 1), None)
        if unit is None:
            rows += [equation, equation.times(-1)]
            continue
        equations = [substitute(other, unit, equation) for other in equations]
        rows = [substitute(other, unit, equation) for other in rows]
    return eliminate_variables(rows)


def substitute(row: Row, unit: int, equation: Row) -> Row:
    """The row with the variable put in that the equation, which is 0, has with factor 1 or -1."""
    factor = row.terms.get(unit, 0)
    return row.plus(equation, -factor * equation.terms[unit]) if factor else row


def eliminate_variables(rows: Iterable[Row]) -> bool:
    """True if eliminating all variables leaves a sum below 0."""
    kept = tighten_rows(rows)
    while kept:
        variable = cheapest_variable(kept)
        above = [row for row in kept if row.terms.get(variable, 0) > 0]
        below = [row for row in kept if row.terms.get(variable, 0) < 0]
        made = [row for row in kept if variable not in row.terms]
        if len(made) + len(above) * len(below) > MOST_ROWS:
            return False
        for up in above:
            made += [up.plus(down, up.terms[variable], -down.terms[variable]) for down in below]
        kept = tighten_rows(made)
    return kept is None


def cheapest_variable(rows: Iterable[Row]) -> int:
    """The variable whose elimination makes fewest rows, less those it takes."""
    above, below = Counter[int](), Counter[int]()
    for row in rows:
        for variable, factor in row.terms.items():
            (above if factor > 0 else below)[variable] += 1

    def made(variable: int) -> int:
        return above[variable] * below[variable] - above[variable] - below[variable]

    return min(above | below, key=lambda variable: (made(variable), variable))


def tighten_rows(rows: Iterable[Row]) -> list[Row] | None:
    """Of rows that differ in their constant the least one; None if a row is below 0."""
    least: dict[frozenset[tuple[int, int]], Row] = {}
    for row in rows:
        divisor = gcd(*row.terms.values())
        if not divisor:
            if row.constant < 0:
                return None
            continue
        small = LinearExpression(
            row.constant // divisor, {v: n // divisor for v, n in row.terms.items()}
        )
        key = frozenset(small.terms.items())
        if key not in least or small.constant < least[key].constant:
            least[key] = small
    return list(least.values())
