"""How often the units of a graph work, and which of them never work at the same time.

A unit works once for each iteration of the loops around it, in a shared circuit once for each call
of all its callers. Two units never work together if one waits for the other, by way of any
channels: within an iteration of the innermost loop around both of them and from there to the next
iteration, or, if no loop is around both, at all. A token leaves a loop after its last iteration.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import takewhile

from xdsl.ir import Block, Operation

from loom.analysis.schedule.event_graph import EventGraph, Node
from loom.analysis.schedule.loop_nest import Loops
from loom.lower.dataflow.expected_cycles import count_calls, count_iterations


class UnitOverlap:
    """Questions about some units of a graph, each with one way through it."""

    def __init__(self, graph: EventGraph, units: Sequence[Operation]) -> None:
        self.graph = graph
        self.units = units

    @cached_property
    def after(self) -> Mapping[Node, Sequence[Node]]:
        """The nodes that wait for each node."""
        found: dict[Node, list[Node]] = {}
        for edge in self.graph.edges:
            found.setdefault(edge.source, []).append(edge.target)
        return found

    @cached_property
    def node_of(self) -> Mapping[Operation, Node]:
        """The node of each of the units."""
        wanted = set(self.units)
        edges = self.graph.edges
        nodes = (node for edge in edges for node in (edge.source, edge.target))
        return {node.operation: node for node in nodes if node.operation in wanted}

    @cached_property
    def loops_of(self) -> Mapping[Operation, Loops]:
        """The loops around each operation, outermost first."""
        return {
            operation: max(
                (
                    self.graph.loops.get(value, ())
                    for value in (*operation.operands, *operation.results)
                ),
                key=len,
                default=(),
            )
            for operation in self.graph.block.ops
        }

    def nodes_after(self, unit: Operation, within: Loops) -> set[Node]:
        """The nodes that a token of the unit reaches without leaving the loops `within`."""
        start = self.node_of.get(unit)
        found: set[Node] = set()
        work = [] if start is None else [start]
        while work:
            for node in self.after.get(work.pop(), ()):
                inside = self.loops_of[node.operation][: len(within)] == within
                if inside and node not in found:
                    found.add(node)
                    work.append(node)
        return found

    def is_apart(self, first: Operation, second: Operation) -> bool:
        """True if the two units never work at the same time."""
        pairs = zip(self.loops_of[first], self.loops_of[second], strict=False)
        within = tuple(a for a, _ in takewhile(lambda pair: pair[0] is pair[1], pairs))
        forth = self.reaches(first, second, within)
        back = self.reaches(second, first, within)
        return (forth and back) if within else (forth or back)

    def reaches(self, first: Operation, second: Operation, within: Loops) -> bool:
        """True if a token of the first unit leads to the second one."""
        key = first, within
        if key not in self._reached:
            self._reached[key] = self.nodes_after(first, within)
        return self.node_of.get(second) in self._reached[key]

    @cached_property
    def _reached(self) -> dict[tuple[Operation, Loops], set[Node]]:
        return {}

    @cached_property
    def calls(self) -> Mapping[Operation | Block, int]:
        """How often the circuit is called that an operation is in, of those in a shared one."""
        return count_calls(self.graph)

    def times(self, unit: Operation) -> int:
        """How often the unit works in an activation, as far as trip counts are known."""
        return count_iterations(self.graph, self.loops_of[unit]) * self.calls.get(unit, 1)

    def longest_chain(self, units: Iterable[Operation]) -> int:
        """The most times that units work of which no two work together, in the text's order."""
        best: list[tuple[Operation, int]] = []
        for unit in units:
            before = [most for other, most in best if self.is_apart(other, unit)]
            best.append((unit, self.times(unit) + max(before, default=0)))
        return max((most for _, most in best), default=0)
