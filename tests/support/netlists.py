"""Netlists made by hand: a builder, and circuits of one operator with all its ports outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.memories import KINDS
from loom.dialects.operators.operator import AttributeValue, Port, Shape
from loom.elements import encode_elements
from loom.netlist.netlist import (
    OUTSIDE,
    Channel,
    Endpoint,
    Memory,
    Netlist,
    OutsidePort,
    Unit,
)
from loom.netlist.token_types import width_of_text


def width_of_name(type_: str, index_width: int) -> int:
    """The width of a type by its name: ``i8``, ``f32``, ``index`` or ``none`` [bits]."""
    width = width_of_text(type_, index_width)
    assert width is not None, type_
    return width


class NetlistBuilder:
    """A netlist in the making; ends are written ``unit.port``, or ``%port`` for the outside."""

    def __init__(self, name: str = "circuit", index_width: int = 64) -> None:
        self.name = name
        self.index_width = index_width
        self.ports: list[OutsidePort] = []
        self.memories: list[Memory] = []
        self.units: list[Unit] = []
        self.channels: list[Channel] = []

    def port(self, direction: Literal["input", "output"], name: str, type_: str) -> str:
        """A port of the circuit stands; its end for `connect`."""
        width = width_of_name(type_, self.index_width)
        self.ports.append(OutsidePort(name, direction, type_, width))
        return f"%{name}"

    def memory(
        self,
        name: str,
        type_: str,
        depth: int,
        kind: str,
        contents: tuple[int, ...] | None = None,
    ) -> None:
        """A memory stands."""
        width = width_of_name(type_, self.index_width)
        given = None if contents is None else encode_elements(contents)
        self.memories.append(Memory(name, type_, width, depth, KINDS[kind], given))

    def unit(self, name: str, operator: str, /, **attributes: AttributeValue) -> str:
        """A unit stands; its name."""
        self.units.append(Unit(name, CATALOGUE[operator], attributes))
        return name

    def connect(self, source: str, target: str, type_: str, name: str = "") -> None:
        """A channel leads from source to target."""
        width = width_of_name(type_, self.index_width)
        name = name or f"c{len(self.channels)}"
        self.channels.append(Channel(name, type_, width, endpoint(source), endpoint(target)))

    def fork(self, name: str, source: str, targets: Sequence[str], type_: str) -> None:
        """A fork of this name leads from one end to several."""
        self.unit(name, "handshake.fork")
        self.connect(source, f"{name}.in", type_)
        for number, target in enumerate(targets):
            self.connect(f"{name}.out{number}", target, type_)

    def build(self) -> Netlist:
        """The netlist as it stands."""
        return Netlist(
            self.name,
            self.index_width,
            tuple(self.ports),
            tuple(self.memories),
            tuple(self.units),
            tuple(self.channels),
        )


def endpoint(text: str) -> Endpoint:
    """The end that ``unit.port`` or ``%port`` names."""
    if text.startswith("%"):
        return Endpoint(OUTSIDE, text[1:])
    unit, _, port = text.partition(".")
    return Endpoint(unit, port)


def operator_netlist(
    operator: str,
    types: Mapping[str, str],
    *,
    inputs: int,
    outputs: int,
    attributes: Mapping[str, AttributeValue] | None = None,
    index_width: int = 64,
    words: Sequence[int] = (),
    name: str = "circuit",
) -> Netlist:
    """A circuit of one unit `dut` whose ports are the circuit's, under the same names.

    `types` says what the row's type variables stand for, `inputs` and `outputs` how many ports
    there are, `words` the initial words of the memory `storage` that a memory operator owns.
    Channels are named ``<port>_channel``.
    """
    builder = NetlistBuilder(name, index_width)
    row = CATALOGUE[operator]
    attributes = dict(attributes or {})
    if row.hardware.memory_kind:
        builder.memory(
            "storage", types["T"], len(words), row.hardware.memory_kind.name, tuple(words)
        )
        attributes["memory"] = "storage"
    builder.unit("dut", operator, **attributes)
    in_ports, out_ports = row.signature.ports_of(Shape((0,) * inputs, (0,) * outputs, attributes))

    def type_of(port: Port) -> str:
        return types.get(port.type, port.type)

    for port in in_ports:
        end = builder.port("input", port.name, type_of(port))
        builder.connect(end, f"dut.{port.name}", type_of(port), f"{port.name}_channel")
    for port in out_ports:
        end = builder.port("output", port.name, type_of(port))
        builder.connect(f"dut.{port.name}", end, type_of(port), f"{port.name}_channel")
    return builder.build()
