"""Streams of indices, scheduled as late as their loop's other tokens come (ALAP).

The bounds of a loop are often there long before the loop may begin: of several loops in a row over
one memory each waits for the one before it. Started as soon as it can, its stream would fill FIFOs
as deep as all loops before it take cycles. What waits then are the bounds, one token each.

Only loops that are entered once in an activation: where a loop is entered again and again, what its
stream has made ahead lets the next entry overlap with this one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from xdsl.ir import SSAValue

from loom.analysis.schedule.delay_loads import Times
from loom.analysis.schedule.event_graph import Edge, EventGraph, Node
from loom.analysis.schedule.modulo_schedule import Arc, Schedule
from loom.dialects.ops.dataflow import StreamOp
from loom.dialects.ops.handshake import SinkOp
from loom.dialects.ops.types import width_of

CONTROL = 2
"""What a waiting token costs besides its data [bits]."""


def delay_streams(
    graph: EventGraph, arcs: Mapping[Edge, Arc], counted: Collection[Edge], found: Schedule
) -> Schedule:
    """The start times, except for streams and what must start with them: late, so that nothing
    else is later, as long as fewer bits wait on the edges `counted`."""
    streams = find_streams(graph, arcs)
    if not streams:
        return found
    moves = _Moves(graph, arcs, counted, Times(arcs, found))
    for stream in sorted(streams, key=lambda node: found.start[node], reverse=True):
        moves.delay(stream)
    return Schedule(moves.times.start, found.interval)


def find_streams(graph: EventGraph, arcs: Collection[Edge]) -> dict[Node, None]:
    """The streams of loops that neither lie in a loop nor hold one."""
    return {
        edge.target: None
        for edge in arcs
        if isinstance(operation := edge.operation, StreamOp)
        and operation.cont not in graph.outer_loops
        and len(graph.loops.get(operation.cont, ())) == 1
    }


class _Moves:
    """Moves of groups of nodes, with the edges around each node."""

    def __init__(
        self,
        graph: EventGraph,
        arcs: Mapping[Edge, Arc],
        counted: Collection[Edge],
        times: Times,
    ) -> None:
        self.graph = graph
        self.arcs = arcs
        self.counted = counted
        self.times = times
        self.leaving: dict[Node, list[Edge]] = {}
        self.entering: dict[Node, list[Edge]] = {}
        for edge in arcs:
            self.leaving.setdefault(edge.source, []).append(edge)
            self.entering.setdefault(edge.target, []).append(edge)

    def delay(self, stream: Node) -> None:
        """The stream starts later while that lets fewer bits wait."""
        operation = stream.operation
        assert isinstance(operation, StreamOp)
        while (group := self.group_of(stream, operation.cont)) is not None:
            out = [e for n in group for e in self.leaving.get(n, ()) if e.target not in group]
            into = [e for n in group for e in self.entering.get(n, ()) if e.source not in group]
            if not out or self.bits(out) <= self.bits(into):
                return
            self.times.move(tuple(group), min(self.times.waits(self.arcs[e]) for e in out))

    def group_of(self, stream: Node, loop: SSAValue) -> dict[Node, None] | None:
        """What starts later if the stream does; None if something behind the loop is in it."""
        group: dict[Node, None] = {stream: None}
        work = [stream]
        while work:
            for edge in self.leaving.get(work.pop(), ()):
                if edge.target not in group and self.times.waits(self.arcs[edge]) <= 0:
                    behind = loop not in self.graph.loops.get(edge.value, ())
                    if behind and not isinstance(edge.operation, SinkOp):
                        return None
                    group[edge.target] = None
                    work.append(edge.target)
        return group

    def bits(self, edges: Collection[Edge]) -> int:
        """The bits of a token on each of the edges that are counted."""
        width = self.graph.index_width
        return sum(
            width_of(edge.value.type, width) + CONTROL for edge in edges if edge in self.counted
        )
