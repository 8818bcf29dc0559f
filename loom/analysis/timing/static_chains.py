"""Chains of operations in one cycle of a static schedule fit the clock period (rule 15).

A chain starts in a register, or at the output of a unit that takes cycles or of a memory, runs
through combinational operations, and ends in a register or at the input of such a unit. Delays are
those of `unit_costs`, as everywhere; multiplexers of shared units and of addresses are not in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from loom.analysis.timing.targets import Target
from loom.analysis.timing.unit_costs import (
    RAM,
    Delays,
    controller_cost,
    cost_at,
    kind_of_array,
    overhead,
    unit_cost,
)
from loom.dialects.facts.arrays import is_behind_channel, memory_behind
from loom.dialects.facts.instances import shape_of
from loom.dialects.operators.catalogue import find, row_of_memory
from loom.dialects.operators.operator import Shape
from loom.dialects.ops.staticlogic import (
    Access,
    PipelineOp,
    RegisterOp,
    StageOp,
    YieldOp,
    available_at,
    latency_in,
    latency_of,
)
from loom.dialects.ops.types import width_of
from loom.dialects.schedules.findings import broken, is_constant
from loom.errors import LoomError


@dataclass(frozen=True)
class OperationDelay:
    """Delays of an operation without the registers around it [ns].

    `through` is that of a combinational one. Of others `into` leads to the first register, `inside`
    between two, and `out` from the last to the output.
    """

    through: float = 0.0
    into: float = 0.0
    inside: float = 0.0
    out: float = 0.0


def operation_delay(op: Operation, index_width: int) -> OperationDelay:
    """The delays of an operation of a stage by the table; 0 of what was not measured."""
    if isinstance(op, memref.LoadOp) and is_behind_channel(op.memref):
        found = channel_delays(op, index_width)
        return OperationDelay(out=max(0.0, found.get("register>data", 0.0) - overhead()))
    if is_constant(op) or (isinstance(op, Access) and is_outside(op)):
        return OperationDelay()
    latency = latency_of(op)
    found = memory_delays(op, index_width) if isinstance(op, Access) else delays_of(op, index_width)

    def of(name: str) -> float:
        return max(0.0, found[name] - overhead()) if name in found else 0.0

    into, inside, out = of("data>register"), of("register>register"), of("register>data")
    if isinstance(op, memref.StoreOp):
        return OperationDelay(into=into)
    if isinstance(op, memref.LoadOp):
        # A second cycle is a register behind the RAM.
        return OperationDelay(out, into, 0.0, out if latency == 1 else 0.0)
    if latency == 0:
        return OperationDelay(of("data>data") if "data>data" in found else max(into, inside, out))
    if "data>data" in found:
        # Of a combinational operation that is given cycles, the registers stand behind it.
        return OperationDelay(into=of("data>data"))
    return OperationDelay(0.0, into, inside, out)


def is_outside(op: Access) -> bool:
    """True for an access of an argument of the function: its RAM is beyond the boundary."""
    return isinstance(op.memref, BlockArgument)


def delays_of(op: Operation, index_width: int) -> Delays:
    """The delays of the unit of an operator, of the latency that the operation has."""
    row = find(op.name)
    if row is None:
        return {}
    shape = shape_of(op, row, index_width)
    latency = latency_of(op)
    if latency in row.hardware.options.get("latency", ()):
        attributes = {**shape.attributes, "latency": latency}
        if row.hardware.latency_of(shape) != latency:
            shape = Shape(shape.inputs, shape.outputs, attributes, shape.constants)
    cost = unit_cost(row, shape)
    return {} if cost is None else cost.delays


def memory_delays(op: Access, index_width: int) -> Delays:
    """The delays of a memory of the array's size with this access alone."""
    type_ = op.memref.type
    assert isinstance(type_, MemRefType)
    depth = 1
    for size in type_.get_shape():
        depth *= max(1, size)
    side = "stores" if isinstance(op, memref.StoreOp) else "loads"
    axes = (
        ("depth", depth),
        ("width", width_of(type_.element_type, index_width)),
        ("ports", 3),
        ("requesters", 1),
    )
    cost = cost_at(RAM, kind_of_array([side], depth), axes)
    return {} if cost is None else cost.delays


def channel_delays(op: memref.LoadOp, index_width: int) -> Delays:
    """The delays of the controller of an array behind channels, which keeps answers."""
    memory, type_ = op.memref, op.memref.type
    assert isinstance(memory, BlockArgument) and isinstance(type_, MemRefType)
    function = memory.block.parent_op()
    assert function is not None
    choice, depth = memory_behind(memory, function), prod(type_.get_shape())
    width = width_of(type_.element_type, index_width)
    ports = {"loads": 1, "stores": 0}
    cost = controller_cost(row_of_memory(choice.kind), {**choice.said, **ports}, (depth, width))
    return {} if cost is None else cost.delays


@dataclass(frozen=True)
class Chain:
    """Operations in a row in one cycle, with their delays [ns], the last one of them `end`."""

    delay: float = 0.0
    parts: tuple[tuple[str, float], ...] = ()

    def then(self, name: str, delay: float) -> Chain:
        """The chain and an operation behind it."""
        if delay <= 0:
            return self
        return Chain(self.delay + delay, (*self.parts, (name, delay)))


def chain_problems(op: PipelineOp, target: Target, index_width: int) -> Iterator[LoomError]:
    """The longest chain of each cycle that is longer than the clock period, if one is said."""
    if op.clock is None:
        return
    places = [(0, op.condition.block), (0, op.update.block)]
    places += [(stage.start, stage.body.block) for stage in op.stage_ops]
    for cycle, block in places:
        found = longest_chain(op, cycle, block, index_width)
        if found is None:
            continue
        chain, end = found
        measured = chain.delay + overhead()
        period = target.period_of(measured)
        if period > op.clock + 1e-9:
            scale = period / measured
            parts = [("register", overhead()), *chain.parts]
            words = " -> ".join(f"{name} {delay * scale:.1f}" for name, delay in parts)
            what = (
                f"chain of {period:.1f} ns in cycle {cycle} exceeds clock {op.clock} ns ({words})"
            )
            accepted = "chains that fit the clock period, or a longer one"
            yield broken(end, "STATIC_CHAIN", what, accepted)


def longest_chain(
    pipeline: PipelineOp, cycle: int, block: Block, index_width: int
) -> tuple[Chain, Operation] | None:
    """The longest chain of a block, and the operation at its end; None without operations."""
    arrivals: dict[SSAValue, Chain] = {}
    carried = carried_wires(pipeline, cycle, block, index_width)
    longest: tuple[Chain, Operation] | None = None

    def arrival(value: SSAValue) -> Chain:
        if value not in arrivals:
            arrivals[value] = carried.get(value) or wire_at(value, cycle, index_width)
        return arrivals[value]

    for op in block.ops:
        start = max((arrival(value) for value in op.operands), key=by_delay, default=Chain())
        ends = [start]
        if not isinstance(op, RegisterOp | YieldOp):
            name, delay = short_name(op), operation_delay(op, index_width)
            if latency_of(op) or isinstance(op, memref.StoreOp):
                ends = [start.then(name, delay.into), Chain().then(name, delay.inside)]
                behind = Chain()
            else:
                behind = start.then(name, delay.through)
                ends = [behind]
            arrivals.update((result, behind) for result in op.results)
        for end in ends:
            if longest is None or end.delay > longest[0].delay:
                longest = end, op
    return longest


def by_delay(chain: Chain) -> float:
    """The key by which chains are compared."""
    return chain.delay


def short_name(op: Operation) -> str:
    """The name of an operation without its dialect."""
    return op.name.partition(".")[2]


def wire_at(value: SSAValue, cycle: int, index_width: int) -> Chain:
    """The chain that a value from outside the block has behind it in this cycle.

    A result of an operation that takes cycles comes from its unit in the cycle in which it is
    there, and from a register later. All other values come from registers.
    """
    if not isinstance(value, OpResult) or available_at(value) != cycle:
        return Chain()
    return unit_output(value, index_width)


def unit_output(value: OpResult, index_width: int) -> Chain:
    """The chain from the last register of the unit that makes a stage's result."""
    stage = value.op
    assert isinstance(stage, StageOp)
    source = stage.register.values[value.index]
    if not latency_in(stage, source):
        return Chain()
    assert isinstance(source, OpResult)
    return Chain().then(short_name(source.op), operation_delay(source.op, index_width).out)


def carried_wires(
    pipeline: PipelineOp, cycle: int, block: Block, index_width: int
) -> Mapping[SSAValue, Chain]:
    """The iter_args that in this cycle come from the unit that makes them, not from a register."""
    found: dict[SSAValue, Chain] = {}
    owner = block.parent_op()
    if owner is None:
        return found
    region = pipeline.stages if isinstance(owner, StageOp) else block.parent_region()
    assert region is not None
    for argument, following in zip(
        pipeline.iter_args(region), pipeline.return_op.iter_args, strict=True
    ):
        if available_at(following) == cycle + pipeline.ii:
            assert isinstance(following, OpResult)
            found[argument] = unit_output(following, index_width)
    return found
