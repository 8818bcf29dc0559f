"""Which accesses of a memory wait for which, as strands and as steps of a block.

A strand is a set of accesses inside an operation that take one token and give one. Strands of one
operation never meet as long as the loops around it stay in one turn, so they run side by side. A
port of a memory takes its accesses in order, so an access never waits for itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Block

from loom.analysis.memory_accesses import Access, Accesses
from loom.analysis.memory_dependence import Dependences

Strand = tuple[Access, ...]


@dataclass(frozen=True)
class Step:
    """A strand of one operation of a block, and the steps of the same turn that it waits for."""

    operation: int
    """The operation's place in the block."""
    strand: Strand
    after: tuple[int, ...]
    """Places in the plan, of steps that no other step in `after` waits for."""


@dataclass(frozen=True)
class Carried:
    """Step `later` waits for step `earlier` of `turns` turns before."""

    earlier: int
    later: int
    turns: int


@dataclass(frozen=True)
class Plan:
    """The steps of a strand in a block, in the order of the text."""

    steps: tuple[Step, ...]

    @property
    def last(self) -> tuple[int, ...]:
        """The steps that no step waits for."""
        awaited = {place for step in self.steps for place in step.after}
        return tuple(place for place in range(len(self.steps)) if place not in awaited)


def strands(known: Dependences, accesses: Sequence[Access], same: int) -> tuple[Strand, ...]:
    """The accesses of an operation in `same` loops, apart where they never meet.

    Loads that meet no store of theirs are one strand.
    """
    written: list[list[Access]] = []
    loads: list[Access] = []
    for access in accesses:
        met = [g for g in written if any(known.meet(access, other, same) for other in g)]
        group = met[0] if met else []
        for other in met[1:]:
            group += other
        joined = {id(other) for other in met[1:]}
        if joined:
            written = [g for g in written if id(g) not in joined]
        if access.stores:
            group += [load for load in loads if known.meet(access, load, same)]
            loads = [load for load in loads if not known.meet(access, load, same)]
        if access.stores or met:
            group.append(access)
        else:
            loads.append(access)
        if access.stores and not met:
            written.append(group)
    found = [*written, loads] if loads else written
    ordered = [tuple(sorted(g, key=lambda access: access.number)) for g in found]
    return tuple(sorted(ordered, key=lambda strand: strand[0].number))


def plan(known: Dependences, accesses: Accesses, block: Block, strand: Strand, same: int) -> Plan:
    """The steps of `strand` in a block that lies in `same` loops.

    Sets of steps are numbers with a bit for each: a block may have tens of thousands of them.
    """
    numbers = {access.number for access in strand}
    steps: list[Step] = []
    before: list[int] = []
    for place, operation in enumerate(block.ops):
        found = accesses.inside(operation).get(strand[0].root, ())
        earlier = (1 << len(steps)) - 1
        for part in strands(known, [a for a in found if a.number in numbers], same):
            after: list[int] = []
            left, covered = earlier, 0
            while left:
                other = left.bit_length() - 1
                left &= ~(1 << other)
                if meet(known, steps[other].strand, part, same):
                    after.append(other)
                    covered |= before[other] | 1 << other
                    left &= ~covered
            before.append(covered)
            steps.append(Step(place, part, tuple(reversed(after))))
    return Plan(tuple(steps))


def meet(known: Dependences, first: Strand, second: Strand, same: int) -> bool:
    """True if an access of one may meet one of the other, in the same turns of `same` loops."""
    return any(known.meet(one, other, same) for one in first for other in second)


def carried(known: Dependences, steps: Plan, same: int) -> tuple[Carried, ...]:
    """What the steps of a loop's body, a block in `same` loops, wait for in earlier turns.

    Left out is what follows from the rest: a step's tokens come in the order of turns.
    """
    reach = reaches(steps)
    found: list[Carried] = []
    for later in range(len(steps.steps)):
        for earlier in range(len(steps.steps)):
            if later in reach[earlier] and later != earlier:
                continue
            turns = distance(known, steps.steps[earlier], steps.steps[later], same - 1)
            if turns is not None:
                found.append(Carried(earlier, later, turns))

    def implies(one: Carried, other: Carried) -> bool:
        return (
            one is not other
            and one.turns <= other.turns
            and one.earlier in reach[other.earlier]
            and other.later in reach[one.later]
        )

    return tuple(each for each in found if not any(implies(one, each) for one in found))


def reaches(steps: Plan) -> Mapping[int, set[int]]:
    """For each step, itself and the steps of its turn that come after it for certain."""
    found: dict[int, set[int]] = {}
    for place in reversed(range(len(steps.steps))):
        found[place] = {place}
        for later in range(place + 1, len(steps.steps)):
            if place in steps.steps[later].after:
                found[place] |= found[later]
    return found


def distance(known: Dependences, earlier: Step, later: Step, same: int) -> int | None:
    """The least number of turns between the two steps in which accesses of theirs may meet."""
    found = [
        turns
        for one in earlier.strand
        for other in later.strand
        if one is not other and (turns := known.distance(one, other, same)) is not None
    ]
    return min(found, default=None)


def is_chained(known: Dependences, strand: Strand, same: int) -> bool:
    """True if two accesses of the strand may meet, in any turns of the loops inside `same`."""
    return any(
        known.meet(one, other, same) for one in strand for other in strand if one is not other
    )
