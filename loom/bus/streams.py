"""Arrays that are AXI4-Streams: pins of the wrapper, and an adapter to the circuit's channels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from loom.emit.ports import ArrayPorts, ChannelMemoryPort, Ports
from loom.emit.render import template
from loom.errors import LoomError, Place
from loom.netlist.memory_channels import channel_pins

Streams = tuple[str, ...] | Literal["all"]
"""Names of the arrays that are streams."""

ADAPTERS = ("loom_axis_read", "loom_axis_write")
"""The modules between a stream and an array's channels."""


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream into the circuit (`reads`) or out of it; `width` is that of an element [bits]."""

    name: str
    width: int
    reads: bool
    type: str
    signed: bool | None
    depth: int = 1
    """Elements, each a beat."""
    address_width: int = 0

    @property
    def pins(self) -> str:
        """What its pins begin with."""
        return f"{'s' if self.reads else 'm'}_axis_{self.name}"

    @property
    def data_width(self) -> int:
        """Of tdata: whole bytes, the element in the low bits, zeros above it [bits]."""
        return -(-self.width // 8) * 8

    @property
    def forward(self) -> str:
        """How the adapter's pins in the direction of the data end."""
        return "i" if self.reads else "o"

    @property
    def backward(self) -> str:
        """How the adapter's pins against it end."""
        return "o" if self.reads else "i"

    @property
    def module(self) -> str:
        """Its adapter."""
        return ADAPTERS[not self.reads]

    @property
    def circuit_pins(self) -> list[tuple[str, int]]:
        """The pins of the circuit behind the name of the array, and their widths."""
        sizes = {"T": self.width, "A": self.address_width, "S": self.data_width // 8, "": 1}
        found = channel_pins(loads=self.reads, stores=not self.reads)
        return [(pin.name, sizes[pin.width]) for pin in found]

    @property
    def text(self) -> str:
        """What it is, in words."""
        if not self.address_width:
            return f"{self.width} bits, a beat an activation"
        return f"{self.depth} elements of {self.width} bits, a beat each, tlast with the last one"


def find_streams(ports: Ports, names: Streams) -> tuple[Stream, ...]:
    """The arrays of these names as streams, whose order `check_streams` has proved."""
    return tuple(
        stream_of(array, ports) for array in ports.arrays if names == "all" or array.name in names
    )


def stream_of(array: ArrayPorts, ports: Ports) -> Stream:
    """An array as a stream (LOWER_STREAM): behind channels, only read or only written."""
    (memory, *others) = array.memories
    if others or not isinstance(memory, ChannelMemoryPort) or memory.read == memory.written:
        what = f"the array {array.name} as a stream"
        accepted = "arrays behind channels that are only read or only written"
        raise LoomError("LOWER_STREAM", Place(ports.module), what, accepted)
    return Stream(array.name, array.element_width, memory.read, array.type, array.signed,
                  array.depth, memory.address_width)  # fmt: skip


def adapter_texts(streams: Sequence[Stream]) -> Iterator[tuple[str, str]]:
    """The modules of the adapters, path and text."""
    for module in sorted({stream.module for stream in streams}):
        yield f"rtl/{module}.sv", adapter_text(module)


def adapter_text(module: str) -> str:
    """The text of an adapter."""
    return str(template(f"bus/{module.removeprefix('loom_')}").make_module({}))
