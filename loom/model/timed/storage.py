"""Units of the timed model that keep tokens from cycle to cycle: buffers, pipelines."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from loom.model.timed.routing import Function
from loom.model.timed.wire import Build, Eager, Instance, Node, Wire


class Buffer(Node):
    """Up to `slots` tokens in order; a fifo passes a token at once when it is empty.

    A stage takes a token in the cycle in which it gives its own.
    """

    def __init__(self, unit: Instance) -> None:
        super().__init__(unit.inputs, unit.outputs)
        self.slots = unit.shape.integer("slots")
        kind = unit.shape.text("kind")
        self.holds = kind != "fifo"
        self.cuts_ready = kind != "stage"
        initial = unit.shape.attributes.get("initial", ())
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
        """One more, where there is a slot, or in a stage will be one."""
        room = len(self.words) < self.slots
        self.inputs[0].answer(room or (not self.cuts_ready and self.outputs[0].ready))

    def step(self) -> bool:
        """One in, one out."""
        into, out = self.inputs[0].moves, self.outputs[0].moves
        if into:
            self.words.append(self.inputs[0].data)
        if out:
            self.words.popleft()
        self.most = max(self.most, len(self.words))
        return into or out


class Line(Buffer):
    """The registers of a stage, which move together unless the last one's token is refused."""

    def __init__(self, unit: Instance) -> None:
        super().__init__(unit)
        self.registers: deque[int | None] = deque([None] * self.slots)

    def offer(self) -> None:
        """What stands in the last register."""
        last = self.registers[-1]
        self.outputs[0].offer(last is not None, last or 0)

    def accept(self) -> None:
        """Whenever the registers move."""
        self.inputs[0].answer(self.registers[-1] is None or self.outputs[0].ready)

    def step(self) -> bool:
        """All a register further."""
        if not self.inputs[0].ready:
            return False
        before = self.registers.pop()
        self.registers.appendleft(self.inputs[0].data if self.inputs[0].valid else None)
        held = sum(each is not None for each in self.registers)
        self.most = max(self.most, held)
        return before is not None or held > 0


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


def build_buffer(unit: Instance) -> list[Node]:
    """The node of a buffer."""
    is_line = unit.shape.text("kind") == "stage" and unit.shape.integer("slots") > 1
    return [Line(unit) if is_line else Buffer(unit)]


NODES: dict[str, Build] = {"primitives/buffer": build_buffer}
"""The units of this file by their template."""
