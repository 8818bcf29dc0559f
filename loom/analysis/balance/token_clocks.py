"""Clocks: how often each channel carries a token, proved for every input from the graph alone.

A clock is a set of moments in the run of one activation: the activation itself, every test of a
loop, every iteration of it, the side of a branch. Each unit says in its row how the clocks of its
ports relate (`loom.dialects.operators.rates`). A condition splits its own clock by its
tokens: a branch makes two clocks of one, a loop makes the clock of its tests from the one in which
it starts. If the equations of all units give every channel one clock, every channel carries as many
tokens as its reader takes, paired in the same order, whatever the conditions are. Where two clocks
meet in one equation the netlist is unbalanced.

Source: docs/spec/control-flow.md, "Lengths of streams"; docs/spec D1 to D6. The idea is the
clock calculus of synchronous dataflow languages (Caspi and Pouzet 1996).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from loom.analysis.balance.token_counts import TokenCount
from loom.dialects.operators.rates import Equation
from loom.netlist.netlist import OutsidePort, Unit


@dataclass(frozen=True, eq=False, slots=True)
class Clock:
    """Moments that lie in those of `parent`; `count` of them an activation [tokens]."""

    parent: Clock | None
    count: TokenCount

    def lies_in(self, other: Clock) -> bool:
        """True if every moment of this clock belongs to one of `other`."""
        clock: Clock | None = self
        while clock is not None and clock is not other:
            clock = clock.parent
        return clock is not None


@dataclass(eq=False)
class Decision:
    """A condition: its own clock, and the clocks of its tokens by their value.

    `channel` is the first that carries it. `loop` is the unit by which its tokens come in bursts
    that end with their first 0: one that starts a burst, or a gate.
    """

    channel: str
    clock: Clock
    sides: dict[int, Clock] = field(default_factory=dict)
    loop: Unit | None = None


@dataclass(frozen=True)
class Conflict:
    """Two clocks that one equation of a unit, or an outside port, wants to be the same."""

    where: Unit | OutsidePort
    equation: Equation
    left: TokenCount
    right: TokenCount

    @property
    def certain(self) -> bool:
        """False if the data of several conditions may make the counts equal all the same."""
        difference = self.left - self.right
        names = difference.unknowns
        if not names:
            return difference.number != 0
        return len(names) == 1 and not any(name.startswith("F(") for name in names)

    def __str__(self) -> str:
        left, right = self.equation.left, self.equation.right
        if isinstance(self.where, OutsidePort):
            return f"{self.left} tokens an activation on output {self.where.name}"
        return (
            f"unit {self.where.name} with {self.left} tokens on {left} for {self.right} on {right}"
        )


@dataclass(frozen=True)
class Clocks:
    """What the equations say: a clock for each channel that has one, and what does not fit.

    `same` names for each channel the first with the same tokens, `conditions` are the decisions
    by such a channel, `unset` the channels that no token can reach,
    `unrated` the units whose rows say no rates, `may_be_empty` the units that must know that their
    loop runs at least once, and do not.
    """

    by_channel: Mapping[str, Clock]
    same: Mapping[str, str]
    conditions: Mapping[str, Decision]
    conflicts: tuple[Conflict, ...]
    unset: tuple[str, ...]
    unrated: tuple[Unit, ...]
    may_be_empty: tuple[Unit, ...]

    @property
    def proved(self) -> bool:
        """True if every channel carries what its reader takes, for every input."""
        return not (self.conflicts or self.unset or self.unrated)

    def ends_bursts(self, channel: str) -> bool:
        """True if the channel carries a condition whose bursts end with their first 0."""
        decision = self.conditions.get(self.same[channel])
        return decision is not None and decision.loop is not None
