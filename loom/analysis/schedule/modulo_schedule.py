"""When every node of a flow graph fires first, and how many cycles lie between its firings.

Source: docs/spec/buffering.md, "Start times": with initiation interval II and start times r, an
edge that carries m tokens ahead asks r(target) + II*m >= r(source) + latency; what is left over,
divided by II, is the number of tokens that wait on the edge.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from loom.graph_algorithms import component_numbers


@dataclass(frozen=True, slots=True)
class Arc:
    """An edge with its delay [cycles] and the number of iterations it reaches ahead."""

    source: Hashable
    target: Hashable
    delay: int
    ahead: int


@dataclass(frozen=True)
class Schedule:
    """Start times [cycles] and, for each node, the initiation interval of its cycle [cycles]."""

    start: Mapping[Hashable, int]
    interval: Mapping[Hashable, int]


def modulo_schedule(arcs: Sequence[Arc]) -> Schedule:
    """The earliest start times at the least interval that each component allows.

    Every cycle of `arcs` must reach ahead.
    """
    component = component_numbers(arcs)
    inside: dict[int, list[Arc]] = {}
    leaving: dict[int, list[Arc]] = {}
    for arc in arcs:
        number = component[arc.source]
        found = inside if number == component[arc.target] else leaving
        found.setdefault(number, []).append(arc)
    cycles = {number: cycles_of(members) for number, members in inside.items()}
    intervals = {number: each.least_interval() for number, each in cycles.items()}
    interval = {node: intervals.get(number, 1) for node, number in component.items()}
    start = dict.fromkeys(component, 0)
    # A component has a higher number than all that it leads to.
    for number in sorted(inside.keys() | leaving.keys(), reverse=True):
        if number in cycles:
            cycles[number].set_start_times(intervals[number], start)
        for arc in leaving.get(number, ()):
            between = max(interval[arc.source], interval[arc.target])
            time = start[arc.source] + arc.delay - arc.ahead * between
            start[arc.target] = max(start[arc.target], time)
    return Schedule(start, interval)


@dataclass(frozen=True, slots=True)
class Cycle:
    """A cycle: its delay [cycles], the iterations it reaches ahead, its nodes in their order."""

    delay: int
    ahead: int
    nodes: tuple[Hashable, ...]

    @property
    def ii(self) -> int:
        """The initiation interval that the cycle forces [cycles]."""
        return math.ceil(self.delay / self.ahead)


def critical_cycle(
    arcs: Sequence[Arc], component: Mapping[Hashable, int] | None = None
) -> Cycle | None:
    """The cycle that needs most cycles an iteration; None if none needs more than one.

    Every cycle of `arcs` must reach ahead. `component` are the numbers of the nodes' strongly
    connected components, where they are known.
    """
    component = component or component_numbers(arcs)
    inside: dict[int, list[Arc]] = {}
    for arc in arcs:
        if component[arc.source] == component[arc.target]:
            inside.setdefault(component[arc.source], []).append(arc)
    slowest: Cycle | None = None
    interval = 1
    for members in inside.values():
        cycles = cycles_of(members)
        while (found := cycles.relax(interval, [0] * len(cycles.nodes))) is not None:
            interval, slowest = found.ii, found
    return slowest


def cycles_of(arcs: Sequence[Arc]) -> Cycles:
    """The component of these arcs."""
    found = Cycles(topological_order(arcs))
    for arc in arcs:
        found.add(arc.source, arc.target, arc.delay, arc.ahead)
    return found


class Cycles:
    """One component: its nodes in the order in which an iteration passes them, and its arcs."""

    def __init__(self, nodes: Sequence[Hashable]) -> None:
        self.nodes = nodes
        self.number = {node: k for k, node in enumerate(nodes)}
        self.leaving: list[list[tuple[int, int, int]]] = [[] for _ in nodes]

    def add(self, source: Hashable, target: Hashable, delay: int, ahead: int) -> None:
        """An arc of the component."""
        self.leaving[self.number[source]].append((self.number[target], delay, ahead))

    def least_interval(self, interval: int = 1) -> int:
        """The least II from `interval` on that every cycle of the component allows [cycles].

        Each cycle that needs more raises the II to what it needs, until none is left.
        """
        while cycle := self.relax(interval, [0] * len(self.nodes)):
            before = interval
            delay, ahead = cycle.delay, cycle.ahead
            interval = -(-delay // ahead)
            assert interval > before, "the cycle found needs a larger II"
        return interval

    def set_start_times(self, interval: int, start: dict[Hashable, int]) -> None:
        """`start` holds the longest paths inside the component."""
        times = [start[node] for node in self.nodes]
        too_slow = self.relax(interval, times)
        assert too_slow is None, "the least intervals leave no positive cycle"
        start.update(zip(self.nodes, times, strict=True))

    def relax(self, interval: int, start: list[int]) -> Cycle | None:
        """Push start times along all arcs until they hold (Bellman and Ford).

        A cycle that asks for more than `interval`, if there is one.
        """
        parent: list[tuple[int, int, int] | None] = [None] * len(self.nodes)
        changed = True
        while changed:
            changed = False
            for node, leaving in enumerate(self.leaving):
                for target, delay, ahead in leaving:
                    time = start[node] + delay - ahead * interval
                    if time > start[target]:
                        start[target] = time
                        parent[target] = (node, delay, ahead)
                        changed = changed or target <= node
            found = find_cycle(parent) if changed else None
            if found is not None:
                nodes = tuple(self.nodes[number] for number in found.nodes)
                return Cycle(found.delay, found.ahead, nodes)
        return None


@dataclass(frozen=True, slots=True)
class NumberedCycle:
    """A cycle of node numbers."""

    delay: int
    ahead: int
    nodes: tuple[int, ...]


def find_cycle(parent: Sequence[tuple[int, int, int] | None]) -> NumberedCycle | None:
    """A cycle among the arcs that lead to each node, or None."""
    seen = [-1] * len(parent)
    for root in range(len(parent)):
        node = root
        while seen[node] < 0 and (arc := parent[node]) is not None:
            seen[node] = root
            node = arc[0]
        if seen[node] == root and parent[node] is not None:
            delay = ahead = 0
            first = node
            passed = [node]
            while (arc := parent[node]) is not None:
                node = arc[0]
                delay, ahead = delay + arc[1], ahead + arc[2]
                if node == first:
                    return NumberedCycle(delay, ahead, tuple(reversed(passed)))
                passed.append(node)
    return None


def topological_order(arcs: Sequence[Arc]) -> list[Hashable]:
    """The nodes, each after those that arcs of its own iteration come from (Kahn)."""
    waits: dict[Hashable, int] = {}
    following: dict[Hashable, list[Hashable]] = {}
    for arc in arcs:
        waits.setdefault(arc.source, 0)
        waits.setdefault(arc.target, 0)
        if arc.ahead == 0:
            waits[arc.target] += 1
            following.setdefault(arc.source, []).append(arc.target)
    order = [node for node, count in waits.items() if count == 0]
    for node in order:
        for target in following.get(node, ()):
            waits[target] -= 1
            if waits[target] == 0:
                order.append(target)
    assert len(order) == len(waits), "every cycle reaches ahead"
    return order
