"""The units that give loads the values of pending stores, in the timed model."""

from __future__ import annotations

from loom.dialects.operators.ordering.comparators import first_datum
from loom.model.timed.wire import Build, Instance, Node, Wire


class Requests(Node):
    """Lets addresses pass, and finds for each the youngest pending store to it.

    The stores' addresses are those of the loads, or come on their own: those of an iteration enter
    once its load has passed, or passes, and the next load waits for them.
    """

    def __init__(self, unit: Instance) -> None:
        datum = first_datum(unit.inputs)
        self.count = len(unit.inputs) // 3
        """The stores of an iteration."""
        self.done = [Done(done, self) for done in unit.inputs[-self.count :]]
        left = [done.outputs[0] for done in self.done]
        super().__init__((*unit.inputs[:datum], *left), unit.outputs[:1])
        self.stores = unit.inputs[1:datum]
        self.depth = unit.shape.integer("depth")
        """The most iterations with stores that are pending, and loads that wait for their data."""
        self.kept: tuple[tuple[int, ...], ...] = ()
        """The addresses of the iterations with pending stores, the oldest first."""
        self.behind = False
        """The stores of the last load's iteration have not entered."""
        self.back: list[tuple[int, int]] = []
        """Of each load that waits for its datum how many iterations ago the store was, or 0, and
        which store it is."""
        self.data = Data(unit, self)

    def offer(self) -> None:
        """A token, if there is room for the stores and for the load."""
        self.left = [done.count + done.outputs[0].valid for done in self.done]
        pending = len(self.kept) - min(self.left)
        passes = max(pending, len(self.back)) < self.depth and not self.behind
        self.outputs[0].offer(self.inputs[0].valid and passes)

    def accept(self) -> None:
        """The address with its token, all stores, a done of any store that is pending."""
        self.inputs[0].answer(self.outputs[0].moves)
        enters = self.behind or self.outputs[0].moves
        for store in self.stores:
            store.answer(enters and all(each.valid for each in self.stores))
        for done in self.done:
            done.outputs[0].answer(True)

    def step(self) -> bool:
        """What is pending, and the load that waits for its datum."""
        address, stores = self.inputs[0], self.stores or self.inputs[:1]
        if not any(each.moves for each in self.inputs):
            return False
        if address.moves:
            self.back.append(self.source(address.data))
            self.data.stale = True
        self.behind = (self.behind or address.moves) and not stores[0].moves
        if stores[0].moves:
            self.kept = (*self.kept, tuple(store.data for store in stores))
        first = min(self.left)
        self.kept = self.kept[first:]
        for done, left in zip(self.done, self.left, strict=True):
            done.count = left - first
            done.stale = True
        return True

    def source(self, address: int) -> tuple[int, int]:
        """How many iterations ago the youngest pending store to it was, or 0, and which it is."""
        for back, stores in enumerate(reversed(self.kept), 1):
            for which in reversed(range(self.count)):
                if stores[which] == address and len(self.kept) - back >= self.left[which]:
                    return back, which
        return 0, 0


class Done(Node):
    """Takes the done token of a store that is pending, whatever happens to requests."""

    cuts_ready = True

    def __init__(self, done: Wire, requests: Requests) -> None:
        super().__init__((done,), (Wire(),))
        self.requests = requests
        self.count = 0
        """In how many of the iterations that are kept the store is done."""

    def offer(self) -> None:
        """A store is done in this cycle."""
        is_pending = self.count < len(self.requests.kept)
        self.outputs[0].offer(self.inputs[0].valid and is_pending)

    def accept(self) -> None:
        """A token, if the store is pending."""
        self.inputs[0].answer(self.count < len(self.requests.kept))


class Data(Node):
    """Gives for each datum, in the order of the loads, the value of the store, or the datum."""

    def __init__(self, unit: Instance, requests: Requests) -> None:
        datum = first_datum(unit.inputs)
        super().__init__(unit.inputs[datum : datum + 1], unit.outputs[1:])
        self.requests = requests
        values = unit.inputs[datum + 1 : datum + 1 + requests.count]
        self.values = [Values(value, self) for value in values]
        self.given = 0
        """The data that have come."""

    def offer(self) -> None:
        """The value, once it is here, or the datum."""
        (datum,) = self.inputs
        back, places = self.requests.back, self.requests.depth
        far, which = back[0] if back else (0, 0)
        values = self.values[which]
        late = any(self.given - each.taken == places for each in self.values)
        comes = bool(back) and not late and (not far or self.given - far < values.taken)
        word = values.words[(self.given - far) % places] if far else datum.data
        self.outputs[0].offer(datum.valid and comes, word)

    def accept(self) -> None:
        """The datum that leaves, or is dropped."""
        self.inputs[0].answer(self.outputs[0].moves)

    def step(self) -> bool:
        """The next load."""
        if not self.inputs[0].moves:
            return False
        del self.requests.back[0]
        self.given += 1
        self.requests.stale = True
        for values in self.values:
            values.stale = True
        return True


class Values(Node):
    """Takes the value of each iteration's store, no more than one before its load's datum."""

    def __init__(self, value: Wire, data: Data) -> None:
        super().__init__((value,), ())
        self.data = data
        self.taken = 0
        """The values that have come; the last ones are in `words`, a ring."""
        self.words = [0] * data.requests.depth

    def accept(self) -> None:
        """A value, if its load's datum has come or is the next one."""
        self.inputs[0].answer(self.taken <= self.data.given)

    def step(self) -> bool:
        """One more value is here."""
        (value,) = self.inputs
        if not value.moves:
            return False
        self.words[self.taken % len(self.words)] = value.data
        self.taken += 1
        self.data.stale = True
        return True


def build_unit(unit: Instance) -> list[Node]:
    """The nodes of a unit."""
    requests = Requests(unit)
    return [requests, *requests.done, requests.data, *requests.data.values]


NODES: dict[str, Build] = {"primitives/forward_store": build_unit}
"""The units of this file by their template."""
