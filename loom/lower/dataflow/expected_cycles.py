"""How long the loops of a graph take with some buffers, as far as trip counts are known.

Each loop takes its II for each of its iterations. Those are its trip count by those of the loops
around it, and in a shared circuit by the calls of all its callers. A trip count that is not known
counts as `OFTEN`, that of an uncounted loop in another one as `SELDOM`: such loops search on from
where the last one ended, or end at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

from xdsl.ir import Block, Operation, SSAValue

from loom.analysis.schedule.buffers import place_buffers
from loom.analysis.schedule.event_graph import (
    Edge,
    EventGraph,
    way_of_operand,
    way_of_result,
)
from loom.analysis.schedule.loop_nest import Loops
from loom.analysis.schedule.outer_iterations import trip_count
from loom.analysis.schedule.register_slack import RegisterSlack, arcs_of_loops
from loom.analysis.timing.clocked_units import Buffer
from loom.dialects.ops.dataflow import StreamOp
from loom.dialects.ops.handshake_memory import MemoryInterface
from loom.dialects.ops.handshake_routing import ShareOp

OFTEN = 16
"""The trip count of a loop of which it is not known [iterations]."""
SELDOM = 2
"""The trip count of an uncounted loop in another loop [iterations]."""


@dataclass(frozen=True)
class LoopCycles:
    """The II of each loop [cycles], and how often it runs, by the loop's condition."""

    intervals: Mapping[SSAValue, int]
    iterations: Mapping[SSAValue, int]

    @cached_property
    def total(self) -> int:
        """The cycles of all loops together."""
        return sum(ii * self.iterations[loop] for loop, ii in self.intervals.items())

    def saved(self, loop: SSAValue, other: LoopCycles) -> int:
        """How many cycles fewer the loop takes than in `other`."""
        return (other.intervals[loop] - self.intervals[loop]) * self.iterations[loop]


def expected_cycles(graph: EventGraph, buffers: Mapping[Edge, Buffer]) -> LoopCycles:
    """What the loops take with these buffers, which may be on edges of an equal graph."""
    values = {edge.value for edge, buffer in buffers.items() if buffer.registered}
    loops = arcs_of_loops(graph)
    slack = RegisterSlack(
        list(loops.values()), {edge for edge in graph.edges if edge.value in values}
    )
    intervals = {loop: each.ii for loop, each in zip(loops, slack.loops, strict=True)}
    calls = count_calls(graph)
    iterations = {
        loop: count_iterations(graph, graph.loops[loop]) * calls.get(loop.owner, 1)
        for loop in loops
    }
    return LoopCycles(intervals, iterations)


def least_cycles(graph: EventGraph) -> LoopCycles:
    """What the loops take if paths may have any length."""
    return expected_cycles(graph, place_buffers(graph, frozenset(), frozenset()))


def count_iterations(graph: EventGraph, around: Loops) -> int:
    """How often the innermost of these loops runs, with all its entries [iterations]."""
    return prod(expect_trips(each, graph.index_width, depth) for depth, each in enumerate(around))


def count_calls(graph: EventGraph) -> Mapping[Operation | Block, int]:
    """How often the circuit is called that an operation is in, of those in a shared one.

    Circuits with loops are called from outside of any; a multiplier that they call has none.
    """
    found: dict[Operation | Block, int] = {}
    for share in graph.block.ops:
        if isinstance(share, ShareOp):
            times = sum(
                count_iterations(graph, graph.loops.get(caller, ())) * found.get(caller.owner, 1)
                for caller in share.callers
            )
            found |= dict.fromkeys(operations_called(share), times)
    return found


def operations_called(share: ShareOp) -> set[Operation]:
    """The operations between the two ends of a shared circuit, its accesses of memories too."""
    found: set[tuple[Operation, int]] = set()
    work: list[SSAValue] = [share.called]
    while work:
        for use in work.pop().uses:
            way = use.operation, way_of_operand(use.operation, use.index)
            if use.operation is not share and way not in found:
                found.add(way)
                results = use.operation.results
                work += [r for r in results if way_of_result(use.operation, r.index) == way[1]]
    return {operation for operation, _ in found if not isinstance(operation, MemoryInterface)}


def expect_trips(loop: SSAValue, index_width: int, depth: int) -> int:
    """The trip count of a loop in `depth` others, or what stands for it."""
    if (known := trip_count(loop, index_width)) is not None:
        return known
    return OFTEN if depth == 0 or isinstance(loop.owner, StreamOp) else SELDOM
