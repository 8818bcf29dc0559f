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
    placed: Row | None = None
    """The same circuit after place and route, if that was asked for."""

    @property
    def cycles(self) -> int | None:
        """Measured, else predicted [cycles]."""
        return self.row.predicted if self.row.cycles is None else self.row.cycles

    @property
    def time(self) -> float | None:
        """Of all activations at the estimated clock period [us]."""
        return time_of(self.cycles, self.row.period)

    @property
    def placed_numbers(self) -> dict[str, float | None]:
        """Time [us], LUT4, flip-flops and period [ns] after place and route; none without it."""
        row = self.placed
        if row is None:
            return {}
        return {"lut4": row.luts, "ff": row.flip_flops, "period": row.period,
                "time": time_of(self.cycles, row.period)}  # fmt: skip

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

    def is_placed(self, budgets: Mapping[str, float]) -> bool:
        """True of a point that the budgets allow after place and route, or that is not placed."""
        numbers = self.placed_numbers
        return all(
            (number := numbers[name]) is not None and number <= budgets.get(name, number)
            for name in numbers
        )

    def to_json(self) -> dict[str, Any]:
        """The point as an object of JSON, and a line of JSON Lines."""
        row = to_json(self.row)
        for name in ("kernel", "expect", "expected"):
            del row[name]
        if self.placed is not None:
            row["placed"] = self.placed_numbers
        point = {"settings": dict(self.point.values), "arguments": list(self.point.words)}
        return {**point, "front": self.is_on_front, "time": self.time, **row}


def time_of(cycles: int | None, period: float | None) -> float | None:
    """The time of the cycles at a clock period in ns [us]."""
    return None if cycles is None or period is None else round(cycles * period / 1000, 4)


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


def best_of(
    results: Sequence[Result], objective: str, budgets: Mapping[str, float]
) -> Result | None:
    """The point of the front with the least objective, of these the one with the least time.

    Of points that are placed the numbers of the tools count, for the budgets too.
    """

    def key(result: Result) -> tuple[float, float]:
        numbers = {**result.numbers, **result.placed_numbers}
        return numbers[objective] or 0.0, numbers["time"] or 0.0

    front = [result for result in results if result.is_on_front and result.is_placed(budgets)]
    return min(front, key=key, default=None)


def by_objective(results: Sequence[Result], objective: str) -> list[Result]:
    """The results, the least objective first, those without one last."""

    def key(result: Result) -> tuple[bool, float]:
        number = result.numbers[objective]
        return number is None, number or 0.0

    return sorted(results, key=key)


PLACED = ("period", "time", "lut4", "ff")
"""The metrics that place and route gives, in the order of the table."""
FORMS = {"period": ".2f", "time": ".3f"}


def table_of(results: Sequence[Result]) -> list[tuple[str, ...]]:
    """The columns, which are the axes and the metrics, and the cells of each result."""
    placed = PLACED if any(result.placed for result in results) else ()
    axes = [name for name, _ in results[0].point.values] if results else []
    after = [f"placed {name.upper() if name in ('lut4', 'ff') else name}" for name in placed]
    head = ("", *axes, "cycles", "period", "time", "LUT4", "FF", *after, "status")
    return [head, *(cells_of(result, placed) for result in results)]


def cells_of(result: Result, placed: Sequence[str]) -> tuple[str, ...]:
    """The result as texts."""
    numbers, after = result.numbers, result.placed_numbers
    values = [value for _, value in result.point.values]
    shown = [
        cell_of(name, numbers[name]) for name in ("cycles", "period", "time", "lut4", "ff")
    ] + [cell_of(name, after.get(name)) for name in placed]
    return ("*" if result.is_on_front else "", *values, *shown, result.row.verdict)


def cell_of(metric: str, number: float | None) -> str:
    """A number as a text; what is not known is a dash."""
    return "-" if number is None else format(number, FORMS.get(metric, ""))


def text_table(results: Sequence[Result]) -> str:
    """A line for each result."""
    lines = table_of(results)
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    last = len(widths) - 1
    return "\n".join(
        "  ".join(
            cell.ljust(width) if k in (0, last) else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
