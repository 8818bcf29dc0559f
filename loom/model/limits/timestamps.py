"""Timestamps of a run, and totals by loop and by memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.ir import Operation

from loom.dialects.operators.partitions import Partition


class Timestamp(NamedTuple):
    """A cycle, what took its last step there, and the timestamp before that step."""

    time: int
    cause: Operation | None
    before: Timestamp | None


BEGIN = Timestamp(0, None, None)


class TimedValue(NamedTuple):
    """A token and when it exists."""

    token: int
    timestamp: Timestamp


@dataclass
class TimedArray:
    """A memory: its name, its elements, and when each was written and last read.

    It may lie in banks with `ports` to read each; in registers all that is read is read at once.
    """

    name: str
    tokens: list[int]
    partition: Partition | None = None
    ports: int = 1
    registers: bool = False
    written: dict[int, Timestamp] = field(default_factory=dict)
    read: dict[int, Timestamp] = field(default_factory=dict)
    served: Counter[str] = field(default_factory=Counter)

    def port(self, kind: str, address: int) -> str:
        """The port that an access takes, of those that are alike the next one in turn.

        Empty for one that no other access can take.
        """
        name = self.name
        if self.partition is not None:
            name += f", bank {self.partition.split(address)[0]}"
        if kind == "stores" or (self.ports == 1 and not self.registers):
            return name
        number = self.served[name] % self.ports
        self.served[name] += 1
        return "" if self.registers else f"{name}, port {number}"


@dataclass
class LoopTotals:
    """Totals over the runs of one loop, `depth` others around it.

    `entries`, `iterations` of its body, `rounds` (of a loop that tests first, its tests);
    `accesses` in it by memory and kind (``loads``, ``stores``); over `steps` from a round to the
    next, the end of the round moved on by `cycles`.
    """

    depth: int = 0
    entries: int = 0
    iterations: int = 0
    rounds: int = 0
    cycles: int = 0
    steps: int = 0
    accesses: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __add__(self, other: LoopTotals) -> LoopTotals:
        """Both together."""
        return LoopTotals(
            self.depth,
            self.entries + other.entries,
            self.iterations + other.iterations,
            self.rounds + other.rounds,
            self.cycles + other.cycles,
            self.steps + other.steps,
            self.accesses + other.accesses,
        )

    @property
    def min_ii(self) -> float:
        """The lower bound on the II that dependences set, as a mean [cycles]."""
        return max(1.0, self.cycles / self.steps) if self.steps else 1.0


@dataclass
class IterationEnds:
    """When the first and the last iteration of one run of a loop ended [cycles]."""

    totals: LoopTotals
    first: int = 0
    last: int = 0
    count: int = 0

    def add(self, time: int) -> None:
        """One more iteration ended at `time`."""
        if not self.count:
            self.first = time
        self.last, self.count = time, self.count + 1


def latest(first: Timestamp, *others: Timestamp) -> Timestamp:
    """The latest of the timestamps."""
    for other in others:
        if other.time > first.time:
            first = other
    return first
