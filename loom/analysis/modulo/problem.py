"""A modulo scheduling problem: operations, dependences, ports; and what a schedule of it is.

Iteration n of a loop issues II cycles after iteration n-1, and each operation of it starts a fixed
number of cycles later, its start time. Source: B. R. Rau, "Iterative modulo scheduling", 1994.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

ISSUE = 0
"""The number of the operation that stands for the issue of the iteration: it starts in cycle 0."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the loop's body.

    `latency` is from its start to its result [cycles], 0 for one without a register. `entry` is the
    delay from its operands to its first register, or if it has none to its result [ns]; `exit` that
    from its last register to its result. `resources` are the names of the ports or the unit that it
    takes for one cycle, each once.
    """

    name: str
    latency: int = 0
    entry: float = 0.0
    exit: float = 0.0
    resources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dependence:
    """`target` starts `separation` cycles after `source`, which is `distance` iterations earlier.

    That is start(target) + II * distance >= start(source) + separation. `is_data`: the value passes
    from one to the other, and without a register between them if they share a cycle.
    """

    source: int
    target: int
    separation: int
    distance: int = 0
    is_data: bool = False


@dataclass(frozen=True)
class Problem:
    """Operations by number, the first one `ISSUE`; dependences; uses of a resource in a cycle.

    `period` bounds the sum of delays between two registers [ns]; None: there is no bound. A
    resource without a number in `capacity` serves one operation a cycle.
    """

    operations: Sequence[Operation]
    dependences: Sequence[Dependence]
    period: float | None = None
    capacity: Mapping[str, int] = field(default_factory=dict)

    def capacity_of(self, resource: str) -> int:
        """How many operations the resource serves in a cycle."""
        return self.capacity.get(resource, 1)


@dataclass(frozen=True)
class ModuloSchedule:
    """The II [cycles], and by operation its start time in the iteration [cycles]."""

    ii: int
    start: Sequence[int]

    def length(self, problem: Problem) -> int:
        """From the issue of an iteration to the end of its last operation [cycles], 1 at least."""
        pairs = zip(problem.operations[1:], self.start[1:], strict=True)
        return max((start + max(1, each.latency) for each, start in pairs), default=1)
