"""The load-store queue, in the timed model."""

from __future__ import annotations

from dataclasses import dataclass

from loom.dialects.operators.ordering.load_store_queue import STORE, groups_of, queue_ports
from loom.model.timed.wire import Build, Instance, Node, Wire


@dataclass
class Store:
    """A store that is not done: its access, and what has come for it."""

    access: int
    address: int | None = None
    value: int | None = None


@dataclass
class Load:
    """A load: its access and how many stores are older; once it is sent its datum, and how far."""

    access: int
    older: int
    source: Store | None = None
    """Of one that was sent in the last cycle: the store whose datum it takes."""
    is_fresh: bool = True
    datum: int | None = None
    answered: bool = False
    delivered: bool = False


class LoadStoreQueue(Node):
    """Accesses in program order: stores, loads that wait, and loads that are sent, oldest first.

    All but what is between the addresses of loads and the memory, which `Requests` is.
    """

    holds = cuts_ready = True

    def __init__(self, unit: Instance) -> None:
        self.requests = Requests(unit, self)
        others = [wire for wire in unit.inputs if wire not in self.requests.inputs]
        super().__init__(others, [w for w in unit.outputs if w not in self.requests.outputs])
        self.groups = groups_of(unit.shape)
        self.depth = unit.shape.integer("depth")
        self.outstanding = unit.shape.integer("outstanding")
        inputs, outputs = queue_ports(unit.shape)
        names = [port.name for port in inputs]
        self.into: dict[str, Wire] = dict(zip(names, unit.inputs, strict=True))
        names = [port.name for port in outputs]
        self.out: dict[str, Wire] = dict(zip(names, unit.outputs, strict=True))
        self.allocated = [0] * len(self.groups.members)
        self.ended = False
        self.stores: list[Store] = []
        self.sent = 0
        """How many of the stores are sent."""
        self.taken = [False, False]
        """Whether the address, and the datum, of the next one are taken."""
        self.waiting: list[Load] = []
        self.loads: list[Load] = []
        self.request: int | None = None
        self.kept: dict[int, int | None] = dict.fromkeys(self.groups.loads)
        """By load the datum that has left, and that nobody has taken."""

    def offer(self) -> None:
        """All outputs are registers."""
        for number, count in enumerate(self.allocated):
            self.out[f"allocated{number}"].offer(count > 0)
        self.out["ended"].offer(self.ended)
        leaving = self.leaving()
        for number, kept in self.kept.items():
            is_own = leaving is not None and leaving.access == number
            datum = leaving.datum if kept is None and leaving is not None and is_own else kept
            self.out[f"data{number}"].offer(datum is not None, datum or 0)
        self.store = self.next_store()
        address, value = (self.store.address, self.store.value) if self.store else (None, None)
        self.out["store_address"].offer(address is not None and not self.taken[0], address or 0)
        self.out["store_value"].offer(value is not None and not self.taken[1], value or 0)

    def leaving(self) -> Load | None:
        """The oldest load that has not left, if it has its datum, and its port no other one's."""
        load = next((load for load in self.loads if not load.delivered), None)
        if load is None or load.datum is None or self.kept[load.access] is not None:
            return None
        return load

    def next_store(self) -> Store | None:
        """The oldest store that is not sent, if it has all that it needs and no load is older."""
        if self.sent == len(self.stores):
            return None
        store = self.stores[self.sent]
        unanswered = [load for load in (*self.loads, *self.waiting) if not load.answered]
        is_youngest = not unanswered or self.sent < unanswered[0].older
        ready = store.address is not None and store.value is not None and is_youngest
        return store if ready else None

    def accept(self) -> None:
        """Groups while there is room; each port in the order of the program."""
        self.group = None
        for number, (count, members) in enumerate(
            zip(self.allocated, self.groups.members, strict=True)
        ):
            stores = sum(self.groups.kinds[member] == STORE for member in members)
            has_room = (
                len(self.stores) + stores <= self.depth
                and len(self.waiting) + len(members) - stores <= self.depth
            )
            wire = self.into[f"group{number}"]
            wire.answer(has_room and count < 2 and self.group is None)
            if wire.valid and self.group is None:
                self.group = number
        self.into["end"].answer(not (self.stores or self.waiting or self.loads or self.ended))
        placed, _ = self.next_inputs()
        for number in self.groups.stores:
            is_next = placed is not None and placed.access == number
            self.into[f"address{number}"].answer(is_next)
        self.into["loaded"].answer(self.unanswered() is not None)
        self.into["stored"].answer(self.sent > 0)

    def next_inputs(self) -> tuple[Store | None, Store | None]:
        """The oldest store without an address, and that without a datum."""
        return (
            next((store for store in self.stores if store.address is None), None),
            next((store for store in self.stores if store.value is None), None),
        )

    def unanswered(self) -> Load | None:
        """The load that the memory answers next."""
        load = next((load for load in self.loads if not load.answered), None)
        return None if load is None or load.is_fresh else load

    def next_load(self) -> tuple[bool, Store | None]:
        """Whether the oldest load that waits can be sent, and the store whose datum it takes."""
        is_free = self.request is None or self.out["load_address"].ready
        if not self.waiting or not is_free or len(self.loads) == self.outstanding:
            return False, None
        load = self.waiting[0]
        older = self.stores[: load.older]
        if any(store.address is None for store in older):
            return False, None
        address = self.into[f"address{load.access}"].data
        for store in reversed(older):
            if store.address == address:
                arriving = self.into[f"value{store.access}"]
                arrives = store is self.next_inputs()[1] and arriving.valid
                return store.value is not None or arrives, store
        return True, None

    @property
    def moves(self) -> bool:
        """Whether a token is transferred in this cycle, or a datum moves inside."""
        inside = self.leaving() is not None or any(load.is_fresh for load in self.loads)
        return inside or any(wire.moves for wire in (*self.into.values(), *self.out.values()))

    def step(self) -> bool:
        """What was transferred changes the lists; True if something was."""
        if not self.moves:
            return False
        placed, valued = self.next_inputs()
        if placed is not None and self.into[f"address{placed.access}"].moves:
            placed.address = self.into[f"address{placed.access}"].data
        if valued is not None and self.into[f"value{valued.access}"].moves:
            valued.value = self.into[f"value{valued.access}"].data
        self.step_loads()
        if self.store is not None:
            for place, name in enumerate(("store_address", "store_value")):
                self.taken[place] |= self.out[name].moves
            if all(self.taken):
                self.sent += 1
                self.taken = [False, False]
        if self.into["stored"].moves:
            del self.stores[0]
            self.sent -= 1
            for load in (*self.waiting, *self.loads):
                load.older = max(0, load.older - 1)
        self.step_groups()
        self.requests.stale = True
        return True

    def step_loads(self) -> None:
        """Answers, data that leave, and the load that is sent."""
        answered = self.unanswered()
        leaving = self.leaving()
        if self.out["load_address"].moves:
            self.request = None
        for load in self.loads:
            if load.is_fresh:
                load.is_fresh = False
                load.datum = load.source.value if load.source is not None else None
        if answered is not None and self.into["loaded"].moves:
            answered.answered = True
            if answered.datum is None:
                answered.datum = self.into["loaded"].data
        for number in self.kept:
            if self.out[f"data{number}"].moves:
                self.kept[number] = None
        if leaving is not None:
            leaving.delivered = True
            if not self.out[f"data{leaving.access}"].moves:
                self.kept[leaving.access] = leaving.datum
        if self.loads and self.loads[0].answered and self.loads[0].delivered:
            del self.loads[0]
        if self.waiting and self.into[f"address{self.waiting[0].access}"].moves:
            load = self.waiting.pop(0)
            self.request = self.into[f"address{load.access}"].data
            load.source = self.requests.source
            if self.into["stored"].moves and load.source is self.stores[0]:
                load.source = None  # it is in the memory
            self.loads.append(load)

    def step_groups(self) -> None:
        """Tokens of groups, and that of the end."""
        for number, members in enumerate(self.groups.members):
            self.allocated[number] -= self.out[f"allocated{number}"].moves
            if self.into[f"group{number}"].moves:
                self.allocated[number] += 1
                for member in members:
                    if self.groups.kinds[member] == STORE:
                        self.stores.append(Store(member))
                    else:
                        self.waiting.append(Load(member, len(self.stores)))
        self.ended = self.into["end"].moves or (self.ended and not self.out["ended"].moves)


class Requests(Node):
    """The way of a load to the memory: its address, and the data of stores that it may take."""

    holds = True

    def __init__(self, unit: Instance, queue: LoadStoreQueue) -> None:
        self.queue = queue
        inputs, outputs = queue_ports(unit.shape)
        loads = {f"address{number}" for number in groups_of(unit.shape).loads}
        super().__init__(
            [
                wire
                for port, wire in zip(inputs, unit.inputs, strict=True)
                if port.name in loads or port.name.startswith("value")
            ],
            [w for p, w in zip(outputs, unit.outputs, strict=True) if p.name == "load_address"],
        )
        self.source: Store | None = None

    def offer(self) -> None:
        """The address in the register."""
        request = self.queue.request
        self.outputs[0].offer(request is not None, request or 0)

    def accept(self) -> None:
        """The datum of the oldest store without one, and the address of the load that is sent."""
        queue = self.queue
        _, valued = queue.next_inputs()
        for number in queue.groups.stores:
            is_next = valued is not None and valued.access == number
            queue.into[f"value{number}"].answer(is_next)
        sends, self.source = queue.next_load()
        for number in queue.groups.loads:
            is_first = bool(queue.waiting) and queue.waiting[0].access == number
            queue.into[f"address{number}"].answer(is_first and sends)
        queue.pending = True

    def step(self) -> bool:
        """The queue changes its own state; this looks at it anew."""
        return self.queue.moves


def build_queue(unit: Instance) -> list[Node]:
    """The nodes of a queue."""
    queue = LoadStoreQueue(unit)
    return [queue.requests, queue]


NODES: dict[str, Build] = {"memory/load_store_queue": build_queue}
"""The unit of this file by its template."""
