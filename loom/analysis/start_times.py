"""When every node of a flow graph fires first, and how many cycles lie between its firings.

Source: design notes on buffer placement: with initiation interval II and start times r, an edge
that carries m tokens ahead asks r(target) + II*m >= r(source) + latency; what is left over, divided
by II, is the number of tokens that wait on the edge.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from loom.netlist.components import components


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

    start: dict[Hashable, int]
    interval: dict[Hashable, int]


def schedule(arcs: Sequence[Arc]) -> Schedule:
    """The earliest start times at the least interval that each component allows."""
    component = components(arcs)
    inside: dict[int, list[Arc]] = {}
    for arc in arcs:
        if component[arc.source] == component[arc.target]:
            inside.setdefault(component[arc.source], []).append(arc)
    intervals = {number: least_interval(members) for number, members in inside.items()}
    interval = {node: intervals.get(number, 1) for node, number in component.items()}
    weighted = [
        (arc, arc.delay - arc.ahead * max(interval[arc.source], interval[arc.target]))
        for arc in arcs
    ]
    start = longest(weighted)
    assert start is not None, "the least intervals leave no positive cycle"
    return Schedule(start, interval)


def least_interval(arcs: Sequence[Arc]) -> int:
    """The least II for which no cycle of `arcs` asks for more time than it has [cycles]."""
    low, high = 1, 1
    while longest([(arc, arc.delay - arc.ahead * high) for arc in arcs]) is None:
        low, high = high + 1, 2 * high
    while low < high:
        middle = (low + high) // 2
        if longest([(arc, arc.delay - arc.ahead * middle) for arc in arcs]) is None:
            low = middle + 1
        else:
            high = middle
    return high


def longest(weighted: Sequence[tuple[Arc, int]]) -> dict[Hashable, int] | None:
    """Longest paths from time 0, or None if a cycle has a positive sum (Bellman and Ford)."""
    leaving: dict[Hashable, list[tuple[Hashable, int]]] = {}
    start: dict[Hashable, int] = {}
    for arc, weight in weighted:
        leaving.setdefault(arc.source, []).append((arc.target, weight))
        start[arc.source] = start[arc.target] = 0
    edges: dict[Hashable, int] = dict.fromkeys(start, 0)
    queue = deque(start)
    queued = set(start)
    while queue:
        node = queue.popleft()
        queued.discard(node)
        for target, weight in leaving.get(node, ()):
            if start[node] + weight > start[target]:
                start[target] = start[node] + weight
                edges[target] = edges[node] + 1
                if edges[target] > len(start):
                    return None
                if target not in queued:
                    queued.add(target)
                    queue.append(target)
    return start
