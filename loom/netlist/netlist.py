"""The netlist: units, channels, memories and ports of one circuit, with nothing left implicit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from loom.dialects.facts.target_names import TargetName
from loom.dialects.operators.memories import MemoryKind
from loom.dialects.operators.operator import AttributeValue, Operator, Port, Shape
from loom.elements import Elements
from loom.errors import Place
from loom.netlist.html_table import count, html_table

OUTSIDE = ""
"""The unit name of an endpoint at the circuit's own boundary."""


class Endpoint(NamedTuple):
    """One port of one unit, or (`unit` empty) a port of the circuit."""

    unit: str
    port: str

    def __str__(self) -> str:
        return f"{self.unit}.{self.port}" if self.unit else f"%{self.port}"


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel from one source to one target; `width` [bits], 0 for a control channel."""

    name: str
    type: str
    width: int
    source: Endpoint
    target: Endpoint


@dataclass(frozen=True)
class Unit:
    """An instance of an operator, with its attributes and where it comes from.

    `place` is that of the operation in the source, `loop` that of the innermost loop around it.
    `constants` are bit patterns by the name of the operand, which has no channel.
    """

    name: str
    operator: Operator
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)
    place: Place | None = None
    loop: Place | None = None
    constants: Mapping[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        where = "" if self.place is None else f" at {self.place}"
        return f"<Unit {self.name}: {self.operator.name}{where}>"


@dataclass(frozen=True, slots=True)
class Memory:
    """An array of `depth` [elements] of `width` [bits]; its `kind` answers what is asked of it.

    `contents` are the initial elements as unsigned bit patterns, or None for undefined ones.
    """

    name: str
    type: str
    width: int
    depth: int
    kind: MemoryKind
    contents: Elements | None = None

    def __repr__(self) -> str:
        return f"<Memory {self.name}: {self.depth} x {self.width} bits, {self.kind}>"


@dataclass(frozen=True, slots=True)
class OutsidePort:
    """A channel end at the boundary: `direction` as seen from the circuit."""

    name: str
    direction: Literal["input", "output"]
    type: str
    width: int


@dataclass(frozen=True)
class Netlist:
    """One circuit. Order is part of the object: units, channels and ports print as they stand.

    `target` is the device of its estimates; its buffers were placed for `clock_period` [ns], None:
    for any.
    """

    name: str
    index_width: int
    ports: tuple[OutsidePort, ...]
    memories: tuple[Memory, ...]
    units: tuple[Unit, ...]
    channels: tuple[Channel, ...]
    target: TargetName = "ecp5"
    clock_period: float | None = None

    def __repr__(self) -> str:
        units, channels = count(len(self.units), "unit"), count(len(self.channels), "channel")
        return f"<Netlist {self.name}: {units}, {channels}>"

    def _repr_html_(self) -> str:
        return html_table(f"netlist {self.name}", self.summary())

    def summary(self) -> tuple[tuple[str, str], ...]:
        """The sizes of the circuit: a name and a text a row."""
        memories = [f"{each.name} ({each.depth} x {each.width} bits)" for each in self.memories]
        return (
            ("units", str(len(self.units))),
            ("channels", str(len(self.channels))),
            ("memories", ", ".join(memories) or "none"),
        )

    @cached_property
    def unit_by_name(self) -> Mapping[str, Unit]:
        """Units by name."""
        return {unit.name: unit for unit in self.units}

    @cached_property
    def memory_by_name(self) -> Mapping[str, Memory]:
        """Memories by name."""
        return {memory.name: memory for memory in self.memories}

    @cached_property
    def memories_outside(self) -> tuple[Memory, ...]:
        """The memories whose elements each activation gives, and finds afterwards."""
        return tuple(memory for memory in self.memories if memory.kind.is_outside)

    @cached_property
    def channel_by_source(self) -> Mapping[Endpoint, Channel]:
        """Channels by the endpoint that drives them."""
        return {channel.source: channel for channel in self.channels}

    @cached_property
    def channel_by_target(self) -> Mapping[Endpoint, Channel]:
        """Channels by the endpoint that reads them."""
        return {channel.target: channel for channel in self.channels}

    @cached_property
    def shape_by_unit(self) -> Mapping[str, Shape]:
        """The shape of every unit, from the channels that reach it, in port order."""
        return {unit.name: self._shape(unit) for unit in self.units}

    def ports_of(self, unit: Unit) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
        """The input and output ports of `unit`, families written out, constants left out."""
        return self._ports_by_unit[unit.name]

    @cached_property
    def _ports_by_unit(self) -> Mapping[str, tuple[tuple[Port, ...], tuple[Port, ...]]]:
        """The ports of every unit: each of the checks, models and emitters asks for them."""
        shapes = self.shape_by_unit
        return {
            unit.name: unit.operator.signature.tokens_of(shapes[unit.name]) for unit in self.units
        }

    def inputs_of(self, unit: Unit) -> tuple[Channel, ...]:
        """The channels into `unit`, in port order."""
        names, _ = self.ports_of(unit)
        return tuple(self.channel_by_target[Endpoint(unit.name, port.name)] for port in names)

    def outputs_of(self, unit: Unit) -> tuple[Channel, ...]:
        """The channels out of `unit`, in port order."""
        _, names = self.ports_of(unit)
        return tuple(self.channel_by_source[Endpoint(unit.name, port.name)] for port in names)

    @cached_property
    def _channels_by_unit(self) -> Mapping[str, tuple[dict[str, int], dict[str, int]]]:
        """Width of every connected port of every unit: inputs, outputs."""
        found: dict[str, tuple[dict[str, int], dict[str, int]]] = {
            unit.name: ({}, {}) for unit in self.units
        }
        for channel in self.channels:
            if channel.target.unit in found:
                found[channel.target.unit][0][channel.target.port] = channel.width
            if channel.source.unit in found:
                found[channel.source.unit][1][channel.source.port] = channel.width
        return found

    def _shape(self, unit: Unit) -> Shape:
        inputs, outputs = self._channels_by_unit[unit.name]
        count = len(inputs) + len(unit.constants)
        counted = Shape((0,) * count, (0,) * len(outputs), unit.attributes)
        in_ports, out_ports = unit.operator.signature.ports_of(counted)
        if unit.constants:  # as wide as another port of their type
            typed = [*zip(out_ports, map(outputs.get, (p.name for p in out_ports)), strict=True)]
            typed += [(port, inputs.get(port.name)) for port in in_ports]
            widths = {port.type: width for port, width in typed if width is not None}
            inputs = {**{p.name: widths.get(p.type, 0) for p in in_ports}, **inputs}
        return Shape(
            tuple(inputs.get(port.name, 0) for port in in_ports),
            tuple(outputs.get(port.name, 0) for port in out_ports),
            unit.attributes,
            {k: unit.constants[p.name] for k, p in enumerate(in_ports) if p.name in unit.constants},
        )
