"""The signals of a machine that is being built: each name once, constants and gates shared."""

from __future__ import annotations

from collections.abc import Iterable

from loom.dialects.operators.memories import address_bits
from loom.dialects.operators.operator import Operator, Shape
from loom.dialects.operators.partitions import Partition
from loom.netlist.fsmd.fsmd import (
    GO,
    Beyond,
    Choice,
    Constant,
    Gate,
    Operation,
    Part,
    PipelinedUnit,
    ReadPort,
    Register,
    Resized,
    Split,
    Wire,
    WritePort,
)
from loom.netlist.names import Names, module_name

RESERVED = frozenset(
    "awake awake_q busy_q clear clk_en_i control data ended run seam seam_next seam_reset "
    "unused_bits waiting waiting_next waiting_reset advance answered at_the_end go_on nothing_due "
    "not_reset".split()
)
"""What the module of a machine declares for itself: nets, and the names of its blocks."""
OF_PINS = (
    *("_i", "_o", "_inst", "_valid", "_ready", "_waits_q", "_answer", "_take", "_sent_q", "_due_q"),
    *("_refused", "_inside"),
)
"""Ends of other names there: of ports, instances, and nets between them."""


class Signals:
    """All that drives a signal so far."""

    def __init__(self) -> None:
        self.names = Names()
        self.width: dict[str, int] = {self.names.new(GO): 1}
        self.wires: list[Wire] = []
        self.registers: dict[str, Register] = {}
        self.units: list[PipelinedUnit] = []
        self.reads: list[ReadPort] = []
        self.writes: list[WritePort] = []
        self._constants: dict[tuple[int, int], str] = {}
        self._gates: dict[tuple[tuple[str, ...], ...], str] = {}
        self._splits: dict[tuple[str, Partition, Part], str] = {}

    def name(self, hint: str, width: int) -> str:
        """A new name like `hint` for a signal of `width` [bits]: no other of the module has it."""
        wanted = module_name(hint)
        if wanted in RESERVED or wanted.endswith(OF_PINS):
            wanted += "_"
        found = self.names.new(wanted)
        self.width[found] = width
        return found

    def constant(self, value: int, width: int) -> str:
        """The signal of a number."""
        key = value % (1 << width), width
        if key not in self._constants:
            name = self.name(f"CONSTANT_{key[0]}_OF_{width}", width)
            self._constants[key] = name
            self.wires.append(Constant(name, width, key[0]))
        return self._constants[key]

    def operation(
        self,
        hint: str,
        operator: Operator,
        shape: Shape,
        operands: tuple[str, ...],
        result: int = 0,
    ) -> str:
        """A result of a pure operator."""
        width = shape.outputs[result]
        name = self.name(hint, width)
        self.wires.append(Operation(name, width, operator, shape, operands, result))
        return name

    def unit(
        self,
        hint: str,
        operator: Operator,
        shape: Shape,
        operands: tuple[str, ...],
        result: int = 0,
    ) -> str:
        """A result of a pipelined operator."""
        width = shape.outputs[result]
        name = self.name(hint, width)
        self.units.append(PipelinedUnit(name, width, operator, shape, operands, result))
        return name

    def gate(self, hint: str, *terms: tuple[str, ...]) -> str:
        """One bit; a single signal is itself."""
        if len(terms) == 1 and len(terms[0]) == 1 and not terms[0][0].startswith("!"):
            return terms[0][0]
        if terms not in self._gates:
            name = self._gates[terms] = self.name(hint, 1)
            self.wires.append(Gate(name, terms))
        return self._gates[terms]

    def any_of(self, hint: str, signals: Iterable[str]) -> str:
        """One bit: one of the signals is 1."""
        return self.gate(hint, *[(each,) for each in dict.fromkeys(signals)])

    def choice(self, hint: str, cases: list[tuple[str, str]]) -> str:
        """The value of the case whose signal is 1."""
        if len({value for _, value in cases}) == 1:
            return cases[0][1]
        width = self.width[cases[0][1]]
        name = self.name(hint, width)
        self.wires.append(Choice(name, width, tuple(cases)))
        return name

    def resized(self, hint: str, source: str, width: int, *, is_signed: bool = False) -> str:
        """A signal as wide as is wanted."""
        if self.width[source] == width:
            return source
        name = self.name(hint, width)
        self.wires.append(Resized(name, width, source, self.width[source], is_signed))
        return name

    def beyond(self, hint: str, address: str, depth: int) -> str:
        """One bit: an address lies outside its memory."""
        name = self.name(hint, 1)
        self.wires.append(Beyond(name, address, self.width[address], depth))
        return name

    def split(self, hint: str, address: str, partition: Partition, part: Part) -> str:
        """The bank, or the place, of an address inside an array in banks."""
        count = partition.banks if part == "bank" else partition.places
        width = address_bits(count)
        if count == 1:
            return self.constant(0, width)
        key = address, partition, part
        if key not in self._splits:
            name = self._splits[key] = self.name(f"{hint}_{part}", width)
            self.wires.append(Split(name, width, address, partition, part))
        return self._splits[key]

    def register(self, hint: str, width: int, reset: int | None = None) -> str:
        """A register, whose updates come later."""
        name = self.name(f"{hint}_q", width)
        self.registers[name] = Register(name, width, (), reset)
        return name

    def update(self, register: str, when: str, value: str) -> None:
        """The register takes the value in cycles in which `when` is 1, unless earlier ones do."""
        old = self.registers[register]
        updates = (*old.updates, (when, value))
        self.registers[register] = Register(old.name, old.width, updates, old.reset)

    def stays(self, signal: str) -> bool:
        """Whether wires make a signal of constants and registers alone."""
        by_name = {each.name: each for each in self.wires}
        open_, seen = [signal], {signal}
        while open_:
            name = open_.pop()
            if name in by_name:
                sources = set(sources_of(by_name[name])) - seen
                seen |= sources
                open_ += sources
            elif name not in self.registers:
                return False
        return True

    def delayed(self, hint: str, signal: str, cycles: int = 1) -> str:
        """One bit, that many cycles later; 0 after reset."""
        for _ in range(cycles):
            later = self.register(hint, 1, 0)
            self.update(later, "", signal)
            signal = later
        return signal


def sort_wires(wires: Iterable[Wire]) -> tuple[Wire, ...]:
    """The wires, each after the wires that it reads; refused by an assertion: a cycle."""
    by_name = {each.name: each for each in wires}
    done: dict[str, Wire] = {}
    open_: set[str] = set()
    for first in by_name:
        stack = [(first, False)]
        while stack:
            name, is_ready = stack.pop()
            if name in done:
                continue
            if is_ready:
                open_.discard(name)
                done[name] = by_name[name]
                continue
            assert name not in open_, f"a combinational cycle through {name}"
            open_.add(name)
            stack.append((name, True))
            needs = [each for each in sources_of(by_name[name]) if each in by_name]
            stack += [(each, False) for each in needs if each not in done]
    return tuple(done.values())


def sources_of(wire: Wire) -> list[str]:
    """The signals that a wire reads."""
    match wire:
        case Constant():
            return []
        case Operation():
            return list(wire.operands)
        case Gate():
            return [signal.removeprefix("!") for term in wire.terms for signal in term]
        case Choice():
            return [signal for case in wire.cases for signal in case if signal]
        case Resized():
            return [wire.source]
        case Beyond() | Split():
            return [wire.address]
