"""The table of kernels through both flows, and geometric means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import exp, log

from tools.peers.sides import Row

HEAD = (
    "| kernel | bound | cycles | CIRCT | LUT4 | CIRCT | FF | CIRCT | ns | CIRCT | us | CIRCT | x |",
    "|" + "---|" * 13,
)


def line(row: Row) -> str:
    """One row of the table."""
    cells = [
        row.name,
        str(row.bound),
        str(row.ours.cycles),
        row.theirs.failed or str(row.theirs.cycles),
    ]
    for name in ("luts", "flip_flops"):
        for side in (row.ours, row.theirs):
            area = None if side.placed is None else side.placed.area
            cells.append("-" if area is None else f"{getattr(area, name):.0f}")
    for side in (row.ours, row.theirs):
        period = None if side.placed is None else side.placed.period
        cells.append("-" if period is None else f"{period:.2f}")
    times = [row.ours.time, row.theirs.time]
    cells += ["-" if time is None else f"{time:.2f}" for time in times]
    ours, theirs = times
    cells.append("-" if ours is None or theirs is None else f"{theirs / ours:.2f}")
    return f"| {' | '.join(cells)} |"


def means(rows: Sequence[Row]) -> Iterator[str]:
    """Geometric means of theirs by ours, over the kernels that both have placed."""
    both = [row for row in rows if row.ours.time is not None and row.theirs.time is not None]
    if not both:
        return

    def mean(pair: Callable[[Row], tuple[float, float]]) -> float:
        return exp(sum(log(theirs / ours) for ours, theirs in map(pair, both)) / len(both))

    def area(row: Row, name: str) -> tuple[float, float]:
        sides = [side.placed.area for side in (row.ours, row.theirs) if side.placed is not None]
        ours, theirs = (float(getattr(each, name)) for each in sides)
        return ours, theirs

    def periods(row: Row) -> tuple[float, float]:
        ours, theirs = (side.placed.period for side in (row.ours, row.theirs) if side.placed)
        assert ours is not None and theirs is not None
        return ours, theirs

    yield f"Geometric means over the {len(both)} kernels that both flows take, CIRCT's by ours:"
    yield f"cycles {mean(lambda row: (row.ours.cycles, row.theirs.cycles)):.2f},"
    yield f"period {mean(periods):.2f},"
    yield f"time {mean(lambda row: (row.ours.time or 1.0, row.theirs.time or 1.0)):.2f},"
    yield f"LUT4 {mean(lambda row: area(row, 'luts')):.2f},"
    yield f"flip-flops {mean(lambda row: area(row, 'flip_flops')):.2f}."
