"""Latency and delays of operations in stages, from the rows and the measured costs."""

from __future__ import annotations

from functools import cache

from xdsl.dialects import arith, memref
from xdsl.ir import BlockArgument, Operation

from loom.analysis.modulo.problem import Operation as Scheduled
from loom.analysis.timing.static_chains import operation_delay
from loom.analysis.timing.targets import Distances, find_target
from loom.analysis.timing.unit_costs import overhead, unit_cost
from loom.dialects.facts.arrays import is_behind_channel, memory_behind
from loom.dialects.facts.instances import signal_shape
from loom.dialects.facts.places import place_of
from loom.dialects.operators.catalogue import CATALOGUE, find
from loom.dialects.operators.operator import Operator, Shape
from loom.dialects.ops.staticlogic import set_latency
from loom.errors import LoomError
from loom.lower.dataflow.choose_units import (
    find_open_latencies,
    period_of,
    set_latencies,
)
from loom.lower.options import Options

CASTS = (
    arith.ExtSIOp,
    arith.ExtUIOp,
    arith.TruncIOp,
    arith.IndexCastOp,
    arith.BitcastOp,
    arith.ConstantOp,
)
"""Operations that are wires."""
MULTIPLEXER = "arith.select"
"""The unit whose delay that of one level of a multiplexer is: two values and a choice."""
MULTIPLIERS = ("arith.muli", "arith.mulsi_extended", "arith.mului_extended")
"""The units of DSP blocks."""
RAM_LATENCY = 1
"""From a load's address to its word, where nothing else is said [cycles]."""


class Units:
    """Latencies and delays for one period, in a machine of these distances."""

    def __init__(self, options: Options, distances: Distances | None = None) -> None:
        self.options, self.distances = options, distances or Distances()
        target = find_target(options.target)
        chosen = period_of(options)
        self.clock = chosen
        """The clock period [ns]; None: any."""
        self.period = None if chosen is None else target.placed_for(chosen) - overhead()
        """What a chain of operations between two registers may take by measured delays [ns]."""

    def choose_latency(self, operation: Operation) -> None:
        """The operation says its latency, for the period.

        Refused (STATIC_OPERATION): one that is neither pure nor an access, or not pipelined.
        """
        if isinstance(operation, memref.LoadOp):
            set_latency(operation, load_latency(operation))
            return
        if isinstance(operation, memref.StoreOp):
            set_latency(operation, store_latency(operation))
            return
        if isinstance(operation, CASTS):
            return
        operator = require_pipelined(operation, self.options)
        set_latencies(find_open_latencies([operation], self.options), self.options, self.clock)
        shape = signal_shape(operation, operator, self.options.index_width)
        set_latency(operation, operator.hardware.latency_of(shape))

    def scheduled(self, operation: Operation, latency: int) -> Scheduled:
        """The operation as the scheduler sees it; words of RAMs outside as those of registers."""
        name = next((r.name_hint for r in operation.results if r.name_hint), operation.name)
        delay = operation_delay(operation, self.options.index_width)
        ends = latency > 0 or isinstance(operation, memref.StoreOp)
        entry = delay.into if ends else delay.through
        far = self.distances
        if operation.name in MULTIPLIERS and ends:
            most = entry if self.period is None else max(entry, self.period)
            return Scheduled(name, latency, min(entry + far.multiplier, most), delay.out)
        if isinstance(operation, memref.LoadOp | memref.StoreOp) and (entry or delay.out):
            return Scheduled(name, latency, entry + far.memory, delay.out + far.memory)
        return Scheduled(name, latency, entry, delay.out)


@cache
def choice_delay(inputs: int) -> float:
    """The delay of a multiplexer of so many words, made of such of two [ns]."""
    cost = unit_cost(CATALOGUE[MULTIPLEXER], Shape((1, 32, 32), (32,), {}))
    assert cost is not None
    return (inputs - 1).bit_length() * (cost.delays["data>data"] - overhead())


def load_latency(load: memref.LoadOp) -> int:
    """From a load's address to its word, as its array says [cycles]."""
    memory = load.memref
    if not isinstance(memory, BlockArgument):
        return RAM_LATENCY
    function = memory.block.parent_op()
    assert function is not None
    choice = memory_behind(memory, function)
    return choice.kind.latency_of(Shape((), (), {**choice.said, "loads": 1, "stores": 0}))


def store_latency(store: memref.StoreOp) -> int:
    """From a store behind a channel to its response [cycles]; 0 for one in a RAM."""
    memory = store.memref
    if not is_behind_channel(memory):
        return 0
    assert isinstance(memory, BlockArgument)
    function = memory.block.parent_op()
    assert function is not None
    choice = memory_behind(memory, function)
    return choice.kind.done_latency_of(Shape((), (), {**choice.said, "loads": 0, "stores": 1}))


def is_pipelined(operation: Operation, options: Options) -> bool:
    """Whether an operator has a register."""
    operator = find(operation.name)
    if operator is None or operator.semantics.meaning is None:
        return False
    return operator.hardware.latency_of(signal_shape(operation, operator, options.index_width)) > 0


def require_pipelined(operation: Operation, options: Options) -> Operator:
    """The row of a pure operation that takes operands in every cycle."""
    operator = find(operation.name)
    if operator is not None and operator.semantics.meaning is not None:
        shape = signal_shape(operation, operator, options.index_width)
        if operator.hardware.template and operator.hardware.interval_of(shape) == 1:
            return operator
    raise LoomError(
        "STATIC_OPERATION",
        place_of(operation),
        f"{operation.name} in a static schedule",
        "pure operations that take operands in every cycle, loads, stores, scf.for, scf.while "
        "and scf.if; --style dynamic for others",
    )
