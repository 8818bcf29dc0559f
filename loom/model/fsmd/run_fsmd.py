"""A machine cycle by cycle, as its SystemVerilog runs: wires, then registers, units and RAMs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from loom.dialects.operators.operator import Access
from loom.errors import LoomError, Place
from loom.model.bundles.activation import Words
from loom.netlist.fsmd.fsmd import (
    GO,
    Beyond,
    Choice,
    Constant,
    Fsmd,
    Gate,
    Operation,
    PipelinedUnit,
    ReadPort,
    Resized,
    Split,
    Wire,
    WritePort,
)

Values = dict[str, int]
"""The signals of a cycle, as unsigned bit patterns."""
Watch = Callable[[int, Values], None]
"""What looks at a cycle and its signals, and changes none."""
UNKNOWN = 0x5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A
"""What registers without a reset hold at first: a machine that reads one is seen to."""


@dataclass(frozen=True)
class MachineRun:
    """`cycles` are from the one with the start to the one with the end, both included."""

    cycles: int
    results: Mapping[str, int]
    is_outside: bool


class Steps:
    """A machine between two cycles; loads and stores are served from outside: a `StepMachine`.

    Of the wires, registers and units those are evaluated that read a signal which has changed.
    """

    def __init__(self, fsmd: Fsmd) -> None:
        self.fsmd = fsmd
        self.values: Values = {GO: 0}
        for register in fsmd.registers:
            unknown = UNKNOWN & ((1 << register.width) - 1)
            self.values[register.name] = unknown if register.reset is None else register.reset
        self.steps = [(wire.name, step_of(wire)) for wire in fsmd.wires]
        self.units = [UnitState(unit) for unit in fsmd.units]
        self.reads = [(port, deque[int]()) for port in fsmd.reads]
        for unit in self.units:
            self.values[unit.unit.name] = unit.queue[0]
        for port, queue in self.reads:
            queue.extend([UNKNOWN & ((1 << port.width) - 1)] * port.latency)
            self.values[port.name] = queue[0]
        self.wires_of: dict[str, list[int]] = {}
        self.registers_of: dict[str, list[int]] = {}
        for number, wire in enumerate(fsmd.wires):
            for signal in set(sources_of(wire)):
                self.wires_of.setdefault(signal, []).append(number)
        for number, register in enumerate(fsmd.registers):
            for signal in {signal for update in register.updates for signal in update}:
                self.registers_of.setdefault(signal, []).append(number)
        self.waiting = list(range(len(fsmd.wires)))  # a heap: wires stand behind their sources
        self.is_waiting = bytearray(b"\1" * len(fsmd.wires))
        self.changing = set(range(len(fsmd.registers)))

    def set(self, name: str, value: int) -> None:
        """The signal has this value; what reads it is evaluated anew."""
        if self.values.get(name) == value:
            return
        self.values[name] = value
        for number in self.wires_of.get(name, ()):
            if not self.is_waiting[number]:
                self.is_waiting[number] = 1
                heappush(self.waiting, number)
        self.changing.update(self.registers_of.get(name, ()))

    def begin(self, values: Sequence[int]) -> None:
        """The machine starts in the next cycle, with these values of its inputs."""
        for (name, width), value in zip(self.fsmd.inputs, values, strict=True):
            self.set(name, value & ((1 << width) - 1))
        self.set(GO, 1)

    def requests(self) -> tuple[Sequence[Access], Sequence[Access]]:
        """The signals are those of this cycle: the loads and the stores in it."""
        values = self.values
        while self.waiting:
            number = heappop(self.waiting)
            self.is_waiting[number] = 0
            name, step = self.steps[number]
            self.set(name, step(values))
        loads = [
            Access(place, values[port.address])
            for place, (port, _) in enumerate(self.reads)
            if values[port.enable]
        ]
        stores = [
            Access(place, values[port.address], values[port.data])
            for place, port in enumerate(self.fsmd.writes)
            if values[port.enable]
        ]
        return loads, stores

    @property
    def is_outside(self) -> bool:
        """Whether an access of this cycle lies outside its array."""
        return bool(self.fsmd.error and self.values[self.fsmd.error])

    @property
    def results(self) -> Sequence[int]:
        """What the schedule gives, in its last cycle."""
        return [self.values[signal] for _, signal in self.fsmd.results]

    @property
    def ends(self) -> bool:
        """Whether this cycle is the last one."""
        return bool(self.values[self.fsmd.finish])

    def arrive(self, port: int, word: int) -> None:
        """The word that was loaded at a port is there in this cycle."""
        self.set(self.reads[port][0].name, word)

    def advance(self, words: Sequence[tuple[int, int]]) -> bool:
        """A cycle further, with what was loaded by port; true if it was the last one."""
        values = self.values
        ends = self.ends
        later: list[tuple[str, int]] = [(GO, 0)]
        for number in self.changing:
            register = self.fsmd.registers[number]
            taken = next((v for when, v in register.updates if not when or values[when]), None)
            if taken is not None:
                later.append((register.name, values[taken]))
        self.changing.clear()
        later.extend((unit.unit.name, unit.advance(values)) for unit in self.units)
        loaded = dict(words)
        for place, (port, queue) in enumerate(self.reads):
            queue.append(loaded.get(place, queue[-1]))
            queue.popleft()
            later.append((port.name, queue[0]))
        for name, value in later:
            self.set(name, value)
        return ends


class UnitState:
    """A pipelined unit with what is in it; equal operands give the result that they gave."""

    def __init__(self, unit: PipelinedUnit) -> None:
        self.unit, self.function = unit, unit_function(unit)
        self.queue = deque([UNKNOWN & ((1 << unit.width) - 1)] * unit.latency)
        self.operands: list[int] | None = None
        self.result = 0

    def advance(self, values: Values) -> int:
        """A cycle further: what the unit gives in it."""
        operands = [values[name] for name in self.unit.operands]
        if operands != self.operands:
            self.operands, self.result = operands, self.function(*operands)
        self.queue.append(self.result)
        self.queue.popleft()
        return self.queue[0]


class UnderWay:
    """The accesses behind channels that have no response yet.

    Loads and stores under way together may find each other or not, so they touch no one element.
    Where a machine lets them, what it loads or stores is made wrong.
    """

    def __init__(self, fsmd: Fsmd) -> None:
        self.fsmd = fsmd
        memories = {port.memory for port in fsmd.writes if port.latency}
        self.loads = {name: deque[tuple[int, int]]() for name in memories}
        self.stores = {name: deque[tuple[int, int]]() for name in memories}

    def load(self, cycle: int, port: ReadPort, address: int, word: int) -> int:
        """What a load finds, and finds wrong if a store to its address is under way."""
        if port.memory not in self.loads:
            return word
        self.loads[port.memory].append((cycle + port.latency, address))
        return word ^ self.wrong(self.stores[port.memory], cycle, address, port.width)

    def store(self, cycle: int, port: WritePort, address: int, datum: int) -> int:
        """What a store leaves, a wrong datum if a load of its address is under way."""
        if port.memory not in self.stores:
            return datum
        self.stores[port.memory].append((cycle + port.latency, address))
        return datum ^ self.wrong(self.loads[port.memory], cycle, address, 1)

    @staticmethod
    def wrong(others: deque[tuple[int, int]], cycle: int, address: int, width: int) -> int:
        """The bits that are wrong: none without an access of the address under way."""
        while others and others[0][0] <= cycle:
            others.popleft()
        return wrong_bits(width) if any(address == other for _, other in others) else 0


def wrong_bits(width: int) -> int:
    """Bits of a word that are wrong: one at least."""
    return UNKNOWN & ((1 << width) - 1) | 1


class Machine:
    """A machine between its activations; `words` are its memories, which it changes."""

    def __init__(self, fsmd: Fsmd, words: Mapping[str, Words]) -> None:
        self.fsmd, self.words, self.steps = fsmd, words, Steps(fsmd)

    def run(self, inputs: Mapping[str, int], most: int, watch: Watch | None = None) -> MachineRun:
        """One activation; `watch` sees the cycles, from 1, and the signals of each.

        Refused: one that takes more than `most` [cycles] (MODEL_LIMIT).
        """
        fsmd, steps, is_outside = self.fsmd, self.steps, False
        under_way = UnderWay(fsmd)
        reads = [self.words[port.memory] for port in fsmd.reads]
        writes = [self.words[port.memory] for port in fsmd.writes]
        steps.begin([inputs[name] for name, _ in fsmd.inputs])
        for cycle in range(1, most + 1):
            loads, stores = steps.requests()
            if watch is not None:
                watch(cycle, steps.values)
            is_outside |= steps.is_outside
            results = dict(zip((port for port, _ in fsmd.results), steps.results, strict=True))
            words = [
                (port, under_way.load(cycle, fsmd.reads[port], address, reads[port][address]))
                for port, address, _ in loads
                if address < len(reads[port])
            ]
            stored = {(fsmd.writes[port].memory, address) for port, address, _ in stores}
            wrong = {  # a RAM may give anything
                port: wrong_bits(fsmd.reads[port].width)
                for port, address, _ in loads
                if (fsmd.reads[port].memory, address) in stored
            }
            words = [(port, word ^ wrong.get(port, 0)) for port, word in words]
            for port, address, datum in stores:
                writes[port][address] = under_way.store(cycle, fsmd.writes[port], address, datum)
            if steps.advance(words):
                return MachineRun(cycle, results, is_outside)
        raise LoomError(
            "MODEL_LIMIT",
            Place("<machine>"),
            f"an activation that runs after {most} cycles",
            "activations that end; a larger --max-cycles for long runs",
        )


def unit_function(unit: PipelinedUnit) -> Callable[..., int]:
    """What a pipelined unit computes."""
    return single(unit.operator.semantics.function(unit.shape), unit.result)


def single(function: Callable[..., int | tuple[int, ...]], place: int) -> Callable[..., int]:
    """One result of a function that has one or several."""

    def call(*operands: int) -> int:
        result = function(*operands)
        return result[place] if isinstance(result, tuple) else result

    return call


def sources_of(wire: Wire) -> Iterator[str]:
    """The signals that a wire is made of."""
    match wire:
        case Operation():
            yield from wire.operands
        case Gate():
            yield from (each.removeprefix("!") for term in wire.terms for each in term)
        case Choice():
            yield from (signal for case in wire.cases for signal in case if signal)
        case Resized():
            yield wire.source
        case Beyond() | Split():
            yield wire.address


def step_of(wire: Wire) -> Callable[[Values], int]:
    """What gives the value of a wire."""
    match wire:
        case Constant():
            constant = wire.value
            return lambda values: constant
        case Operation():
            function = single(wire.operator.semantics.function(wire.shape), wire.result)
            operands = wire.operands
            return lambda values: function(*[values[each] for each in operands])
        case Gate():
            terms = [
                [(each.removeprefix("!"), int(not each.startswith("!"))) for each in term]
                for term in wire.terms
            ]
            return lambda values: int(
                any(all(values[each] == wanted for each, wanted in term) for term in terms)
            )
        case Choice():
            cases = wire.cases
            return lambda values: next(
                (values[value] for when, value in cases if not when or values[when]),
                values[cases[-1][1]],
            )
        case Resized():
            resize = resize_function(wire)
            source = wire.source
            return lambda values: resize(values[source])
        case Beyond():
            address, depth = wire.address, wire.depth
            return lambda values: int(values[address] >= depth)
        case Split():
            split, number = wire.partition.split, int(wire.part == "place")
            address, mask = wire.address, (1 << wire.width) - 1
            return lambda values: split(values[address])[number] & mask


def resize_function(wire: Resized) -> Callable[[int], int]:
    """From a bit pattern to a shorter or longer one."""
    mask, sign = (1 << wire.width) - 1, 1 << (wire.source_width - 1)
    if wire.is_signed:
        return lambda value: ((value ^ sign) - sign) & mask
    return lambda value: value & mask
