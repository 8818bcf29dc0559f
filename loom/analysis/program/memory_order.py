"""Which accesses of a memory wait for which others, as strands and as steps of a block.

A strand is a set of accesses inside an operation that take one token and give one. Strands of one
operation never conflict as long as the loops around it stay in one iteration, so they run side by
side. A port of a memory takes its accesses in order, so an access never waits for itself.

Sets of steps are numbers with a bit for each: a block may have tens of thousands of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from typing import Protocol

from xdsl.ir import Block

from loom.analysis.program.memory_accesses import Access, Accesses, Root
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
    compares: bool = False
    """Whether it may compare addresses instead, so that nothing follows from its waits."""


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
        """The steps that no step waits for in any case."""
        followed = {place for step in self.steps if not step.compares for place in step.after}
        return tuple(place for place in range(len(self.steps)) if place not in followed)


class Conflicts(Protocol):
    """Which accesses may conflict: `Dependences`, or a part of them."""

    def may_conflict(self, first: Access, second: Access, same: int) -> bool:
        """True if they may in one iteration of `same` loops."""

    def distance(self, first: Access, second: Access, same: int) -> int | None:
        """The iterations from `first` to the next `second` that may conflict; None if none does."""


@dataclass(frozen=True)
class WaitsOfStores:
    """The dependences of stores on earlier accesses; loads depend on none."""

    known: Dependences

    def may_conflict(self, first: Access, second: Access, same: int) -> bool:
        """True if the later one is a store, and they may."""
        later = max(first, second, key=lambda access: access.number)
        return later.stores and self.known.may_conflict(first, second, same)

    def distance(self, first: Access, second: Access, same: int) -> int | None:
        """The iterations from `first` to the next store `second` that may conflict."""
        return self.known.distance(first, second, same) if second.stores else None


@dataclass(frozen=True)
class InOrder:
    """Dependences in which all accesses of some memories conflict: those have one order each."""

    known: Dependences
    memories: frozenset[Root]

    def may_conflict(self, first: Access, second: Access, same: int) -> bool:
        """True of two accesses of such a memory; of others, if they may."""
        return first.root in self.memories or self.known.may_conflict(first, second, same)

    def distance(self, first: Access, second: Access, same: int) -> int | None:
        """1 of two accesses of such a memory; of others as it is."""
        return 1 if first.root in self.memories else self.known.distance(first, second, same)


@dataclass(frozen=True)
class WithPairs:
    """Dependences, and pairs of accesses that are ordered in each iteration as if they met."""

    known: Conflicts
    pairs: set[frozenset[int]] = field(default_factory=set)
    """Of the accesses' numbers."""

    def may_conflict(self, first: Access, second: Access, same: int) -> bool:
        """True of such a pair; of others, if they may."""
        pair = frozenset((first.number, second.number))
        return pair in self.pairs or self.known.may_conflict(first, second, same)

    def distance(self, first: Access, second: Access, same: int) -> int | None:
        """As it is."""
        return self.known.distance(first, second, same)


def find_strands(known: Conflicts, accesses: Sequence[Access], same: int) -> tuple[Strand, ...]:
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
    known: Conflicts, accesses: Accesses, block: Block, strand: Strand, same: int
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


def strands_conflict(known: Conflicts, first: Strand, second: Strand, same: int) -> bool:
    """True if two accesses of the strands may conflict in the same iteration of `same` loops."""
    return any(known.may_conflict(one, other, same) for one in first for other in second)


def find_carried(known: Conflicts, steps: Plan, same: int) -> tuple[Carried, ...]:
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


def stores_of_loads(
    known: Dependences, steps: Plan, same: int
) -> dict[Access, tuple[tuple[int, int], ...]]:
    """For each load of a loop's body the places of the stores that it may conflict with.

    Each with the least dependence distance, as far as a comparison tells them apart: 0 if the store
    comes before it in its own iteration, else 1.
    """
    found: dict[Access, tuple[tuple[int, int], ...]] = {}
    for place, step in enumerate(steps.steps):
        (load,) = step.strand
        if load.stores:
            continue
        stores: list[tuple[int, int]] = []
        for other, earlier in enumerate(steps.steps):
            (store,) = earlier.strand
            if not store.stores:
                continue
            if other < place and known.may_conflict(store, load, same):
                stores.append((earlier.operation, 0))
            elif known.distance(store, load, same - 1) is not None:
                stores.append((earlier.operation, 1))
        if stores:
            found[load] = tuple(stores)
    return found


def with_waits_of_stores(
    known: Dependences,
    accesses: Accesses,
    body: Block,
    steps: Plan,
    carried: Sequence[Carried],
    same: int,
) -> tuple[Plan, Sequence[Carried]]:
    """The plan of a body in `same` loops, and what its loop carries, with all waits of stores.

    None follows from a wait of a load, so that loads may wait otherwise. A step is one access.
    """
    known_to_stores = WaitsOfStores(known)
    strand = tuple(access for step in steps.steps for access in step.strand)
    alone = plan_order(known_to_stores, accesses, body, strand, same)
    stores = [step.strand[0].stores for step in steps.steps]
    plan = [
        own if is_store else replace(step, compares=True)
        for step, own, is_store in zip(steps.steps, alone.steps, stores, strict=True)
    ]
    waits = [each for each in carried if not stores[each.later]]
    own_waits = find_carried(known_to_stores, alone, same)
    waits += [each for each in own_waits if stores[each.later]]
    return Plan(tuple(plan)), sorted(waits, key=lambda each: (each.later, each.earlier))


def successors(steps: Plan) -> Sequence[int]:
    """For each step, itself and the steps of its iteration that come after it for certain."""
    found = [1 << place for place in range(len(steps.steps))]
    for place, step in reversed(list(enumerate(steps.steps))):
        for before in step.after:
            found[before] |= found[place]
    return found


def step_distance(known: Conflicts, earlier: Step, later: Step, same: int) -> int | None:
    """The least dependence distance between accesses of the two steps [iterations]."""
    found = [
        iterations
        for one in earlier.strand
        for other in later.strand
        if one is not other and (iterations := known.distance(one, other, same)) is not None
    ]
    return min(found, default=None)


def has_conflict(known: Conflicts, strand: Strand, same: int) -> bool:
    """True if two accesses of the strand may conflict, in any iterations inside `same` loops."""
    return any(
        known.may_conflict(one, other, same)
        for one in strand
        for other in strand
        if one is not other
    )
