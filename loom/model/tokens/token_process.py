"""Channels and units of the token simulator: counting queues and processes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import SupportsIndex

from loom.dialects.operators.operator import Queue, Shape, StepMachine
from loom.model.bundles.activation import Words
from loom.model.fsmd.run_fsmd import Steps
from loom.netlist.fsmd.island import machine_of
from loom.netlist.netlist import Channel, Unit

MANY = 1 << 62
"""More tokens than anybody takes: what an endless channel has [tokens]."""


class Tokens(deque[int]):
    """A channel's tokens; `waiter` runs again when one arrives."""

    __slots__ = ("channel", "reader", "waiter")

    def __init__(self, channel: Channel) -> None:
        super().__init__()
        self.channel = channel
        self.reader: Process | None = None
        self.waiter: Process | None = None

    def sent_since(self, length: int) -> int:
        """Tokens that the writer has added since the queue was `length` long.

        Only its one writer adds to a queue and only its one reader takes, so while the writer
        runs nothing is taken.
        """
        return len(self) - length


class ConditionTokens(Tokens):
    """A channel of which the tokens that are 1 are counted."""

    __slots__ = ("ones",)

    def __init__(self, channel: Channel) -> None:
        super().__init__(channel)
        self.ones = 0

    def append(self, token: int, /) -> None:
        """The token is the last."""
        self.ones += token == 1
        super().append(token)

    def extend(self, tokens: Iterable[int], /) -> None:
        """The tokens are the last."""
        for token in tokens:
            self.append(token)


class OwnTokens(Tokens):
    """The tokens of a channel from a unit to itself, which may be taken as soon as sent."""

    __slots__ = ("sent",)

    def __init__(self, channel: Channel) -> None:
        super().__init__(channel)
        self.sent = 0

    def append(self, token: int, /) -> None:
        """The token is the last and counted."""
        self.sent += 1
        super().append(token)

    def sent_since(self, length: int) -> int:
        """Tokens added since the last question."""
        sent, self.sent = self.sent, 0
        return sent


class EndlessTokens(Tokens):
    """A channel on which there is always the same token; `taken` counts what was taken of it."""

    __slots__ = ("taken", "token")

    def __init__(self, channel: Channel, token: int) -> None:
        super().__init__(channel)
        self.token = token
        self.taken = 0

    def __len__(self) -> int:
        return MANY

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, place: SupportsIndex) -> int:  # type: ignore[override]  # one token only
        return self.token

    def popleft(self) -> int:
        """The token, once more."""
        self.taken += 1
        return self.token


class Contents:
    """The environment of one unit: the words of its memory, and where its errors go."""

    __slots__ = ("contents", "errors", "shape")

    def __init__(self, contents: Words, errors: dict[str, None], shape: Shape) -> None:
        self.contents = contents
        self.errors = errors
        self.shape = shape

    @property
    def machine(self) -> StepMachine:
        """The machine of the schedule that the unit runs."""
        return Steps(machine_of(self.shape))

    def report(self, code: str) -> None:
        """The activation has raised the run-time error `code`."""
        self.errors[code] = None


class Process:
    """One unit at work: its channels, the input it waits for, whether it is in the ready list."""

    __slots__ = ("inputs", "outputs", "ready", "rest", "steps", "unit", "waits", "waits_for_any")

    def __init__(
        self,
        unit: Unit,
        inputs: Sequence[Tokens],
        outputs: Sequence[Tokens],
        steps: Iterator[Queue],
    ) -> None:
        self.unit = unit
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self.steps = steps
        self.rest: Queue | None = None
        self.waits_for_any = unit.operator.semantics.waits_for_any
        self.waits: Tokens | None = None
        self.ready = False

    def settle(self) -> None:
        """From now on the process is at rest when it waits as it does now."""
        self.rest = self.waits if self.unit.operator.semantics.rest else None

    def at_rest(self) -> bool:
        """True if the process waits as it did before its first token."""
        return self.rest is None or self.waits is self.rest
