"""What another register on an edge costs: which loops get a longer II by it.

Each loop is kept as a modulo schedule at its least II. With the start times r of the schedule an
edge has slack r(target) + II * ahead - r(source) - delay; a cycle through the edge has the sum of
its slacks. A register costs its loop nothing where every cycle through it has slack, that is,
where no way without slack leads from the edge's target back to its source.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from xdsl.ir import SSAValue

from loom.analysis.schedule.event_graph import Edge, EventGraph, Node
from loom.analysis.schedule.loop_members import iterations_ahead
from loom.analysis.schedule.modulo_schedule import Arc, Cycles, topological_order
from loom.graph_algorithms import component_numbers

DEEPER = 8.0
"""So much more a cycle of a loop costs than one of the loop around it."""


@dataclass(frozen=True)
class LoopArcs:
    """One loop: the edges on its cycles, by how many iterations they reach ahead.

    `units` are the nodes with an II of their own [cycles], `weight` is what a cycle costs.
    """

    weight: float
    ahead: Mapping[Edge, int]
    leaving: Mapping[Node, list[Edge]]
    units: Mapping[Hashable, int]

    @cached_property
    def entering(self) -> Mapping[Node, list[Edge]]:
        """The edges to each node."""
        found: dict[Node, list[Edge]] = {}
        for edge in self.ahead:
            found.setdefault(edge.target, []).append(edge)
        return found

    @cached_property
    def components(self) -> Sequence[tuple[Sequence[Hashable], Sequence[Edge]]]:
        """The strongly connected components: nodes in topological order, edges between them."""
        component = component_numbers(self.ahead)
        members: dict[int, list[Edge]] = {}
        for edge in self.ahead:
            members.setdefault(component[edge.source], []).append(edge)
        return [
            (topological_order([Arc(e.source, e.target, 0, self.ahead[e]) for e in edges]), edges)
            for edges in members.values()
        ]


def arcs_of_loops(graph: EventGraph) -> dict[SSAValue, LoopArcs]:
    """The loops of a graph, by their conditions; it is asked once for many placements."""
    found: dict[SSAValue, LoopArcs] = {}
    for loop, edges in graph.edges_by_loop.items():
        ahead = {
            edge: reach
            for edge in edges
            if (reach := iterations_ahead(edge, loop, graph.closing)) is not None
        }
        found[loop] = arcs_of_loop(ahead, DEEPER ** len(graph.loops[loop]))
    return found


def arcs_of_loop(ahead: Mapping[Edge, int], weight: float) -> LoopArcs:
    """The edges that lie on cycles of those given."""
    component = component_numbers([Arc(edge.source, edge.target, 0, 0) for edge in ahead])
    cyclic = {
        edge: reach
        for edge, reach in ahead.items()
        if component[edge.source] == component[edge.target]
    }
    leaving: dict[Node, list[Edge]] = {}
    for edge in cyclic:
        leaving.setdefault(edge.source, []).append(edge)
    units: dict[Hashable, int] = {
        node: node.timing.interval for node in leaving if node.timing.interval > 1
    }
    return LoopArcs(weight, cyclic, leaving, units)


class RegisterSlack:
    """The loops of a graph with the registers placed so far.

    `budget` are IIs by loop that may be used up [cycles]: up to them registers cost nothing.
    """

    def __init__(
        self, loops: Sequence[LoopArcs], registered: Set[Edge], budget: Sequence[int] = ()
    ) -> None:
        least = budget or [1] * len(loops)
        self.loops = [
            LoopSlack(arcs, registered, ii) for arcs, ii in zip(loops, least, strict=True)
        ]
        self.around: dict[Edge, list[LoopSlack]] = {}
        for loop in self.loops:
            for edge in loop.delay:
                self.around.setdefault(edge, []).append(loop)

    @property
    def slow(self) -> float:
        """The IIs of all loops by their weights."""
        return sum(loop.weight * loop.ii for loop in self.loops)

    def cost(self, edge: Edge) -> float:
        """What a register on the edge costs: the loops whose II it lengthens, by their depth."""
        return sum(loop.weight / loop.ii for loop in self.around.get(edge, ()) if loop.binds(edge))

    def add(self, edge: Edge) -> None:
        """A register stands on the edge."""
        for loop in self.around.get(edge, ()):
            loop.add(edge)


class LoopSlack:
    """One loop: the edges on its cycles with their delays [cycles], and start times at its II.

    The II is at least `budget`.
    """

    def __init__(self, arcs: LoopArcs, registered: Set[Edge], budget: int = 1) -> None:
        self.arcs = arcs
        self.weight = arcs.weight
        self.ahead, self.leaving, self.units = arcs.ahead, arcs.leaving, arcs.units
        self.delay = {edge: edge.latency + (edge in registered) for edge in self.ahead}
        self.budget = budget
        self.ii = 1
        self.start: dict[Node, int] = {}
        self.solve()

    def solve(self) -> None:
        """`start` and `ii` are those of the delays: one II for all components."""
        self.ii = self.budget
        cycles = [self.cycles(nodes, edges) for nodes, edges in self.arcs.components]
        for component in cycles:
            self.ii = component.least_interval(self.ii)
        start: dict[Hashable, int] = dict.fromkeys(self.leaving, 0)
        for component in cycles:
            component.set_start_times(self.ii, start)
        self.start = {node: start[node] for node in self.leaving}

    def cycles(self, nodes: Sequence[Hashable], edges: Sequence[Edge]) -> Cycles:
        """A component with the delays."""
        found = Cycles(nodes)
        for edge in edges:
            found.add(edge.source, edge.target, self.delay[edge], self.ahead[edge])
        for node in nodes:
            if (interval := self.units.get(node)) is not None:
                found.add(node, node, interval, 1)
        return found

    def slack(self, edge: Edge) -> int:
        """How long a token may stay on the edge besides its delay [cycles]."""
        apart = self.start[edge.target] - self.start[edge.source]
        return apart + self.ii * self.ahead[edge] - self.delay[edge]

    def binds(self, edge: Edge) -> bool:
        """True if a cycle through the edge has no slack: one more cycle lengthens the II."""
        if self.slack(edge) > 0:
            return False
        component = self.component_without_slack
        # A node without a number had slack on all its edges when the components were found.
        source = component.get(edge.source)
        return source is not None and source == component.get(edge.target)

    @cached_property
    def component_without_slack(self) -> dict[Hashable, int]:
        """By unit, the strongly connected component of the edges on which no token may stay."""
        return component_numbers(edge for edge in self.delay if self.slack(edge) == 0)

    def add(self, edge: Edge) -> None:
        """One more cycle on the edge."""
        binds = self.binds(edge)
        self.delay[edge] += 1
        if binds:
            self.__dict__.pop("component_without_slack", None)
            self.solve()
        else:
            self.move_start_times(edge)
            self.join_components(edge)

    def join_components(self, edge: Edge) -> None:
        """The components hold after a cycle more on the edge, at the same II.

        The slack of a cycle does not depend on start times: only cycles through the edge have less.
        What lies on one without slack is reached from the edge's target and reaches its source.
        """
        if self.slack(edge) > 0:
            return
        ahead = self.reach(edge.target, self.leaving, lambda each: each.target)
        if edge.source not in ahead:
            return
        joined = ahead & self.reach(edge.source, self.arcs.entering, lambda each: each.source)
        component = self.component_without_slack
        component.update(dict.fromkeys(joined, 1 + max(component.values(), default=0)))

    def reach(
        self, first: Node, edges: Mapping[Node, list[Edge]], side: Callable[[Edge], Node]
    ) -> set[Node]:
        """The nodes behind the first one, or before it, by edges on which no token may stay."""
        found, work = {first}, [first]
        while work:
            for edge in edges[work.pop()]:
                node = side(edge)
                if node not in found and self.slack(edge) == 0:
                    found.add(node)
                    work.append(node)
        return found

    def move_start_times(self, edge: Edge) -> None:
        """What comes after the edge starts as late as it must at the same II."""
        work = deque([edge])
        while work:
            late = work.popleft()
            need = -self.slack(late)
            if need > 0:
                self.start[late.target] += need
                work.extend(self.leaving[late.target])
