"""The points of an exploration beside each other: a front of those that no other point beats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from loom.regress.row import MATCH, Row, to_json

if TYPE_CHECKING:
    from loom.explore.axes import Point

METRICS = ("lut4", "ff", "period", "cycles", "time")
"""What may have a budget: cells, [ns], [cycles], [us]."""
OBJECTIVES = ("time", "cycles", "lut4")


@dataclass(frozen=True)
class Result:
    """A point and its row."""

    point: Point
    row: Row
    is_on_front: bool = False

    @property
    def cycles(self) -> int | None:
        """Measured, else predicted [cycles]."""
        return self.row.predicted if self.row.cycles is None else self.row.cycles

    @property
    def time(self) -> float | None:
        """Of all activations at the estimated clock period [us]."""
        if self.cycles is None or self.row.period is None:
            return None
        return round(self.cycles * self.row.period / 1000, 4)

    @property
    def numbers(self) -> dict[str, float | None]:
        """The metrics."""
        row = self.row
        return {"lut4": row.luts, "ff": row.flip_flops, "period": row.period,
                "cycles": self.cycles, "time": self.time}  # fmt: skip

    def is_within(self, budgets: Mapping[str, float]) -> bool:
        """True of a circuit that agrees with its program, and whose metrics the budgets allow."""
        numbers = self.numbers
        known = self.row.status == MATCH and self.time is not None
        return known and all(
            (number := numbers[name]) is not None and number <= most
            for name, most in budgets.items()
        )

    def to_json(self) -> dict[str, Any]:
        """The point as an object of JSON, and a line of JSON Lines."""
        row = to_json(self.row)
        for name in ("kernel", "expect", "expected"):
            del row[name]
        point = {"settings": dict(self.point.values), "arguments": list(self.point.words)}
        return {**point, "front": self.is_on_front, "time": self.time, **row}


def mark_front(results: Sequence[Result], budgets: Mapping[str, float]) -> list[Result]:
    """The results, those marked that no other one within the budgets beats in time and LUT4.

    Of points with the same time and LUT4 the first is marked.
    """
    within = [k for k, result in enumerate(results) if result.is_within(budgets)]
    sizes = {k: (results[k].time or 0.0, results[k].row.luts or 0) for k in within}
    front: set[int] = set()
    least: int | None = None
    for k in sorted(within, key=lambda k: (*sizes[k], k)):
        if least is None or sizes[k][1] < least:
            front.add(k)
            least = sizes[k][1]
    return [replace(result, is_on_front=k in front) for k, result in enumerate(results)]


def best_of(results: Sequence[Result], objective: str) -> Result | None:
    """The point of the front with the least objective, of these the one with the least time."""
    front = [result for result in results if result.is_on_front]
    return min(front, key=lambda r: (r.numbers[objective] or 0.0, r.time or 0.0), default=None)


def by_objective(results: Sequence[Result], objective: str) -> list[Result]:
    """The results, the least objective first, those without one last."""

    def key(result: Result) -> tuple[bool, float]:
        number = result.numbers[objective]
        return number is None, number or 0.0

    return sorted(results, key=key)


def head_of(results: Sequence[Result]) -> tuple[str, ...]:
    """The columns: the axes, then the metrics."""
    axes = [name for name, _ in results[0].point.values] if results else []
    return ("", *axes, "cycles", "period", "time", "LUT4", "FF", "status")


def cells_of(result: Result) -> tuple[str, ...]:
    """The result as texts; what is not known is a dash."""
    row = result.row
    period = "-" if row.period is None else f"{row.period:.2f}"
    time = "-" if result.time is None else f"{result.time:.3f}"
    counts = ["-" if n is None else str(n) for n in (result.cycles, row.luts, row.flip_flops)]
    values = [value for _, value in result.point.values]
    mark = "*" if result.is_on_front else ""
    return (mark, *values, counts[0], period, time, *counts[1:], row.verdict)


def text_table(results: Sequence[Result]) -> str:
    """A line for each result."""
    lines = [head_of(results), *map(cells_of, results)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    last = len(widths) - 1
    return "\n".join(
        "  ".join(
            cell.ljust(width) if k in (0, last) else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
