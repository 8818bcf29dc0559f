"""Registers on long paths: where a path exceeds the clock period, an edge on it gets a buffer.

The delays are those of the table of units (`unit_costs`). Each path that is too long is
registered as far from its start as the period allows, until a buffer can shorten none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue

from loom.analysis.timing.static_timing import (
    Path,
    Pin,
    Signal,
    Stage,
    Timing,
    input_pins,
    output_pins,
)
from loom.analysis.timing.unit_costs import Array, Delays, unit_cost
from loom.dialects.facts.instances import shape_of
from loom.dialects.facts.places import place_of
from loom.dialects.operators.catalogue import find
from loom.dialects.operators.cores import Cores, computed_by
from loom.dialects.operators.operator import AttributeValue, Operator, Shape
from loom.dialects.ops.handshake_buffer import BufferOp
from loom.dialects.ops.handshake_memory import MemoryInterface
from loom.dialects.ops.types import width_of
from loom.errors import LoomError

DelaysOf = Callable[[Operator, Shape, Array | None], Delays]
"""The delays of an instance [ns]."""


@dataclass(frozen=True)
class Buffer:
    """A buffer to insert: `registered` registers valid and ready, else only ready."""

    registered: bool
    slots: int


@dataclass(frozen=True)
class Clock:
    """The clock: no path is longer than `period` [ns], by these delays.

    `overhead` is what each delay holds besides the unit (`unit_costs.overhead`) [ns].
    """

    period: float
    delays: DelaysOf
    overhead: float


def measured_delays(operator: Operator, shape: Shape, array: Array | None) -> Delays:
    """The delays of the table; none for what was not measured."""
    cost = unit_cost(operator, shape, array)
    return {} if cost is None else cost.delays


class ClockedUnits:
    """The units of a handshake function's body; readers of a value in `buffers` are behind it.

    A channel is a value, and whether it is behind the buffer on it.
    """

    def __init__(
        self,
        block: Block,
        index_width: int,
        cores: Cores,
        clock: Clock,
        buffers: Collection[SSAValue],
    ) -> None:
        self.index_width = index_width
        self.cores = cores
        self.clock = clock
        self.buffers = buffers
        self.stages = [self.unit(op) for op in block.ops if find(op.name) is not None]

    def unit(self, operation: Operation) -> Stage:
        """An operation between the values it reads and makes."""
        operator = find(operation.name)
        assert operator is not None
        shape = shape_of(operation, operator, self.index_width)
        operator = computed_by(operator, shape, self.cores)
        delays = self.clock.delays(operator, shape, array_of(operation, self.index_width))
        into, out = operator.signature.ports_of(shape)
        read = [(v, v in self.buffers) for v in operation.operands if not is_memory(v)]
        made = [(v, False) for v in operation.results]
        pins = input_pins(operator, into, read), output_pins(operator, out, made)
        return Stage(operation.name, delays, *pins)

    def of_buffer(self, value: SSAValue, planned: Buffer) -> Delays:
        """The delays of the buffer on a value."""
        operator = find(BufferOp.name)
        assert operator is not None
        width = width_of(value.type, self.index_width)
        kind = "seq" if planned.registered else "fifo"
        attributes: dict[str, AttributeValue] = {
            "kind": kind,
            "slots": planned.slots,
            "initial": (),
        }
        return self.clock.delays(operator, Shape((width,), (width,), attributes), None)


class ClockedGraph(ClockedUnits):
    """The units of a handshake function's body and the buffers to be, in time."""

    def __init__(
        self,
        block: Block,
        index_width: int,
        cores: Cores,
        clock: Clock,
        buffers: Mapping[SSAValue, Buffer],
    ) -> None:
        super().__init__(block, index_width, cores, clock, buffers)
        self.by_value = buffers
        stages = [self.buffer(value, planned) for value, planned in buffers.items()]
        self.timing = Timing([*self.stages, *stages], clock.overhead)

    def buffer(self, value: SSAValue, planned: Buffer) -> Stage:
        """The buffer on a value."""
        pins = [Pin((value, False))], [Pin((value, True))]
        return Stage(BufferOp.name, self.of_buffer(value, planned), *pins)

    def late_paths(self) -> Iterator[Path]:
        """The longest path to each end that it reaches too late."""
        for delay, end in self.timing.ends():
            if delay > self.clock.period + 1e-9:
                yield self.timing.path(delay, end)

    def value_to_register(self, path: Path) -> SSAValue | None:
        """Where a registered buffer goes on a path; None where there is one everywhere."""
        open_ = [signal for signal in path.signals if self.can_register(signal)]
        in_time = [signal for signal in open_ if self.is_in_time(signal)]
        chosen = in_time[-1:] or open_[:1]
        return value_of(chosen[0]) if chosen else None

    def can_register(self, signal: Signal) -> bool:
        """Whether the signal's channel lies between two operations, with no register on it."""
        value = value_of(signal)
        planned = self.by_value.get(value)
        return isinstance(value.owner, Operation) and not (planned and planned.registered)

    def is_in_time(self, signal: Signal) -> bool:
        """Whether a buffer on the channel takes the signal within the period."""
        taken = self.of_buffer(value_of(signal), Buffer(True, 2)).get(f"{signal[1]}>register", 0.0)
        arrival = self.timing.arrival.get(signal, 0.0)
        return arrival + max(taken, self.clock.overhead) <= self.clock.period


def value_of(signal: Signal) -> SSAValue:
    """The value that a signal belongs to."""
    channel, _ = signal
    assert isinstance(channel, tuple) and isinstance(channel[0], SSAValue)
    return channel[0]


def is_memory(value: SSAValue) -> bool:
    """Whether the value is an array, which has no channel."""
    return isinstance(value.type, MemRefType)


def array_of(operation: Operation, index_width: int) -> Array | None:
    """Depth [elements] and width [bits] of the memory that an operation is the interface of."""
    if not isinstance(operation, MemoryInterface):
        return None
    type_ = operation.array_type
    assert isinstance(type_, MemRefType)
    return type_.get_shape()[0], width_of(type_.element_type, index_width)


class PeriodTooShort(Exception):
    """The period is shorter than a path that no buffer can shorten."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.path = path

    @property
    def next_period(self) -> float:
        """The period to try next: the path's delay, rounded up to a hundredth [ns]."""
        return math.ceil(self.path.delay * 100 - 1e-6) / 100


def values_to_register(graph: ClockedGraph) -> set[SSAValue]:
    """The values that need a registered buffer; empty if every path fits the period.

    Raises `PeriodTooShort` if a path is too long that no buffer can shorten.
    """
    late_paths = list(graph.late_paths())
    chosen = {value for path in late_paths if (value := graph.value_to_register(path)) is not None}
    if late_paths and not chosen:
        raise PeriodTooShort(max(late_paths, key=lambda path: path.delay))
    return chosen


def refuse_period(block: Block, path: Path, accepted: float) -> LoomError:
    """LOWER_CLOCK_PERIOD: a path that no buffer can shorten, and a period that is accepted [ns]."""
    function = block.parent_op()
    assert function is not None
    return LoomError(
        "LOWER_CLOCK_PERIOD",
        place_of(function),
        f"a path of {path.delay:.2f} ns through {', '.join(dict.fromkeys(path.units))},"
        " which no register can shorten",
        f"--clock-period {accepted:.2f} or longer (Fmax {1000 / accepted:.0f} MHz)",
    )
