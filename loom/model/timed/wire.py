"""Channels and units of the timed model: valid and data forwards, ready backwards, once a cycle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from loom.dialects.operators.operator import Operator, Shape


class Wire:
    """A channel within a cycle: what is offered, whether it is taken; counts over all cycles.

    `stalled` are the cycles in which an offered token was not taken. `seen` are its
    transfers, where they are asked for: cycle and token.
    """

    __slots__ = ("data", "ready", "seen", "source", "stalled", "target", "tokens", "valid")

    def __init__(self) -> None:
        self.valid = False
        self.data = 0
        self.ready = False
        self.source: Node
        self.target: Node
        self.tokens = 0
        self.stalled = 0
        self.seen: list[tuple[int, int]] | None = None

    def offer(self, valid: bool, data: int = 0) -> None:
        """In this cycle the source offers a token, or none."""
        if valid != self.valid or (valid and data != self.data):
            self.valid = valid
            self.data = data
            self.target.stale = self.target.pending = True

    def answer(self, ready: bool) -> None:
        """In this cycle the target takes what is offered, or not."""
        if ready != self.ready:
            self.ready = ready
            self.source.pending = True

    @property
    def moves(self) -> bool:
        """True if a token is transferred in this cycle."""
        return self.valid and self.ready


class Node:
    """A way through a unit. A cycle is `offer`, then `accept`, then `step`.

    `stale`: what it offers has to be found anew; `pending`: only whether it takes its inputs.
    """

    holds = False
    """What it offers does not depend on what it is offered in the same cycle."""
    cuts_ready = False
    """What it takes does not depend on what is taken from it in the same cycle."""

    def __init__(self, inputs: Sequence[Wire], outputs: Sequence[Wire]) -> None:
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self.stale = self.pending = True
        for wire in inputs:
            wire.target = self
        for wire in outputs:
            wire.source = self

    def offer(self) -> None:
        """Valid and data of all outputs are those of this cycle."""

    def accept(self) -> None:
        """Ready of all inputs is that of this cycle."""

    def step(self) -> bool:
        """The state is that of the next cycle; False if it is as it was."""
        return False


@dataclass(frozen=True)
class Instance:
    """A unit of the netlist as its nodes see it; `report` raises a run-time error."""

    operator: Operator
    shape: Shape
    inputs: tuple[Wire, ...]
    outputs: tuple[Wire, ...]
    report: Callable[[str], None]


Build = Callable[[Instance], Sequence[Node]]
"""Builds the nodes of a unit: one for each path of its own through the unit."""


def single(node: type[Node]) -> Build:
    """Builds one node, which needs nothing but its wires."""
    return lambda unit: [node(unit.inputs, unit.outputs)]


class Eager:
    """Outputs of which each takes its token when it likes."""

    __slots__ = ("outputs", "sent")

    def __init__(self, outputs: Sequence[Wire]) -> None:
        self.outputs = tuple(outputs)
        self.sent = [False] * len(outputs)

    def offer(self, there: bool, words: Sequence[int]) -> None:
        """Each output that has not taken it yet is offered its word."""
        for wire, word, sent in zip(self.outputs, words, self.sent, strict=True):
            wire.offer(there and not sent, word)

    def all_taken(self, there: bool) -> bool:
        """True if after this cycle every output has its word."""
        return there and all(
            sent or wire.ready for wire, sent in zip(self.outputs, self.sent, strict=True)
        )

    def step(self, there: bool) -> bool:
        """Who has taken its word is remembered until all have; False if nothing is new."""
        before = self.sent
        if not there:
            return False
        after = [s or w.ready for w, s in zip(self.outputs, before, strict=True)]
        self.sent = [False] * len(after) if all(after) else after
        return self.sent != before
