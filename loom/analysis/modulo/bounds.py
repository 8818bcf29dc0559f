"""The least II of a loop: what its ports allow, and what its recurrences allow."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from loom.analysis.modulo.problem import ISSUE, Dependence, Problem


def resource_ii(problem: Problem) -> tuple[int, str]:
    """The II that the busiest resource forces [cycles], and its name; 1 and nothing if none does.

    ResMII: uses by capacity, rounded up.
    """
    uses = Counter(name for each in problem.operations for name in each.resources)
    needs = [(math.ceil(n / problem.capacity_of(name)), name) for name, n in uses.items()]
    least, name = max(needs, default=(1, ""), key=lambda each: each[0])
    return (least, name) if least > 1 else (1, "")


def recurrence_ii(problem: Problem) -> int:
    """The II that the longest cycle of dependences forces [cycles], 1 at least.

    RecMII: the least II at which no cycle of dependences asks for more than it has. Refused by an
    assertion: a cycle within one iteration.
    """
    low, high = 1, 1 + sum(max(each.separation, 0) for each in problem.dependences)
    assert earliest_starts(problem, high) is not None, "a cycle of dependences in one iteration"
    while low < high:
        middle = (low + high) // 2
        if earliest_starts(problem, middle) is None:
            low = middle + 1
        else:
            high = middle
    return low


def minimum_ii(problem: Problem) -> int:
    """MII: the greater of what resources and recurrences force [cycles]."""
    return max(resource_ii(problem)[0], recurrence_ii(problem))


def earliest_starts(
    problem: Problem, ii: int, fixed: Sequence[int | None] = ()
) -> list[int] | None:
    """Start times by dependences alone, each as early as possible; None if none satisfy them.

    `fixed` are start times that must stay. Bellman-Ford over separation - II * distance.
    """
    start = [each or 0 for each in fixed] or [0] * len(problem.operations)
    held = {place for place, each in enumerate(fixed) if each is not None} | {ISSUE}
    for _ in range(len(start) + 1):
        if not relax(problem.dependences, ii, start):
            break
    else:
        return None
    kept = all(start[place] == (fixed[place] if fixed else 0) for place in held)
    return start if kept else None


def relax(dependences: Sequence[Dependence], ii: int, start: list[int]) -> bool:
    """Move targets to where their dependences allow them; whether one had to move."""
    moved = False
    for each in dependences:
        least = start[each.source] + each.separation - ii * each.distance
        if least > start[each.target]:
            start[each.target] = least
            moved = True
    return moved


def critical_recurrence(problem: Problem, ii: int) -> tuple[int, ...]:
    """The operations of a cycle of dependences that forbids `ii`, in their order; none if none."""
    start = [0] * len(problem.operations)
    came: list[int | None] = [None] * len(start)
    last: int | None = None
    for _ in range(len(start) + 1):
        last = None
        for each in problem.dependences:
            least = start[each.source] + each.separation - ii * each.distance
            if least > start[each.target]:
                start[each.target], came[each.target] = least, each.source
                last = each.target
        if last is None:
            return ()
    assert last is not None
    for _ in start:
        last = came[last] if came[last] is not None else last
        assert last is not None
    cycle = [last]
    while (before := came[cycle[-1]]) is not None and before != last:
        cycle.append(before)
    return tuple(reversed(cycle))
