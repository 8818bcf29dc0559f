"""Algorithms on directed graphs: strongly connected components, cycles, feedback arcs.

None recurses: graphs may be deeper than Python's stack.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

Vertex = TypeVar("Vertex", bound=Hashable)


class Arc(Protocol):
    """What this module needs to know of an arc."""

    @property
    def source(self) -> Hashable:
        """Where the arc starts."""
        ...

    @property
    def target(self) -> Hashable:
        """Where the arc ends."""
        ...


ArcT = TypeVar("ArcT", bound=Arc)


def strong_components(
    roots: Iterable[Vertex], successors: Callable[[Vertex], Iterable[Vertex]]
) -> list[list[Vertex]]:
    """The strongly connected components of what is reachable from `roots`.

    Each comes after all that it leads to; its vertices are in depth-first order. Source: Tarjan,
    "Depth-First Search and Linear Graph Algorithms", 1972.
    """
    number: dict[Vertex, int] = {}
    lowest: dict[Vertex, int] = {}
    path, found, done = list[Vertex](), list[list[Vertex]](), set[Vertex]()
    for root in roots:
        if root in number:
            continue
        number[root] = lowest[root] = len(number)
        path.append(root)
        stack: list[tuple[Vertex, int, Iterator[Vertex]]] = [(root, 0, iter(successors(root)))]
        while stack:
            vertex, start, left = stack[-1]
            for other in left:
                if other not in number:
                    number[other] = lowest[other] = len(number)
                    stack.append((other, len(path), iter(successors(other))))
                    path.append(other)
                    break
                if other not in done:
                    lowest[vertex] = min(lowest[vertex], number[other])
            else:
                stack.pop()
                if stack:
                    above = stack[-1][0]
                    lowest[above] = min(lowest[above], lowest[vertex])
                if lowest[vertex] == number[vertex]:
                    found.append(path[start:])
                    done.update(path[start:])
                    del path[start:]
    return found


def component_numbers(arcs: Iterable[Arc]) -> dict[Hashable, int]:
    """The number of each vertex's strongly connected component."""
    successors: dict[Hashable, list[Hashable]] = {}
    for arc in arcs:
        successors.setdefault(arc.source, []).append(arc.target)
        successors.setdefault(arc.target, [])
    found = strong_components(successors, successors.__getitem__)
    return {vertex: number for number, members in enumerate(found) for vertex in members}


def on_cycles(arcs: Sequence[ArcT]) -> list[ArcT]:
    """The arcs that lie on a cycle."""
    component = component_numbers(arcs)
    return [arc for arc in arcs if component[arc.source] == component[arc.target]]


def has_cycle(arcs: Iterable[Arc]) -> bool:
    """True if any arc lies on a cycle (Kahn 1962): less work than to say which ones do."""
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


def feedback_arcs(arcs: Sequence[ArcT], rank: Callable[[ArcT], int], ranks: int) -> list[ArcT]:
    """Arcs without which no cycle is left: those of low rank first, then back arcs."""
    removed: list[ArcT] = []
    left = on_cycles(arcs)
    for wanted in range(ranks):
        found = [arc for arc in left if rank(arc) == wanted]
        if found:
            removed += found
            left = on_cycles([arc for arc in left if rank(arc) != wanted])
    return removed + back_arcs(left)


def closes_cycle(arc: ArcT, following: Callable[[ArcT], Iterable[ArcT]]) -> bool:
    """True if a path from the arc's target leads back to its source; `following` arcs go on."""
    work = deque([arc])
    seen = {arc.target}
    while work:
        last = work.popleft()
        if last.target == arc.source:
            return True
        for other in following(last):
            if other.target not in seen:
                seen.add(other.target)
                work.append(other)
    return False


def back_arcs(arcs: Sequence[ArcT]) -> list[ArcT]:
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
