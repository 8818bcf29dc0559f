"""Memories of the timed model: lanes that serve an access a cycle, data and done tokens."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

from loom.dialects.operators.handshake_operators import OUT_OF_RANGE
from loom.dialects.operators.lanes import ANY, Lane, Lanes, requesters_of
from loom.dialects.operators.operator import Shape
from loom.errors import LoomError, Place
from loom.model.timed.wire import Node, Wire

MOST_HELD = 2
"""Done tokens that a port of a memory keeps [tokens]."""


class Arbiter:
    """Grants one request a cycle, in turn: first those behind the one served last."""

    def __init__(self) -> None:
        self.last = -1
        self.count = 0

    def grant(self, requests: Sequence[bool]) -> int | None:
        """Who is served in this cycle."""
        asking = [number for number, asks in enumerate(requests) if asks]
        return next((n for n in asking if n > self.last), asking[0] if asking else None)


class Answers:
    """The data of one load port: words on their way, words kept; at most `latency` + 1."""

    def __init__(self, latency: int) -> None:
        self.on_way: deque[int | None] = deque([None] * latency)
        self.kept: deque[int] = deque()

    @property
    def room(self) -> bool:
        """True if one more may be asked for."""
        coming = sum(word is not None for word in self.on_way)
        return len(self.kept) + coming < len(self.on_way) + 1

    @property
    def word(self) -> int | None:
        """What is offered."""
        return self.kept[0] if self.kept else self.on_way[-1]

    def step(self, taken: bool, requested: int | None) -> bool:
        """A cycle further; `requested` is the word that was asked for in this one."""
        arrives = self.on_way.pop()
        self.on_way.appendleft(requested)
        if arrives is not None:
            self.kept.append(arrives)
        if taken:
            self.kept.popleft()
        return (
            taken
            or requested is not None
            or arrives is not None
            or any(word is not None for word in self.on_way)
        )


class TwoRequests(Exception):
    """Two accesses of one requester are requested in one cycle."""


@contextmanager
def refuse_two_requests(name: str) -> Iterator[None]:
    """Two requests of one requester of this memory are refused (MODEL_REQUESTER)."""
    try:
        yield
    except TwoRequests:
        raise LoomError(
            "MODEL_REQUESTER",
            Place(name),
            f"two accesses of {name} by one requester in one cycle",
            "load_requesters and store_requesters whose accesses never come together",
        ) from None


class Bank:
    """One lane: a port of a RAM, which serves one of its accesses a cycle, in turn."""

    def __init__(self, lane: Lane, requesters: Sequence[int] = ()) -> None:
        self.bank = lane.bank
        own = [requesters[number] if requesters else number for number in lane.accesses]
        members: dict[int, list[int]] = {}
        for number, requester in sorted(zip(lane.accesses, own, strict=True), key=lambda e: e[1]):
            members.setdefault(requester, []).append(number)
        self.members = list(members.values())
        self.arbiter = Arbiter()
        self.granted: int | None = None

    def grant(self, wanted: Mapping[int, int]) -> int | None:
        """The access that is served; `wanted` has the bank that each one asks for."""
        asking = [[n for n in each if wanted.get(n) == self.bank] for each in self.members]
        if any(len(each) > 1 for each in asking):
            raise TwoRequests
        self.granted = self.arbiter.grant([bool(each) for each in asking])
        return None if self.granted is None else asking[self.granted][0]

    def step(self) -> None:
        """Who was served comes last."""
        if self.granted is not None:
            self.arbiter.last = self.granted


class Array:
    """The elements of one array and the banks that they lie in; `report` raises an error."""

    def __init__(self, words: list[int], lanes: Lanes, report: Callable[[str], None]) -> None:
        self.words, self.lanes, self.report = words, lanes, report

    def bank(self, said: int, address: int) -> int:
        """The bank that an access goes to; one outside goes to the first if none is known."""
        if self.lanes.partition is None:
            return said
        if address >= len(self.words):
            return 0 if said == ANY else said
        found = self.lanes.partition.split(address)[0]
        assert said in (ANY, found), f"element {address} is in bank {found}, not in {said}"
        return found

    def read(self, address: int) -> int:
        """The element there, 0 outside."""
        if address < len(self.words):
            return self.words[address]
        self.report(OUT_OF_RANGE)
        return 0

    def write(self, address: int, word: int) -> None:
        """The element is there; outside nothing is."""
        if address < len(self.words):
            self.words[address] = word
        else:
            self.report(OUT_OF_RANGE)


class LoadAlone(Node):
    """A load that no other access shares a port with: the RAM holds its datum until it is taken."""

    holds = True

    def __init__(self, address: Wire, data: Wire, done: Wire, array: Array, said: int) -> None:
        super().__init__((address,), (data, done))
        self.address, self.data, self.done = address, data, done
        self.array, self.said = array, said
        self.word: int | None = None
        self.read = 0
        self.owed = 0

    def offer(self) -> None:
        """The datum and done tokens that are there."""
        self.data.offer(self.word is not None, self.word or 0)
        self.done.offer(self.owed > 0)

    def accept(self) -> None:
        """Where no datum stays, and there is room for one more done token."""
        free = self.word is None or self.data.ready
        self.address.answer(self.address.valid and free and self.owed < MOST_HELD)
        if self.address.moves and self.address.data < len(self.array.words):
            self.read = self.array.words[self.address.data]  # before this cycle's stores

    def step(self) -> bool:
        """The datum of the address that was taken."""
        served, given, taken = self.address.moves, self.data.moves, self.done.moves
        if served:
            where = self.address.data
            self.array.bank(self.said, where)
            self.word = self.read if where < len(self.array.words) else self.array.read(where)
        elif given:
            self.word = None
        self.owed += served - taken
        return served or given or taken


class Memory(Node):
    """The accesses to one array that share ports: one a lane and cycle, in turn."""

    holds = cuts_ready = True

    def __init__(
        self,
        inputs: Sequence[Wire],
        outputs: Sequence[Wire],
        shape: Shape,
        array: Array,
        latency: int,
        alone: Collection[int],
    ) -> None:
        stores, loads = shape.integer("stores"), shape.integer("loads")
        addresses = inputs[2 * stores :]
        # A datum of a load alone may be what a store of this memory takes.
        taken = {addresses[k] for k in alone}
        given = {outputs[k] for at in (0, stores + loads) for k in (at + n for n in alone)}
        super().__init__(
            [wire for wire in inputs if wire not in taken],
            [wire for wire in outputs if wire not in given],
        )
        lanes = array.lanes
        self.array, self.lanes = array, lanes
        self.stores = [(inputs[2 * k], inputs[2 * k + 1]) for k in range(stores)]
        self.numbers = [k for k in range(loads) if k not in alone]
        self.loads = {k: addresses[k] for k in self.numbers}
        self.data = {k: outputs[k] for k in self.numbers}
        self.done = {
            **{("st", k): outputs[loads + k] for k in range(stores)},
            **{("ld", k): outputs[stores + loads + k] for k in self.numbers},
        }
        self.answers = {k: Answers(latency) for k in self.numbers}
        self.held = dict.fromkeys(self.done, 0)
        self.name = shape.text("memory")
        of_stores, of_loads = (
            requesters_of(shape, side) if lanes.plain else () for side in ("store", "load")
        )
        shared = [lane for lane in lanes.loads if not set(lane.accesses) <= {*alone}]
        self.store_lanes = [Bank(lane, of_stores) for lane in lanes.stores]
        self.load_lanes = [Bank(lane, of_loads) for lane in shared]
        self.stored, self.loaded = set[int](), set[int]()

    def offer(self) -> None:
        """Data and done tokens that are there."""
        for number, wire in self.data.items():
            word = self.answers[number].word
            wire.offer(word is not None, word or 0)
        for access, wire in self.done.items():
            wire.offer(self.held[access] > 0)

    def accept(self) -> None:
        """One access a lane, where there is room for what comes of it."""
        bank = self.array.bank
        stores = {
            k: bank(self.lanes.store_banks[k], address.data)
            for k, (data, address) in enumerate(self.stores)
            if data.valid and address.valid and self.held["st", k] < MOST_HELD
        }
        loads = {
            k: bank(self.lanes.load_banks[k], address.data)
            for k, address in self.loads.items()
            if address.valid and self.held["ld", k] < MOST_HELD and self.answers[k].room
        }
        with refuse_two_requests(self.name):
            self.stored = {n for lane in self.store_lanes if (n := lane.grant(stores)) is not None}
            self.loaded = {n for lane in self.load_lanes if (n := lane.grant(loads)) is not None}
        for number, pair in enumerate(self.stores):
            for wire in pair:
                wire.answer(number in self.stored)
        for number, wire in self.loads.items():
            wire.answer(number in self.loaded)

    def step(self) -> bool:
        """The words are read, then written; what is under way moves on."""
        changed = False
        for number, wire in self.data.items():
            served = number in self.loaded
            word = self.array.read(self.loads[number].data) if served else None
            changed |= self.answers[number].step(wire.moves, word)
        for number in self.stored:
            data, address = self.stores[number]
            self.array.write(address.data, data.data)
        for lane in (*self.store_lanes, *self.load_lanes):
            lane.step()
        for (side, number), wire in self.done.items():
            served = number in (self.stored if side == "st" else self.loaded)
            changed |= served or wire.moves
            self.held[side, number] += served - wire.moves
        return changed
