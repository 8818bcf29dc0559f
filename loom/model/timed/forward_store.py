"""The units that give loads the values of pending stores, in the timed model."""

from __future__ import annotations

from loom.model.timed.wire import Build, Instance, Node


class Requests(Node):
    """Lets addresses pass, and finds for each the youngest pending store to it.

    The stores' addresses are those of the loads, or come on their own: one enters once the load of
    its iteration has passed, or passes, and the next load waits for it.
    """

    def __init__(self, unit: Instance) -> None:
        *addresses, _, _, done = unit.inputs
        super().__init__((*addresses, done), unit.outputs[:1])
        self.depth = unit.shape.integer("depth")
        """The most stores that are pending, and loads that wait for their data."""
        self.kept: tuple[int, ...] = ()
        """The addresses of stores that are pending, the oldest first."""
        self.behind = False
        """The store of the last load has not entered."""
        self.back: list[int] = []
        """Of each load that waits for its datum how many iterations ago the store was, or 0."""
        self.data = Data(unit, self)

    def offer(self) -> None:
        """A token, if there is room for the store and for the load."""
        self.left = self.kept[1:] if self.inputs[-1].valid else self.kept
        passes = max(len(self.left), len(self.back)) < self.depth and not self.behind
        self.outputs[0].offer(self.inputs[0].valid and passes)

    def accept(self) -> None:
        """The address with its token, a store, a done of any store that is pending."""
        address, *stores, done = self.inputs
        address.answer(self.outputs[0].moves)
        for store in stores:
            store.answer(self.behind or self.outputs[0].moves)
        done.answer(bool(self.kept))

    def step(self) -> bool:
        """What is pending, and the load that waits for its datum."""
        (address, *stores, done), pending = self.inputs, self.left[::-1]
        store = stores[0] if stores else address
        if not (address.moves or store.moves or done.moves):
            return False
        if address.moves:
            here = address.data in pending
            self.back.append(pending.index(address.data) + 1 if here else 0)
            self.data.stale = True
        self.behind = (self.behind or address.moves) and not store.moves
        self.kept = (*self.left, store.data) if store.moves else self.left
        return True


class Data(Node):
    """Gives for each datum, in the order of the loads, the value of the store, or the datum."""

    def __init__(self, unit: Instance, requests: Requests) -> None:
        super().__init__(unit.inputs[-3:-2], unit.outputs[1:])
        self.requests = requests
        self.values = Values(unit, self)
        self.given = 0
        """The data that have come."""

    def offer(self) -> None:
        """The value, once it is here, or the datum."""
        (datum,) = self.inputs
        back, values, places = self.requests.back, self.values, self.requests.depth
        far = back[0] if back else 0
        late = self.given - values.taken == places
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
        self.requests.stale = self.values.stale = True
        return True


class Values(Node):
    """Takes the value of each store, no more than one iteration before its load's datum."""

    def __init__(self, unit: Instance, data: Data) -> None:
        super().__init__(unit.inputs[-2:-1], ())
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
    return [requests, requests.data, requests.data.values]


NODES: dict[str, Build] = {"primitives/forward_store": build_unit}
"""The units of this file by their template."""
