"""A static loop in the timed model: its machine, and the channels around it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from loom.dialects.operators.island_operator import OUT_OF_RANGE, ports_of_island
from loom.model.fsmd.run_fsmd import Steps
from loom.model.timed.wire import Build, Instance, Node, Wire
from loom.netlist.fsmd.island import machine_of


class Results(Node):
    """What a static loop gives is offered from registers until it is taken.

    It depends on nothing of the same cycle, so several static loops may stand in one loop around.
    """

    holds = cuts_ready = True

    def __init__(self, outputs: Sequence[Wire]) -> None:
        super().__init__((), outputs)
        self.waits = [False] * len(outputs)
        self.tokens: list[int] = [0] * len(outputs)

    def offer(self) -> None:
        """What has not been taken yet."""
        for wire, token, waits in zip(self.outputs, self.tokens, self.waits, strict=True):
            wire.offer(waits, token)

    def step_after(self, given: Sequence[int] | None) -> None:
        """A cycle further, in whose last part the schedule gave these, or nothing."""
        left = [wire.valid and not wire.ready for wire in self.outputs]
        self.waits = left if given is None else [True] * len(left)
        self.tokens = self.tokens if given is None else [0, *given]
        self.stale = True


class Island(Node):
    """It starts when all that it reads is offered, which it takes in its last cycle.

    What it gives is offered from the next cycle on, until it is taken; the next start comes then.
    Requests are accepted in their cycle. An answer of a RAM is taken when it comes, one of an array
    behind channels when it is due: it has come by then, since the memories of this model answer
    after the latency that the schedule is for, or earlier.
    """

    cuts_ready = True

    def __init__(self, unit: Instance) -> None:
        ports = ports_of_island(unit.shape)
        last = 1 + ports.results
        super().__init__(unit.inputs, unit.outputs[last:])
        self.results = Results(unit.outputs[:last])
        first, loads = 1 + ports.values, len(ports.latencies)
        self.given, self.answers = unit.inputs[:first], unit.inputs[first:]
        self.words = self.answers[:loads]
        self.addresses, self.stored = self.outputs[:loads], self.outputs[loads:]
        self.report = unit.report
        self.steps = Steps(machine_of(unit.shape))
        self.runs = self.ends = False
        self.expected = [deque([False] * latency) for latency in ports.answer_latencies]
        """Of each answer, in which of the next cycles one is due."""
        waiting = dict(ports.channels)
        self.waits = [name in waiting for name in ports.accesses]
        """Of each answer, whether it may come earlier."""

    def offer(self) -> None:
        """The requests of this cycle."""
        if not self.runs and not any(self.results.waits) and all(wire.valid for wire in self.given):
            self.runs = True
            self.steps.begin([wire.data for wire in self.given[1:]])
        loads: dict[int, int] = {}
        stores: dict[int, tuple[int, int]] = {}
        self.ends = False
        if self.runs:
            for port, wire in enumerate(self.words):
                if wire.valid and self.expected[port][0]:
                    self.steps.arrive(port, wire.data)
            loaded, written = self.steps.requests()
            loads = {port: address for port, address, _ in loaded}
            stores = {port: (address, data) for port, address, data in written}
            if self.steps.is_outside:
                self.report(OUT_OF_RANGE)
            self.ends = self.steps.ends
        for port, wire in enumerate(self.addresses):
            wire.offer(port in loads, loads.get(port, 0))
        for port, (data, address) in enumerate(zip(*[iter(self.stored)] * 2, strict=True)):
            where, datum = stores.get(port, (0, 0))
            data.offer(port in stores, datum)
            address.offer(port in stores, where)

    def accept(self) -> None:
        """What is read in the last cycle, answers of RAMs at any time, others when they are due."""
        for wire in self.given:
            wire.answer(self.ends)
        for wire, expected, waits in zip(self.answers, self.expected, self.waits, strict=True):
            wire.answer(expected[0] or not waits)

    def step(self) -> bool:
        """A cycle further."""
        ran, waited = self.runs, any(self.results.waits)
        requests = (*self.addresses, *self.stored)
        assert all(wire.ready for wire in requests if wire.valid), "no other access is under way"
        requested = [wire.valid for wire in (*self.addresses, *self.stored[1::2])]
        ports = zip(self.answers, requested, self.expected, self.waits, strict=True)
        for wire, now, expected, waits in ports:
            due = expected.popleft()
            assert wire.valid == due or (waits and wire.valid), "an answer comes in its cycle"
            expected.append(now)
        self.results.step_after(self.steps.results if self.ends else None)
        if self.runs:
            self.runs = not self.steps.advance(())
        return ran or waited or any(map(any, self.expected))


def nodes_of(island: Island) -> Sequence[Node]:
    """The schedule with its requests, and its results."""
    return [island, island.results]


NODES: dict[str, Build] = {"static/machine": lambda unit: nodes_of(Island(unit))}
"""The unit of this file by its template."""
