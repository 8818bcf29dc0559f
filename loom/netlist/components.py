"""Cycles of a directed graph: its strongly connected components, and edges that break them all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Protocol, TypeVar


class Arc(Protocol):
    """What this module needs to know of an edge."""

    @property
    def source(self) -> Hashable:
        """Where the edge starts."""
        ...

    @property
    def target(self) -> Hashable:
        """Where the edge ends."""
        ...


ArcT = TypeVar("ArcT", bound=Arc)


def components(arcs: Iterable[Arc]) -> dict[Hashable, int]:
    """The number of each node's strongly connected component (Tarjan 1972, without recursion)."""
    successors: dict[Hashable, list[Hashable]] = {}
    for arc in arcs:
        successors.setdefault(arc.source, []).append(arc.target)
        successors.setdefault(arc.target, [])
    index: dict[Hashable, int] = {}
    low: dict[Hashable, int] = {}
    component: dict[Hashable, int] = {}
    stack: list[Hashable] = []
    count = 0
    for root in successors:
        if root in index:
            continue
        work: list[tuple[Hashable, int]] = [(root, 0)]
        while work:
            node, position = work.pop()
            if position == 0:
                index[node] = low[node] = len(index)
                stack.append(node)
            following = successors[node]
            descended = False
            for k in range(position, len(following)):
                successor = following[k]
                if successor not in index:
                    work += [(node, k + 1), (successor, 0)]
                    descended = True
                    break
                if successor not in component:
                    low[node] = min(low[node], index[successor])
            if descended:
                continue
            if low[node] == index[node]:
                while True:
                    member = stack.pop()
                    component[member] = count
                    if member == node:
                        break
                count += 1
            if work:
                parent = work[-1][0]
                low[parent] = min(low[parent], low[node])
    return component


def on_cycles(arcs: Sequence[ArcT]) -> list[ArcT]:
    """The arcs that lie on a cycle."""
    component = components(arcs)
    return [arc for arc in arcs if component[arc.source] == component[arc.target]]


def has_cycle(arcs: Iterable[Arc]) -> bool:
    """True if any arc lies on a cycle (Kahn 1962): less work than telling which ones do."""
    following: defaultdict[Hashable, list[Hashable]] = defaultdict(list)
    waits: defaultdict[Hashable, int] = defaultdict(int)
    for arc in arcs:
        following[arc.source].append(arc.target)
        waits[arc.target] += 1
    ready = [node for node in following if node not in waits]
    while ready:
        for successor in following[ready.pop()]:
            waits[successor] -= 1
            if not waits[successor]:
                ready.append(successor)
    return any(waits.values())


def breaking(arcs: Sequence[ArcT], rank: Callable[[ArcT], int], ranks: int) -> list[ArcT]:
    """Arcs without which no cycle is left: those of low rank first, then what closes a cycle."""
    cut: list[ArcT] = []
    left = on_cycles(arcs)
    for wanted in range(ranks):
        found = [arc for arc in left if rank(arc) == wanted]
        if found:
            cut += found
            left = on_cycles([arc for arc in left if rank(arc) != wanted])
    return cut + closing(left)


def closing(arcs: Sequence[ArcT]) -> list[ArcT]:
    """The arcs that lead back to a node on the path of a depth-first search."""
    following: dict[Hashable, list[ArcT]] = {}
    for arc in arcs:
        following.setdefault(arc.source, []).append(arc)
    state: dict[Hashable, int] = {}
    found: list[ArcT] = []
    for root in following:
        if root in state:
            continue
        state[root] = 1
        work: list[tuple[Hashable, int]] = [(root, 0)]
        while work:
            node, position = work.pop()
            leaving = following.get(node, [])
            if position == len(leaving):
                state[node] = 2
                continue
            work.append((node, position + 1))
            arc = leaving[position]
            if state.get(arc.target) == 1:
                found.append(arc)
            elif arc.target not in state:
                state[arc.target] = 1
                work.append((arc.target, 0))
    return found
