"""A memory behind channels in the timed model: requests, answers, and the slots for both.

The memory outside takes a request in every cycle and answers each after as many cycles as the unit
states. What it answers then has a slot, as in the circuit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from loom.dialects.operators.lanes import Lane, requesters_of
from loom.dialects.operators.operator import Shape
from loom.model.timed.memory import Array, Bank, refuse_two_requests
from loom.model.timed.wire import Node, Wire

ACCEPTED = 2
"""Tokens that a store is accepted which may wait for their reader [tokens]."""


@dataclass
class Request:
    """An access without an answer: `left` cycles to it, none for one that has no request.

    `requested`: it is one of those whose words may be kept.
    """

    access: int
    word: int
    left: int
    requested: bool = False


class Slots:
    """The tokens of one access that come with its answers: at most `slots` are owed."""

    def __init__(self, wire: Wire, slots: int) -> None:
        self.wire, self.slots = wire, slots
        self.owed = 0
        self.kept: deque[int] = deque()
        self.arrives: int | None = None

    @property
    def room(self) -> bool:
        """True if one more access may be granted."""
        return self.owed < self.slots

    def offer(self, arrives: int | None) -> None:
        """The oldest token, or the one that arrives."""
        self.arrives = arrives
        first = self.kept[0] if self.kept else arrives
        self.wire.offer(first is not None, first or 0)

    def step(self, granted: bool) -> bool:
        """The token was taken, an access granted, or neither."""
        taken = self.wire.moves
        if self.arrives is not None:
            self.kept.append(self.arrives)
        if taken:
            self.kept.popleft()
        self.owed += granted - taken
        return taken or granted


class Channel:
    """One side of the memory: its accesses, whose answers come in their order."""

    def __init__(self, count: int, requesters: Sequence[int], slots: int) -> None:
        self.slots = slots
        self.bank = Bank(Lane(0, 0, tuple(range(count))), requesters)
        self.waiting: deque[Request] = deque()
        self.granted: int | None = None

    def answer(self) -> Request | None:
        """The access that is answered in this cycle."""
        if self.waiting and self.waiting[0].left == 0:
            return self.waiting[0]
        return None

    def grant(self, wanted: Sequence[int]) -> int | None:
        """The access that is accepted, of those that have a token and slots."""
        free = len(self.waiting) < self.slots
        self.granted = self.bank.grant(dict.fromkeys(wanted, 0)) if free else None
        return self.granted

    def step(self, answered: bool, request: Request | None) -> bool:
        """A cycle further."""
        for each in self.waiting:
            each.left = max(0, each.left - 1)
        if answered:
            self.waiting.popleft()
        if request is not None:
            self.waiting.append(request)
            self.bank.step()
        return bool(self.waiting) or answered


class ChannelMemory(Node):
    """The accesses to one array through channels."""

    holds = cuts_ready = True

    def __init__(
        self,
        inputs: Sequence[Wire],
        outputs: Sequence[Wire],
        shape: Shape,
        array: Array,
        latency: int,
        outstanding: int,
        elements_a_word: int = 1,
    ) -> None:
        super().__init__(inputs, outputs)
        stores, loads = shape.integer("stores"), shape.integer("loads")
        self.array, self.latency = array, latency
        # Without stores a word of several elements is kept while loads wait (memory/parts/words).
        self.elements_kept = 1 if stores else elements_a_word
        self.last_word = 0
        self.name = shape.text("memory")
        self.stores = [(inputs[2 * k], inputs[2 * k + 1]) for k in range(stores)]
        self.loads = list(inputs[2 * stores :])
        self.data = [Slots(outputs[k], outstanding) for k in range(loads)]
        tokens = [Slots(wire, outstanding) for wire in outputs[loads : 2 * loads + stores]]
        self.store_dones, self.load_dones = tokens[:stores], tokens[stores:]
        self.accepted = [Slots(wire, ACCEPTED) for wire in outputs[2 * loads + stores :]]
        """By store, where the memory says that it is accepted."""
        self.writes = Channel(stores, requesters_of(shape, "store"), outstanding)
        self.reads = Channel(loads, requesters_of(shape, "load"), outstanding)
        self.answers: dict[str, Request | None] = {}

    def offer(self) -> None:
        """What was kept, and what the answers of this cycle bring."""
        written, read = self.writes.answer(), self.reads.answer()
        self.answers = {"store": written, "load": read}
        for k, done in enumerate(self.store_dones):
            done.offer(0 if written is not None and written.access == k else None)
        for each in self.accepted:
            each.offer(None)
        for k, (data, done) in enumerate(zip(self.data, self.load_dones, strict=True)):
            arrives = read is not None and read.access == k
            data.offer(read.word if read is not None and arrives else None)
            done.offer(0 if arrives else None)

    def accept(self) -> None:
        """One store and one load, where there is room for what comes of it."""
        stores = [
            k
            for k, (data, address) in enumerate(self.stores)
            if data.valid and address.valid and self.has_room(k)
        ]
        loads = [
            k
            for k, address in enumerate(self.loads)
            if address.valid and self.data[k].room and self.load_dones[k].room
        ]
        stored = self.bank_grant(self.writes, stores)
        loaded = self.bank_grant(self.reads, loads)
        for k, pair in enumerate(self.stores):
            for wire in pair:
                wire.answer(k == stored)
        for k, wire in enumerate(self.loads):
            wire.answer(k == loaded)

    def has_room(self, store: int) -> bool:
        """True if there are slots for what comes of a store."""
        return self.store_dones[store].room and all(
            each.room for each in self.accepted[store : store + 1]
        )

    def bank_grant(self, channel: Channel, wanted: Sequence[int]) -> int | None:
        """Who is accepted; refused (MODEL_REQUESTER): two accesses of one requester."""
        with refuse_two_requests(self.name):
            return channel.grant(wanted)

    def step(self) -> bool:
        """Elements are read, then written, as the requests leave; answers come nearer."""
        changed = False
        loaded, stored = self.reads.granted, self.writes.granted
        read = written = None
        if loaded is not None:
            address = self.loads[loaded].data
            read = Request(loaded, self.array.read(address), self.cycles(address))
            if self.elements_kept > 1 and address < len(self.array.words):
                word = address // self.elements_kept
                answered = self.answers["load"] is not None
                requested = any(each.requested for each in [*self.reads.waiting][answered:])
                if requested and word == self.last_word:
                    read.left = 1
                self.last_word = word
                read.requested = True
        if stored is not None:
            data, where = self.stores[stored]
            self.array.write(where.data, data.data)
            written = Request(stored, 0, self.cycles(where.data))
        for k, done in enumerate(self.store_dones):
            changed |= done.step(k == stored)
        for k, each in enumerate(self.accepted):
            changed |= each.step(k == stored)
            if k == stored:
                each.kept.append(0)
        for k, (data_, done) in enumerate(zip(self.data, self.load_dones, strict=True)):
            changed |= data_.step(k == loaded)
            changed |= done.step(k == loaded)
        changed |= self.writes.step(self.answers["store"] is not None, written)
        return self.reads.step(self.answers["load"] is not None, read) | changed

    def cycles(self, address: int) -> int:
        """Until the answer from the next cycle on; one outside the array has no request."""
        return self.latency if address < len(self.array.words) else 0
