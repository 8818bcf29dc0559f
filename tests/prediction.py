"""What is predicted of the examples: cycles, and the interval of each loop beside the timed one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from statistics import median_low

from loom.analysis.loop_intervals import LoopInterval
from loom.api import compile_text
from loom.lower.options import Options
from loom.model.timed.simulate import TimedRun, run_timed
from tests.oracles import EXAMPLES
from tests.test_examples import NAMES, activations


@dataclass(frozen=True)
class TimedLoop:
    """A loop with its turns in all activations: the usual cycles of one, None without any.

    `longest` is the largest number of turns of one entry.
    """

    loop: LoopInterval
    entries: int
    turns: int
    longest: int
    usual: int | None


@dataclass(frozen=True)
class Predicted:
    """One example: its cycles in each activation, and its loops."""

    name: str
    runs: tuple[TimedRun, ...]
    loops: tuple[TimedLoop, ...]


@cache
def predicted(name: str) -> Predicted:
    """The example as the timed model runs it."""
    circuit = compile_text(
        (EXAMPLES / f"{name}.mlir").read_text(), f"{name}.mlir", options=Options()
    )
    channels = [circuit.channel_of(loop.condition).name for loop in circuit.loops]
    runs = run_timed(circuit.netlist, activations(name, circuit), watched=channels)
    loops = [
        timed_loop(loop, [run.seen[channel] for run in runs])
        for loop, channel in zip(circuit.loops, channels, strict=True)
    ]
    return Predicted(name, tuple(runs), tuple(loops))


def timed_loop(loop: LoopInterval, tests: list[tuple[tuple[int, int], ...]]) -> TimedLoop:
    """The loop with what its tests, cycle and verdict, say of it."""
    gaps: list[int] = []
    longest = turns = 0
    for each in tests:
        turns = 0
        for (begin, goes_on), (end, _) in pairwise(each):
            gaps += [end - begin] if goes_on else []
            turns = turns + 1 if goes_on else 0
            longest = max(longest, turns)
    entries = sum(not goes_on for each in tests for _, goes_on in each)
    return TimedLoop(loop, entries, len(gaps), longest, median_low(gaps) if gaps else None)


def rows() -> Iterator[str]:
    """The table of docs/prediction.md."""
    yield "| example | cycles | loop | entries, turns | interval | usual | what binds |"
    yield "|---|---|---|---|---|---|---|"
    for name in NAMES:
        found = predicted(name)
        first = [f"`{name}`", " + ".join(str(run.cycles) for run in found.runs)]
        for each in found.loops or (None,):
            cells = ["-"] * 5 if each is None else loop_cells(each)
            yield f"| {' | '.join([*first, *cells])} |"
            first = ["", ""]


def loop_cells(each: TimedLoop) -> list[str]:
    """A loop in the table."""
    loop = each.loop
    usual = "-" if each.usual is None else str(each.usual)
    line = f"{'· ' * (loop.depth - 1)}line {loop.place.line}"
    interval = f"{loop.interval}{'' if loop.innermost else ' besides'}"
    return [line, f"{each.entries}, {each.turns}", interval, usual, loop.binds]
