"""Units of the timed model that compute or route within a cycle (templates of `primitives/`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from loom.dialects.operators.operator import Token
from loom.model.timed.wire import Build, Eager, Instance, Node, Wire, single

Function = Callable[..., Token | tuple[Token, ...]]


class Pure(Node):
    """Joins its inputs and gives a function of them, in the same cycle."""

    def __init__(self, inputs: Sequence[Wire], outputs: Sequence[Wire], function: Function) -> None:
        super().__init__(inputs, outputs)
        (self.out,) = outputs
        self.function = function

    def offer(self) -> None:
        """The function's result, where all inputs are there."""
        for wire in self.inputs:
            if not wire.valid:
                self.out.offer(False)
                return
        result = self.function(*[wire.data for wire in self.inputs])
        self.out.offer(True, result[0] if isinstance(result, tuple) else result)

    def accept(self) -> None:
        """All inputs together."""
        ready = self.out.valid and self.out.ready
        for wire in self.inputs:
            wire.answer(ready)


class Spread(Node):
    """As `Pure`, with any number of outputs of which each takes its token when it likes."""

    def __init__(self, inputs: Sequence[Wire], outputs: Sequence[Wire], function: Function) -> None:
        super().__init__(inputs, outputs)
        self.function = function
        self.eager = Eager(outputs)
        self.there = False

    def offer(self) -> None:
        """Each output's word of the function."""
        self.there = all(wire.valid for wire in self.inputs)
        words: Sequence[int] = (0,) * len(self.outputs)
        if self.there:
            found = self.function(*[wire.data for wire in self.inputs])
            words = found if isinstance(found, tuple) else (found,)
        self.eager.offer(self.there, words)

    def accept(self) -> None:
        """All inputs, once all outputs have what is theirs."""
        ready = self.eager.all_taken(self.there)
        for wire in self.inputs:
            wire.answer(ready)

    def step(self) -> bool:
        """Outputs that are served."""
        return self.eager.step(self.there)


def build_combinational(unit: Instance, function: Function) -> Sequence[Node]:
    """A unit without latency that computes `function`."""
    return [(Pure if len(unit.outputs) == 1 else Spread)(unit.inputs, unit.outputs, function)]


def build_fork(unit: Instance) -> Sequence[Node]:
    """The unit's token on every output."""
    count = len(unit.outputs)
    return [Spread(unit.inputs, unit.outputs, lambda token: (token,) * count)]


class Broadcast(Node):
    """The unit's token on every output; all of them are taken in the same cycle."""

    def offer(self) -> None:
        """The token, to all."""
        (source,) = self.inputs
        for wire in self.outputs:
            wire.offer(source.valid, source.data)

    def accept(self) -> None:
        """The token, where all take it."""
        self.inputs[0].answer(all(wire.ready for wire in self.outputs))


def build_load(unit: Instance) -> Sequence[Node]:
    """The address once the control token is there; the datum on a path of its own."""
    address, data_in, ctrl = unit.inputs
    data, address_out = unit.outputs
    return [
        Pure((address, ctrl), (address_out,), lambda where, _: where),
        Pure((data_in,), (data,), lambda element: element),
    ]


def build_store(unit: Instance) -> Sequence[Node]:
    """Datum and address once the control token is there."""
    return [Spread(unit.inputs, unit.outputs, lambda address, data, ctrl: (data, address))]


class Sink(Node):
    """Takes every token."""

    def accept(self) -> None:
        """Always."""
        self.inputs[0].answer(True)


class Never(Node):
    """Gives nothing."""


class Branch(Node):
    """Each datum to the side that its condition names."""

    def offer(self) -> None:
        """To one side."""
        condition, data = self.inputs
        there = condition.valid and data.valid
        self.outputs[0].offer(there and condition.data == 1, data.data)
        self.outputs[1].offer(there and condition.data == 0, data.data)

    def accept(self) -> None:
        """Both, where the named side takes it."""
        condition, data = self.inputs
        ready = self.outputs[0].moves or self.outputs[1].moves
        condition.answer(ready)
        data.answer(ready)


class Mux(Node):
    """The token of the input that a select token names."""

    def offer(self) -> None:
        """The named token."""
        select, *data = self.inputs
        self.chosen = data[min(select.data, len(data) - 1)] if select.valid else None
        there = self.chosen is not None and self.chosen.valid
        self.outputs[0].offer(there, self.chosen.data if self.chosen else 0)

    def accept(self) -> None:
        """The select and what it names."""
        ready = self.outputs[0].moves
        self.inputs[0].answer(ready)
        for wire in self.inputs[1:]:
            wire.answer(ready and wire is self.chosen)


class Merge(Node):
    """The tokens of all inputs, the lowest's first; a choice stays until its token has left.

    With a second output it also gives the number of the input.
    """

    def __init__(self, inputs: Sequence[Wire], outputs: Sequence[Wire]) -> None:
        super().__init__(inputs, outputs)
        self.held: int | None = None
        self.chosen: int | None = None
        self.eager = Eager(outputs)

    def offer(self) -> None:
        """The chosen token."""
        there = (number for number, wire in enumerate(self.inputs) if wire.valid)
        self.chosen = self.held if self.held is not None else next(there, None)
        number = self.chosen or 0
        words = (self.inputs[number].data, number)[: len(self.outputs)]
        self.eager.offer(self.chosen is not None, words)

    def accept(self) -> None:
        """The chosen one."""
        self.leaves = self.eager.all_taken(self.chosen is not None)
        for number, wire in enumerate(self.inputs):
            wire.answer(self.leaves and number == self.chosen)

    def step(self) -> bool:
        """The choice is kept, or free."""
        before = self.held
        self.held = None if self.leaves else self.chosen
        return self.eager.step(self.chosen is not None) or self.held != before


NODES: dict[str, Build] = {
    "memory/load": build_load,
    "memory/store": build_store,
    "primitives/broadcast": single(Broadcast),
    "primitives/cond_br": single(Branch),
    "primitives/control_merge": single(Merge),
    "primitives/fork": build_fork,
    "primitives/merge": single(Merge),
    "primitives/mux": single(Mux),
    "primitives/never": single(Never),
    "primitives/sink": single(Sink),
}
"""The units of this file by their template."""
