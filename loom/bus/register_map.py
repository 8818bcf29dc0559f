"""The register map of a circuit behind a bus: one object behind RTL, header, driver and SystemRDL.

Registers are 32 bits wide. The first four are those that drivers of HLS circuits know; scalar
arguments follow from 0x10, then results, the cycle counter, the error code and the build. Arrays
have windows behind the registers, each aligned to its own size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from loom.bus.buses import BUSES, port_of
from loom.bus.masters import Master, clashes, find_masters
from loom.bus.streams import Stream, Streams, find_streams
from loom.dialects.operators.runtime_errors import RUNTIME_ERRORS
from loom.emit.ports import ChannelMemoryPort, ChannelPorts, MemoryPort, Ports
from loom.errors import LoomError, Place, raise_all
from loom.netlist.banks import banks_outside
from loom.netlist.netlist import Netlist

Kind = Literal["control", "global", "enable", "status", "argument", "base", "result", "valid",
               "cycles", "error", "build"]  # fmt: skip
WORD = 4
"""Bytes of a register."""
MOST_WIDTH = 64
"""Of an argument, a result or an element [bits]."""
MOST_ADDRESS = 32
"""Of an address [bits]."""
CONTROL_BITS = (
    ("start", 0, "rw", "write 1: start; 1 until the activation began"),
    ("done", 1, "r", "an activation ended; cleared by a read"),
    ("idle", 2, "r", "no activation runs or waits"),
    ("ready", 3, "r", "all arguments of an activation were taken; cleared by a read"),
    ("auto_restart", 7, "rw", "start again after each end"),
    ("interrupt", 9, "r", "the interrupt line"),
)
"""Of the control register: name, bit, access, meaning."""
EVENT_BITS = (
    ("done", 0, "an activation ended"),
    ("ready", 1, "all arguments of an activation were taken"),
)
"""Of the interrupt enable and status registers."""


@dataclass(frozen=True, slots=True)
class Register:
    """A register at a byte `offset`; of 33 to 64 bits it has two words, the low one first.

    `of` is the channel of an argument or result, or the array of a base address; `signed` is None
    where nothing says so. The `low` lowest bits are 0.
    """

    name: str
    kind: Kind
    offset: int
    width: int
    access: Literal["r", "rw"]
    text: str
    of: str = ""
    type: str = ""
    signed: bool | None = None
    valid_word: int = 0
    low: int = 0

    @property
    def word(self) -> int:
        """Its first word."""
        return self.offset // WORD

    @property
    def words(self) -> int:
        """Its words."""
        return -(-self.width // 32)

    @property
    def c_name(self) -> str:
        """Its name in macros."""
        return self.name.upper()


@dataclass(frozen=True, slots=True)
class Window:
    """A memory at a byte `offset`, in a window of 2**`bits` bytes: an element a word, or two words.

    `shift` is the logarithm of the bytes from element to element, `lanes` the bytes that the RAM
    keeps of each. `elements` are those of the array, None for a place without one; `first` and
    `step` as in the ports.
    """

    name: str
    array: str
    offset: int
    bits: int
    shift: int
    words: int
    width: int
    address_width: int
    read: bool
    written: bool
    type: str
    signed: bool | None
    elements: Sequence[int | None]
    first: int | None
    step: int | None

    @property
    def lanes(self) -> int:
        """Bytes of an element in the RAM."""
        return -(-self.width // 8)

    @property
    def stride(self) -> int:
        """From element to element [bytes]."""
        return 1 << self.shift

    @property
    def positions(self) -> str:
        """The elements that it holds, as an expression in Python."""
        held = [at for at in self.elements if at is not None]
        if self.first is None or self.step is None:
            return str(list(self.elements))
        return f"range({self.first}, {self.first + self.step * len(held)}, {self.step})"

    @property
    def text(self) -> str:
        """What it is, in words."""
        verbs = {(True, True): "read and written", (True, False): "read", (False, True): "written"}
        use = verbs.get((self.read, self.written), "not used")
        return (
            f"{self.words} elements of {self.width} bits, one every {self.stride} bytes; {use} by "
            "the circuit; by the bus while idle"
        )

    def padded(self, net: str) -> str:
        """The element `net` with as many bits as the RAM keeps."""
        missing = self.lanes * 8 - self.width
        return f"{{{missing}'d0, {net}}}" if missing else net


@dataclass(frozen=True)
class RegisterMap:
    """All registers and windows of a circuit; `build` is the hash of the emitted texts."""

    kernel: str
    bus: str
    inputs: tuple[ChannelPorts, ...]
    outputs: tuple[ChannelPorts, ...]
    registers: tuple[Register, ...]
    windows: tuple[Window, ...]
    masters: tuple[Master, ...]
    streams: tuple[Stream, ...]
    address_width: int
    build: int = 0

    @property
    def module(self) -> str:
        """The name of the wrapper."""
        return f"{self.kernel}_{self.bus}"

    @property
    def bus_title(self) -> str:
        """What the bus is called."""
        return BUSES[self.bus]

    @property
    def port(self) -> str:
        """The name of the module between the bus and the registers."""
        return f"loom_{port_of(self.bus)}_port"

    @property
    def errors_by_number(self) -> list[tuple[int, str]]:
        """The codes of run-time errors."""
        return [(k, code) for k, code in enumerate(RUNTIME_ERRORS) if code]

    @property
    def arrays(self) -> list[tuple[str, list[Window]]]:
        """The arrays and their windows."""
        found: dict[str, list[Window]] = {}
        for window in self.windows:
            found.setdefault(window.array, []).append(window)
        return list(found.items())

    @property
    def registers_module(self) -> str:
        """The name of the module of the registers."""
        return f"{self.module}_registers"

    def of_kind(self, kind: Kind) -> list[Register]:
        """The registers of a kind, in order."""
        return [register for register in self.registers if register.kind == kind]

    @property
    def arguments(self) -> list[Register]:
        """The registers of scalar arguments."""
        return self.of_kind("argument")

    @property
    def bases(self) -> list[Register]:
        """The registers of base addresses."""
        return self.of_kind("base")

    @property
    def results(self) -> list[Register]:
        """The registers of results."""
        return self.of_kind("result")

    @property
    def error_word(self) -> int:
        """The word of the error code."""
        (error,) = self.of_kind("error")
        return error.word

    @property
    def words(self) -> list[int]:
        """The words that are registers."""
        return [r.word + k for r in self.registers for k in range(r.words)]

    @property
    def register_bytes(self) -> int:
        """The bytes of the registers."""
        return WORD * (max(self.words) + 1)

    @property
    def register_bits(self) -> int:
        """Bits of an address of a register [bits]."""
        return bits_of(self.register_bytes)

    @property
    def size(self) -> int:
        """The bytes of the whole map."""
        return max([self.register_bytes, *(w.offset + (1 << w.bits) for w in self.windows)])

    @property
    def control_bits(self) -> tuple[tuple[str, int, str, str], ...]:
        """The fields of the control register."""
        return CONTROL_BITS

    @property
    def event_bits(self) -> tuple[tuple[str, int, str], ...]:
        """The fields of the interrupt enable and status registers."""
        return EVENT_BITS

    # Terms of the answer to an access, which the template joins.

    @property
    def known(self) -> list[str]:
        """When an address is one of the map."""
        terms = [f"in_{w.name}" for w in self.windows]
        inside = ["at_registers"] if self.address_width > self.register_bits else []
        bits = self.register_bits - 2
        if len(self.words) < 1 << bits:  # they follow each other
            address = f"access_address_i[{self.register_bits - 1}:2]"
            inside.append(f"({address} <= {bits}'d{len(self.words) - 1})")
        return [f"({' & '.join(inside)})" if inside else "1'b1", *terms]

    @property
    def waiting(self) -> list[str]:
        """When a write is done: unless the circuit has the port of the array."""
        found = [f"~({w.name}_open & k_{w.name}_wr_en_i)" for w in self.windows if w.written]
        return found or ["1'b1"]

    @property
    def errors(self) -> list[str]:
        """When an access is answered with an error."""
        return ["~known", *(
            f"(in_{w.name} & ~(fetched_{w.name}_q | {w.name}_bus_writes))" for w in self.windows
        )]  # fmt: skip

    @property
    def sources(self) -> list[str]:
        """The data of each place that is read, 0 unless it is accessed."""
        found = [f"({{32{{select_{word}_q}}}} & {value})" for word, value in self._values()]
        for w in self.windows:
            if w.shift == 3:
                high = f"{{{32 - (w.lanes * 8 - 32)}'d0, {w.name}_word[{w.lanes * 8 - 1}:32]}}"
                if w.lanes == 8:
                    high = f"{w.name}_word[63:32]"
                value = f"(access_address_i[2] ? {high} : {w.name}_word[31:0])"
            else:
                pad = 32 - w.lanes * 8
                value = f"{{{pad}'d0, {w.name}_word}}" if pad else f"{w.name}_word"
            found.append(f"({{32{{fetched_{w.name}_q}}}} & {value})")
        return found

    def _values(self) -> Iterator[tuple[int, str]]:
        """Each word of a register and what it reads."""
        flags = "ready_q, ~busy_q & ~start_q, done_q, start_q"
        fixed: dict[Kind, str] = {
            "control": f"{{22'd0, interrupt_o, 1'b0, auto_q, 3'd0, {flags}}}",
            "global": "{31'd0, global_q}",
            "enable": "{30'd0, enable_q}",
            "status": "{30'd0, status_q}",
            "cycles": "cycles_q",
            "error": "{24'd0, k_error_code_i}",
            "build": f"32'h{self.build:08x}",
        }
        for register in self.registers:
            if register.kind in fixed:
                yield register.word, fixed[register.kind]
            elif register.kind == "valid":
                yield register.word, f"{{31'd0, valid_{register.of}_q}}"
            else:
                kind = "result" if register.kind == "result" else "held"
                net = f"{kind}_{register.of}_q"
                for k in range(register.words):
                    yield register.word + k, word_of(net, register.width, k)


def word_of(net: str, width: int, k: int) -> str:
    """Word `k` of a net of so many bits, zeros above it."""
    low, high = 32 * k, min(width, 32 * k + 32)
    part = net if low == 0 and high == width else f"{net}[{high - 1}:{low}]"
    pad = 32 - (high - low)
    return f"{{{pad}'d0, {part}}}" if pad else part


def bits_of(size: int) -> int:
    """Bits of an address in so many bytes [bits]."""
    return max(3, (size - 1).bit_length())


def build_map(
    netlist: Netlist, ports: Ports, bus: str, address_width: int | None, streams: Streams = ()
) -> RegisterMap:
    """The map of a circuit and its ports; `streams` are its arrays that are streams.

    Refused: WRAP_WIDTH for scalars and elements of more than 64 bits, WRAP_NAME for names that
    differ in case alone, WRAP_ADDRESS for a map beyond the addresses.
    """
    raise_all([*wide_problems(ports), *name_problems(ports), *clashes(ports)])
    flowing = find_streams(ports, streams)
    names = {stream.name for stream in flowing}
    ports = replace(ports, arrays=tuple(a for a in ports.arrays if a.name not in names))
    masters = find_masters(ports, bus)
    inputs = tuple(c for c in ports.channels if c.direction == "input")
    outputs = tuple(c for c in ports.channels if c.direction == "output")
    registers = tuple(list_registers(inputs, masters, outputs))
    end = WORD * sum(register.words for register in registers)
    windows = tuple(list_windows(netlist, ports, 1 << bits_of(end)))
    found = RegisterMap(ports.module, bus, inputs, outputs, registers, windows, masters, flowing, 0)
    needed = bits_of(found.size)
    width = needed if address_width is None else address_width
    limit = min(width, MOST_ADDRESS)
    if needed > limit:
        what = f"a register map of {found.size} bytes at {limit} address bits"
        accepted = f"--address-width {needed} or more, {MOST_ADDRESS} at most"
        if needed > MOST_ADDRESS:
            accepted = (
                f"up to 2 ** {MOST_ADDRESS} bytes, or arrays in memory: --memory ARRAY:channel"
            )
        place = Place("--address-width" if width < MOST_ADDRESS else ports.module)
        raise LoomError("WRAP_ADDRESS", place, what, accepted)
    return replace(found, address_width=width)


def wide_problems(ports: Ports) -> Iterator[LoomError]:
    """Scalars and elements that take more than two words."""
    named = [(f"{c.role} {c.name}", c.width) for c in ports.channels]
    named += [(f"array {a.name} with elements", a.element_width) for a in ports.arrays]
    for name, width in named:
        if width > MOST_WIDTH:
            what = f"the {name} of {width} bits"
            yield LoomError("WRAP_WIDTH", Place(ports.module), what, f"up to {MOST_WIDTH} bits")


def name_problems(ports: Ports) -> Iterator[LoomError]:
    """Names that are one in the macros of the header, which are in capitals."""
    memories = [m.name for a in ports.arrays for m in a.memories]
    for names in ([c.name for c in ports.channels], memories):
        seen: dict[str, str] = {}
        for name in names:
            other = seen.setdefault(name.upper(), name)
            if other != name:
                what = f"{other} and {name}, whose registers would have one name"
                accepted = "names that differ in more than case"
                yield LoomError("WRAP_NAME", Place(ports.module), what, accepted)


def list_registers(
    inputs: Sequence[ChannelPorts], masters: Sequence[Master], outputs: Sequence[ChannelPorts]
) -> Iterator[Register]:
    """The registers, one behind the other."""
    yield Register("control", "control", 0x0, 32, "rw", "start, done, idle, ready, auto-restart")
    yield Register("interrupt_global", "global", 0x4, 32, "rw", "bit 0: the interrupt line is on")
    yield Register("interrupt_enable", "enable", 0x8, 32, "rw", "bits of the events that count")
    yield Register("interrupt_status", "status", 0xC, 32, "rw", "events; write 1 to toggle a bit")
    offset = 0x10
    for c in inputs:
        if c.width:
            yield Register(f"arg_{c.name}", "argument", offset, c.width, "rw",
                           f"argument {c.name}, {c.type}, sampled at each start",
                           c.name, c.type, c.signed)  # fmt: skip
            offset += WORD * -(-c.width // 32)
    for m in masters:
        text = f"address of array {m.name}, a multiple of {m.alignment}, sampled at each start"
        yield Register(f"base_{m.name}", "base", offset, 64, "rw", text, m.name, low=m.word_shift)
        offset += 2 * WORD
    for c in outputs:
        if c.width:
            after = offset + WORD * -(-c.width // 32)
            yield Register(f"result_{c.name}", "result", offset, c.width, "r",
                           f"result {c.name}, {c.type}", c.name, c.type, c.signed,
                           after // WORD)  # fmt: skip
            yield Register(f"result_{c.name}_valid", "valid", after, 32, "r",
                           f"bit 0: result {c.name} came; cleared by a read", c.name)  # fmt: skip
            offset = after + WORD
    text = "cycles of the activation that runs or was last; 2**31 stands for that many or more"
    yield Register("cycles", "cycles", offset, 32, "r", text)
    text = "first run-time error, 0: none; any write clears it"
    yield Register("error", "error", offset + WORD, 32, "rw", text)
    yield Register("build", "build", offset + 2 * WORD, 32, "r", "hash of the emitted circuit")


def list_windows(netlist: Netlist, ports: Ports, end: int) -> Iterator[Window]:
    """The windows, each at a multiple of its size behind byte `end`."""
    elements = {bank.name: bank.positions for bank in banks_outside(netlist)}
    listed = chain.from_iterable(((array, m) for m in array.memories) for array in ports.arrays)
    for array, memory in listed:
        if isinstance(memory, ChannelMemoryPort):
            continue
        require_served(ports, memory)
        shift = 2 if array.element_width <= 32 else 3
        bits = shift + memory.address_width
        end = -(-end >> bits) << bits
        yield Window(
            memory.name, array.name, end, bits, shift, memory.words, memory.word_width,
            memory.address_width, memory.read, memory.written, array.type, array.signed,
            elements[memory.name], memory.first, memory.step,
        )  # fmt: skip
        end += 1 << bits


def require_served(ports: Ports, memory: MemoryPort) -> None:
    """Return if the wrapper's RAM is the memory that the circuit expects (WRAP_MEMORY)."""
    if memory.read_latency != 1:
        what = f"the array {memory.name} with a read latency of {memory.read_latency} cycles"
        raise LoomError("WRAP_MEMORY", Place(ports.module), what, "arrays with a latency of 1")
