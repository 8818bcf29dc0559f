"""The longest path of a circuit from one register to the next, from the delays of its units.

A channel has three signals: data and valid go with the tokens, ready against them. A unit has a
delay for each pair of classes of its signals, data that steer other tokens being a class of their
own. Delays are measured between registers, so each holds one clock-to-output and one setup time and
a wire (`unit_costs.overhead`): on a path of several units all but one of them are taken off again.
What lies outside the circuit is registers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from loom.analysis.timing.unit_costs import Array, Delays, class_of
from loom.dialects.operators.operator import Operator, Port, Shape

REGISTER = "register"

Signal = tuple[Hashable, str]
"""A channel and the class of one of its signals."""
MANY = 10_000
"""Pairs of signals of a unit from which on their paths meet at a crossing."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """Where all paths of one kind through a unit meet, so that they are not as many as pairs."""

    unit: str
    kind: str
    way: str


Waypoint = Signal | Crossing


@dataclass(frozen=True, slots=True)
class Pin:
    """A channel at a unit: the way it lies on, and the class of its data."""

    channel: Hashable
    way: str = ""
    data: str = "data"


def input_pins(
    operator: Operator, shape: Shape, array: Array | None, channels: Sequence[Hashable]
) -> list[Pin]:
    """The input ports of an instance that have a channel, with it; `array` is what it serves."""
    ways = operator.ways_of(shape)
    inputs, _ = operator.signature.ports_of(shape)
    ports = enumerate(zip(inputs, shape.inputs, strict=True))
    tokens = [pair for k, pair in ports if k not in shape.constants]
    return [
        Pin(channel, ways.get(port.name, ""), class_of(operator, shape, port, width, array))
        for (port, width), channel in zip(tokens, channels, strict=True)
    ]


def output_pins(
    operator: Operator, shape: Shape, ports: Sequence[Port], channels: Sequence[Hashable]
) -> list[Pin]:
    """The output ports of an instance with their channels."""
    ways = operator.ways_of(shape)
    pairs = zip(ports, channels, strict=True)
    return [Pin(channel, ways.get(port.name, "")) for port, channel in pairs]


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """One unit: its delays by class [ns], and its channels."""

    name: str
    delays: Delays
    inputs: Sequence[Pin]
    outputs: Sequence[Pin]

    def signals(self, entering: bool) -> Iterator[tuple[Signal, str, str]]:
        """Signals that enter the unit, or leave it, each with its class there and its way."""
        ahead, back = (self.inputs, self.outputs) if entering else (self.outputs, self.inputs)
        for pin in ahead:
            yield (pin.channel, "data"), pin.data, pin.way
            yield (pin.channel, "valid"), "valid", pin.way
        yield from (((pin.channel, "ready"), "ready", pin.way) for pin in back)


@dataclass(frozen=True, slots=True)
class Path:
    """A path from register to register [ns]: the signals it runs along and the units it crosses."""

    delay: float
    signals: tuple[Signal, ...]
    units: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A piece of a path through one unit: `signal` is None where it ends in a register."""

    delay: float
    unit: Stage
    before: Waypoint | None
    signal: Waypoint | None


class Timing:
    """When every signal arrives at the latest [ns], and the longest paths.

    `overhead` [ns] is what a delay of the table holds besides the unit. Paths that only close over
    units with separate ways through are no paths; the rest must have no cycle.
    """

    def __init__(self, stages: Sequence[Stage], overhead: float) -> None:
        self.overhead = overhead
        self.steps = [step for stage in stages for step in steps_of(stage, overhead)]
        self.leaving: dict[Waypoint, list[Step]] = {}
        for step in self.steps:
            if step.before is not None:
                self.leaving.setdefault(step.before, []).append(step)
        self.arrival: dict[Waypoint, float] = {}
        self.latest: dict[Waypoint, Step] = {}
        self._propagate()

    def _propagate(self) -> None:
        waits: dict[Waypoint, int] = {}
        for step in self.steps:
            if step.signal is not None:
                waits.setdefault(step.signal, 0)
                if step.before is None:
                    self._reach(step, step.delay)
                else:
                    waits[step.signal] += 1
                    waits.setdefault(step.before, 0)
        order = [signal for signal, count in waits.items() if count == 0]
        for signal in order:
            for step in self.leaving.get(signal, ()):
                if step.signal is None:
                    continue
                self._reach(step, self.arrival.get(signal, 0.0) + step.delay)
                waits[step.signal] -= 1
                if waits[step.signal] == 0:
                    order.append(step.signal)
        assert len(order) == len(waits), "every cycle of a circuit is cut"

    def _reach(self, step: Step, time: float) -> None:
        assert step.signal is not None
        if time > self.arrival.get(step.signal, -1.0):
            self.arrival[step.signal] = time
            self.latest[step.signal] = step

    def ends(self) -> Iterator[tuple[float, Step | Waypoint]]:
        """Every end of a path with its delay, overhead included: a register, or the outside."""
        for step in self.steps:
            if step.signal is None:
                before = 0.0 if step.before is None else self.arrival.get(step.before, 0.0)
                yield before + step.delay + self.overhead, step
        for signal, time in self.arrival.items():
            if signal not in self.leaving:
                yield time + self.overhead, signal

    def path(self, delay: float, end: Step | Waypoint) -> Path:
        """The path to an end, from its first signal on."""
        signals: list[Signal] = []
        units: list[str] = []
        signal: Waypoint | None
        if isinstance(end, Step):
            units.append(end.unit.name)
            signal = end.before
        else:
            signal = end
        while signal is not None:
            step = self.latest.get(signal)
            if isinstance(signal, Crossing):
                assert step is not None, "a crossing is reached from somewhere"
            else:
                signals.append(signal)
                if step is None:
                    break
                units.append(step.unit.name)
            signal = step.before
        return Path(delay, tuple(reversed(signals)), tuple(reversed(units)))

    def longest(self) -> Path | None:
        """The longest path, or None if nothing has a delay."""
        found = max(self.ends(), key=lambda end: end[0], default=None)
        return None if found is None else self.path(*found)


def crossings_of(stage: Stage, delays: Mapping[str, float]) -> Iterator[Step]:
    """The pieces of path through a unit of very many channels, by way of crossings."""
    ways: dict[tuple[str, str], list[Signal]] = {}
    for after, other, way in stage.signals(False):
        ways.setdefault((other, way), []).append(after)
    entered: dict[Crossing, None] = {}
    for before, kind, way in stage.signals(True):
        for other, same in ways:
            delay = delays.get(f"{kind}>{other}")
            if delay is not None and way == same:
                crossing = Crossing(stage.name, f"{kind}>{other}", way)
                entered[crossing] = None
                yield Step(delay, stage, before, crossing)
    for crossing in entered:
        for after in ways[crossing.kind.partition(">")[2], crossing.way]:
            yield Step(0.0, stage, crossing, after)


def steps_of(stage: Stage, overhead: float, distance: float = 0.0) -> Iterator[Step]:
    """The pieces of path through a unit; along ready they take the `distance` longer [ns]."""
    into, out = tuple(stage.signals(True)), tuple(stage.signals(False))

    def delay_of(name: str, delay: float) -> float:
        passes = name.endswith(">ready") and not name.startswith(REGISTER)
        return max(0.0, delay - overhead) + (distance if passes else 0.0)

    delays = {name: delay_of(name, delay) for name, delay in stage.delays.items()}
    if len(into) * len(out) > MANY:
        yield from crossings_of(stage, delays)
    else:
        for (before, kind, way), (after, other, same) in product(into, out):
            delay = delays.get(f"{kind}>{other}")
            if delay is not None and way == same:
                yield Step(delay, stage, before, after)
    for before, kind, _ in into:
        if (delay := delays.get(f"{kind}>{REGISTER}")) is not None:
            yield Step(delay, stage, before, None)
    for after, kind, _ in out:
        if (delay := delays.get(f"{REGISTER}>{kind}")) is not None:
            yield Step(delay, stage, None, after)
    if (delay := delays.get(f"{REGISTER}>{REGISTER}")) is not None:
        yield Step(delay, stage, None, None)
