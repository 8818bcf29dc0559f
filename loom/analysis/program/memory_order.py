"""Which accesses of a memory wait for which others, as strands and as steps of a block.

A strand is a set of accesses inside an operation that take one token and give one. Strands of one
operation never conflict as long as the loops around it stay in one iteration, so they run side by
side. A port of a memory takes its accesses in order, so an access never waits for itself.

Sets of steps are numbers with a bit for each: a block may have tens of thousands of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from xdsl.ir import Block

from loom.analysis.program.memory_accesses import Access, Accesses
from loom.analysis.program.memory_dependence import Dependences

Strand = tuple[Access, ...]


@dataclass(frozen=True)
class Step:
    """A strand of one operation of a block, and the steps of its iteration that it waits for."""

    operation: int
    """The operation's place in the block."""
    strand: Strand
    after: tuple[int, ...]
    """Places in the plan, of steps that no other step in `after` waits for."""


@dataclass(frozen=True)
class Carried:
    """Step `later` waits for step `earlier` of `iterations` iterations before."""

    earlier: int
    later: int
    iterations: int


@dataclass(frozen=True)
class Plan:
    """The steps of a strand in a block, in the order of the text."""

    steps: tuple[Step, ...]

    @property
    def last(self) -> tuple[int, ...]:
        """The steps that no step waits for."""
        followed = {place for step in self.steps for place in step.after}
        return tuple(place for place in range(len(self.steps)) if place not in followed)


def find_strands(known: Dependences, accesses: Sequence[Access], same: int) -> tuple[Strand, ...]:
    """The accesses of an operation in `same` loops, apart where they never conflict.

    Loads that conflict with no store of theirs are one strand.
    """
    written: list[list[Access]] = []
    loads: list[Access] = []
    for access in accesses:
        met = [g for g in written if any(known.may_conflict(access, other, same) for other in g)]
        group = met[0] if met else []
        for other in met[1:]:
            group += other
        joined = {id(other) for other in met[1:]}
        if joined:
            written = [g for g in written if id(g) not in joined]
        if access.stores:
            group += [load for load in loads if known.may_conflict(access, load, same)]
            loads = [load for load in loads if not known.may_conflict(access, load, same)]
        if access.stores or met:
            group.append(access)
        else:
            loads.append(access)
        if access.stores and not met:
            written.append(group)
    found = [*written, loads] if loads else written
    ordered = [tuple(sorted(g, key=lambda access: access.number)) for g in found]
    return tuple(sorted(ordered, key=lambda strand: strand[0].number))


def plan_order(
    known: Dependences, accesses: Accesses, block: Block, strand: Strand, same: int
) -> Plan:
    """The steps of `strand` in a block that lies in `same` loops."""
    numbers = {access.number for access in strand}
    steps: list[Step] = []
    before: list[int] = []
    for place, operation in enumerate(block.ops):
        found = accesses.inside(operation).get(strand[0].root, ())
        earlier = (1 << len(steps)) - 1
        for part in find_strands(known, [a for a in found if a.number in numbers], same):
            after: list[int] = []
            left, covered = earlier, 0
            while left:
                other = left.bit_length() - 1
                left &= ~(1 << other)
                if strands_conflict(known, steps[other].strand, part, same):
                    after.append(other)
                    covered |= before[other] | 1 << other
                    left &= ~covered
            before.append(covered)
            steps.append(Step(place, part, tuple(reversed(after))))
    return Plan(tuple(steps))


def strands_conflict(known: Dependences, first: Strand, second: Strand, same: int) -> bool:
    """True if two accesses of the strands may conflict in the same iteration of `same` loops."""
    return any(known.may_conflict(one, other, same) for one in first for other in second)


def find_carried(known: Dependences, steps: Plan, same: int) -> tuple[Carried, ...]:
    """The loop-carried dependences between the steps of a loop's body, a block in `same` loops.

    Transitively implied dependences are omitted: a step's tokens come in the order of iterations.
    Those implied by dependences of one iteration are not even queried.
    """
    reach = successors(steps)
    found: list[Carried] = []
    follows = [0] * len(reach)
    for earlier in reversed(range(len(reach))):
        same_iteration = reach[earlier] & ~(1 << earlier)
        left = ((1 << len(reach)) - 1) & ~same_iteration & ~follows[earlier]
        while left:
            later = (left & -left).bit_length() - 1
            left &= left - 1
            iterations = step_distance(known, steps.steps[earlier], steps.steps[later], same - 1)
            if iterations is not None:
                found.append(Carried(earlier, later, iterations))
            if iterations == 1:
                follows[earlier] |= reach[later]
                left &= ~reach[later]
        for before in steps.steps[earlier].after:
            follows[before] |= follows[earlier]
    kept = [
        each
        for iterations in {each.iterations for each in found}
        for each in drop_implied(found, steps, iterations)
    ]
    return tuple(sorted(kept, key=lambda each: (each.later, each.earlier)))


def drop_implied(found: Sequence[Carried], steps: Plan, iterations: int) -> Iterator[Carried]:
    """Those waits of so many iterations that do not follow from others, of as many or fewer."""
    waiting = [0] * len(steps.steps)
    for each in found:
        if each.iterations <= iterations:
            waiting[each.earlier] |= 1 << each.later
    behind, before = [0] * len(waiting), list[int]()
    for place, step in reversed(list(enumerate(steps.steps))):
        for other in step.after:
            behind[other] |= behind[place] | waiting[place]
    for place, step in enumerate(steps.steps):
        before.append(reduce(or_, (before[other] for other in step.after), 1 << place))
    for each in found:
        others = behind[each.earlier] | waiting[each.earlier] & ~(1 << each.later)
        if each.iterations == iterations and not others & before[each.later]:
            yield each


def loads_behind_one_store(steps: Plan, carried: Sequence[Carried]) -> Iterator[Access]:
    """The loads whose carried wait orders them behind one store, and nothing else.

    In a strand with one store no wait follows from a load's carried wait but that of the store for
    itself, which its port keeps, if each step is one access. A step of several is a branch, whose
    token orders all that is in it: it leads to the store through loads alone, which the store waits
    for (`leads_to_store`).
    """
    stores = [(k, a) for k, step in enumerate(steps.steps) for a in step.strand if a.stores]
    if len(stores) != 1:
        return
    ((place, store),) = stores
    together = any(len(step.strand) > 1 for step in steps.steps)
    for number in [place] if together else range(place):
        waits = [(each.earlier, each.iterations) for each in carried if each.later == number]
        if waits == [(place, 1)]:
            strand = steps.steps[number].strand
            yield from (each for each in strand if each.number < store.number)


def successors(steps: Plan) -> Sequence[int]:
    """For each step, itself and the steps of its iteration that come after it for certain."""
    found = [1 << place for place in range(len(steps.steps))]
    for place, step in reversed(list(enumerate(steps.steps))):
        for before in step.after:
            found[before] |= found[place]
    return found


def step_distance(known: Dependences, earlier: Step, later: Step, same: int) -> int | None:
    """The least dependence distance between accesses of the two steps [iterations]."""
    found = [
        iterations
        for one in earlier.strand
        for other in later.strand
        if one is not other and (iterations := known.distance(one, other, same)) is not None
    ]
    return min(found, default=None)


def has_conflict(known: Dependences, strand: Strand, same: int) -> bool:
    """True if two accesses of the strand may conflict, in any iterations inside `same` loops."""
    return any(
        known.may_conflict(one, other, same)
        for one in strand
        for other in strand
        if one is not other
    )
