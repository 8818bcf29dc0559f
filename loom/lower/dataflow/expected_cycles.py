"""How long the loops of a graph take with some buffers, as far as trip counts are known.

Each loop takes its II for each of its iterations. Those are its trip count by those of the loops
around it. A trip count that is not known counts as `OFTEN`, that of an uncounted loop in another
one as `SELDOM`: such loops search on from where the last one ended, or end at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

from xdsl.ir import SSAValue

from loom.analysis.schedule.buffers import place_buffers
from loom.analysis.schedule.event_graph import Edge, EventGraph
from loom.analysis.schedule.outer_iterations import trip_count
from loom.analysis.schedule.register_slack import RegisterSlack, arcs_of_loops
from loom.analysis.timing.clocked_units import Buffer
from loom.dialects.ops.dataflow import StreamOp

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
    return LoopCycles(intervals, {loop: count_iterations(graph, loop) for loop in loops})


def least_cycles(graph: EventGraph) -> LoopCycles:
    """What the loops take if paths may have any length."""
    return expected_cycles(graph, place_buffers(graph, frozenset(), frozenset()))


def count_iterations(graph: EventGraph, loop: SSAValue) -> int:
    """How often the loop runs, with all its entries [iterations]."""
    around = graph.loops[loop]
    return prod(expect_trips(each, graph.index_width, depth) for depth, each in enumerate(around))


def expect_trips(loop: SSAValue, index_width: int, depth: int) -> int:
    """The trip count of a loop in `depth` others, or what stands for it."""
    if (known := trip_count(loop, index_width)) is not None:
        return known
    return OFTEN if depth == 0 or isinstance(loop.owner, StreamOp) else SELDOM
