"""Which accesses of a memory are never requested at the same time: they share one requester.

Where a step of the function's block waits for another one, all accesses of the other are done
before its own begin: a strand's token leaves a region after every access in it (`memory_order`). So
of several loops in a row over one memory no two ever request a port together, and no arbiter
chooses between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loom.analysis.program.memory_accesses import Access, Root
from loom.analysis.program.memory_order import Plan, successors

MOST = 1000
"""Steps of a plan from which on its accesses share nothing: every pair of steps is looked at."""
LineEnd = tuple[int, int]
"""The last access of a requester so far: the number of its plan, its step."""


def find_requesters(plans: Sequence[Plan]) -> Mapping[Access, int]:
    """The requester of each access among those of its memory and kind, numbered from 0.

    `plans` are those of the strands of the function's block, whose steps run once in an activation.
    """
    found: dict[Access, int] = {}
    ends: dict[tuple[Root, bool], list[LineEnd]] = {}
    for number, plan in enumerate(plans):
        reach = successors(plan) if len(plan.steps) <= MOST else ()
        for place, step in enumerate(plan.steps):
            free: dict[tuple[Root, bool], list[int]] = {}
            for access in step.strand:
                side = access.root, access.stores
                lines = ends.setdefault(side, [])
                if side not in free:
                    free[side] = [
                        line
                        for line, (other, last) in reversed(list(enumerate(lines)))
                        if reach and other == number and reach[last] >> place & 1
                    ]
                line = free[side].pop() if free[side] else len(lines)
                lines[line : line + 1] = [(number, place)]
                found[access] = line
    return found
