"""The event graph of a handshake function: which firing waits for which, and for how many cycles.

A node is one way through a unit: a memory has one a port, a load one for its address and one
for its datum, a shared circuit's unit one a caller and one for each end of the circuit, a static
loop one for each request and answer of its memories and one for the rest, every other unit one in
all. An edge is a use of a value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from xdsl.ir import Block, Operation, SSAValue

from loom.analysis.schedule.loop_nest import (
    Loops,
    conditional_values,
    loops_of_values,
    origin_of,
)
from loom.dialects.facts.instances import is_constant, shape_of
from loom.dialects.facts.program_facts import VALUE_DISTANCE
from loom.dialects.operators.catalogue import find
from loom.dialects.operators.cores import Cores, computed_by
from loom.dialects.operators.memories import ACCEPTED_LATENCY
from loom.dialects.operators.rates import rates_of
from loom.dialects.ops.dataflow import CarryOp, GateOp, InvariantOp
from loom.dialects.ops.handshake import CondBranchOp, MuxOp
from loom.dialects.ops.handshake_memory import LoadOp, MemoryInterface
from loom.dialects.ops.handshake_routing import ControlMergeOp, MergeOp, ShareOp
from loom.dialects.ops.ordering.comparators import (
    DisambiguateOp,
    ForwardingOp,
    ForwardQueueOp,
    PendingStoresOp,
    StoreQueueOp,
)
from loom.dialects.ops.ordering.load_store_queue import LoadStoreQueueOp
from loom.dialects.ops.staticlogic.island import IslandOp, is_seam
from loom.graph_algorithms import component_numbers, feedback_arcs

STORE, DONE = 1, 2
"""The operands of a store queue that may come from earlier iterations."""
RANKS = 2
"""Edges of lower feedback rank are used an iteration after they are made."""


@dataclass(frozen=True)
class Timing:
    """Latency and initiation interval of a unit, of a memory the latency to done [cycles]."""

    latency: int
    interval: int = 1
    done: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One way through a unit. Each stands once, so that nodes are compared by identity."""

    operation: Operation
    timing: Timing


@dataclass(frozen=True, slots=True, eq=False)
class Edge:
    """The use of a value: from the node that makes it to operand `index` of `operation`.

    `latency` is the value's [cycles]. `cuts_ready`: its ready goes no further than the unit that
    makes it, or its reader's does not come from further on. `comes_back`: the text uses the value
    above its making. `rank` is its `feedback_rank`, `value` what is used.
    """

    source: Node
    target: Node
    operation: Operation
    index: int
    latency: int
    cuts_ready: bool
    comes_back: bool
    rank: int
    value: SSAValue

    @property
    def is_kept(self) -> bool:
        """True if the reader has registers for it: neither data nor ready pass in its cycle."""
        return is_kept(self.operation, self.index)

    @property
    def goes_on(self) -> bool:
        """True if a path may lead from the source's inputs over the edge and on in one cycle."""
        return self.source.timing.latency == 0 and not self.is_kept

    @property
    def delay(self) -> int:
        """The latency, of a static loop one cycle: for what cannot run ahead of it [cycles]."""
        return min(1, self.latency) if isinstance(self.source.operation, IslandOp) else self.latency


OwnWays = ShareOp | IslandOp | LoadStoreQueueOp | ForwardingOp
"""Operations that number the ways through them."""


def way_of_operand(operation: Operation, index: int) -> int:
    """The number of the way that operand `index` enters."""
    if isinstance(operation, LoadOp):
        return 1 if index == 1 else 0
    if isinstance(operation, MemoryInterface):
        return operation.access_of_operand(index)
    return operation.way_of_operand(index) if isinstance(operation, OwnWays) else 0


def way_of_result(operation: Operation, index: int) -> int:
    """The number of the way that result `index` leaves."""
    if isinstance(operation, LoadOp):
        return 1 if index == 0 else 0
    if isinstance(operation, MemoryInterface):
        return operation.access_of_result(index)
    return operation.way_of_result(index) if isinstance(operation, OwnWays) else 0


def latency_of_result(operation: Operation, index: int, timing: Timing) -> int:
    """The latency of a result [cycles]: done tokens of a RAM come before its data."""
    if isinstance(operation, LoadStoreQueueOp):
        return operation.latency_of_result(index)
    if not isinstance(operation, MemoryInterface):
        return timing.latency
    if operation.is_accepted(index):
        return ACCEPTED_LATENCY
    return timing.done if operation.is_done(index) else timing.latency


def is_kept(operation: Operation, index: int) -> bool:
    """True of an operand that the operation takes into registers: a store's value for loads."""
    return isinstance(operation, ForwardingOp) and index in operation.values


def iterations_back(edge: Edge) -> int:
    """How many iterations old a token is that comes back to the edge's operation."""
    operation = edge.operation
    if isinstance(operation, StoreQueueOp):
        return operation.distance + {STORE: 0, DONE: operation.pending}[edge.index]
    if isinstance(operation, ForwardingOp) and edge.is_kept:
        return VALUE_DISTANCE.of(operation) or operation.pending
    if is_compared_later(operation, edge.index):
        return 1
    if isinstance(operation, DisambiguateOp | ForwardingOp):
        return operation.pending
    return operation.lanes if isinstance(operation, CarryOp) else 1


def is_compared_later(operation: Operation, index: int) -> bool:
    """True of the operands of a queue of stores with which loads are compared a cycle later."""
    if isinstance(operation, ForwardQueueOp):
        return STORE <= index < operation.first_datum
    return isinstance(operation, StoreQueueOp) and index > 0


def feedback_rank(edge: Edge) -> int:
    """0 for what comes back into a loop's head, 1 for the condition that sends it, 2 for the rest.

    A token on an edge of rank 0 or 1 is used one iteration after the one that makes it, but for
    `iterations_back`. The head of a loop is a carry, or a merge or mux that reads what is made
    further down in the text, or what compares addresses with those of earlier iterations' stores.
    """
    return edge.rank


def rank_of(operation: Operation, index: int, comes_back: bool) -> int:
    """The `feedback_rank` of an edge to operand `index`."""
    if isinstance(operation, CarryOp):
        return {2: 0, 0: 1}.get(index, 2)
    if isinstance(operation, InvariantOp) and index == 0:
        return 1
    if isinstance(operation, StoreQueueOp) and index == STORE:
        return 0 if operation.distance else 2
    if isinstance(operation, ForwardingOp) and index == operation.first_datum:
        return 2
    if isinstance(operation, PendingStoresOp):
        return 0 if index else 2
    if isinstance(operation, MergeOp | ControlMergeOp | MuxOp):
        selects = isinstance(operation, MuxOp) and index == 0
        return 0 if comes_back and not selects else 2
    return 2


def is_taken_at_once(edge: Edge) -> bool:
    """True of what a comparison of addresses takes at once: done tokens, and values of stores."""
    operation = edge.operation
    is_done = isinstance(operation, PendingStoresOp) and edge.index in operation.dones
    return is_done or edge.is_kept


def is_word_of_ram(edge: Edge) -> bool:
    """True of the word of a load that comes straight from a RAM outside."""
    memory, value = edge.source.operation, edge.value
    if not isinstance(memory, MemoryInterface) or edge.source.timing.latency > 1:
        return False
    operator = find(memory.name)
    assert operator is not None
    kind = operator.hardware.memory_kind
    assert kind is not None, "a memory has one"
    is_done = any(memory.is_done(k) for k, each in enumerate(memory.results) if each is value)
    return kind.is_outside and not kind.answers and not is_done


def needs_slot(edge: Edge) -> bool:
    """True of an edge on which a token waits for a token of the next iteration of its loop.

    That is what comes back into a loop's head and the condition that sends it; and what a gate's
    condition splits: a gate gives the test of the next iteration, for which the fork of this
    iteration's test waits for all its readers.
    """
    operation = edge.operation
    if isinstance(operation, PendingStoresOp):
        return False
    if isinstance(operation, CondBranchOp) and edge.index == 1:
        return isinstance(origin_of(operation.condition).owner, GateOp)
    return feedback_rank(edge) < RANKS


class EventGraph:
    """The graph of one handshake function's body."""

    def __init__(self, block: Block, index_width: int, cores: Cores) -> None:
        self.block = block
        self.index_width = index_width
        self.cores = cores
        self._equal_rates: dict[Operation, bool] = {}

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """All edges between operations, in the order of the text, where a buffer may stand."""
        nodes: dict[Operation, dict[int, Node]] = {operation: {} for operation in self.block.ops}
        places = {operation: place for place, operation in enumerate(nodes)}
        timings = {operation: self.timing_of(operation) for operation in nodes}
        makers: dict[SSAValue, tuple[Node, int, bool]] = {}
        for operation, ways in nodes.items():
            timing, cutting = timings[operation], self.cuts_ready(operation)
            for index, result in enumerate(operation.results):
                way = way_of_result(operation, index)
                node = ways.setdefault(way, Node(operation, timing))
                latency = latency_of_result(operation, index, timing)
                makers[result] = node, latency, cutting[index]
        found: list[Edge] = []
        for operation, ways in nodes.items():
            timing = timings[operation]
            for index, operand in enumerate(operation.operands):
                if operand in makers and not is_constant(operand) and not is_seam(operand):
                    source, latency, cuts = makers[operand]
                    way = way_of_operand(operation, index)
                    target = ways.setdefault(way, Node(operation, timing))
                    back = places[source.operation] >= places[operation]
                    rank = rank_of(operation, index, back)
                    if is_compared_later(operation, index):
                        latency += 1  # A load is compared with what is in the queue's registers.
                    kept = is_kept(operation, index)
                    latency, cuts = latency + kept, cuts or kept
                    found.append(
                        Edge(source, target, operation, index, latency, cuts, back, rank, operand)
                    )
        return tuple(found)

    @cached_property
    def loops(self) -> Mapping[SSAValue, Loops]:
        """The loops around every value."""
        return loops_of_values(self.block)

    @cached_property
    def edges_by_loop(self) -> Mapping[SSAValue, Sequence[Edge]]:
        """The edges inside each loop, those of the loops in it too, by the loop's condition."""
        found: dict[SSAValue, list[Edge]] = {}
        for edge in self.edges:
            for loop in self.loops.get(edge.value, ()):
                found.setdefault(loop, []).append(edge)
        return found

    @cached_property
    def conditional(self) -> Set[SSAValue]:
        """The values that do not come in every iteration of their loop."""
        return conditional_values(self.block)

    @cached_property
    def outer_loops(self) -> frozenset[SSAValue]:
        """The loops of the function's level that hold another one."""
        return frozenset(around[0] for around in self.loops.values() if around[1:])

    @cached_property
    def closing(self) -> frozenset[Edge]:
        """Edges without which no cycle is left: feedback first, then what closes a cycle."""
        return frozenset(feedback_arcs(self.edges, feedback_rank, RANKS))

    @cached_property
    def words_off_cycles(self) -> frozenset[SSAValue]:
        """Words of RAMs outside, without a register behind them, that are on no cycle.

        A register behind such a word is a cycle of latency, and no iteration takes longer.
        """
        component = component_numbers(self.edges)
        return frozenset(
            edge.value
            for edge in self.edges
            if is_word_of_ram(edge) and component[edge.source] != component[edge.target]
        )

    def timing_of(self, operation: Operation) -> Timing:
        """Latency and II of a unit; the II of memory ports is by the traffic."""
        operator = find(operation.name)
        if operator is None:
            return Timing(0)
        shape = shape_of(operation, operator, self.index_width)
        operator = computed_by(operator, shape, self.cores)
        latency, kind = operator.hardware.latency_of(shape), operator.hardware.memory_kind
        if kind is not None:
            return Timing(latency, 1, kind.done_latency_of(shape))
        return Timing(latency, operator.hardware.interval_of(shape))

    def has_equal_rates(self, operation: Operation) -> bool:
        """True of a unit whose ports all carry equally many tokens."""
        if operation not in self._equal_rates:
            operator = find(operation.name)
            shape = operator and shape_of(operation, operator, self.index_width)
            rates = rates_of(operator, shape) if operator and shape else None
            self._equal_rates[operation] = rates is not None and all(
                side.side is None for each in rates for side in (each.left, each.right)
            )
        return self._equal_rates[operation]

    def cuts_ready(self, operation: Operation) -> Sequence[bool]:
        """Of each result whether its ready goes no further than the unit."""
        operator = find(operation.name)
        if operator is None:
            return (False,) * len(operation.results)
        shape = shape_of(operation, operator, self.index_width)
        operator = computed_by(operator, shape, self.cores)
        _, outputs = operator.signature.ports_of(shape)
        return [not operator.passes_ready(shape, port.name) for port in outputs]
