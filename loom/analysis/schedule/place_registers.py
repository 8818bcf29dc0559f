"""Registers on cycles where they cost no time: on edges whose tokens wait for others anyway.

The usual place of a register is where a loop closes. If the loop is slower for it than its units
are, the registers go to the edges with the most slack instead, as long as that is faster.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set

from loom.analysis.schedule.event_graph import Edge, EventGraph, Node, feedback_rank
from loom.analysis.schedule.modulo_schedule import Schedule, critical_cycle, modulo_schedule
from loom.analysis.schedule.nested_iterations import IterationGraph, iteration_graph
from loom.graph_algorithms import component_numbers

MOST = 64
"""Registers in a loop up to which other places are looked for."""


def move_registers_to_slack(graph: EventGraph, usual: Set[Edge], fixed: Set[Edge]) -> set[Edge]:
    """Edges that break the same cycles as the `usual` ones, in loops that become faster by it.

    Those of `fixed` have a register anyway.
    """
    found = set(usual)
    loops = graph.edges_by_loop
    for loop in sorted(loops, key=lambda loop: -len(graph.loops[loop])):
        iteration = iteration_graph(graph, loop, loops[loop])
        here = {edge for edge in usual if edge in iteration.own}
        if not 0 < len(here) <= MOST:
            continue
        others = fixed | (found - here)
        if ii_with_registers(iteration, here | others) > ii_with_registers(iteration, others):
            chosen = edges_with_most_slack(iteration, others)
            if ii_with_registers(iteration, chosen | others) < ii_with_registers(
                iteration, here | others
            ):
                found = (found - here) | chosen
    return found


def ii_with_registers(iteration: IterationGraph, registered: Collection[Edge]) -> int:
    """The II of a loop with these registers [cycles]."""
    found = critical_cycle(iteration.arcs(registered), iteration.components)
    return 1 if found is None else found.ii


def edges_with_most_slack(iteration: IterationGraph, fixed: Set[Edge]) -> set[Edge]:
    """Edges without which no cycle is left: of each cycle the one with the most slack.

    Those that are not in an inner loop come first, and those that make no iteration slower.
    """
    found = modulo_schedule(iteration.arcs(fixed))

    def order(edge: Edge) -> tuple[bool, int, int]:
        return edge not in iteration.own, *slack(edge, iteration.ahead.get(edge, 0), found)

    left = [e for e in iteration.edges if e.goes_on and e not in fixed]
    chosen: set[Edge] = set()
    least = ii_with_registers(iteration, fixed)
    while cycles := list(find_cycles(left)):
        for cycle in cycles:
            places = [edge for edge in cycle if edge in iteration.ahead] or cycle
            edge, least = cheapest_edge(iteration, sorted(places, key=order), chosen | fixed, least)
            chosen.add(edge)
        left = [edge for edge in left if edge not in chosen]
    return chosen


def cheapest_edge(
    iteration: IterationGraph, edges: Sequence[Edge], registered: Set[Edge], least: int
) -> tuple[Edge, int]:
    """The first edge on which another register makes no iteration slower, or the least slow one.

    With the II that the loop has then; `least` is the one that it has now [cycles].
    """
    slowness: dict[Edge, int] = {}
    for edge in edges:
        slowness[edge] = ii_with_registers(iteration, {*registered, edge})
        if slowness[edge] == least:
            break
    found = min(slowness, key=lambda edge: slowness[edge])
    return found, slowness[found]


def slack(edge: Edge, ahead: int, found: Schedule) -> tuple[int, int]:
    """How long a token waits on an edge [cycles]; of equal ones where the loop closes."""
    source, target = (edge.source, 0), (edge.target, 0)
    apart = found.start[target] - found.start[source]
    waits = apart + ahead * found.interval[source] - edge.latency
    return -waits, feedback_rank(edge)


def find_cycles(edges: Sequence[Edge]) -> Iterator[list[Edge]]:
    """A cycle of each group of edges that lie on some."""
    component = component_numbers(edges)
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
