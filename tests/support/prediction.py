"""What is predicted of the examples: cycles, and the interval of each loop beside the timed one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from statistics import median_low
from typing import Literal

from loom.analysis.schedule.initiation_intervals import LoopII
from loom.front.circuit import Circuit
from loom.lower.options import Options
from loom.model.timed.simulate import TimedRun, run_timed
from tests.model.test_examples import NAMES, activations
from tests.support.compiled import compile_example
from tests.support.folders import EXAMPLES


@dataclass(frozen=True)
class TimedLoop:
    """A loop with its turns in all activations: the usual cycles of one, None without any.

    `longest` is the largest number of turns of one entry.
    """

    loop: LoopII
    entries: int
    turns: int
    longest: int
    usual: int | None


@dataclass(frozen=True)
class Predicted:
    """One example: its cycles in each activation, and its loops."""

    name: str
    circuit: Circuit
    runs: tuple[TimedRun, ...]
    loops: tuple[TimedLoop, ...]

    @property
    def cycles(self) -> int:
        """Of all activations [cycles]."""
        return sum(run.cycles for run in self.runs)

    @property
    def storage(self) -> tuple[int, int]:
        """Slots of all buffers [tokens], and their data [bits]."""
        netlist = self.circuit.netlist
        buffers = [unit for unit in netlist.units if "slots" in unit.attributes]
        slots = [netlist.shape_by_unit[unit.name].integer("slots") for unit in buffers]
        widths = [netlist.shape_by_unit[unit.name].inputs[0] for unit in buffers]
        return sum(slots), sum(n * width for n, width in zip(slots, widths, strict=True))

    @property
    def period(self) -> float:
        """The longest path, as estimated [ns]."""
        path = self.circuit.cost.path
        return 0.0 if path is None else path.delay


@cache
def predicted(name: str, buffers: Literal["fast", "optimal"] | None = None) -> Predicted:
    """The example as the timed model runs it; with buffers by `buffers`, without a clock period."""
    circuit = compile_example(EXAMPLES / f"{name}.mlir", choose_options(buffers))
    channels = [circuit.channel_of(loop.condition).name for loop in circuit.loops]
    runs = run_timed(circuit.netlist, activations(name, circuit), watched=channels)
    loops = [
        timed_loop(loop, [run.seen[channel] for run in runs], is_rotated(circuit, channel))
        for loop, channel in zip(circuit.loops, channels, strict=True)
    ]
    return Predicted(name, circuit, tuple(runs), tuple(loops))


def choose_options(buffers: Literal["fast", "optimal"] | None) -> Options:
    """The default, or a way to place buffers without a clock period."""
    return Options() if buffers is None else Options(buffers=buffers, clock_period=None)


def is_rotated(circuit: Circuit, channel: str) -> bool:
    """True if the loop with this condition tests as often as it turns."""
    (source,) = (c.source.unit for c in circuit.netlist.channels if c.name == channel)
    return bool(circuit.netlist.unit_by_name[source].attributes.get("rotated", False))


def timed_loop(loop: LoopII, tests: list[tuple[tuple[int, int], ...]], rotated: bool) -> TimedLoop:
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
    turns, longest = len(gaps) + rotated * entries, longest + rotated
    return TimedLoop(loop, entries, turns, longest, median_low(gaps) if gaps else None)


def rows() -> Iterator[str]:
    """The table of docs/prediction.md."""
    yield "| example | cycles | loop | entries, iterations | II | measured | limited by |"
    yield "|---|---|---|---|---|---|---|"
    for name in NAMES:
        found = predicted(name)
        first = [f"`{name}`", " + ".join(str(run.cycles) for run in found.runs)]
        for each in found.loops or (None,):
            cells = ["-"] * 5 if each is None else loop_cells(each)
            yield f"| {' | '.join([*first, *cells])} |"
            first = ["", ""]


def buffer_rows() -> Iterator[str]:
    """The table of docs/buffers.md."""
    yield "| example | cycles | slots | bits | period [ns] |"
    yield "|---|---|---|---|---|"
    totals = [0, 0, 0, 0, 0, 0]
    for name in NAMES:
        ways = [predicted(name, "fast"), predicted(name, "optimal")]
        numbers = [n for a in zip(*((w.cycles, *w.storage) for w in ways), strict=True) for n in a]
        totals = [total + number for total, number in zip(totals, numbers, strict=True)]
        periods = " / ".join(f"{way.period:.1f}" for way in ways)
        yield f"| `{name}` | {' | '.join(pairs(numbers))} | {periods} |"
    yield f"| all | {' | '.join(pairs(totals))} | |"


def pairs(numbers: list[int]) -> list[str]:
    """Numbers two by two."""
    return [f"{a} / {b}" for a, b in zip(numbers[::2], numbers[1::2], strict=True)]


def loop_cells(each: TimedLoop) -> list[str]:
    """A loop in the table."""
    loop = each.loop
    usual = "-" if each.usual is None else str(each.usual)
    line = f"{'· ' * (loop.depth - 1)}line {loop.place.line}"
    ii = f"{loop.ii}{'' if loop.innermost else ' outer'}"
    return [line, f"{each.entries}, {each.turns}", ii, usual, loop.limited_by or "-"]
