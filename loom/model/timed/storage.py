"""Units of the timed model that keep tokens from cycle to cycle: buffers, pipelines, memories."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from loom.dialects.handshake_operators import OUT_OF_RANGE
from loom.dialects.operator import Shape
from loom.model.timed.routing import Function
from loom.model.timed.wire import Eager, Node, Wire

MOST_HELD = 2
"""Done tokens that a port of a memory keeps [tokens]."""


class Buffer(Node):
    """Up to `slots` tokens in order; a fifo passes a token at once when it is empty."""

    cuts_ready = True

    def __init__(self, inputs: Sequence[Wire], outputs: Sequence[Wire], shape: Shape) -> None:
        super().__init__(inputs, outputs)
        self.slots = shape.integer("slots")
        self.holds = shape.text("kind") == "seq"
        initial = shape.attributes.get("initial", ())
        assert isinstance(initial, tuple)
        self.words = deque(initial)
        self.most = len(initial)

    def offer(self) -> None:
        """The oldest."""
        if self.words:
            self.outputs[0].offer(True, self.words[0])
        elif self.holds:
            self.outputs[0].offer(False)
        else:
            self.outputs[0].offer(self.inputs[0].valid, self.inputs[0].data)

    def accept(self) -> None:
        """One more, where there is a slot."""
        self.inputs[0].answer(len(self.words) < self.slots)

    def step(self) -> bool:
        """One in, one out."""
        into, out = self.inputs[0].moves, self.outputs[0].moves
        if into:
            self.words.append(self.inputs[0].data)
        if out:
            self.words.popleft()
        self.most = max(self.most, len(self.words))
        return into or out


class Pipeline(Node):
    """A function of its inputs `latency` cycles later; all stages move together or stand."""

    holds = True

    def __init__(
        self, inputs: Sequence[Wire], outputs: Sequence[Wire], function: Function, latency: int
    ) -> None:
        super().__init__(inputs, outputs)
        self.function = function
        self.stages: deque[tuple[int, ...] | None] = deque([None] * latency)
        self.eager = Eager(outputs)

    def offer(self) -> None:
        """What stands at the end."""
        last = self.stages[-1]
        self.eager.offer(last is not None, last or (0,) * len(self.outputs))

    def accept(self) -> None:
        """All inputs together, when the stages move."""
        last = self.stages[-1] is not None
        self.advance = not last or self.eager.all_taken(last)
        self.enters = self.advance and all(wire.valid for wire in self.inputs)
        for wire in self.inputs:
            wire.answer(self.enters)

    def step(self) -> bool:
        """A stage further."""
        changed = self.eager.step(self.stages[-1] is not None)
        if not self.advance:
            return changed
        before = self.stages.pop()
        self.stages.appendleft(self.computed() if self.enters else None)
        return before is not None or any(stage is not None for stage in self.stages)

    def computed(self) -> tuple[int, ...]:
        """The results of what enters."""
        result = self.function(*[wire.data for wire in self.inputs])
        return result if isinstance(result, tuple) else (result,)


class Iterative(Node):
    """A function of its inputs `latency` cycles later, one at a time."""

    holds = True

    def __init__(
        self, inputs: Sequence[Wire], outputs: Sequence[Wire], function: Function, latency: int
    ) -> None:
        super().__init__(inputs, outputs)
        (self.out,) = outputs
        self.function = function
        self.latency = latency
        self.left = 0
        self.result: int | None = None

    def offer(self) -> None:
        """The result, once it is found."""
        there = self.result is not None and self.left == 0
        self.out.offer(there, self.result or 0)

    def accept(self) -> None:
        """All inputs together, when the result leaves or none is under way."""
        free = self.result is None or (self.left == 0 and self.out.ready)
        self.start = free and all(wire.valid for wire in self.inputs)
        for wire in self.inputs:
            wire.answer(self.start)

    def step(self) -> bool:
        """A bit further."""
        if self.start:
            result = self.function(*[wire.data for wire in self.inputs])
            assert isinstance(result, int)
            self.result, self.left = result, self.latency - 1
            return True
        if self.result is None:
            return False
        if self.left:
            self.left -= 1
            return True
        if self.out.ready:
            self.result = None
        return self.out.ready


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

    def step(self, taken: bool, asked: int | None) -> bool:
        """A cycle further; `asked` is the word that was asked for in this one."""
        arrives = self.on_way.pop()
        self.on_way.appendleft(asked)
        if arrives is not None:
            self.kept.append(arrives)
        if taken:
            self.kept.popleft()
        return (
            taken
            or asked is not None
            or arrives is not None
            or any(word is not None for word in self.on_way)
        )


class Memory(Node):
    """The accesses to one array: a store and a load a cycle, in turn."""

    holds = cuts_ready = True

    def __init__(
        self,
        inputs: Sequence[Wire],
        outputs: Sequence[Wire],
        shape: Shape,
        words: list[int],
        latency: int,
        report: Callable[[str], None],
    ) -> None:
        super().__init__(inputs, outputs)
        self.words, self.report = words, report
        stores, loads = shape.integer("stores"), shape.integer("loads")
        self.stores = [(inputs[2 * k], inputs[2 * k + 1]) for k in range(stores)]
        self.loads = inputs[2 * stores :]
        self.data, self.done = outputs[:loads], outputs[loads:]
        self.answers = [Answers(latency) for _ in range(loads)]
        self.held = [0] * (stores + loads)
        self.store_turn, self.load_turn = Arbiter(), Arbiter()

    def offer(self) -> None:
        """Data and done tokens that are there."""
        for wire, answers in zip(self.data, self.answers, strict=True):
            word = answers.word
            wire.offer(word is not None, word or 0)
        for wire, held in zip(self.done, self.held, strict=True):
            wire.offer(held > 0)

    def accept(self) -> None:
        """One store and one load, where there is room for what comes of them."""
        count = len(self.stores)
        self.stored = self.store_turn.grant(
            [d.valid and a.valid and h < MOST_HELD
             for (d, a), h in zip(self.stores, self.held[:count], strict=True)]
        )  # fmt: skip
        self.loaded = self.load_turn.grant(
            [a.valid and h < MOST_HELD and answers.room
             for a, h, answers in zip(self.loads, self.held[count:], self.answers, strict=True)]
        )  # fmt: skip
        for number, pair in enumerate(self.stores):
            for wire in pair:
                wire.answer(number == self.stored)
        for number, wire in enumerate(self.loads):
            wire.answer(number == self.loaded)

    def step(self) -> bool:
        """The words are read, then written; what is under way moves on."""
        asked = None if self.loaded is None else self.read(self.loads[self.loaded].data)
        changed = False
        for number, (wire, answers) in enumerate(zip(self.data, self.answers, strict=True)):
            word = asked if number == self.loaded else None
            changed |= answers.step(wire.moves, word)
        if self.stored is not None:
            data, address = self.stores[self.stored]
            self.write(address.data, data.data)
            self.store_turn.last = self.stored
        if self.loaded is not None:
            self.load_turn.last = self.loaded
        for number, wire in enumerate(self.done):
            served = self.stored == number or (
                self.loaded is not None and self.loaded + len(self.stores) == number
            )
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
