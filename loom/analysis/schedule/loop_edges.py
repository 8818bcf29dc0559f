"""Which edges of an event graph lie in which loop, and which lead to its next iteration."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from xdsl.ir import SSAValue

from loom.analysis.schedule.event_graph import (
    RANKS,
    Edge,
    EventGraph,
    feedback_rank,
    iterations_back,
)
from loom.analysis.schedule.loop_nest import Repeater, origin_of


def edges_by_loop(graph: EventGraph) -> Mapping[SSAValue, list[Edge]]:
    """The edges inside each loop, those of the loops in it too, by the loop's condition."""
    found: defaultdict[SSAValue, list[Edge]] = defaultdict(list)
    for edge in graph.edges:
        for loop in graph.loops.get(edge.value, ()):
            found[loop].append(edge)
    return dict(found)


def iterations_ahead(edge: Edge, loop: SSAValue, closing: Collection[Edge]) -> int | None:
    """The distance of an edge in iterations of `loop`; None if it leads to another loop's next one.

    `closing` are edges that close cycles: those of no loop that is known reach ahead as well.
    """
    if feedback_rank(edge) >= RANKS:
        return int(edge in closing)
    if isinstance(edge.operation, Repeater):
        mine = origin_of(edge.operation.d) is loop
        return iterations_back(edge.operation) if mine else None
    return iterations_back(edge.operation)
