"""One iteration of a loop as a graph, with the loops in it entered, iterated and left.

What goes once more to the test of an inner loop before it leaves, such as the token for which the
next iteration of the outer loop waits, is in the inner loop's next iteration, but in the same of
the outer one. So units of inner loops stand twice: in an iteration, and in the one that ends the
loop.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property

from xdsl.ir import SSAValue

from loom.analysis.schedule.event_graph import Edge, EventGraph, Node
from loom.analysis.schedule.loop_members import iterations_ahead
from loom.analysis.schedule.loop_nest import Repeater, origin_of
from loom.analysis.schedule.modulo_schedule import Arc
from loom.dialects.ops.dataflow import StreamOp
from loom.graph_algorithms import component_numbers, has_cycle

Place = tuple[Node, int]
"""A node, and how many iterations of inner loops lie before it."""


@dataclass(frozen=True)
class IterationGraph:
    """The edges that an iteration of a loop passes.

    `ahead` are the iterations of the loop that they reach ahead, `own` those in no inner loop.
    `again` leads to the next test of an inner loop. `inside` are the nodes of inner loops.
    """

    ahead: Mapping[Edge, int]
    own: Set[Edge]
    again: Collection[Edge]
    inside: Set[Node]

    @property
    def edges(self) -> tuple[Edge, ...]:
        """All of them."""
        return (*self.ahead, *self.again)

    @cached_property
    def components(self) -> Mapping[Hashable, int]:
        """The strongly connected component of each node, whatever registers there are."""
        return component_numbers(self.arcs(()))

    def arcs(self, registered: Collection[Edge]) -> list[Arc]:
        """The edges in time, with these registers."""
        return list(self._arcs(registered))

    def _arcs(self, registered: Collection[Edge]) -> Iterator[Arc]:
        iterations = (0, 1) if self.again else (0,)
        for edge, reach in self.ahead.items():
            delay = edge.latency + (edge in registered)
            for iteration in iterations if edge.source in self.inside else (0,):
                after = iteration if edge.target in self.inside else 0
                yield Arc((edge.source, iteration), (edge.target, after), delay, reach)
        for edge in self.again:
            delay = edge.latency + (edge in registered)
            yield Arc((edge.source, 0), (edge.target, 1), delay, 0)


def iteration_graph(graph: EventGraph, loop: SSAValue, edges: Iterable[Edge]) -> IterationGraph:
    """The edges inside a loop as an iteration of it passes them."""
    ahead: dict[Edge, int] = {}
    again: list[Edge] = []
    own: set[Edge] = set()
    inside: set[Node] = set()
    for edge in edges:
        iterations = iterations_ahead(edge, loop, graph.closing)
        if iterations is not None:
            ahead[edge] = iterations
        elif tests_before(edge):
            again.append(edge)
        if graph.loops[edge.value][-1] is not loop:
            inside.add(edge.target)
        elif iterations is not None:
            own.add(edge)
    found = IterationGraph(ahead, own, again, inside)
    # Graphs of other compilers may wait for themselves without an end that LOOM sees.
    stuck = bool(again) and has_cycle(arc for arc in found.arcs(()) if arc.ahead == 0)
    return replace(found, again=()) if stuck else found


def tests_before(edge: Edge) -> bool:
    """True of what comes back to a loop that asks before each iteration, also before none."""
    assert isinstance(edge.operation, Repeater)
    tested = origin_of(edge.operation.d).owner
    return not (isinstance(tested, StreamOp) and tested.rotated is not None)
