"""Structured code over variables: what blocks become before they are regions with results.

A variable is assigned where it is defined or copied to, any number of times; which of them an
scf operation has to pass on follows from who reads them later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

I1 = IntegerType(1)


@dataclass(frozen=True, eq=False)
class Slot:
    """A variable that no block argument stands for: a result, or a number that selects a way."""

    type: Attribute


@dataclass(frozen=True, eq=False)
class Again(Slot):
    """Whether a loop's body goes on: a way that assigns 1 comes next to the loop's start, 0 leaves.

    `back` and `leave` collect the variables that are read there: a way need not care for those
    that only the other one reads.
    """

    type: Attribute = I1
    back: set[Variable] = field(default_factory=set)
    leave: set[Variable] = field(default_factory=set)


Variable = SSAValue | Slot


@dataclass(frozen=True, eq=False)
class Run:
    """Operations in order; `uses` and `defines` name variables only."""

    operations: tuple[Operation, ...]
    uses: frozenset[Variable]
    defines: tuple[Variable, ...]


@dataclass(frozen=True, eq=False)
class Copies:
    """All targets take their values at once; a number is a constant of the target's type."""

    pairs: tuple[tuple[Variable, Variable | int], ...]


@dataclass(frozen=True, eq=False)
class Choice:
    """`then` if the condition equals `case`, else `otherwise`; `origin` gives the place."""

    condition: Variable
    case: int
    then: Code
    otherwise: Code
    origin: Operation


@dataclass(frozen=True, eq=False)
class Repeat:
    """The body once, and again as long as it leaves 1 in `again`."""

    body: Code
    again: Again
    origin: Operation


Statement = Run | Copies | Choice | Repeat
Code = Sequence[Statement]


def live_before(code: Code, after: set[Variable]) -> set[Variable]:
    """The variables that `code`, or what follows and reads `after`, reads before assigning them."""
    live = set(after)
    for statement in reversed(code):
        if isinstance(statement, Run):
            live.difference_update(statement.defines)
            live |= statement.uses
        elif isinstance(statement, Copies):
            read = [value for target, value in statement.pairs if target in live]
            live.difference_update(target for target, _ in statement.pairs)
            live.update(value for value in read if not isinstance(value, int))
            for target, value in statement.pairs:
                if isinstance(target, Again):
                    here, there = (target.back, target.leave)[:: 1 if value else -1]
                    live -= there - here
        elif isinstance(statement, Choice):
            sides = (statement.then, statement.otherwise)
            live = set[Variable]().union(*(live_before(side, live) for side in sides))
            live.add(statement.condition)
        else:
            live = live_before_loop(statement, live)
    return live


def live_before_loop(loop: Repeat, after: set[Variable]) -> set[Variable]:
    """As `live_before`; what the loop has learned in an earlier call still holds."""
    back = loop.again.back
    loop.again.leave.update(after)
    while True:
        start = live_before(loop.body, after | back | {loop.again})
        if start <= back:
            return set(back)
        back.update(start)


def assigned_variables(code: Code) -> Iterator[Variable]:
    """The variables that `code` assigns, some of them several times, in the order of the code."""
    for statement in code:
        if isinstance(statement, Run):
            yield from statement.defines
        elif isinstance(statement, Copies):
            yield from (target for target, _ in statement.pairs)
        elif isinstance(statement, Choice):
            yield from assigned_variables(statement.then)
            yield from assigned_variables(statement.otherwise)
        else:
            yield from assigned_variables(statement.body)


def final_value(code: Code, slot: Slot) -> int | None:
    """The number that `code` always leaves in the slot, if it is one and known."""
    for statement in reversed(code):
        if isinstance(statement, Copies):
            for target, value in statement.pairs:
                if target is slot:
                    return value if isinstance(value, int) else None
        elif slot in assigned_variables([statement]):
            if not isinstance(statement, Choice):
                return None
            then, otherwise = (
                final_value(statement.then, slot),
                final_value(statement.otherwise, slot),
            )
            return then if then == otherwise else None
    return None
