"""The units of a handshake function between the values they read and make, with their delays."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue

from loom.analysis.timing.island_cost import cost_of_unit
from loom.analysis.timing.static_timing import REGISTER, Stage, input_pins, output_pins
from loom.analysis.timing.unit_costs import Array, Delays, ram_delay
from loom.dialects.facts.instances import is_constant, shape_of
from loom.dialects.operators.catalogue import find
from loom.dialects.operators.cores import Cores, computed_by
from loom.dialects.operators.operator import AttributeValue, Operator, Shape
from loom.dialects.ops.handshake_buffer import BufferOp
from loom.dialects.ops.handshake_memory import MemoryInterface
from loom.dialects.ops.types import width_of

WORD = "word"
"""The class of what comes straight from a RAM outside."""
DelaysOf = Callable[[Operator, Shape, Array | None], Delays]
"""The delays of an instance [ns]."""


@dataclass(frozen=True)
class Buffer:
    """A buffer to insert: `registered` registers valid and ready, else only ready.

    `passes_ready`: a registered one of one slot that leaves ready alone.
    """

    registered: bool
    slots: int
    passes_ready: bool = False

    @property
    def kind(self) -> str:
        """As the buffer's operation names it."""
        if self.passes_ready:
            return "stage"
        return "seq" if self.registered else "fifo"


@dataclass(frozen=True)
class Clock:
    """The clock: no path is longer than `period` [ns], by these delays.

    `overhead` is what each delay holds besides the unit (`unit_costs.overhead`) [ns]. `words` come
    from RAMs outside, so later than from registers. Ready takes the `distance` longer through each
    unit than alone [ns].
    """

    period: float
    delays: DelaysOf
    overhead: float
    words: Collection[SSAValue] = ()
    distance: float = 0.0


def measured_delays(operator: Operator, shape: Shape, array: Array | None) -> Delays:
    """The delays of the table; none for what was not measured."""
    cost = cost_of_unit(operator, shape, array)
    return {} if cost is None else cost.delays


def shape_of_buffer(width: int, planned: Buffer) -> Shape:
    """The shape of a buffer of tokens of `width` [bits]."""
    attributes: dict[str, AttributeValue] = {
        "kind": planned.kind,
        "slots": planned.slots,
        "initial": (),
    }
    return Shape((width,), (width,), attributes)


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
        operator, shape, array = instance_of(operation, self.index_width, self.cores)
        delays = self.clock.delays(operator, shape, array)
        _, out = operator.signature.tokens_of(shape)
        tokens = [v for v in operation.operands if not is_memory(v) and not is_constant(v)]
        read = [(v, v in self.buffers) for v in tokens]
        made = [(v, False) for v in operation.results]
        entering = input_pins(operator, shape, array, read)
        leaving = output_pins(operator, shape, out, made)
        for place, value in enumerate(operation.results):
            if value in self.clock.words:
                delays = {**delays, f"{REGISTER}>{WORD}": self.delay_of_word(value, delays)}
                leaving[place] = replace(leaving[place], data=WORD)
        return Stage(operation.name, delays, entering, leaving)

    def delay_of_word(self, value: SSAValue, delays: Delays) -> float:
        """From the clock to the word of a RAM [ns]: that a register behind it meets the period."""
        own = delays[f"{REGISTER}>data"]
        taken = self.of_buffer(value, Buffer(True, 2))[f"data>{REGISTER}"]
        latest = self.clock.period - taken + self.clock.overhead
        return max(own, min(own + ram_delay(), latest))

    def of_buffer(self, value: SSAValue, planned: Buffer) -> Delays:
        """The delays of the buffer on a value."""
        return self.delays_of_buffer(width_of(value.type, self.index_width), planned)

    def delays_of_buffer(self, width: int, planned: Buffer) -> Delays:
        """The delays of a buffer of this width [bits]."""
        operator = find(BufferOp.name)
        assert operator is not None
        return self.clock.delays(operator, shape_of_buffer(width, planned), None)


def instance_of(
    operation: Operation, index_width: int, cores: Cores
) -> tuple[Operator, Shape, Array | None]:
    """What unit an operation is, and the array that it serves."""
    operator = find(operation.name)
    assert operator is not None
    shape = shape_of(operation, operator, index_width)
    return computed_by(operator, shape, cores), shape, array_of(operation, index_width)


def count_luts(block: Block, index_width: int, cores: Cores) -> float:
    """The LUT4 of the units of a handshake function's body that are measured."""
    instances = (instance_of(op, index_width, cores) for op in block.ops if find(op.name))
    costs = (cost_of_unit(*each) for each in instances)
    return sum(cost.area.luts for cost in costs if cost is not None)


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
