"""When signals arrive in a graph of units for any buffers on its edges: built once, asked often.

As `loom.analysis.timing.static_timing` says it of a whole circuit, over numbers instead of objects:
a placement asks dozens of times, each time with other buffers. Each value stands twice, as it is
made and as it is read, with a buffer or a wire between the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from xdsl.ir import Block, SSAValue

from loom.analysis.timing.clocked_units import Buffer, Clock, ClockedUnits
from loom.analysis.timing.static_timing import REGISTER, Path, Waypoint, steps_of
from loom.dialects.operators.cores import Cores
from loom.dialects.ops.handshake_buffer import BufferOp
from loom.dialects.ops.types import width_of

KINDS = ("data", "valid", "ready")
INTO = {"data": 0, "valid": 1, "ready": 5}
"""The signals that enter a buffer: data and valid as made, ready as its reader gives it."""
OUT = {"data": 3, "valid": 4, "ready": 2}
"""The signals that leave it."""
WIRE = ""
"""The name of what is no unit."""


class Signal(NamedTuple):
    """A signal on a path: its value, data or valid or ready, when it arrives [ns]."""

    value: SSAValue
    kind: str
    arrival: float


class End(NamedTuple):
    """The end of a path: its delay [ns], the signal before it or -1, the unit it ends in."""

    delay: float
    signal: int
    unit: str


class Pieces:
    """Pieces of path between numbered signals, from registers to them, and back [ns]."""

    def __init__(self, count: int = 0) -> None:
        self.leaving: list[list[tuple[int, float, str]]] = [[] for _ in range(count)]
        self.starts: list[tuple[int, float, str]] = []
        self.ends: list[End] = []

    def add(self, before: int | None, after: int | None, delay: float, unit: str) -> None:
        """A piece; None stands for a register."""
        if after is None:
            self.ends.append(End(delay, -1 if before is None else before, unit))
        elif before is None:
            self.starts.append((after, delay, unit))
        else:
            self.leaving[before].append((after, delay, unit))


class ClockedGraph:
    """The units of a handshake function's body, and their signals by number.

    Those of value n are 6n to 6n + 5: data, valid, ready as made, then as read.
    """

    def __init__(
        self, block: Block, index_width: int, cores: Cores, clock: Clock, values: Iterable[SSAValue]
    ) -> None:
        self.clock = clock
        self.index_width = index_width
        self.values = {value: n for n, value in enumerate(dict.fromkeys(values))}
        self.units = ClockedUnits(block, index_width, cores, clock, self.values)
        self.number: dict[Waypoint, int] = {}
        self.between: list[tuple[SSAValue, str]] = []
        for value in self.values:
            for behind in (False, True):
                for kind in KINDS:
                    self.number[(value, behind), kind] = len(self.number)
                    self.between.append((value, kind))
        steps = [
            (stage.name, step)
            for stage in self.units.stages
            for step in steps_of(stage, clock.overhead)
        ]
        numbered = [
            (self._of(step.before), self._of(step.signal), step.delay, name) for name, step in steps
        ]
        self.pieces = Pieces(len(self.number))
        for piece in numbered:
            self.pieces.add(*piece)
        self.waits = [0] * len(self.number)
        for leaving in self.pieces.leaving:
            for after, _, _ in leaving:
                self.waits[after] += 1
        self._buffers: dict[tuple[int, Buffer], tuple[tuple[str, str, float], ...]] = {}

    def _of(self, signal: Waypoint | None) -> int | None:
        return None if signal is None else self.number.setdefault(signal, len(self.number))

    def width(self, value: SSAValue) -> int:
        """The bits of a token on the value."""
        return width_of(value.type, self.index_width)

    def buffer(self, width: int, planned: Buffer) -> tuple[tuple[str, str, float], ...]:
        """The pieces of path through a buffer: from, to, without the overhead [ns]."""
        if (width, planned) not in self._buffers:
            self._buffers[width, planned] = self._pieces_of_buffer(width, planned)
        return self._buffers[width, planned]

    def _pieces_of_buffer(self, width: int, planned: Buffer) -> tuple[tuple[str, str, float], ...]:
        overhead = self.clock.overhead
        delays = self.units.delays_of_buffer(width, planned)
        ends = [name.partition(">") for name in delays]
        return tuple(
            (before, after, max(0.0, delay - overhead))
            for (before, _, after), delay in zip(ends, delays.values(), strict=True)
        )

    def taken(self, width: int, kind: str) -> float:
        """The delay from a signal to the register of a new buffer, overhead included [ns]."""
        planned = Buffer(False, 1) if kind == "ready" else Buffer(True, 2)
        return self.clock.overhead + max(
            (d for before, after, d in self.buffer(width, planned)
             if (before, after) == (kind, REGISTER)), default=0.0,
        )  # fmt: skip


class Arrivals:
    """When every signal arrives at the latest with these buffers [ns]."""

    def __init__(self, graph: ClockedGraph, buffers: Mapping[SSAValue, Buffer]) -> None:
        self.graph = graph
        self.buffers = buffers
        count = len(graph.waits)
        self.times = [0.0] * count
        self.before: list[tuple[int, str]] = [(-1, WIRE)] * count
        self.between = Pieces(count)
        self.waits = list(graph.waits)
        for value, n in graph.values.items():
            self._add_between(value, 6 * n)
        self._propagate()

    def _add_between(self, value: SSAValue, first: int) -> None:
        """A buffer or a wire between a value as it is made and as it is read."""
        between = self.between
        planned = self.buffers.get(value)
        if planned is None:
            between.leaving[first].append((first + 3, 0.0, WIRE))
            between.leaving[first + 1].append((first + 4, 0.0, WIRE))
            between.leaving[first + 5].append((first + 2, 0.0, WIRE))
            for after in (first + 3, first + 4, first + 2):
                self.waits[after] += 1
            return
        into: dict[str, int | None] = {
            "data": first,
            "valid": first + 1,
            "ready": first + 5,
            REGISTER: None,
        }
        out: dict[str, int | None] = {
            "data": first + 3,
            "valid": first + 4,
            "ready": first + 2,
            REGISTER: None,
        }
        for name, other, delay in self.graph.buffer(self.graph.width(value), planned):
            before, reached = into[name], out[other]
            between.add(before, reached, delay, BufferOp.name)
            if before is not None and reached is not None:
                self.waits[reached] += 1

    def _propagate(self) -> None:
        times, before, waits = self.times, self.before, self.waits
        units, between = self.graph.pieces, self.between
        for after, delay, unit in (*units.starts, *between.starts):
            if delay >= times[after]:
                times[after], before[after] = delay, (-1, unit)
        order = [signal for signal, count in enumerate(waits) if count == 0]
        for signal in order:
            arrival = times[signal]
            for leaving in (units.leaving[signal], between.leaving[signal]):
                for after, delay, unit in leaving:
                    if arrival + delay >= times[after]:
                        times[after], before[after] = arrival + delay, (signal, unit)
                    waits[after] -= 1
                    if not waits[after]:
                        order.append(after)
        self.on_cycles = len(order) < len(waits)

    def cycle(self) -> list[Signal]:
        """The signals of a cycle that no buffer breaks; none if there is none."""
        if not self.on_cycles:
            return []
        before: dict[int, int] = {}
        for signal, count in enumerate(self.waits):
            if count:
                for after, _, _ in self._leaving(signal):
                    before[after] = signal
        signal = next(after for after in before if self.waits[after])
        walked: dict[int, None] = {}
        while signal not in walked:
            walked[signal] = None
            signal = before[signal]
        found = list(walked)
        return self._signals(found[found.index(signal) :])

    def is_late(self) -> bool:
        """Whether a path is too long, or has no end."""
        return self.on_cycles or bool(self.late_ends())

    def _leaving(self, signal: int) -> Iterator[tuple[int, float, str]]:
        yield from self.graph.pieces.leaving[signal]
        yield from self.between.leaving[signal]

    def _signals(self, numbers: Iterable[int]) -> list[Signal]:
        between = self.graph.between
        return [
            Signal(*between[number], self.times[number])
            for number in numbers
            if number < len(between)
        ]

    def late_ends(self) -> list[End]:
        """The ends that a path reaches too late, the latest first, with their delays [ns]."""
        overhead, most = self.graph.clock.overhead, self.graph.clock.period + 1e-9
        units, between = self.graph.pieces, self.between
        found: list[End] = []
        for delay, signal, unit in (*units.ends, *between.ends):
            whole = delay + overhead + (self.times[signal] if signal >= 0 else 0.0)
            if whole > most:
                found.append(End(whole, signal, unit))
        for signal, time in enumerate(self.times):
            if time + overhead > most and next(self._leaving(signal), None) is None:
                found.append(End(time + overhead, signal, WIRE))
        return sorted(found, key=lambda end: -end.delay)

    def signals(self, end: End) -> list[Signal]:
        """The signals of the path to an end, from its start on."""
        numbers: list[int] = []
        signal = end.signal
        while signal >= 0:
            numbers.append(signal)
            signal, _ = self.before[signal]
        return self._signals(reversed(numbers))

    def path(self, end: End) -> Path:
        """The path to an end: its delay and the units it crosses."""
        units = [end.unit]
        signal = end.signal
        while signal >= 0:
            signal, unit = self.before[signal]
            units.append(unit)
        return Path(end.delay, (), tuple(unit for unit in reversed(units) if unit != WIRE))

    def is_in_time(self, signal: Signal) -> bool:
        """Whether a new buffer on the channel takes the signal within the period."""
        taken = self.graph.taken(self.graph.width(signal.value), signal.kind)
        return signal.arrival + taken <= self.graph.clock.period
