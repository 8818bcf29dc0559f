"""The ports of a circuit in words: ``NAME.ports.json`` and ``NAME.ports.md``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from loom.dialects.operators.runtime_errors import OF_EVERY_CIRCUIT, RUNTIME_ERRORS
from loom.emit.boundary import DEFAULT_BOUNDARY, ENABLE, Boundary
from loom.netlist.activations import one_at_a_time
from loom.netlist.banks import OutsideBank, banks_outside
from loom.netlist.memory_channels import channel_pins, strobe_width
from loom.netlist.netlist import Memory, Netlist, OutsidePort

Direction = Literal["input", "output"]
Signs = Mapping[str, bool]
"""By the name of a channel or an array whether its integers are signed; a name that is missing has
integers without a sign of their own (MLIR's), or floats."""
FLOATS = {"f16", "bf16", "f32", "f64"}


@dataclass(frozen=True, slots=True)
class Pin:
    """One port of the top: what it is for (`role`), and the channel or memory it belongs to."""

    name: str
    direction: Direction
    width: int
    role: str
    of: str = ""


@dataclass(frozen=True, slots=True)
class ChannelPorts:
    """A channel at the edge: one token an activation. `width` is 0 for a control channel [bits]."""

    name: str
    direction: Direction
    role: Literal["start", "done", "argument", "result", "control"]
    type: str
    width: int
    signed: bool | None


@dataclass(frozen=True, slots=True)
class MemoryPort:
    """A memory at the edge, an array or one of its banks.

    `words` at addresses of `address_width` [bits], each of `word_width` [bits], which come
    `read_latency` [cycles] after the enable. `first` and `step`: the word at address k is the
    array's element first + k * step; None where that is no such sequence. A word of several
    elements begins with that element, in its lowest bits.
    """

    name: str
    words: int
    address_width: int
    word_width: int
    read: bool
    written: bool
    read_latency: int
    first: int | None
    step: int | None


@dataclass(frozen=True, slots=True)
class ChannelMemoryPort(MemoryPort):
    """A memory behind channels, which answers after `read_latency` [cycles] or any other time.

    At most `outstanding` loads and as many stores are without a response.
    """

    interface: Literal["request and response channels"]
    outstanding: int
    strobe_width: int


@dataclass(frozen=True, slots=True)
class ArrayPorts:
    """An array outside: `depth` elements in row-major order, and the memories that hold it.

    `elements_a_word`: how many elements a word has, the first one in its lowest bits.
    """

    name: str
    type: str
    depth: int
    element_width: int
    elements_a_word: int
    signed: bool | None
    memories: tuple[MemoryPort, ...]


@dataclass(frozen=True)
class Ports:
    """All that a neighbour has to know of a circuit's edge."""

    module: str
    clock: str
    reset: str
    reset_active: Literal["low", "high"]
    reset_kind: Literal["synchronous", "asynchronous"]
    clock_enable: str | None
    clock_period: float | None
    one_at_a_time: bool
    channels: tuple[ChannelPorts, ...]
    arrays: tuple[ArrayPorts, ...]
    pins: tuple[Pin, ...]

    def json_text(self) -> str:
        """The ports as JSON."""
        return json.dumps(asdict(self), indent=2) + "\n"


def find_ports(
    netlist: Netlist, boundary: Boundary = DEFAULT_BOUNDARY, signs: Signs | None = None
) -> Ports:
    """The ports of the circuit that `emit` writes with this boundary."""
    signs = signs or {}
    arrays: dict[str, list[MemoryPort]] = {}
    by_name: dict[str, Memory] = {}
    for bank in banks_outside(netlist):
        arrays.setdefault(bank.array.name, []).append(memory_port(bank, netlist))
        by_name[bank.array.name] = bank.array
    return Ports(
        netlist.name,
        boundary.clock,
        boundary.reset,
        "high" if boundary.active_high else "low",
        "asynchronous" if boundary.asynchronous else "synchronous",
        ENABLE if boundary.clock_enable else None,
        netlist.clock_period,
        one_at_a_time(netlist) is not None,
        tuple(channel_ports(port, signs) for port in netlist.ports),
        tuple(
            ArrayPorts(name, m.type, m.depth, m.width, arrays[name][0].word_width // m.width,
                       sign_of(name, m.type, signs), tuple(arrays[name]))
            for name, m in by_name.items()
        ),
        tuple(list_pins(netlist, boundary)),
    )  # fmt: skip


def sign_of(name: str, type_: str, signs: Signs) -> bool | None:
    """Whether the integers of `name` are signed; None where nothing says so."""
    return None if type_ in FLOATS else signs.get(name)


def channel_ports(port: OutsidePort, signs: Signs) -> ChannelPorts:
    """A channel of the top, and which of the roles it has."""
    role: Literal["start", "done", "argument", "result", "control"] = "control"
    if port.width:
        role = "argument" if port.direction == "input" else "result"
    elif port.name == "start":
        role = "start"
    elif port.name == "done":
        role = "done"
    signed = sign_of(port.name, port.type, signs) if port.width else None
    return ChannelPorts(port.name, port.direction, role, port.type, port.width, signed)


def memory_port(bank: OutsideBank, netlist: Netlist) -> MemoryPort:
    """A memory of the top."""
    first, step = progression(bank.positions)
    kind, width = bank.array.kind, bank.word_width
    if bank.elements_a_word > 1:
        step = bank.elements_a_word
    unit = next(u for u in netlist.units if u.attributes.get("memory") == bank.array.name)
    shape = netlist.shape_by_unit[unit.name]
    found = MemoryPort(
        bank.name, bank.outside_words, bank.address_width, width, bank.loads, bank.stores,
        kind.stated_latency(shape), first, step,
    )  # fmt: skip
    if not kind.answers:
        return found
    return ChannelMemoryPort(
        **asdict(found), interface="request and response channels",
        outstanding=kind.outstanding_of(shape), strobe_width=strobe_width(width),
    )  # fmt: skip


def progression(positions: Sequence[int | None]) -> tuple[int, int] | tuple[None, None]:
    """The first place and the step of those that the words hold; None: no progression."""
    if isinstance(positions, range):  # a whole array, which may have 2 ** 30 of them
        return (positions.start, positions.step) if positions else (None, None)
    held = [at for at in positions if at is not None]
    step = held[1] - held[0] if len(held) > 1 else 1
    regular = all(at == held[0] + k * step for k, at in enumerate(held))
    last = [at is None for at in positions] == [k >= len(held) for k in range(len(positions))]
    return (held[0], step) if held and regular and last else (None, None)


def list_pins(netlist: Netlist, boundary: Boundary) -> Iterator[Pin]:
    """The ports of the top, in the order of its text."""
    yield Pin(boundary.clock, "input", 1, "clock")
    if boundary.clock_enable:
        yield Pin(ENABLE, "input", 1, "clock enable")
    yield Pin(boundary.reset, "input", 1, "reset")
    for port in netlist.ports:
        forward: Direction = port.direction
        backward: Direction = "output" if forward == "input" else "input"
        name, end = port.name, {"input": "i", "output": "o"}
        if port.width:
            yield Pin(f"{name}_data_{end[forward]}", forward, port.width, "data", name)
        yield Pin(f"{name}_valid_{end[forward]}", forward, 1, "valid", name)
        yield Pin(f"{name}_ready_{end[backward]}", backward, 1, "ready", name)
    for bank in banks_outside(netlist):
        name, bits, width = bank.name, bank.address_width, bank.word_width
        if bank.array.kind.answers:
            sizes = {"T": width, "A": bits, "S": strobe_width(width), "": 1}
            for pin in channel_pins(loads=bank.loads, stores=bank.stores):
                of_channel = f"{name}_{pin.name}"
                yield Pin(of_channel, pin.direction, sizes[pin.width], pin.role, name)
            continue
        if bank.loads:
            yield Pin(f"{name}_rd_en_o", "output", 1, "read enable", name)
            yield Pin(f"{name}_rd_addr_o", "output", bits, "read address", name)
            yield Pin(f"{name}_rd_data_i", "input", width, "read data", name)
        if bank.stores:
            yield Pin(f"{name}_wr_en_o", "output", 1, "write enable", name)
            yield Pin(f"{name}_wr_addr_o", "output", bits, "write address", name)
            yield Pin(f"{name}_wr_data_o", "output", width, "write data", name)
    if boundary.error_clear:
        yield Pin("error_clear_i", "input", 1, "error clear")
    yield Pin("error_code_o", "output", 8, "error code")


SIGNS = {True: "signed", False: "unsigned", None: "-"}


def ports_page(ports: Ports) -> str:
    """The ports as a page in Markdown."""
    level, kind = ports.reset_active, ports.reset_kind
    period = "any" if ports.clock_period is None else f"{ports.clock_period:g} ns"
    overlap = (
        "`start` is not taken before the `done` of the last activation was."
        if ports.one_at_a_time
        else "Activations may overlap: `start` is taken as soon as there is room."
    )
    lines = [
        f"# Ports of `{ports.module}`", "",
        f"Clock `{ports.clock}`, rising edge; period {period}. "
        f"Reset `{ports.reset}`, {kind}, active {level}.",
        *([f"While `{ports.clock_enable}` is low nothing changes."] if ports.clock_enable else []),
        overlap, "",
    ]  # fmt: skip
    lines += ["## Channels", "", "One token an activation on each.", ""]
    lines += table(
        ("channel", "direction", "role", "type", "width [bits]", "sign"),
        [(f"`{c.name}`", c.direction, c.role, c.type, c.width or "-", SIGNS[c.signed])
         for c in ports.channels],
    )  # fmt: skip
    if ports.arrays:
        packed = any(a.elements_a_word > 1 for a in ports.arrays)
        many = "several elements a word, the first in its lowest bits, where the table says so"
        rest = many if packed else "one element a word"
        lines += ["## Arrays", "", f"Elements in row-major order, {rest}.", ""]
        lines += table(
            ("array", "elements", "type", "element [bits]", "sign", "memory", "words",
             "address [bits]", "accesses", "read latency [cycles]", "element at address k"),
            [(f"`{a.name}`", a.depth, a.type, a.element_width, SIGNS[a.signed], f"`{m.name}`",
              f"{m.words} of {a.elements_a_word} elements" if a.elements_a_word > 1 else m.words,
              m.address_width, accesses(m), latency_text(m), rule(m))
             for a in ports.arrays for m in a.memories],
        )  # fmt: skip
    lines += ["## Pins", ""]
    lines += table(
        ("pin", "direction", "width [bits]", "role", "of"),
        [(f"`{p.name}`", p.direction, p.width, p.role, f"`{p.of}`" if p.of else "-")
         for p in ports.pins],
    )  # fmt: skip
    lines += ["## Error codes", ""]
    behind = any(isinstance(m, ChannelMemoryPort) for a in ports.arrays for m in a.memories)
    known = RUNTIME_ERRORS if behind else OF_EVERY_CIRCUIT
    codes = [(k, code) for k, code in enumerate(known) if code]
    lines += table(("`error_code_o`", "meaning"), [(0, "no error"), *codes])
    return "\n".join(lines[:-1]) + "\n"


def latency_text(memory: MemoryPort) -> str:
    """The cycles to a word that is read; of a memory behind channels those that are declared."""
    if isinstance(memory, ChannelMemoryPort):
        return f"any; {memory.read_latency} declared, {memory.outstanding} outstanding"
    return str(memory.read_latency) if memory.read else "-"


def accesses(memory: MemoryPort) -> str:
    """Whether the circuit reads a memory, writes it, or both."""
    return "read, written" if memory.read and memory.written else (
        "read" if memory.read else "written" if memory.written else "none")  # fmt: skip


def rule(memory: MemoryPort) -> str:
    """Which element of the array is at address k of a memory."""
    if memory.first is None or memory.step is None:
        return "see the partition"
    step = "k" if memory.step == 1 else f"{memory.step}k"
    return step if memory.first == 0 else f"{step} + {memory.first}"


def table(head: tuple[str, ...], rows: list[tuple[object, ...]]) -> list[str]:
    """A table in Markdown and an empty line."""
    lines = [head, ("---",) * len(head), *rows]
    return [f"| {' | '.join(map(str, row))} |" for row in lines] + [""]


def port_files(
    netlist: Netlist, boundary: Boundary = DEFAULT_BOUNDARY, signs: Signs | None = None
) -> dict[str, str]:
    """The two files that describe a circuit's ports."""
    ports = find_ports(netlist, boundary, signs)
    return {f"{ports.module}.ports.json": ports.json_text(),
            f"{ports.module}.ports.md": ports_page(ports)}  # fmt: skip
