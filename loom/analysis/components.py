"""Strongly connected components of any graph."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

Vertex = TypeVar("Vertex", bound=Hashable)


def components(
    start: Vertex, following: Callable[[Vertex], Iterable[Vertex]]
) -> list[list[Vertex]]:
    """The components of what is reachable from `start`, each after all that it leads to.

    Source: Tarjan, "Depth-First Search and Linear Graph Algorithms", 1972; with a stack of our own,
    as graphs may be deeper than Python's.
    """
    number = {start: 0}
    lowest = {start: 0}
    path, found, done = [start], list[list[Vertex]](), set[Vertex]()
    stack: list[tuple[Vertex, Iterator[Vertex]]] = [(start, iter(following(start)))]
    while stack:
        vertex, left = stack[-1]
        other = next(left, None)
        if other is None:
            stack.pop()
            if stack:
                above = stack[-1][0]
                lowest[above] = min(lowest[above], lowest[vertex])
            if lowest[vertex] == number[vertex]:
                cut = path.index(vertex)
                found.append(path[cut:])
                done.update(path[cut:])
                del path[cut:]
        elif other not in number:
            number[other] = lowest[other] = len(number)
            path.append(other)
            stack.append((other, iter(following(other))))
        elif other not in done:
            lowest[vertex] = min(lowest[vertex], number[other])
    return found
