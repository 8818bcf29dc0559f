"""A finite state machine with datapath, register by register: what its SystemVerilog says.

It starts in the cycle in which the signal `GO` is 1, and gives its results from the cycle in which
`finish` is 1 until the next start. Signals are referred to by name, and each has one driver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from loom.dialects.operators.operator import Operator, Shape
from loom.dialects.operators.partitions import Partition
from loom.errors import Place

Part = Literal["bank", "place"]
GO = "go"
"""The signal that starts the machine, for one cycle."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A number of `width` [bits], as an unsigned bit pattern."""

    name: str
    width: int
    value: int


@dataclass(frozen=True, slots=True)
class Operation:
    """A pure operator without a register; operands in the order of its ports.

    Of an operator with several results it is the one of number `result`.
    """

    name: str
    width: int
    operator: Operator
    shape: Shape
    operands: tuple[str, ...]
    result: int = 0


@dataclass(frozen=True, slots=True)
class Gate:
    """One bit: 1 if in one of the `terms` all signals are 1, those behind a ``!`` 0."""

    name: str
    terms: tuple[tuple[str, ...], ...]
    width: int = 1


@dataclass(frozen=True, slots=True)
class Choice:
    """The value of the first case whose signal is 1, of the last one if none is."""

    name: str
    width: int
    cases: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Resized:
    """The low bits of a signal, or the signal with zeros or copies of its sign in front."""

    name: str
    width: int
    source: str
    source_width: int
    is_signed: bool = False


@dataclass(frozen=True, slots=True)
class Beyond:
    """One bit: 1 if the address, of `address_width` [bits] unsigned, is `depth` or more."""

    name: str
    address: str
    address_width: int
    depth: int
    width: int = 1


@dataclass(frozen=True, slots=True)
class Split:
    """A part of an address inside an array in banks: its bank, or its place there.

    The address has the bits that number the elements of the array.
    """

    name: str
    width: int
    address: str
    partition: Partition
    part: Part


Wire = Constant | Operation | Gate | Choice | Resized | Beyond | Split


@dataclass(frozen=True, slots=True)
class Register:
    """At the end of a cycle it takes the value of the first update whose signal is 1.

    An empty signal is always 1. `reset` is its value after reset; None: it has none.
    """

    name: str
    width: int
    updates: tuple[tuple[str, str], ...]
    reset: int | None = None


@dataclass(frozen=True, slots=True)
class PipelinedUnit:
    """A pure operator of some latency that takes operands in every cycle.

    `name` is its result, or that of number `result`.
    """

    name: str
    width: int
    operator: Operator
    shape: Shape
    operands: tuple[str, ...]
    result: int = 0

    @property
    def latency(self) -> int:
        """From operands to the result [cycles]."""
        return self.operator.hardware.latency_of(self.shape)


@dataclass(frozen=True, slots=True)
class ReadPort:
    """In a cycle with `enable` the RAM reads; `latency` cycles later `name` is the word.

    A memory may have several.
    """

    name: str
    width: int
    memory: str
    enable: str
    address: str
    latency: int = 1


@dataclass(frozen=True, slots=True)
class WritePort:
    """In a cycle with `enable` the RAM writes; what a read of the word gives then is open.

    Behind a channel the response comes `latency` cycles later; 0: there is none.
    """

    memory: str
    enable: str
    address: str
    data: str
    latency: int = 0


@dataclass(frozen=True, slots=True)
class Span:
    """A step in the machine: it runs from a cycle with `start` to the next one with `end`.

    `issue` is 1 in a cycle in which an iteration of a pipeline issues; empty of other steps.
    `depth` is the number of loops and branches around it.
    """

    kind: Literal["pipeline", "loop", "branch", "stages"]
    place: Place
    depth: int
    start: str
    end: str
    issue: str = ""


@dataclass(frozen=True)
class Fsmd:
    """The machine: `inputs` and `results` are values by port, `finish` and `error` signals.

    `wires` come in an order in which each is after those that it reads, where it reads a wire.
    `error` is 1 in a cycle in which an access lies outside its memory; empty: none can.
    """

    inputs: tuple[tuple[str, int], ...]
    results: tuple[tuple[str, str], ...]
    wires: tuple[Wire, ...]
    registers: tuple[Register, ...]
    units: tuple[PipelinedUnit, ...]
    reads: tuple[ReadPort, ...]
    writes: tuple[WritePort, ...]
    finish: str
    error: str = ""
    spans: tuple[Span, ...] = ()
    """The steps, each after the one that it is in, in the order of the text."""

    @property
    def memories(self) -> tuple[str, ...]:
        """The memories that are accessed, each once."""
        read = (port.memory for port in self.reads)
        return tuple(dict.fromkeys([*read, *(port.memory for port in self.writes)]))
