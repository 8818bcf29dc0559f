"""Memories of the timed model: lanes that serve an access a cycle, data and done tokens."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from loom.dialects.operators.handshake_operators import OUT_OF_RANGE
from loom.dialects.operators.lanes import ANY, Lane, Lanes
from loom.dialects.operators.operator import Shape
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
        coming = [word is not None for word in self.on_way]
        if len(coming) == 1:
            return len(self.kept) + coming[0] < MOST_HELD
        return len(self.kept) + sum(coming) < MOST_HELD + 1

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


class Bank:
    """One lane: a port of a RAM, which serves one of its accesses a cycle, in turn."""

    def __init__(self, lane: Lane) -> None:
        self.bank, self.accesses = lane.bank, lane.accesses
        self.arbiter = Arbiter()
        self.granted: int | None = None

    def grant(self, wanted: Sequence[int | None]) -> int | None:
        """The access that is served; `wanted` has the bank that each one asks for."""
        self.granted = self.arbiter.grant([wanted[number] == self.bank for number in self.accesses])
        return None if self.granted is None else self.accesses[self.granted]

    def step(self) -> None:
        """Who was served comes last."""
        if self.granted is not None:
            self.arbiter.last = self.granted


class Memory(Node):
    """The accesses to one array: one a lane and cycle, in turn."""

    holds = cuts_ready = True

    def __init__(
        self,
        inputs: Sequence[Wire],
        outputs: Sequence[Wire],
        shape: Shape,
        words: list[int],
        latency: int,
        lanes: Lanes,
        report: Callable[[str], None],
    ) -> None:
        super().__init__(inputs, outputs)
        self.words, self.report, self.lanes = words, report, lanes
        stores, loads = shape.integer("stores"), shape.integer("loads")
        self.stores = [(inputs[2 * k], inputs[2 * k + 1]) for k in range(stores)]
        self.loads = inputs[2 * stores :]
        self.data, self.done = outputs[:loads], outputs[loads:]
        self.answers = [Answers(latency) for _ in range(loads)]
        self.held = [0] * (stores + loads)
        self.store_lanes = [Bank(lane) for lane in lanes.stores]
        self.load_lanes = [Bank(lane) for lane in lanes.loads]
        self.stored, self.loaded = set[int](), set[int]()

    def offer(self) -> None:
        """Data and done tokens that are there."""
        for wire, answers in zip(self.data, self.answers, strict=True):
            word = answers.word
            wire.offer(word is not None, word or 0)
        for wire, held in zip(self.done, self.held, strict=True):
            wire.offer(held > 0)

    def bank(self, said: int, address: int) -> int:
        """The bank that an access goes to; one outside goes to the first if none is known."""
        if self.lanes.partition is None:
            return said
        if address >= len(self.words):
            return 0 if said == ANY else said
        found = self.lanes.partition.split(address)[0]
        assert said in (ANY, found), f"word {address} is in bank {found}, not in {said}"
        return found

    def accept(self) -> None:
        """One access a lane, where there is room for what comes of it."""
        count = len(self.stores)
        stores = [
            self.bank(said, a.data) if d.valid and a.valid and h < MOST_HELD else None
            for (d, a), h, said in zip(
                self.stores, self.held[:count], self.lanes.store_banks, strict=True
            )
        ]
        loads = [
            self.bank(said, a.data) if a.valid and h < MOST_HELD and answers.room else None
            for a, h, answers, said in zip(
                self.loads, self.held[count:], self.answers, self.lanes.load_banks, strict=True
            )
        ]
        self.stored = {n for lane in self.store_lanes if (n := lane.grant(stores)) is not None}
        self.loaded = {n for lane in self.load_lanes if (n := lane.grant(loads)) is not None}
        for number, pair in enumerate(self.stores):
            for wire in pair:
                wire.answer(number in self.stored)
        for number, wire in enumerate(self.loads):
            wire.answer(number in self.loaded)

    def step(self) -> bool:
        """The words are read, then written; what is under way moves on."""
        changed = False
        for number, (wire, answers) in enumerate(zip(self.data, self.answers, strict=True)):
            word = self.read(self.loads[number].data) if number in self.loaded else None
            changed |= answers.step(wire.moves, word)
        for number in self.stored:
            data, address = self.stores[number]
            self.write(address.data, data.data)
        for lane in (*self.store_lanes, *self.load_lanes):
            lane.step()
        for number, wire in enumerate(self.done):
            load = number - len(self.stores)
            served = number in self.stored or load in self.loaded
            changed |= served or wire.moves
            self.held[number] += served - wire.moves
        return changed

    def read(self, address: int) -> int:
        """The word there, 0 outside."""
        if address < len(self.words):
            return self.words[address]
        self.report(OUT_OF_RANGE)
        return 0

    def write(self, address: int, word: int) -> None:
        """The word is there; outside nothing is."""
        if address < len(self.words):
            self.words[address] = word
        else:
            self.report(OUT_OF_RANGE)
