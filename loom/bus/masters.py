"""Arrays behind channels as AXI4 masters: a base address and a port of the wrapper for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from loom.bus.buses import BUSES, MASTERED
from loom.emit.ports import ArrayPorts, ChannelMemoryPort, Ports
from loom.errors import LoomError, Place
from loom.netlist.memory_channels import channel_pins

LEAST_WRITE_DEPTH = 16
"""Of `loom_axi4_write`: the elements that wait for its data channel."""


@dataclass(frozen=True, slots=True)
class MasterPin:
    """A pin of the master, behind ``m_axi_NAME_``."""

    name: str
    direction: Literal["input", "output"]
    width: int = 1


@dataclass(frozen=True, slots=True)
class Master:
    """An array behind channels: element k stands at its base address + k * `stride` bytes.

    `shift` is the logarithm of the stride, `width` that of an element in the circuit [bits]. A beat
    has `elements_a_word` elements.
    """

    name: str
    elements: int
    width: int
    shift: int
    index_width: int
    outstanding: int
    read: bool
    written: bool
    type: str
    signed: bool | None
    elements_a_word: int

    @property
    def stride(self) -> int:
        """From element to element [bytes]."""
        return 1 << self.shift

    @property
    def word_shift(self) -> int:
        """The logarithm of the bytes from beat to beat; the base address is a multiple of them."""
        return self.shift + (self.elements_a_word - 1).bit_length()

    @property
    def alignment(self) -> int:
        """What the base address is a multiple of [bytes]."""
        return 1 << self.word_shift

    @property
    def word_width(self) -> int:
        """What a beat has of the array [bits]."""
        return self.width * self.elements_a_word

    @property
    def data_width(self) -> int:
        """Of the data channels [bits]."""
        return max(32, 8 << self.word_shift)

    @property
    def text(self) -> str:
        """What it is, in words."""
        verbs = {(True, True): "read and written", (True, False): "read", (False, True): "written"}
        return (
            f"{self.elements} elements of {self.width} bits, one every {self.stride} bytes from "
            f"the base; {verbs.get((self.read, self.written), 'not used')} by m_axi_{self.name}"
        )

    @property
    def sides(self) -> list[tuple[str, int, list[str]]]:
        """The modules: what each does, the depth of its queue, its pins at the circuit."""
        found: list[tuple[str, int, list[str]]] = []
        sides = (("read", self.read, 2), ("write", self.written, LEAST_WRITE_DEPTH))
        for verb, used, least in sides:
            if used:
                depth = max(least, 1 << (self.outstanding - 1).bit_length())
                pins = [pin.name for pin in channel_pins(loads=verb == "read",
                                                         stores=verb == "write")]  # fmt: skip
                found.append((verb, depth, pins))
        return found

    @property
    def pins(self) -> list[MasterPin]:
        """Its pins at the wrapper, those of the sides that the circuit uses."""
        found: list[MasterPin] = []
        if self.written:
            found += [*address_pins("aw"),
                MasterPin("wdata", "output", self.data_width),
                MasterPin("wstrb", "output", self.data_width // 8),
                MasterPin("wlast", "output"), MasterPin("wvalid", "output"),
                MasterPin("wready", "input"), MasterPin("bid", "input"),
                MasterPin("bresp", "input", 2), MasterPin("bvalid", "input"),
                MasterPin("bready", "output"),
            ]  # fmt: skip
        if self.read:
            found += [*address_pins("ar"),
                MasterPin("rid", "input"), MasterPin("rdata", "input", self.data_width),
                MasterPin("rresp", "input", 2), MasterPin("rlast", "input"),
                MasterPin("rvalid", "input"), MasterPin("rready", "output"),
            ]  # fmt: skip
        return found


def address_pins(channel: str) -> Iterator[MasterPin]:
    """The pins of an address channel."""
    widths = {"id": 1, "addr": 64, "len": 8, "size": 3, "burst": 2, "lock": 1, "cache": 4,
              "prot": 3, "qos": 4, "valid": 1}  # fmt: skip
    for name, width in widths.items():
        yield MasterPin(f"{channel}{name}", "output", width)
    yield MasterPin(f"{channel}ready", "input")


def clashes(ports: Ports) -> Iterator[LoomError]:
    """Names of the wrapper that an array behind channels has in common with a neighbour."""
    memories = [memory for array in ports.arrays for memory in array.memories]
    named = [c.name for c in ports.channels] + [m.name for m in memories]
    for memory in memories:
        if isinstance(memory, ChannelMemoryPort):
            for end in ("ar", "r", "aw", "b", "base"):
                if f"{memory.name}_{end}" in named:
                    what = f"{memory.name}_{end} beside {memory.name}, which is behind channels"
                    accepted = "another name for one of them"
                    yield LoomError("WRAP_NAME", Place(ports.module), what, accepted)


def find_masters(ports: Ports, bus: str) -> tuple[Master, ...]:
    """A master for each array behind channels, which the bus must have beside it (WRAP_MEMORY)."""
    found = [(array, memory) for array in ports.arrays for memory in array.memories]
    return tuple(
        master_of(array, memory, ports.module, bus)
        for array, memory in found
        if isinstance(memory, ChannelMemoryPort)
    )


def master_of(array: ArrayPorts, memory: ChannelMemoryPort, module: str, bus: str) -> Master:
    """The master of an array."""
    if bus not in MASTERED:
        what = f"the array {array.name} behind channels on {BUSES[bus]}"
        accepted = f"arrays that are RAMs, or the bus {' or '.join(MASTERED)}"
        raise LoomError("WRAP_MEMORY", Place(module), what, accepted)
    shift = (-(-array.element_width // 8) - 1).bit_length()
    return Master(
        array.name, array.depth, array.element_width, shift, memory.address_width,
        memory.outstanding, memory.read, memory.written, array.type, array.signed,
        array.elements_a_word,
    )  # fmt: skip
