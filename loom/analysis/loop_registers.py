"""Registers on cycles where they cost no time: on edges whose tokens wait for others anyway.

The usual place of a register is where a loop closes. If the loop is slower for it than its units
are, the cycles are cut at the edges with the most slack instead, as long as that is faster.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set

from loom.analysis.flow_graph import Edge, FlowGraph, Node, feedback_rank
from loom.analysis.loop_edges import edges_by_loop, turns_ahead
from loom.analysis.start_times import Arc, Schedule, schedule, slowest_round
from loom.netlist.components import components

MOST = 64
"""Registers in a loop up to which other places are looked for."""


def with_slack(graph: FlowGraph, usual: Set[Edge], fixed: Set[Edge]) -> set[Edge]:
    """Edges that cut what the `usual` ones cut, in loops that can be faster.

    Those of `fixed` have a register anyway.
    """
    found = set(usual)
    closing, loops = graph.closing, graph.loops
    for loop, edges in edges_by_loop(graph).items():
        turns = {edge: turns_ahead(edge, loop, closing) for edge in edges}
        ahead = {edge: reach for edge, reach in turns.items() if reach is not None}
        here = {edge for edge in usual if edge in ahead}
        if not 0 < len(here) <= MOST:
            continue
        least = interval(ahead, fixed)
        if interval(ahead, here | fixed) > least:
            own = {e for e in ahead if loops[e.operation.operands[e.index]][-1] is loop}
            other = slackest(ahead, own, fixed)
            if interval(ahead, other | fixed) < interval(ahead, here | fixed):
                found = (found - here) | other
    return found


def interval(ahead: Mapping[Edge, int], registered: Collection[Edge]) -> int:
    """The cycles between two turns of a loop with these registers [cycles]."""
    found = slowest_round(arcs_of(ahead, registered))
    return 1 if found is None else found.interval


def arcs_of(ahead: Mapping[Edge, int], registered: Collection[Edge]) -> list[Arc]:
    """The edges in time."""
    return [
        Arc(edge.source, edge.target, edge.latency + (edge in registered), reach)
        for edge, reach in ahead.items()
    ]


def slackest(ahead: Mapping[Edge, int], own: Set[Edge], fixed: Set[Edge]) -> set[Edge]:
    """Edges without which no cycle is left: of each cycle the one with the most slack.

    Those of `own`, which are not in an inner loop, come first.
    """
    found = schedule(arcs_of(ahead, fixed))
    left = [e for e in ahead if e.source.timing.latency == 0 and e not in fixed]
    chosen: set[Edge] = set()
    while cycles := list(uncut(left)):
        for cycle in cycles:
            chosen.add(max(cycle, key=lambda e: (e in own, *slack(e, ahead[e], found))))
        left = [edge for edge in left if edge not in chosen]
    return chosen


def slack(edge: Edge, ahead: int, found: Schedule) -> tuple[int, int]:
    """How long a token waits on an edge [cycles]; of equal ones where the loop closes."""
    apart = found.start[edge.target] - found.start[edge.source]
    waits = apart + ahead * found.interval[edge.source] - edge.latency
    return waits, -feedback_rank(edge)


def uncut(edges: Sequence[Edge]) -> Iterator[list[Edge]]:
    """A cycle of each group of edges that lie on some."""
    component = components(edges)
    leaving: dict[Node, list[Edge]] = {}
    for edge in edges:
        if component[edge.source] == component[edge.target]:
            leaving.setdefault(edge.source, []).append(edge)
    seen: set[int] = set()
    for start in leaving:
        if component[start] in seen:
            continue
        seen.add(component[start])
        place: dict[Node, int] = {}
        walked: list[Edge] = []
        node = start
        while node not in place:
            place[node] = len(walked)
            walked.append(leaving[node][0])
            node = walked[-1].target
        yield walked[place[node] :]
