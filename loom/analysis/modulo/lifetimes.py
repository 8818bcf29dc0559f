"""Loads as late as their readers allow, where that takes fewer registers.

A schedule starts every operation as early as it can. A word that is there long before what it meets
waits in a register for each cycle and bit; its address has fewer bits, or is a counter that is
needed later anyway. So a load moves by multiples of the II, which keep its port's cycle.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from loom.analysis.modulo.problem import ModuloSchedule, Problem


@dataclass(frozen=True, slots=True)
class Value:
    """A value of an iteration: its bits, the operation that makes it, and those that read it.

    The value of a counter has the number of the issue.
    """

    width: int
    source: int
    readers: tuple[int, ...]


def load_late(
    problem: Problem, found: ModuloSchedule, values: Sequence[Value], loads: Collection[int]
) -> ModuloSchedule:
    """The schedule with loads moved to where the values have the fewest bits times cycles."""
    start, ii = list(found.start), found.ii
    of: dict[int, list[Value]] = {load: [] for load in loads}
    for value in values:
        for load in {value.source, *value.readers} & of.keys():
            of[load].append(value)

    def cost(load: int) -> int:
        return sum(each.width * lifetime(each, problem, start) for each in of[load])

    for load in sorted(loads, key=lambda place: (-start[place], place)):
        begin = start[load]
        slack = min(
            (
                start[each.target] + ii * each.distance - each.separation - begin
                for each in problem.dependences
                if each.source == load and each.target != load
            ),
            default=0,
        )
        best, least = begin, cost(load)
        for time in range(begin + ii, begin + slack + 1, ii):
            start[load] = time
            if (now := cost(load)) < least:
                best, least = time, now
        start[load] = best
    return ModuloSchedule(ii, start)


def lifetime(value: Value, problem: Problem, start: Sequence[int]) -> int:
    """How long a value waits in registers for its last reader [cycles]."""
    there = start[value.source] + problem.operations[value.source].latency
    return max((start[reader] - there for reader in value.readers), default=0)
