"""Separations that the clock period asks for: a chain of operations in one cycle has to fit it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from loom.analysis.modulo.problem import Dependence, Problem

MARGIN = 1e-9


def with_chaining(problem: Problem) -> Problem:
    """The problem with a dependence for each chain that is longer than the period.

    A chain begins with an operation's `exit` where that has a latency, else with its `entry`, and
    passes operations without latency. One that takes k periods needs k - 1 cycles between its ends.
    An operation that alone is longer than the period stands alone in its cycle.
    """
    if problem.period is None:
        return problem
    return Problem(
        problem.operations,
        (*problem.dependences, *separations(problem, problem.period)),
        problem.period,
        problem.capacity,
    )


def separations(problem: Problem, period: float) -> Iterator[Dependence]:
    """One dependence for each pair of ends of a chain that does not fit `period` [ns]."""
    readers: list[list[int]] = [[] for _ in problem.operations]
    for each in problem.dependences:
        if each.is_data and not each.distance:
            readers[each.source].append(each.target)
    order = in_order(readers)
    for first in order:
        begin = problem.operations[first]
        longest = {first: begin.exit if begin.latency else min(begin.entry, period)}
        for place in order[order.index(first) :]:
            delay = longest.get(place)
            if delay is None or (place != first and problem.operations[place].latency):
                continue
            for reader in readers[place]:
                own = min(problem.operations[reader].entry, period)
                longest[reader] = max(longest.get(reader, 0.0), delay + own)
        for last, delay in longest.items():
            cycles = math.ceil(delay / period - MARGIN) - 1
            if last != first and cycles > 0:
                yield Dependence(first, last, begin.latency + cycles)


def in_order(readers: Sequence[Sequence[int]]) -> list[int]:
    """The operations, each before those that read it in the same iteration."""
    waits = [0] * len(readers)
    for each in readers:
        for reader in each:
            waits[reader] += 1
    order = [place for place, count in enumerate(waits) if not count]
    for place in order:
        for reader in readers[place]:
            waits[reader] -= 1
            if not waits[reader]:
                order.append(reader)
    assert len(order) == len(readers), "data of one iteration flows one way"
    return order
