"""The table of LOOM's circuits beside those by hand, and geometric means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import exp, log

from loom_sim.placement.place_circuit import Placed

from tools.by_hand.measure import Measured, Row, time_of

HEAD = (
    "| kernel | style | cycles | by hand | MHz | by hand | LUT4 | by hand | FF | by hand | us "
    "| by hand | LUT4 x | FF x | time x |",
    "|" + "---|" * 15,
)
View = Callable[[Measured], Placed]
"""The circuit alone, or with its RAMs."""


def alone(side: Measured) -> Placed:
    """The circuit as it is."""
    return side.alone


def with_rams(side: Measured) -> Placed:
    """The circuit with its RAMs around it."""
    return side.with_rams


def line(row: Row, view: View) -> str:
    """One row of the table; x is LOOM's by that by hand."""
    sides = (row.ours, row.hand)
    placed = [view(side) for side in sides]
    times = [time_of(side.cycles, view(side)) for side in sides]
    cells = [row.name, row.style, *(str(side.cycles) for side in sides)]
    cells += ["-" if each.period is None else f"{1000 / each.period:.0f}" for each in placed]
    for name in ("luts", "flip_flops"):
        cells += ["-" if p.area is None else f"{getattr(p.area, name):.0f}" for p in placed]
    cells += ["-" if time is None else f"{time:.2f}" for time in times]
    found = ratios(row, view)
    cells += [f"{found[name]:.2f}" if name in found else "-" for name in ("luts", "ffs", "time")]
    return f"| {' | '.join(cells)} |"


def ratios(row: Row, view: View) -> dict[str, float]:
    """LOOM's by that by hand: cycles, LUTs, flip-flops, period, time; of those that there are."""
    ours, hand = view(row.ours), view(row.hand)
    found = {"cycles": row.ours.cycles / row.hand.cycles}
    if ours.area is not None and hand.area is not None:
        found["luts"] = ours.area.luts / hand.area.luts
        found["ffs"] = ours.area.flip_flops / hand.area.flip_flops
    if ours.period is not None and hand.period is not None:
        found["period"] = ours.period / hand.period
        found["time"] = found["cycles"] * found["period"]
    return found


def means(rows: Sequence[Row], view: View) -> Iterator[str]:
    """Geometric means of the ratios over the kernels of which both circuits are placed."""
    found = [each for row in rows if "time" in (each := ratios(row, view))]
    if not found:
        return

    def mean(name: str) -> float:
        return exp(sum(log(each[name]) for each in found) / len(found))

    yield f"Geometric means over {len(found)} kernels, LOOM's by those by hand:"
    yield f"cycles {mean('cycles'):.2f},"
    yield f"period {mean('period'):.2f},"
    yield f"time {mean('time'):.2f},"
    yield f"LUT4 {mean('luts'):.2f},"
    yield f"flip-flops {mean('ffs'):.2f}."
