"""Least squares of relative errors: a line, and a sum of several terms; how far they are off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from loom.analysis.timing.targets import Regression

LEAST = 3
"""Points that a line is drawn through."""


@dataclass(frozen=True)
class Line:
    """The measured value is `offset + scale * estimate`; errors are parts of the measured one."""

    offset: float
    scale: float
    mean_error: float
    largest_error: float

    def at(self, estimate: float) -> float:
        """The value of the line."""
        return self.offset + self.scale * estimate


def fit_line(estimates: Sequence[float], measured: Sequence[float]) -> Line:
    """The line with the least squares of relative errors; its scale is above 0."""
    assert len(estimates) == len(measured) >= LEAST
    weights = [1 / value**2 for value in measured]
    total = sum(weights)
    middle = sum(w * x for w, x in zip(weights, estimates, strict=True)) / total
    height = sum(w * y for w, y in zip(weights, measured, strict=True)) / total
    spread = sum(w * (x - middle) ** 2 for w, x in zip(weights, estimates, strict=True))
    common = sum(
        w * (x - middle) * (y - height)
        for w, x, y in zip(weights, estimates, measured, strict=True)
    )
    assert spread > 0 and common > 0, "the points lie on a rising line"
    scale = round(common / spread, 3)
    offset = round(height - scale * middle, 2)
    errors = errors_of(offset, scale, estimates, measured)
    return Line(offset, scale, sum(errors) / len(errors), max(errors))


def errors_of(
    offset: float, scale: float, estimates: Sequence[float], measured: Sequence[float]
) -> list[float]:
    """By how much of the measured value each point is off the line."""
    return [abs(offset + scale * x - y) / y for x, y in zip(estimates, measured, strict=True)]


def fit_terms(rows: Sequence[Sequence[float]], measured: Sequence[float]) -> list[float]:
    """The factors of the terms of each row whose sums have the least squares of relative errors."""
    number = len(rows[0])
    assert len(rows) == len(measured) > number
    scaled = [[term / y for term in row] for row, y in zip(rows, measured, strict=True)]
    system = [
        [sum(row[i] * row[j] for row in scaled) for j in range(number)]
        + [sum(row[i] for row in scaled)]
        for i in range(number)
    ]
    for at in range(number):
        pivot = max(range(at, number), key=lambda row: abs(system[row][at]))
        system[at], system[pivot] = system[pivot], system[at]
        assert abs(system[at][at]) > 1e-9, "the terms are independent"
        for other in range(number):
            if other != at:
                factor = system[other][at] / system[at][at]
                system[other] = [
                    a - factor * b for a, b in zip(system[other], system[at], strict=True)
                ]
    return [system[at][number] / system[at][at] for at in range(number)]


def errors_of_sample(line: Regression) -> list[float]:
    """By how much of the placed period each estimate of its sample is off."""
    return [
        abs(line.at(row["units"], row["luts"]) - row["placed"]) / row["placed"]
        for row in line.sample
    ]
