"""Units of the timed model that repeat, gate and count (templates `carry` to `stream`)."""

from __future__ import annotations

from collections.abc import Sequence

from loom.dialects.operators.dataflow_operators import (
    INITIAL,
    OPERAND,
    ZERO_STEP,
    accumulated_function,
    is_rotated,
    lanes_of,
    step_function,
    tested_function,
)
from loom.dialects.operators.operator import insert_constants
from loom.dialects.operators.ordering.comparators import distance_of
from loom.model.timed.wire import Build, Eager, Instance, Node, Wire, single


class Carry(Node):
    """`a` first, then a `b` for each true of `d`; the next `a` leaves in the cycle of the false.

    With lanes so many `a` are first.
    """

    def __init__(self, unit: Instance) -> None:
        super().__init__(unit.inputs, unit.outputs)
        self.lanes = self.first = lanes_of(unit.shape)

    def offer(self) -> None:
        """`a` or `b`."""
        d, a, b = self.inputs
        self.initial = self.first > 0 or (d.valid and not d.data)
        if self.initial:
            self.outputs[0].offer(a.valid, a.data)
        else:
            self.outputs[0].offer(d.valid and b.valid, b.data)

    def accept(self) -> None:
        """A false at once; a true with its `b`."""
        d, a, b = self.inputs
        out = self.outputs[0]
        ends = d.valid and not d.data and self.first < self.lanes
        a.answer(self.initial and out.ready)
        b.answer(not self.initial and d.valid and out.ready)
        d.answer(ends or (not self.initial and d.valid and out.moves))

    def step(self) -> bool:
        """How many `a` leave before `d` decides about the next token."""
        d, a, _ = self.inputs
        before = self.first
        self.first += int(d.moves and not d.data) - int(a.moves)
        return self.first != before


class Invariant(Node):
    """`a` first, then the same for each true of `d`; the next `a` leaves with the false."""

    def __init__(self, inputs: Sequence[Wire], outputs: Sequence[Wire]) -> None:
        super().__init__(inputs, outputs)
        self.block = False
        self.value = 0

    def offer(self) -> None:
        """`a`, or what it was."""
        d, a = self.inputs
        self.initial = not self.block or (d.valid and not d.data)
        if self.initial:
            self.outputs[0].offer(a.valid, a.data)
        else:
            self.outputs[0].offer(d.valid, self.value)

    def accept(self) -> None:
        """A false at once; a true when its token leaves."""
        d, a = self.inputs
        ready = self.outputs[0].ready
        a.answer(self.initial and ready)
        d.answer(self.block and d.valid and (self.initial or ready))

    def step(self) -> bool:
        """Whether `d` decides about the next token, and the value."""
        before = self.block, self.value
        leaves = self.initial and self.inputs[1].moves
        if leaves:
            self.value = self.inputs[1].data
        self.block = leaves or (self.block and not self.initial)
        return (self.block, self.value) != before


class Replicate(Node):
    """`a` for each true of `d`, rotated for the false too; a false takes it."""

    def __init__(self, unit: Instance) -> None:
        super().__init__(unit.inputs, unit.outputs)
        self.rotated = is_rotated(unit.shape)

    def offer(self) -> None:
        """`a`, which waits."""
        d, a = self.inputs
        self.outputs[0].offer(a.valid and d.valid and (self.rotated or d.data == 1), a.data)

    def accept(self) -> None:
        """`a` with the false."""
        d, a = self.inputs
        last = d.valid and d.data == 0
        leaves = self.outputs[0].ready or (last and not self.rotated)
        a.answer(last and leaves)
        d.answer(a.valid and d.valid and leaves)


class Gate(Node):
    """Drops the last value and the first condition of each burst."""

    def __init__(self, inputs: Sequence[Wire], outputs: Sequence[Wire]) -> None:
        super().__init__(inputs, outputs)
        self.first = True
        self.sent = (False, False)

    def offer(self) -> None:
        """What each output gets of the pair, if anything."""
        value, condition = self.inputs
        self.pair = value.valid and condition.valid
        value_sent, condition_sent = self.sent
        offers = self.pair and condition.data == 1 and not value_sent
        self.outputs[0].offer(offers, value.data)
        self.outputs[1].offer(self.pair and not self.first and not condition_sent, condition.data)

    def accept(self) -> None:
        """Both, when nothing of them is left."""
        self.taken = self.pair and all(not wire.valid or wire.ready for wire in self.outputs)
        for wire in self.inputs:
            wire.answer(self.taken)

    def step(self) -> bool:
        """Where in the burst it is."""
        before = self.first, self.sent
        if self.taken:
            self.first, self.sent = self.inputs[1].data == 0, (False, False)
        else:
            value, condition = self.outputs
            self.sent = self.sent[0] or value.moves, self.sent[1] or condition.moves
        return (self.first, self.sent) != before


class Stream(Node):
    """The indices of a loop with true, then one more with false; rotated without that one."""

    def __init__(self, unit: Instance) -> None:
        super().__init__(unit.inputs, unit.outputs)
        self.advance, self.proceeds = step_function(unit.shape), tested_function(unit.shape)
        self.shape, self.report = unit.shape, unit.report
        self.eager = Eager(unit.outputs)
        self.burst: tuple[int, int, int] | None = None
        self.lanes, self.lane = lanes_of(unit.shape), 0

    def offer(self) -> None:
        """The index, and whether the loop goes on."""
        self.there = self.burst is not None or all(wire.valid for wire in self.inputs)
        if self.there:
            if self.burst is None:
                tokens = [wire.data for wire in self.inputs]
                start, step, bound, *_ = insert_constants(self.shape, tokens)
                self.current = start, step, bound
            else:
                self.current = self.burst
            self.goes_on = self.proceeds(*self.current)
            self.eager.offer(True, (self.current[0], int(self.goes_on)))
        else:
            self.eager.offer(False, (0, 0))

    def accept(self) -> None:
        """The three together, with the first index."""
        self.taken = self.eager.all_taken(self.there)
        for wire in self.inputs:
            wire.answer(self.taken and self.burst is None)

    def step(self) -> bool:
        """The next lane, after the last one the next index."""
        before = self.burst, self.lane
        if self.taken:
            index, step, bound = self.current
            if self.burst is None and step == 0:
                self.report(ZERO_STEP)
            self.lane = (self.lane + 1) % self.lanes
            if self.lane == 0:
                self.burst = (self.advance(index, step), step, bound) if self.goes_on else None
        return self.eager.step(self.there) or (self.burst, self.lane) != before


class Accumulate(Node):
    """A total and an operand for each true of `cond`, rotated for the false too, which gives it."""

    def __init__(self, unit: Instance) -> None:
        super().__init__(unit.inputs, unit.outputs)
        constants = unit.shape.constants
        places = [k for k in range(len(unit.shape.inputs)) if k not in constants]
        wires = dict(zip(places, unit.inputs, strict=True))
        self.cond = wires[0]
        self.initial, self.operand = wires.get(INITIAL), wires.get(OPERAND)
        self.constants = constants
        self.apply, self.rotated = accumulated_function(unit.shape), is_rotated(unit.shape)
        self.total: int | None = constants.get(INITIAL)

    def offer(self) -> None:
        """The total, with the false."""
        self.there = self.cond.valid
        if self.total is None:
            assert self.initial is not None
            self.there = self.there and self.initial.valid
            self.current = self.initial.data
        else:
            self.current = self.total
        operand = self.operand
        has_operand = operand is None or operand.valid
        if self.rotated:
            self.there = self.there and has_operand
        self.goes_on = self.cond.data == 1
        self.applies = self.there and has_operand and (self.rotated or self.goes_on)
        if self.applies:
            value = self.constants[OPERAND] if operand is None else operand.data
            self.following = self.apply(self.current, value)
        result = self.following if self.applies else self.current
        self.outputs[0].offer(self.there and not self.goes_on, result)

    def accept(self) -> None:
        """A true with its operand, a false with its result, rotated with its operand too."""
        leaves = self.outputs[0].ready
        self.taken = self.there and (self.applies if self.goes_on else leaves)
        self.cond.answer(self.taken)
        if self.operand is not None:
            self.operand.answer(self.taken and self.applies)
        if self.initial is not None:
            self.initial.answer(self.taken and self.total is None)

    def step(self) -> bool:
        """The next total, or that of the next burst."""
        before = self.total
        if self.taken:
            self.total = self.following if self.goes_on else self.constants.get(INITIAL)
        return self.total != before


class Disambiguate(Node):
    """Lets an address pass if no store that is pending has it; each that passes is one more."""

    def __init__(self, unit: Instance) -> None:
        super().__init__(unit.inputs, unit.outputs)
        self.depth = unit.shape.integer("depth")
        self.kept: tuple[int, ...] = ()

    def offer(self) -> None:
        """A token, if the address is none of those whose done does not come now."""
        address, done = self.inputs
        self.left = self.kept[1:] if done.valid else self.kept
        passes = len(self.left) < self.depth and address.data not in self.left
        self.outputs[0].offer(address.valid and passes)

    def accept(self) -> None:
        """The address with its token, a done of any store that is pending."""
        address, done = self.inputs
        self.passes = self.outputs[0].valid and self.outputs[0].ready
        address.answer(self.passes)
        done.answer(bool(self.kept))

    def step(self) -> bool:
        """The addresses of stores that are pending, the oldest first."""
        before = self.kept
        self.kept = (*self.left, self.inputs[0].data) if self.passes else self.left
        return self.kept != before


class StoreQueue(Node):
    """Lets a load's address pass if no store of an earlier iteration that is pending has it.

    With a distance of 0 that of its own iteration counts too, and has to be here.
    """

    def __init__(self, unit: Instance) -> None:
        super().__init__(unit.inputs, unit.outputs)
        self.depth = unit.shape.integer("depth")
        self.kept: tuple[int, ...] = ()
        """The addresses of stores that are pending, the oldest first."""
        self.ahead = distance_of(unit.shape)
        """The iterations whose store is here while their load has not passed, and the distance."""

    def offer(self) -> None:
        """A token, if the address is none of those whose done does not come now."""
        address, _, done = self.inputs
        self.left = self.kept[1:] if done.valid else self.kept
        older = self.kept[: max(0, len(self.kept) + 1 - self.ahead)]
        compared = older[1:] if done.valid else older
        passes = self.ahead > 0 and address.data not in compared
        self.outputs[0].offer(address.valid and passes)

    def accept(self) -> None:
        """The address with its token, a store while there is room, a done of what is pending."""
        address, store, done = self.inputs
        self.passes = self.outputs[0].valid and self.outputs[0].ready
        has_room = self.ahead < self.depth and len(self.left) < self.depth
        self.enters = store.valid and has_room
        address.answer(self.passes)
        store.answer(has_room)
        done.answer(bool(self.kept))

    def step(self) -> bool:
        """What is pending, and how far stores are ahead."""
        before = self.kept, self.ahead
        self.kept = (*self.left, self.inputs[1].data) if self.enters else self.left
        self.ahead += self.enters - self.passes
        return (self.kept, self.ahead) != before


NODES: dict[str, Build] = {
    "primitives/accumulate": lambda unit: [Accumulate(unit)],
    "primitives/carry": lambda unit: [Carry(unit)],
    "primitives/disambiguate": lambda unit: [Disambiguate(unit)],
    "primitives/gate": single(Gate),
    "primitives/invariant": single(Invariant),
    "primitives/replicate": lambda unit: [Replicate(unit)],
    "primitives/store_queue": lambda unit: [StoreQueue(unit)],
    "primitives/stream": lambda unit: [Stream(unit)],
}
"""The units of this file by their template."""
