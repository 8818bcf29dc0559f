"""Slots without which a loop whose entries take turns would wait for itself.

As many tokens as the loop has lanes are in it before the first one leaves: on what comes back, and
on the conditions that decide about it. What passes by the loop, from what is before it to what is
behind, waits for an entry in it: another group of entries begins before the last one is out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from xdsl.ir import SSAValue

from loom.analysis.schedule.event_graph import RANKS, Edge, EventGraph, Node, feedback_rank
from loom.analysis.schedule.loop_nest import origin_of
from loom.dialects.ops.dataflow import CarryOp, StreamOp
from loom.dialects.ops.handshake import CondBranchOp

GROUPS = 2
"""Groups of entries that are under way: one goes out while the next comes in."""


def slots_of_lanes(graph: EventGraph) -> dict[Edge, int]:
    """The slots of each edge at least, where a loop has lanes [tokens]."""
    found: dict[Edge, int] = {}
    for operation in graph.block.ops:
        if isinstance(operation, StreamOp) and operation.lanes > 1:
            for edge in edges_beside(graph, operation.cont):
                found[edge] = max(found.get(edge, 0), GROUPS * operation.lanes)
    for edge in graph.edges:
        reader = edge.operation
        if isinstance(reader, CarryOp) and reader.lanes > 1 and feedback_rank(edge) < RANKS:
            found[edge] = reader.lanes + 1
    return found


def lanes_inside(graph: EventGraph) -> dict[SSAValue, int]:
    """The lanes of the loop in each loop that has one with lanes, by the outer one's condition."""
    found: dict[SSAValue, int] = {}
    for operation in graph.block.ops:
        if isinstance(operation, StreamOp) and operation.lanes > 1:
            around = graph.loops.get(operation.cont, ())[:-1]
            if around:
                found[around[-1]] = operation.lanes
    return found


def edges_beside(graph: EventGraph, loop: SSAValue) -> Iterator[Edge]:
    """The edges that pass by a loop, in the loop around it."""
    nest = graph.loops.get(loop, (loop,))
    around = nest[:-1]
    if not around:
        return
    leaving: dict[Node, list[Edge]] = {}
    for edge in graph.edges:
        if graph.loops.get(edge.value, ())[: len(around)] == around:
            leaving.setdefault(edge.source, []).append(edge)
    behind = set(nodes_behind(leaving, loop))
    for edges in leaving.values():
        for edge in edges:
            inside = graph.loops.get(edge.value, ())[len(around) :]
            passes = edge.target in behind and edge.source not in behind and not inside
            if passes and not leaves(edge, loop):
                yield edge


def nodes_behind(leaving: Mapping[Node, list[Edge]], loop: SSAValue) -> Set[Node]:
    """The units that what leaves the loop comes to, in the loop around it."""
    exits = [edge for edges in leaving.values() for edge in edges if leaves(edge, loop)]
    found = {edge.target for edge in exits}
    work = list(found)
    while work:
        for edge in leaving.get(work.pop(), ()):
            if edge.target not in found:
                found.add(edge.target)
                work.append(edge.target)
    return found


def leaves(edge: Edge, loop: SSAValue) -> bool:
    """True if a token leaves the loop on this edge."""
    unit = edge.value.owner
    return (
        isinstance(unit, CondBranchOp)
        and edge.value is unit.false_result
        and origin_of(unit.condition) is loop
    )
