"""The tables of kernels: LOOM's default circuits beside CIRCT's and those by hand; means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import exp, log
from statistics import median

from tools.by_hand.measure import Measured
from tools.peers.sides import Row, Side

FIGURES = ("cycles", "LUT4", "FF", "ns", "us")
"""Of each side: cycles and cells, the placed period [ns], and the time [us]."""


def head(by_hand: bool) -> tuple[str, str]:
    """The head of a table: LOOM first, then CIRCT with ratios, then the circuits by hand."""
    names = ["kernel", "style", "bound", *(f"**{name}**" for name in FIGURES)]
    names += [f"CIRCT {name}" for name in FIGURES] + ["time x", "LUT4 x"]
    if by_hand:
        names += [f"by hand {name}" for name in FIGURES]
    return f"| {' | '.join(names)} |", "|" + "---|" * len(names)


def line(row: Row, by_hand: Mapping[str, Measured] | None = None) -> str:
    """One row of the table; without `by_hand` the table has no such columns."""
    found = ratios(row)
    cells = [row.name, row.style, str(row.bound), *figures(row.ours), *figures(row.theirs)]
    cells += [f"{found[name]:.2f}" if name in found else "-" for name in ("time", "luts")]
    if by_hand is not None:
        hand = by_hand.get(row.name)
        cells += figures(Side(0, None) if hand is None else Side(hand.cycles, hand.alone))
    return f"| {' | '.join(cells)} |"


def figures(side: Side) -> list[str]:
    """The cells of one side; what there is not is a dash."""
    area = None if side.placed is None else side.placed.area
    period = None if side.placed is None else side.placed.period
    return [
        str(side.cycles) if side.cycles and not side.failed else "-",
        *("-" if area is None else f"{cells:.0f}" for cells in (
            (0, 0) if area is None else (area.luts, area.flip_flops)
        )),
        "-" if period is None else f"{period:.2f}",
        "-" if side.time is None else f"{side.time:.2f}",
    ]  # fmt: skip


def ratios(row: Row) -> dict[str, float]:
    """Of time and cycles and period CIRCT's by LOOM's, of cells LOOM's by CIRCT's, where placed."""
    ours, theirs = row.ours.placed, row.theirs.placed
    if ours is None or theirs is None or row.ours.time is None or row.theirs.time is None:
        return {}
    assert ours.area is not None and theirs.area is not None
    assert ours.period is not None and theirs.period is not None
    return {
        "cycles": row.theirs.cycles / row.ours.cycles,
        "period": theirs.period / ours.period,
        "time": row.theirs.time / row.ours.time,
        "luts": ours.area.luts / theirs.area.luts,
        "flip-flops": ours.area.flip_flops / theirs.area.flip_flops,
    }


def means(rows: Sequence[Row]) -> Iterator[str]:
    """Geometric means of the ratios, over the kernels that both have placed."""
    found = [each for row in rows if (each := ratios(row))]
    if not found:
        return

    def mean(name: str) -> float:
        return geometric_mean([each[name] for each in found])

    yield f"Geometric means over the {len(found)} kernels that both flows take:"
    yield f"CIRCT's time by LOOM's {mean('time'):.2f}"
    yield f"(cycles {mean('cycles'):.2f}, period {mean('period'):.2f});"
    yield f"LOOM's LUT4 by CIRCT's {mean('luts'):.2f}, flip-flops {mean('flip-flops'):.2f}."


def geometric_mean(ratios: Sequence[float]) -> float:
    """The geometric mean of numbers above 0."""
    return exp(sum(log(ratio) for ratio in ratios) / len(ratios))


def periods(rows: Sequence[Row], asked: float) -> Iterator[str]:
    """How many placed periods are at most the one that is asked for [ns], and which are not."""
    found = {row.name: period for row in rows if (period := placed_period(row)) is not None}
    longer = {name: period for name, period in found.items() if period > asked}
    yield f"{len(found) - len(longer)} of {len(found)} placed circuits take at most {asked:g} ns."
    if longer:
        listed = ", ".join(f"{name} {period:.2f}" for name, period in longer.items())
        yield f"Longer: {listed}."


def estimates(rows: Sequence[Row]) -> Iterator[str]:
    """How far the estimated periods are from the placed ones."""
    found = [
        row.estimate / period
        for row in rows
        if row.estimate is not None and (period := placed_period(row)) is not None
    ]
    if not found:
        return
    off = [abs(ratio - 1) for ratio in found]
    yield f"Estimated periods are off by {median(off):.0%} in the median, {max(off):.0%} at most:"
    yield f"from {min(found):.2f} to {max(found):.2f} times the placed ones."


def placed_period(row: Row) -> float | None:
    """The period of LOOM's placed circuit [ns]."""
    return None if row.ours.placed is None else row.ours.placed.period
