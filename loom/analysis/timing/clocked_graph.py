"""When signals arrive in a graph of units for any buffers on its edges: built once, asked often.

As `loom.analysis.timing.static_timing` says it of a whole circuit, over numbers instead of objects:
a placement asks dozens of times, each time with other buffers. Each value stands twice, as it is
made and as it is read, with a buffer or a wire between the two.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from xdsl.ir import Block, Operation, SSAValue

from loom.analysis.timing.clocked_units import Buffer, Clock, ClockedUnits
from loom.analysis.timing.static_timing import REGISTER, Path, Waypoint, steps_of
from loom.dialects.operators.cores import Cores
from loom.dialects.ops.handshake_buffer import BufferOp
from loom.dialects.ops.staticlogic.island import is_seam
from loom.dialects.ops.types import width_of

KINDS = ("data", "valid", "ready")
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


NEVER = float("-inf")
"""The time or delay of what there is not [ns]."""


class Pieces:
    """Pieces of path between numbered signals, from registers to them, and back [ns].

    `after` and `before` of a signal are the signals that pieces lead to and come from. `start` and
    `end` are the longest pieces from and to a register, `inside` those between two registers.
    """

    def __init__(self) -> None:
        self.after: list[list[int]] = []
        self.before: list[list[tuple[int, float, str]]] = []
        self.start: list[tuple[float, str]] = []
        self.end: list[tuple[float, str]] = []
        self.inside: list[End] = []

    def grow(self, count: int) -> None:
        """There are so many signals."""
        for _ in range(len(self.after), count):
            self.after.append([])
            self.before.append([])
            self.start.append((NEVER, WIRE))
            self.end.append((NEVER, WIRE))

    def add(self, before: int | None, after: int | None, delay: float, unit: str) -> None:
        """A piece; None stands for a register."""
        if before is not None and after is not None:
            self.after[before].append(after)
            self.before[after].append((before, delay, unit))
        elif after is not None:
            self.start[after] = max(self.start[after], (delay, unit))
        elif before is not None:
            self.end[before] = max(self.end[before], (delay, unit))
        else:
            self.inside.append(End(delay, -1, unit))


class Passage(NamedTuple):
    """How one signal of a channel passes what stands there [ns].

    `through` from the one side to the other, `taken` into a register, `given` out of one.
    """

    through: float
    taken: float
    given: float


OPEN = Passage(0.0, NEVER, NEVER)
"""A wire."""


class Passages(NamedTuple):
    """What a buffer does to the signals of its channel; `inside`: between its registers [ns]."""

    data: Passage
    valid: Passage
    ready: Passage
    inside: float


WIRES = Passages(OPEN, OPEN, OPEN, NEVER)


class ClockedGraph:
    """The units of a handshake function's body, and their signals by number.

    Those of value n are 6n to 6n + 5: data, valid, ready as made, then as read. `across` is the
    same signal on the other side of its channel or -1; `leaves` where a buffer gives it.
    `placeable` are the values between two operations, where a buffer may stand.
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
        self.pieces = Pieces()
        for stage in self.units.stages:
            for step in steps_of(stage, clock.overhead, clock.distance):
                before, after = self._of(step.before), self._of(step.signal)
                self.pieces.grow(len(self.number))
                self.pieces.add(before, after, step.delay, stage.name)
        self.pieces.grow(len(self.number))
        self.widths = [self.width(value) for value in self.values]
        inner = SIGNALS * len(self.values)
        self.across = [
            (signal + 3 if signal % SIGNALS < 3 else signal - 3) if signal < inner else -1
            for signal in range(len(self.number))
        ]
        self.leaves = [
            signal < inner and signal % SIGNALS in (2, 3, 4) for signal in range(len(self.number))
        ]
        self.placeable = frozenset(
            value
            for value in self.values
            if isinstance(value.owner, Operation) and not is_seam(value)
        )
        self._buffers: dict[tuple[int, Buffer], Passages] = {}
        self._taken: dict[tuple[int, str], float] = {}

    def _of(self, signal: Waypoint | None) -> int | None:
        return None if signal is None else self.number.setdefault(signal, len(self.number))

    def width(self, value: SSAValue) -> int:
        """The bits of a token on the value."""
        return width_of(value.type, self.index_width)

    def passages(self, width: int, planned: Buffer | None) -> Passages:
        """The pieces of path through a buffer, without the overhead [ns]."""
        if planned is None:
            return WIRES
        if (width, planned) not in self._buffers:
            self._buffers[width, planned] = self._passages_of(width, planned)
        return self._buffers[width, planned]

    def _passages_of(self, width: int, planned: Buffer) -> Passages:
        overhead = self.clock.overhead
        delays = {
            name: max(0.0, delay - overhead)
            for name, delay in self.units.delays_of_buffer(width, planned).items()
        }

        def passage(kind: str) -> Passage:
            names = f"{kind}>{kind}", f"{kind}>{REGISTER}", f"{REGISTER}>{kind}"
            return Passage(*(delays.get(name, NEVER) for name in names))

        inside = delays.get(f"{REGISTER}>{REGISTER}", NEVER)
        return Passages(passage("data"), passage("valid"), passage("ready"), inside)

    def taken(self, width: int, kind: str) -> float:
        """The delay from a signal to the register of a new buffer, overhead included [ns]."""
        if (width, kind) not in self._taken:
            planned = Buffer(False, 1) if kind == "ready" else Buffer(True, 2)
            passage: Passage = getattr(self.passages(width, planned), kind)
            self._taken[width, kind] = self.clock.overhead + max(0.0, passage.taken)
        return self._taken[width, kind]


SIGNALS = 6
"""Signals of a value."""
Journal = dict[int, tuple[float, tuple[int, str]]]
"""When signals arrived, and what they came from, before a trial [ns]."""


def leaving_of(n: int) -> tuple[int, int, int]:
    """The signals that leave the channel of value n: data, valid, ready."""
    first = SIGNALS * n
    return first + 3, first + 4, first + 2


MANY = 16
"""One in so many buffers changes: from there on all times are computed anew at once."""


class Arrivals:
    """When every signal arrives at the latest with these buffers [ns].

    `set_buffer` changes one, and only what it changes is computed anew. Ranks say in which order
    signals arrive: source of their repair is Pearce and Kelly, "A Dynamic Topological Sort
    Algorithm for Directed Acyclic Graphs", 2006. What arrives after the `horizon` [ns] arrives
    at it, so that a buffer changes few arrivals of a path that is many periods long.
    """

    def __init__(
        self,
        graph: ClockedGraph,
        buffers: Mapping[SSAValue, Buffer],
        horizon: float = math.inf,
    ) -> None:
        self.graph = graph
        self.horizon = horizon
        self.buffers: dict[SSAValue, Buffer] = {}
        count = len(graph.number)
        self.times = [0.0] * count
        self.before: list[tuple[int, str]] = [(-1, WIRE)] * count
        self.through = [NEVER] * count
        self.given = [NEVER] * count
        self.taken = [NEVER] * count
        self.rank: list[int] = []
        self.late: set[int] = set()
        self.inside: dict[int, float] = {}
        self.most = graph.clock.period + 1e-9 - graph.clock.overhead
        for value, n in graph.values.items():
            self._stand(value, n, buffers.get(value))
        self._propagate()

    def copy(self) -> Arrivals:
        """The same arrivals, to change."""
        other: Arrivals = object.__new__(Arrivals)
        other.graph, other.most, other.on_cycles = self.graph, self.most, self.on_cycles
        other.horizon = self.horizon
        other.buffers, other.inside = dict(self.buffers), dict(self.inside)
        other.times, other.before = list(self.times), list(self.before)
        other.through, other.given = list(self.through), list(self.given)
        other.taken, other.rank = list(self.taken), list(self.rank)
        other.late = set(self.late)
        other.waits = self.waits
        return other

    def set_buffer(self, value: SSAValue, planned: Buffer | None) -> None:
        """This buffer, or none, stands on the value, and signals arrive accordingly."""
        n = self.graph.values[value]
        first, leaving = SIGNALS * n, leaving_of(n)
        self._stand(value, n, planned)
        if self.on_cycles or not self._rank_anew(leaving):
            self._propagate()
            return
        for signal in (first, first + 1, first + 5):
            self._note_late(signal)
        self._update(leaving)

    def set_buffers(self, planned: Mapping[SSAValue, Buffer | None]) -> None:
        """These buffers, or none, stand on the values, and signals arrive accordingly."""
        if len(planned) * MANY < len(self.graph.values) and not self.on_cycles:
            for value, buffer in planned.items():
                self.set_buffer(value, buffer)
            return
        for value, buffer in planned.items():
            self._stand(value, self.graph.values[value], buffer)
        self._propagate()

    def try_buffers(self, planned: Mapping[SSAValue, Buffer | None]) -> bool:
        """These buffers, or none, stand if no path is late with them; else all is as before.

        Times are followed up to the first one that is late, and only these are taken back.
        """
        before = {value: self.buffers.get(value) for value in planned}
        if len(planned) * MANY >= len(self.graph.values) or self.is_late():
            self.set_buffers(planned)
            if self.is_late():
                self.set_buffers(before)
                return False
            return True
        journal: Journal = {}
        if self._try_all(planned, journal):
            return True
        for signal, (time, source) in journal.items():
            self.times[signal], self.before[signal] = time, source
        self.late.clear()
        for value, buffer in before.items():
            self._stand(value, self.graph.values[value], buffer)
        self._rank_anew(self._leaving(planned))
        return False

    def _try_all(self, planned: Mapping[SSAValue, Buffer | None], journal: Journal) -> bool:
        """The buffers stand; false if a path is late by them. The journal gets what has changed."""
        for value, buffer in planned.items():
            self._stand(value, self.graph.values[value], buffer)
        leaving = self._leaving(planned)
        if self._late_inside() or not self._rank_anew(leaving):
            return False
        firsts = [SIGNALS * self.graph.values[value] for value in planned]
        entering = [first + k for first in firsts for k in (0, 1, 5)]
        self._update([*leaving, *entering], journal)
        return not self.late

    def _leaving(self, values: Iterable[SSAValue]) -> list[int]:
        """The signals that leave the channels of these values."""
        return [signal for value in values for signal in leaving_of(self.graph.values[value])]

    def _stand(self, value: SSAValue, n: int, planned: Buffer | None) -> None:
        """A buffer or a wire between a value as it is made and as it is read."""
        if planned is None:
            self.buffers.pop(value, None)
        else:
            self.buffers[value] = planned
        graph, first = self.graph, SIGNALS * n
        found = graph.passages(graph.widths[n], planned)
        for into, out, passage in (
            (first, first + 3, found.data),
            (first + 1, first + 4, found.valid),
            (first + 5, first + 2, found.ready),
        ):
            self.through[out], self.given[out] = passage.through, passage.given
            self.taken[into] = passage.taken
        self.inside.pop(n, None)
        if found.inside > self.most:
            self.inside[n] = found.inside

    def _arrive(self, signal: int) -> float:
        """When the signal arrives by those before it; the one it comes from is noted."""
        pieces, times = self.graph.pieces, self.times
        time, unit = pieces.start[signal]
        source = -1
        for before, delay, name in pieces.before[signal]:
            arrival = times[before] + delay
            if arrival > time:
                time, source, unit = arrival, before, name
        through = self.through[signal]
        if through != NEVER:
            before = self.graph.across[signal]
            if times[before] + through > time:
                time, source = times[before] + through, before
                stands = self.graph.between[signal][0] in self.buffers
                unit = BufferOp.name if stands else WIRE
        if self.given[signal] > time:
            time, source, unit = self.given[signal], -1, BufferOp.name
        self.before[signal] = (source, unit)
        if time < 0.0:
            return 0.0
        return time if time < self.horizon else self.horizon

    def _following(self, signal: int) -> list[int]:
        """The signals that this one reaches."""
        after, other = self.graph.pieces.after[signal], self.graph.across[signal]
        if other < 0 or self.graph.leaves[signal] or self.through[other] == NEVER:
            return after
        return [*after, other]

    def _preceding(self, signal: int) -> list[int]:
        """The signals that reach this one."""
        found = [before for before, _, _ in self.graph.pieces.before[signal]]
        if self.through[signal] != NEVER:
            found.append(self.graph.across[signal])
        return found

    def _rank_anew(self, leaving: Iterable[int]) -> bool:
        """Ranks hold with what passes these signals' channels; false if that closes a cycle."""
        passed = [(signal, self.through[signal]) for signal in leaving]
        for signal, _ in passed:
            self.through[signal] = NEVER
        ranked = True
        for signal, through in passed:
            ranked = ranked and (through == NEVER or self._rank_behind(signal))
            self.through[signal] = through
        return ranked

    def _rank_behind(self, after: int) -> bool:
        """The signal ranks behind the other side of its channel; false if it leads there."""
        rank, before = self.rank, self.graph.across[after]
        low, high = rank[after], rank[before]
        if high < low:
            return True
        ahead, work = {after}, [after]
        while work:
            for signal in self._following(work.pop()):
                if signal == before:
                    return False
                if signal not in ahead and rank[signal] < high:
                    ahead.add(signal)
                    work.append(signal)
        behind, work = {before}, [before]
        while work:
            for signal in self._preceding(work.pop()):
                if signal not in behind and rank[signal] > low:
                    behind.add(signal)
                    work.append(signal)
        moved = [*sorted(behind, key=rank.__getitem__), *sorted(ahead, key=rank.__getitem__)]
        for signal, place in zip(moved, sorted(rank[signal] for signal in moved), strict=True):
            rank[signal] = place
        return True

    def _update(self, changed: Iterable[int], journal: Journal | None = None) -> None:
        """Times of these signals and of those behind them, in the order of ranks.

        With a journal, which gets what they were, only up to the first one that is late: times
        before it are final.
        """
        rank, times = self.rank, self.times
        work = [(rank[signal], signal) for signal in changed]
        heapify(work)
        queued = {signal for _, signal in work}
        while work:
            _, signal = heappop(work)
            queued.discard(signal)
            if journal is not None:
                journal.setdefault(signal, (times[signal], self.before[signal]))
            time = self._arrive(signal)
            is_same = time == times[signal]
            if is_same and journal is None:
                continue
            times[signal] = time
            self._note_late(signal)
            if journal is not None and self.late:
                return
            if is_same:
                continue
            for after in self._following(signal):
                if after not in queued:
                    queued.add(after)
                    heappush(work, (rank[after], after))

    def _note_late(self, signal: int) -> None:
        time, most = self.times[signal], self.most
        end = self.graph.pieces.end[signal][0]
        if time > most or time + end > most or time + self.taken[signal] > most:
            self.late.add(signal)
        else:
            self.late.discard(signal)

    def _propagate(self) -> None:
        """All times, and ranks by which each signal comes after those it waits for.

        Signals that wait for themselves have no times: none is computed then.
        """
        waits = [len(before) for before in self.graph.pieces.before]
        for signal, through in enumerate(self.through):
            waits[signal] += through != NEVER
        order = [signal for signal, count in enumerate(waits) if count == 0]
        for signal in order:
            for after in self._following(signal):
                waits[after] -= 1
                if not waits[after]:
                    order.append(after)
        self.waits = waits
        self.on_cycles = len(order) < len(waits)
        self.late.clear()
        self.rank = []
        if self.on_cycles:
            return
        self.rank = [0] * len(order)
        for place, signal in enumerate(order):
            self.rank[signal] = place
            self.times[signal] = self._arrive(signal)
            self._note_late(signal)

    def cycle(self) -> list[Signal]:
        """The signals of a cycle that no buffer breaks; none if there is none."""
        if not self.on_cycles:
            return []
        before: dict[int, int] = {}
        for signal, count in enumerate(self.waits):
            if count:
                for after in self._following(signal):
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
        return self.on_cycles or bool(self.late or self._late_inside())

    def _late_inside(self) -> list[End]:
        """The late paths between two registers of one unit."""
        found = [end for end in self.graph.pieces.inside if end.delay > self.most]
        return found + [End(delay, -1, BufferOp.name) for delay in self.inside.values()]

    def _signals(self, numbers: Iterable[int]) -> list[Signal]:
        between = self.graph.between
        return [
            Signal(*between[number], self.times[number])
            for number in numbers
            if number < len(between)
        ]

    def late_ends(self) -> list[End]:
        """The ends that a path reaches too late, the latest first, with their delays [ns].

        Of a signal that goes on after it is late already the end counts that it reaches.
        """
        overhead = self.graph.clock.overhead
        found = [end._replace(delay=end.delay + overhead) for end in self._late_inside()]
        found += [
            end
            for signal in self.late
            if (end := self.end_of(signal)).unit != WIRE or not self._following(signal)
        ]
        return sorted(found, key=lambda end: (-end.delay, end.signal))

    def late_signals(self) -> list[End]:
        """The end behind each signal that is late, and late units, in the order of arrival."""
        overhead = self.graph.clock.overhead
        found = [end._replace(delay=end.delay + overhead) for end in self._late_inside()]
        return found + [
            self.end_of(signal) for signal in sorted(self.late, key=self.rank.__getitem__)
        ]

    def count_paths(self, ends: Iterable[End]) -> dict[tuple[SSAValue, str], int]:
        """How many of the paths to these ends run along each signal between two units.

        A signal has one latest predecessor, so the paths are ways to the root in a forest. One from
        a buffer back to it runs along its channel twice.
        """
        through: dict[int, int] = {}
        for end in ends:
            if end.signal >= 0:
                through[end.signal] = through.get(end.signal, 0) + 1
        crossed = set(through)
        work = list(through)
        while work:
            source = self.before[work.pop()][0]
            if source >= 0 and source not in crossed:
                crossed.add(source)
                work.append(source)
        inner = len(self.graph.between)
        found: dict[tuple[SSAValue, str], int] = {}
        for signal in sorted(crossed, key=self.rank.__getitem__, reverse=True):
            paths, source = through[signal], self.before[signal][0]
            if source >= 0:
                through[source] = through.get(source, 0) + paths
            if signal < inner and source != self.graph.across[signal]:
                key = self.graph.between[signal]
                found[key] = found.get(key, 0) + paths
        return found

    def end_of(self, signal: int) -> End:
        """The end of the longest path that ends behind this signal, with its delay [ns]."""
        delay, unit = max(
            self.graph.pieces.end[signal], (self.taken[signal], BufferOp.name), (0.0, WIRE)
        )
        return End(self.times[signal] + delay + self.graph.clock.overhead, signal, unit)

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
