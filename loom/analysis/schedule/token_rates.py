"""Token rates of nodes that exchange equally many tokens with a slow unit.

A unit that takes a token only every few cycles holds back all that takes as many tokens as it does:
the body of the loop that it stands in, up to what repeats, selects or merges.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from loom.analysis.schedule.event_graph import Edge, EventGraph, Node


def raise_to_slow_units(
    graph: EventGraph, edges: Sequence[Edge], interval: Mapping[Hashable, int]
) -> Mapping[Hashable, int]:
    """`interval` [cycles] by node, raised to that of the slowest unit it keeps step with."""
    ends = (node for edge in edges for node in (edge.source, edge.target))
    slow = {node for node in ends if node.timing.interval > 1}
    if not slow:
        return interval
    neighbours: dict[Node, list[Node]] = {}
    for edge in edges:
        neighbours.setdefault(edge.source, []).append(edge.target)
        neighbours.setdefault(edge.target, []).append(edge.source)
    found = dict(interval)
    seen: set[Node] = set()
    for node in sorted(slow, key=lambda each: -each.timing.interval):
        work = [] if node in seen else [node]  # what it keeps step with is at least as slow
        seen.add(node)
        while work:
            place = work.pop()
            found[place] = max(found[place], node.timing.interval)
            if graph.has_equal_rates(place.operation):
                fresh = [each for each in neighbours[place] if each not in seen]
                seen.update(fresh)
                work += fresh
    return found
