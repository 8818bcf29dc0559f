"""The module at the top of a package: its pins, and the bus interfaces that they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from loom.emit.ports import Pin, Ports

Protocol = Literal["AXI4-Lite", "AXI4", "AXI4-Stream", "Avalon-MM"]
BYTE = 8
"""A stream has a whole number of these [bits]."""
PORT = re.compile(
    r"^  (?P<direction>input|output) logic (?:\[(?P<left>\d+):(?P<right>\d+)\] )?(?P<name>\w+),?$",
    re.MULTILINE,
)
"""A port of a wrapper, each on a line of its own."""
BUS_PIN = re.compile(r"(?P<bus>[sm]_axis?(?:_\w+)?|avs)_(?P<signal>[a-z]+)\Z")
"""A pin of a bus: the name of the interface, and that of the signal in its protocol."""


@dataclass(frozen=True)
class Interface:
    """Pins that are one interface: by the name of the signal in the protocol, in lower case."""

    name: str
    protocol: Protocol
    mode: Literal["slave", "master"]
    pins: Mapping[str, Pin]


@dataclass(frozen=True)
class Top:
    """What a neighbour sees of the module."""

    name: str
    pins: tuple[Pin, ...]
    reset_active: Literal["low", "high"]
    reset_kind: Literal["synchronous", "asynchronous"]
    interfaces: tuple[Interface, ...]

    @property
    def clock_pin(self) -> Pin:
        """The clock."""
        return next(pin for pin in self.pins if pin.role == "clock")

    @property
    def reset_pin(self) -> Pin:
        """The reset."""
        return next(pin for pin in self.pins if pin.role == "reset")

    @property
    def clock(self) -> str:
        """The name of the clock."""
        return self.clock_pin.name

    @property
    def reset(self) -> str:
        """The name of the reset."""
        return self.reset_pin.name

    @property
    def axi_interfaces(self) -> list[Interface]:
        """The interfaces of a protocol that Arm defined."""
        return [each for each in self.interfaces if each.protocol.startswith("AXI4")]

    @property
    def interrupts(self) -> list[Pin]:
        """Interrupt lines."""
        return [pin for pin in self.pins if pin.role == "interrupt"]

    @property
    def others(self) -> dict[str, list[Pin]]:
        """The pins that belong to no interface, by what they belong to."""
        used = {pin.name for each in self.interfaces for pin in each.pins.values()}
        found: dict[str, list[Pin]] = {}
        for pin in self.pins:
            if pin.name not in used and pin.role not in ("clock", "reset", "interrupt"):
                found.setdefault(pin.of or pin.name, []).append(pin)
        return found


def top_of_circuit(ports: Ports) -> Top:
    """A circuit; each channel of whole bytes is an AXI4-Stream, whose handshake is the same."""
    return Top(ports.module, ports.pins, ports.reset_active, ports.reset_kind,
               tuple(list_streams(ports)))  # fmt: skip


def list_streams(ports: Ports) -> Iterator[Interface]:
    """The channels that are streams: one transfer an activation."""
    signals = {"data": "tdata", "valid": "tvalid", "ready": "tready"}
    for channel in ports.channels:
        if channel.width % BYTE == 0:
            pins = {signals[pin.role]: pin for pin in ports.pins
                    if pin.of == channel.name and pin.role in signals}  # fmt: skip
            mode: Literal["slave", "master"] = "slave" if channel.direction == "input" else "master"
            yield Interface(f"{mode[0]}_axis_{channel.name}", "AXI4-Stream", mode, pins)


def top_of_wrapper(name: str, text: str) -> Top:
    """A wrapper, from its text: its first pin is the clock, its second a synchronous reset."""
    pins: list[Pin] = []
    for port in PORT.finditer(text[: text.index(");")]):
        width = int(port["left"]) - int(port["right"]) + 1 if port["left"] else 1
        role = ("clock", "reset")[len(pins)] if len(pins) < 2 else "bus"
        role = "interrupt" if port["name"] == "irq" else role
        direction: Literal["input", "output"] = (
            "input" if port["direction"] == "input" else "output"
        )
        pins.append(Pin(port["name"], direction, width, role))
    active: Literal["low", "high"] = "low" if pins[1].name.endswith("n") else "high"
    return Top(name, tuple(pins), active, "synchronous", tuple(list_buses(pins)))


def list_buses(pins: Sequence[Pin]) -> Iterator[Interface]:
    """The interfaces, in the order of their first pins."""
    found: dict[str, dict[str, Pin]] = {}
    for pin in pins:
        if named := BUS_PIN.match(pin.name):
            found.setdefault(named["bus"], {})[named["signal"]] = pin
    for name, signals in found.items():
        mode: Literal["slave", "master"] = "master" if name.startswith("m") else "slave"
        yield Interface(name, protocol_of(signals), mode, signals)


def protocol_of(signals: Mapping[str, Pin]) -> Protocol:
    """The protocol that has these signals."""
    if "tvalid" in signals:
        return "AXI4-Stream"
    if "waitrequest" in signals:
        return "Avalon-MM"
    return "AXI4" if "awlen" in signals or "arlen" in signals else "AXI4-Lite"
