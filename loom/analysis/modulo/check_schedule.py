"""An independent check of a modulo schedule: every constraint is looked at again, one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from loom.analysis.modulo.problem import ISSUE, ModuloSchedule, Problem

MARGIN = 1e-6


def broken_constraints(problem: Problem, schedule: ModuloSchedule) -> Iterator[str]:
    """A sentence for each constraint that the schedule breaks; it uses nothing of the schedulers.

    Chains are followed cycle by cycle here, so a chaining dependence that is missing is found.
    """
    names = [each.name for each in problem.operations]
    start, ii = schedule.start, schedule.ii
    if ii < 1:
        yield f"II is {ii}"
        return
    if start[ISSUE]:
        yield f"the issue starts at {start[ISSUE]}"
    yield from (
        f"{name} starts at {time}" for name, time in zip(names, start, strict=True) if time < 0
    )
    for each in problem.dependences:
        late = start[each.source] + each.separation - each.distance * ii
        if start[each.target] < late:
            yield (
                f"{names[each.target]} starts at {start[each.target]}, but {names[each.source]} "
                f"lets it start at {late}"
            )
    for (resource, slot), uses in port_uses(problem, schedule).items():
        if uses > problem.capacity_of(resource):
            yield f"{resource} is used {uses} times in cycle {slot} mod II {ii}"
    if problem.period is not None:
        yield from long_chains(problem, schedule, problem.period)


def port_uses(problem: Problem, schedule: ModuloSchedule) -> Counter[tuple[str, int]]:
    """Uses by resource and cycle modulo II."""
    pairs = zip(problem.operations, schedule.start, strict=True)
    return Counter((name, time % schedule.ii) for each, time in pairs for name in each.resources)


def long_chains(problem: Problem, schedule: ModuloSchedule, period: float) -> Iterator[str]:
    """Chains within a cycle that take longer than the period [ns] and are of several operations."""
    arrival: dict[int, float] = {}
    sources: dict[int, list[int]] = {}
    for each in problem.dependences:
        if each.is_data and not each.distance:
            sources.setdefault(each.target, []).append(each.source)

    def arrives(place: int) -> float:
        """When the operands of an operation are there, from the begin of its cycle [ns]."""
        if place not in arrival:
            arrival[place] = max(
                [0.0, *(leaves(s, schedule.start[place]) for s in sources.get(place, ()))]
            )
        return arrival[place]

    def leaves(place: int, cycle: int) -> float:
        """When the result of an operation is there in a cycle [ns]; 0 if it is in a register."""
        operation = problem.operations[place]
        if operation.latency:
            return operation.exit if schedule.start[place] + operation.latency == cycle else 0.0
        if schedule.start[place] != cycle:
            return 0.0
        return arrives(place) + min(operation.entry, period)

    for place, operation in enumerate(problem.operations):
        begin = arrives(place)
        if begin > 0 and begin + min(operation.entry, period) > period + MARGIN:
            total = begin + operation.entry
            yield f"a chain of {total:.2f} ns ends at {operation.name}, period {period:.2f} ns"
