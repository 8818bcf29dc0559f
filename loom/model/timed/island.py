"""A static loop in the timed model: its machine, and the channels around it."""

from __future__ import annotations

from collections import deque

from loom.dialects.operators.island_operator import OUT_OF_RANGE, ports_of_island
from loom.dialects.operators.memories import DONE_LATENCY
from loom.model.fsmd.run_fsmd import Steps
from loom.model.timed.wire import Build, Instance, Node
from loom.netlist.fsmd.island import machine_of


class Island(Node):
    """It starts when all that it reads is offered, which it takes in its last cycle.

    What it gives is offered from the next cycle on, until it is taken; the next start comes then.
    Requests are accepted in their cycle, and answers are taken when they come.
    """

    cuts_ready = True

    def __init__(self, unit: Instance) -> None:
        super().__init__(unit.inputs, unit.outputs)
        ports = ports_of_island(unit.shape)
        first, loads, last = 1 + ports.values, len(ports.latencies), 1 + ports.results
        self.given, self.answers = unit.inputs[:first], unit.inputs[first:]
        self.words = self.answers[:loads]
        self.results, requests = unit.outputs[:last], unit.outputs[last:]
        self.addresses, self.stored = requests[:loads], requests[loads:]
        self.report = unit.report
        self.steps = Steps(machine_of(unit.shape))
        self.runs = self.ends = False
        self.waits = [False] * last
        self.tokens: list[int] = [0] * last
        latencies = (*ports.latencies, *[DONE_LATENCY] * ports.stores)
        self.expected = [deque([False] * latency) for latency in latencies]
        """Of each answer, in which of the next cycles one comes."""

    def offer(self) -> None:
        """The requests of this cycle, and after the last one what the schedule gives."""
        if not self.runs and not any(self.waits) and all(wire.valid for wire in self.given):
            self.runs = True
            self.steps.begin([wire.data for wire in self.given[1:]])
        loads: dict[int, int] = {}
        stores: dict[int, tuple[int, int]] = {}
        self.ends = False
        if self.runs:
            for port, wire in enumerate(self.words):
                if wire.valid:
                    self.steps.arrive(port, wire.data)
            loaded, written = self.steps.requests()
            loads = {port: address for port, address, _ in loaded}
            stores = {port: (address, data) for port, address, data in written}
            if self.steps.is_outside:
                self.report(OUT_OF_RANGE)
            self.ends = self.steps.ends
            if self.ends:
                self.tokens = [0, *self.steps.results]
        for port, wire in enumerate(self.addresses):
            wire.offer(port in loads, loads.get(port, 0))
        for port, (data, address) in enumerate(zip(*[iter(self.stored)] * 2, strict=True)):
            where, datum = stores.get(port, (0, 0))
            data.offer(port in stores, datum)
            address.offer(port in stores, where)
        for wire, token, waits in zip(self.results, self.tokens, self.waits, strict=True):
            wire.offer(waits, token)

    def accept(self) -> None:
        """What is read in the last cycle, answers at any time."""
        for wire in self.given:
            wire.answer(self.ends)
        for wire in self.answers:
            wire.answer(True)

    def step(self) -> bool:
        """A cycle further."""
        ran, waited = self.runs, any(self.waits)
        requests = (*self.addresses, *self.stored)
        assert all(wire.ready for wire in requests if wire.valid), "no other access is under way"
        requested = [wire.valid for wire in (*self.addresses, *self.stored[1::2])]
        for wire, now, expected in zip(self.answers, requested, self.expected, strict=True):
            assert wire.valid == expected.popleft(), "an answer comes in its cycle"
            expected.append(now)
        if self.runs:
            self.runs = not self.steps.advance(())
        left = (wire.valid and not wire.ready for wire in self.results)
        self.waits = [self.ends or waits for waits in left]
        return ran or waited or any(map(any, self.expected))


NODES: dict[str, Build] = {"static/machine": lambda unit: [Island(unit)]}
"""The unit of this file by its template."""
