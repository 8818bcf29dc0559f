"""A register keeps its value where it would take that: in `q + (c ? y : 0)` where c is 0.

The condition then enables the register, beside the operation instead of in front of it. In
`if (x < limit) count++` the path is the longer of comparison and sum, not one after the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from loom.netlist.fsmd.fsmd import (
    Constant,
    Fsmd,
    Gate,
    Operation,
    Register,
    Resized,
    Wire,
)
from loom.netlist.fsmd.signals import sort_wires, sources_of

COMMUTATIVE = frozenset({"arith.addi", "arith.ori", "arith.xori"})
"""Operators to which zero is neutral on either side."""
NEUTRAL_AT_RIGHT = frozenset({"arith.subi", "arith.shli", "arith.shrui", "arith.shrsi"})
"""Operators to which zero is neutral as the second operand."""


def enable_registers(fsmd: Fsmd, name: Callable[[str, int], str]) -> Fsmd:
    """The machine with such conditions as enables; `name` gives a signal of a width [bits] a name.

    A select, or a sum, that something else reads stays as it is.
    """
    machine = _Machine(fsmd, name)
    registers = tuple(map(machine.enabled, fsmd.registers))
    return replace(fsmd, wires=sort_wires(machine.wires.values()), registers=registers)


class _Machine:
    """The wires of a machine, and how often each signal is read."""

    def __init__(self, fsmd: Fsmd, name: Callable[[str, int], str]) -> None:
        self.name = name
        self.wires: dict[str, Wire] = {wire.name: wire for wire in fsmd.wires}
        self.reads = Counter(signals_read(fsmd))

    def enabled(self, register: Register) -> Register:
        """The register, whose last update may have one more condition."""
        if not register.updates:
            return register
        when, value = register.updates[-1]
        operation = self.only_read(value)
        if not isinstance(operation, Operation):
            return register
        place = place_of_neutral(operation, register.name)
        if place is None:
            return register
        # The casts between the select and the operation leave a zero what it is.
        casts: list[Resized] = []
        source = operation.operands[place]
        while isinstance(cast := self.only_read(source), Resized):
            casts.append(cast)
            source = cast.source
        found = self.condition_of(source, casts)
        if found is None:
            return register
        condition, kept = found
        operands = (*operation.operands[:place], kept, *operation.operands[place + 1 :])
        self.wires[value] = replace(operation, operands=operands)
        term = tuple(each for each in (when, condition) if each)
        enable = self.name(f"{register.name.removesuffix('_q')}_enable", 1)
        self.wires[enable] = Gate(enable, (term,))
        return replace(register, updates=(*register.updates[:-1], (enable, value)))

    def condition_of(self, source: str, casts: Sequence[Resized]) -> tuple[str, str] | None:
        """When the casts of a signal are not zero, and what they are then; None: always, perhaps.

        The signal is a select, or the condition itself as 0 or 1; what made it zero is gone.
        """
        select = self.only_read(source)
        if isinstance(select, Operation) and select.operator.name == "arith.select":
            condition, *sides = select.operands
            zeros = [self.is_zero(side) for side in sides]
            if any(zeros):
                del self.wires[source]
                kept = self.cast(sides[zeros[0]], select.width, casts)
                return (f"!{condition}" if zeros[0] else condition), kept
        if casts and casts[-1].source_width == 1 and not casts[-1].is_signed:
            for cast in casts:
                del self.wires[cast.name]
            return source, self.constant(1, casts[0].width)
        return None

    def cast(self, name: str, width: int, casts: Sequence[Resized]) -> str:
        """The signal as the casts make it of one of `width` [bits], the last one first."""
        wire = self.wires.get(name)
        if not isinstance(wire, Constant):
            if casts:
                self.wires[casts[-1].name] = replace(casts[-1], source=name)
            return casts[0].name if casts else name
        pattern = wire.value
        for cast in reversed(casts):
            del self.wires[cast.name]
            if cast.is_signed and pattern >> (cast.source_width - 1):
                pattern -= 1 << cast.source_width
            pattern, width = pattern % (1 << cast.width), cast.width
        return self.constant(pattern, width)

    def constant(self, pattern: int, width: int) -> str:
        """The signal of a number."""
        for wire in self.wires.values():
            if isinstance(wire, Constant) and (wire.value, wire.width) == (pattern, width):
                return wire.name
        name = self.name(f"CONSTANT_{pattern}_OF_{width}", width)
        self.wires[name] = Constant(name, width, pattern)
        return name

    def only_read(self, name: str) -> Wire | None:
        """The wire of a signal that is read once; None of others."""
        return self.wires.get(name) if self.reads[name] == 1 else None

    def is_zero(self, name: str) -> bool:
        """Whether a signal is the number 0."""
        wire = self.wires.get(name)
        return isinstance(wire, Constant) and wire.value == 0


def place_of_neutral(operation: Operation, register: str) -> int | None:
    """The operand that, if it is zero, makes the operation the register's value."""
    operator, operands = operation.operator.name, operation.operands
    if operator in COMMUTATIVE | NEUTRAL_AT_RIGHT and operands[0] == register:
        return 1
    return 0 if operator in COMMUTATIVE and operands[1] == register else None


def signals_read(fsmd: Fsmd) -> Iterator[str]:
    """Every signal that something reads, as often as it is read."""
    for wire in fsmd.wires:
        yield from sources_of(wire)
    for register in fsmd.registers:
        yield from (each for update in register.updates for each in update)
    for unit in fsmd.units:
        yield from unit.operands
    for read in fsmd.reads:
        yield from (read.enable, read.address)
    for write in fsmd.writes:
        yield from (write.enable, write.address, write.data)
    for span in fsmd.spans:
        yield from (span.start, span.end, span.issue)
    yield from (signal for _, signal in fsmd.results)
    yield from (fsmd.finish, fsmd.error)
