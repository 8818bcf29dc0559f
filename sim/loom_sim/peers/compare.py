"""Kernels through both flows: a row each, and geometric means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from pathlib import Path

from loom.errors import LoomError
from loom.lower.options import Options
from loom.model.activation import Activation
from loom.model.reference import Outcome
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels
from loom_sim.library.whole_circuit import Placed, place_circuit
from loom_sim.peers.circt_bench import Argument, Array
from loom_sim.peers.circt_run import PeerFailed, place, run, verilog_of
from loom_sim.suite import load

STRATEGY, SLOTS = "cycles", 1
"""CIRCT's fastest buffers: its tool's default takes eight to eleven times the cycles."""


LONGER = (16.0, 24.0)
"""Clock periods to try where a single unit takes longer than what was asked for [ns]."""


@dataclass(frozen=True)
class Side:
    """One flow's cycles of the first activation and what place and route gave, or why not."""

    cycles: int
    placed: Placed | None
    failed: str = ""

    @property
    def time(self) -> float | None:
        """Cycles times period [us]."""
        period = None if self.placed is None else self.placed.period
        return None if period is None or not self.cycles else self.cycles * period / 1000


@dataclass(frozen=True)
class Row:
    """One kernel: ours, theirs, and the bound on its cycles."""

    name: str
    bound: int
    ours: Side
    theirs: Side


def compare(
    files: Sequence[Path], python: str, lowering: Options, told: Callable[[str], None]
) -> list[Row]:
    """Every kernel through both flows; a wrong result of either is an error of ours to look at."""
    rows: list[Row] = []
    for file in files:
        rows.append(row_of(file, python, lowering))
        told(line(rows[-1]))
    return rows


def row_of(file: Path, python: str, lowering: Options) -> Row:
    """One kernel's row."""
    kernel, given = loaded(file, lowering)
    first = given[0]
    (report,) = cosimulate_kernels([kernel], [[first]], SimOptions())
    assert report.match, report.differences
    outcome = report.model.outcomes[0]
    memories = {memory.name: memory for memory in kernel.netlist.memories}
    arguments: list[Argument] = [
        Array(name, memories[name].width, value) if isinstance(value, list) else value
        for name, value in first.inputs.items()
    ]
    ours = Side(report.cycles, place_circuit(kernel.netlist))
    return Row(file.stem, outcome.bound, ours, their_side(kernel, arguments, python, outcome))


def loaded(file: Path, lowering: Options) -> tuple[Kernel, list[Activation]]:
    """The kernel, with the first longer period where the one asked for is below a single unit."""
    periods = (lowering.clock_period, *LONGER, None)
    for period in periods:
        try:
            return load(file, replace(lowering, clock_period=period))
        except LoomError as error:
            if error.code != "LOWER_CLOCK_PERIOD":
                raise
    raise AssertionError("without a period nothing is refused for it")


def their_side(
    kernel: Kernel, arguments: Sequence[Argument], python: str, outcome: Outcome
) -> Side:
    """The same program through CIRCT, with the same inputs."""
    results, memories = outcome.results, outcome.memories
    try:
        verilog = verilog_of(python, str(kernel.source) + "\n", STRATEGY, SLOTS)
        answer = run(verilog, kernel.top, arguments)
    except PeerFailed as failure:
        return Side(0, None, str(failure))
    wrong = answer.results != results or any(
        list(words) != memories[name] for name, words in answer.memories.items()
    )
    failed = "does not end" if not answer.cycles else "wrong results" if wrong else ""
    return Side(answer.cycles, None if failed else place(verilog, kernel.top), failed)


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

    yield f"Geometric means over {len(both)} kernels, CIRCT's figure by ours:"
    yield f"cycles {mean(lambda row: (row.ours.cycles, row.theirs.cycles)):.2f},"
    yield f"period {mean(periods):.2f},"
    yield f"time {mean(lambda row: (row.ours.time or 1.0, row.theirs.time or 1.0)):.2f},"
    yield f"LUT4 {mean(lambda row: area(row, 'luts')):.2f},"
    yield f"flip-flops {mean(lambda row: area(row, 'flip_flops')):.2f}."
