"""Iterative modulo scheduling: operations in order of height, and those in the way are taken out.

Source: B. R. Rau, "Iterative modulo scheduling: an algorithm for software pipelining loops", 1994.
"""

from __future__ import annotations

from collections import Counter

from loom.analysis.modulo.bounds import earliest_starts, minimum_ii
from loom.analysis.modulo.chaining import in_order
from loom.analysis.modulo.problem import ISSUE, ModuloSchedule, Problem

BUDGET = 12
"""Placements that are tried for each operation before the II is taken for too short."""


def schedule_iteratively(problem: Problem, least: int = 1) -> ModuloSchedule:
    """A schedule at the least II, from `least` on, at which the heuristic finds one."""
    first = max(least, minimum_ii(problem))
    in_row = schedule_in_row(problem)
    tried = (schedule_at(problem, ii) for ii in range(first, in_row.ii))
    return next((found for found in tried if found is not None), in_row)


def schedule_at(problem: Problem, ii: int) -> ModuloSchedule | None:
    """A schedule at this II; None if the heuristic finds none."""
    if earliest_starts(problem, ii) is None:
        return None
    heights = heights_of(problem, ii)
    order = sorted(range(len(heights)), key=lambda place: (-heights[place], place))
    attempt = _Attempt(problem, ii)
    attempt.place(ISSUE, 0)
    waiting = [place for place in order if place != ISSUE]
    budget = BUDGET * len(order)
    while waiting:
        if not budget:
            return None
        budget -= 1
        place = waiting.pop(0)
        removed = attempt.insert(place)
        if ISSUE in removed:
            return None
        waiting = sorted([*waiting, *removed], key=lambda each: (-heights[each], each))
    return compact(problem, ModuloSchedule(ii, [attempt.start[k] for k in range(len(order))]))


def heights_of(problem: Problem, ii: int) -> list[int]:
    """By operation, the longest path of dependences behind it [cycles]."""
    heights = [0] * len(problem.operations)
    for _ in heights:
        moved = False
        for each in problem.dependences:
            height = heights[each.target] + each.separation - ii * each.distance
            if height > heights[each.source]:
                heights[each.source], moved = height, True
        if not moved:
            break
    return heights


class _Attempt:
    """A partial schedule at one II."""

    def __init__(self, problem: Problem, ii: int) -> None:
        self.problem, self.ii = problem, ii
        self.start: dict[int, int] = {}
        self.before: list[list[tuple[int, int]]] = [[] for _ in problem.operations]
        self.behind: list[list[tuple[int, int]]] = [[] for _ in problem.operations]
        for each in problem.dependences:
            weight = each.separation - ii * each.distance
            self.before[each.target].append((each.source, weight))
            self.behind[each.source].append((each.target, weight))
        self.last: dict[int, int] = {}
        self.table: dict[tuple[str, int], list[int]] = {}

    def insert(self, place: int) -> list[int]:
        """Place an operation; those that had to leave for it."""
        earliest = max([0, *(self.start[s] + w for s, w in self.before[place] if s in self.start)])
        slots = range(earliest, earliest + self.ii)
        free = next((time for time in slots if not self.in_the_way(place, time)), None)
        if free is None:
            free = max(earliest, self.last.get(place, -1) + 1)
        removed = self.in_the_way(place, free)
        for each in removed:
            self.remove(each)
        self.place(place, free)
        late = [
            other
            for other, weight in self.behind[place]
            if other != place and other in self.start and self.start[other] < free + weight
        ]
        early = [
            other
            for other, weight in self.before[place]
            if other != place and other in self.start and free < self.start[other] + weight
        ]
        for each in dict.fromkeys([*late, *early]):
            self.remove(each)
            removed.append(each)
        return removed

    def in_the_way(self, place: int, time: int) -> list[int]:
        """An operation, each once, for every resource that serves no further one in this cycle."""
        found: dict[int, None] = {}
        for resource in self.problem.operations[place].resources:
            taken = self.table.get((resource, time % self.ii), [])
            if len(taken) >= self.problem.capacity_of(resource):
                found[taken[0]] = None
        return list(found)

    def place(self, place: int, time: int) -> None:
        """Give an operation its start time and its resources."""
        self.start[place] = self.last[place] = time
        for resource in self.problem.operations[place].resources:
            self.table.setdefault((resource, time % self.ii), []).append(place)

    def remove(self, place: int) -> None:
        """Take an operation out."""
        time = self.start.pop(place)
        for resource in self.problem.operations[place].resources:
            self.table[resource, time % self.ii].remove(place)


def compact(problem: Problem, found: ModuloSchedule) -> ModuloSchedule:
    """The same with every operation that takes no resource as early as it can be."""
    fixed = [
        start if each.resources else None
        for each, start in zip(problem.operations, found.start, strict=True)
    ]
    earliest = earliest_starts(problem, found.ii, fixed)
    return found if earliest is None else ModuloSchedule(found.ii, earliest)


def schedule_in_row(problem: Problem) -> ModuloSchedule:
    """A schedule that always exists: iterations do not overlap, each resource serves in turn."""
    before: list[list[tuple[int, int]]] = [[] for _ in problem.operations]
    behind: list[list[int]] = [[] for _ in problem.operations]
    for each in problem.dependences:
        if not each.distance:
            before[each.target].append((each.source, each.separation))
            behind[each.source].append(each.target)
    start = [0] * len(before)
    used: Counter[tuple[str, int]] = Counter()
    for place in in_order(behind):
        names = problem.operations[place].resources
        start[place] = max([0, *(start[source] + more for source, more in before[place])])
        while any(used[name, start[place]] >= problem.capacity_of(name) for name in names):
            start[place] += 1
        used.update((name, start[place]) for name in names)
    carried = [
        -(-(start[each.source] + each.separation - start[each.target]) // each.distance)
        for each in problem.dependences
        if each.distance
    ]
    return ModuloSchedule(max([ModuloSchedule(1, start).length(problem), *carried]), start)
