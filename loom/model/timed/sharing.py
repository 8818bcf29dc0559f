"""The unit by which several callers share one circuit, in the timed model."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from loom.dialects.operators.sharing_operators import ROOM
from loom.model.timed.wire import Build, Node, Wire, single


class Share(Node):
    """Calls of one caller at a time; the next one is chosen when none is under way.

    A call is taken if there is room for its result besides those of its caller that are under way
    or wait, so `returned` is taken at once.
    """

    holds = True
    cuts_ready = True

    def __init__(self, inputs: Sequence[Wire], outputs: Sequence[Wire]) -> None:
        super().__init__(inputs, outputs)
        self.returned, *self.callers = self.inputs
        self.called, *self.outs = self.outputs
        self.owner = 0
        self.under_way = 0
        self.call: int | None = None
        self.results: list[deque[int]] = [deque() for _ in self.outs]
        self.grant: int | None = None
        self.chosen: int | None = None

    def offer(self) -> None:
        """The call that was taken last, and each caller's oldest result."""
        self.called.offer(self.call is not None, self.call or 0)
        for wire, results in zip(self.outs, self.results, strict=True):
            wire.offer(bool(results), results[0] if results else 0)

    def accept(self) -> None:
        """The call that was chosen in an earlier cycle, and a result if a call is under way."""
        self.chosen = self.choose() if self.grant is None else self.grant
        for number, wire in enumerate(self.callers):
            wire.answer(number == self.grant and self.call is None)
        self.returned.answer(self.under_way > 0)

    def choose(self) -> int | None:
        """The caller whose call is taken: the owner's next, or the first one behind the owner.

        While calls are under way the owner keeps the circuit, unless another caller waits.
        """
        count = len(self.callers)
        asking = [n for n, wire in enumerate(self.callers) if wire.valid and self.has_room(n)]
        if self.under_way:
            return self.owner if asking == [self.owner] else None
        order = [(self.owner + 1 + k) % count for k in range(count)]
        return next((number for number in order if number in asking), None)

    def has_room(self, number: int) -> bool:
        """True if the result of one more call of the caller has a place."""
        own = self.under_way if number == self.owner else 0
        return own + len(self.results[number]) < ROOM

    def step(self) -> bool:
        """Calls go to the circuit, results to their callers."""
        changed = False
        for wire, results in zip(self.outs, self.results, strict=True):
            if wire.moves:
                results.popleft()
                changed = True
        if self.returned.moves:
            self.results[self.owner].append(self.returned.data)
            self.under_way -= 1
            changed = True
        if self.call is None and self.grant is not None:
            self.owner = self.grant
            self.under_way += 1
            self.call = self.callers[self.grant].data
            self.grant = None
            return True
        if self.called.moves:
            self.call = None
            changed = True
        changed |= self.chosen != self.grant
        self.grant = self.chosen
        return changed


NODES: dict[str, Build] = {"primitives/share": single(Share)}
"""The unit of this file by its template."""
