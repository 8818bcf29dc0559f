"""Loads that share a port, scheduled as late as their readers allow (ALAP).

A port takes one address a cycle. A load whose element waits for others' anyway must not take it
before one on which the iteration depends: so its address and its token wait, not its element.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from loom.analysis.schedule.event_graph import Edge, EventGraph, Node
from loom.analysis.schedule.modulo_schedule import Arc, Schedule
from loom.dialects.ops.handshake import JoinOp
from loom.dialects.ops.handshake_memory import LoadOp, MemoryInterface

Group = Sequence[Hashable]
"""Nodes that fire in fixed distances."""


def find_shared_loads(graph: EventGraph) -> list[Group]:
    """The loads of memories that have several: of each its address, its port and its element."""
    leaving: dict[Node, list[Edge]] = {}
    for edge in graph.edges:
        leaving.setdefault(edge.source, []).append(edge)
    found: list[Group] = []
    for edge in graph.edges:
        load, memory = edge.source.operation, edge.operation
        if not isinstance(memory, MemoryInterface) or memory.load_count < 2:
            continue
        if not isinstance(load, LoadOp):
            if memory.access_of_operand(edge.index) >= memory.store_count:
                found.append((edge.target,))
        else:
            elements = [each.target for each in leaving[edge.target] if each.operation is load]
            found.append((edge.source, edge.target, *elements))
    return found


def delay_loads(arcs: Mapping[Edge, Arc], earliest: Schedule, loads: Iterable[Group]) -> Schedule:
    """The earliest start times (ASAP), except for `loads`: ALAP, so that nothing else is later.

    Joins of their done tokens give way; after that all joins are as early as they can be.
    """
    here = [group for group in loads if all(node in earliest.start for node in group)]
    if not here:
        return earliest
    times = Times(arcs, earliest)
    joins = [(node,) for node in earliest.start if is_join(node)]
    for group in sorted([*here, *joins], key=times.first, reverse=True):
        times.move(group, times.room_after(group))
    for group in sorted(joins, key=times.first):
        moved = times.first(group) - min(earliest.start[node] for node in group)
        times.move(group, -min(moved, times.room_before(group)))
    return Schedule(times.start, earliest.interval)


def is_join(node: Hashable) -> bool:
    """True of a unit that makes one token of several."""
    return isinstance(node, Node) and isinstance(node.operation, JoinOp)


class Times:
    """Start times that are moved as far as the edges allow."""

    def __init__(self, arcs: Mapping[Edge, Arc], earliest: Schedule) -> None:
        self.start = dict(earliest.start)
        self.interval = earliest.interval
        self.leaving: dict[Hashable, list[Arc]] = {}
        self.entering: dict[Hashable, list[Arc]] = {}
        for arc in arcs.values():
            self.leaving.setdefault(arc.source, []).append(arc)
            self.entering.setdefault(arc.target, []).append(arc)

    def first(self, group: Group) -> int:
        """When a group begins [cycles]."""
        return min(self.start[node] for node in group)

    def move(self, group: Group, cycles: int) -> None:
        """The group fires later, or earlier where `cycles` is negative."""
        for node in group:
            self.start[node] += cycles

    def room_after(self, group: Group) -> int:
        """How much later a group may fire without anything else being later [cycles]."""
        found = [arc for node in group for arc in self.leaving.get(node, ())]
        return min((self.waits(arc) for arc in found if arc.target not in group), default=0)

    def room_before(self, group: Group) -> int:
        """How much earlier a group may fire [cycles]."""
        found = [arc for node in group for arc in self.entering.get(node, ())]
        return min((self.waits(arc) for arc in found if arc.source not in group), default=0)

    def waits(self, arc: Arc) -> int:
        """How long a token waits on an edge [cycles]."""
        between = max(self.interval[arc.source], self.interval[arc.target])
        apart = self.start[arc.target] - self.start[arc.source]
        return apart + between * arc.ahead - arc.delay
