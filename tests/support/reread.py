"""Reads a circuit's top back with pyverilog and compares it with the netlist it came from.

An independent check of what the emitter wrote: instances, parameters and connections, nothing
about widths or about what is inside the modules.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from pyverilog.vparser import ast
from pyverilog.vparser.parser import VerilogParser

from loom.dialects.operators.island_operator import ISLAND
from loom.dialects.operators.runtime_errors import OF_EVERY_CIRCUIT, RUNTIME_ERRORS
from loom.netlist.activations import OneAtATime, one_at_a_time
from loom.netlist.memory_channels import READ_PINS, WRITE_PINS
from loom.netlist.netlist import Channel, Netlist

RAM_PINS = ("rd_en_o", "rd_addr_o", "rd_data_i", "wr_en_o", "wr_addr_o", "wr_data_o")
"""Of a memory outside; those of a bank have its name before them."""
ASSERTIONS = re.compile(r"^`ifdef SIMULATION\n.*?^`endif\n", re.DOTALL | re.MULTILINE)
"""What the top checks of its neighbours in a simulation; pyverilog reads no assertions."""


@dataclass(frozen=True, slots=True)
class ReadInstance:
    """An instance as it stands in the text: expressions are texts without blanks."""

    module: str
    parameters: Mapping[str, str]
    pins: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ReadTop:
    """The structural content of a module: instances by name, assigned nets by target."""

    name: str
    ports: frozenset[str]
    instances: Mapping[str, ReadInstance]
    assigns: Mapping[str, str]


@cache
def parser() -> VerilogParser:
    """The parser; its tables take most of a second, so there is one."""
    with tempfile.TemporaryDirectory() as folder:
        return VerilogParser(outputdir=folder, debug=False)


def reread(text: str) -> ReadTop:
    """Instances, parameters and connections of the one module in `text`, without its assertions."""
    module = parser().parse(ASSERTIONS.sub("", text)).description.definitions[0]
    instances: dict[str, ReadInstance] = {}
    assigned: list[tuple[str, object]] = []
    for item in module.items:
        if isinstance(item, ast.InstanceList):
            for made in item.instances:
                parameters = once((p.paramname, p.argname) for p in made.parameterlist)
                pins = once((p.portname, p.argname) for p in made.portlist)
                instances[made.name] = ReadInstance(made.module, parameters, pins)
        elif isinstance(item, ast.Assign):
            assigned.append((expression(item.left.var), item.right.var))
    ports = frozenset(port.first.name for port in module.portlist.ports)
    return ReadTop(module.name, ports, instances, once(assigned))


def once(pairs: Iterable[tuple[str, object]]) -> dict[str, str]:
    """Text by name; what is named twice gets both texts, which is no net."""
    found: dict[str, str] = {}
    for name, node in pairs:
        text = expression(node)
        found[name] = f"{found[name]} and {text}" if name in found else text
    return found


def expression(node: object) -> str:
    """A name, a number with or without a sign, or an or of such, as text."""
    if isinstance(node, ast.Identifier):
        return str(node.name)
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.Uminus):
        return f"-{expression(node.right)}"
    if isinstance(node, ast.Or):
        return f"{expression(node.left)}|{expression(node.right)}"
    raise AssertionError(f"the top is structural, yet it says {node!r}")


def differences(netlist: Netlist, top_text: str) -> list[str]:
    """What the text says otherwise than the netlist, one line each; empty if they agree."""
    top = reread(top_text)
    found: list[str] = []
    if top.name != netlist.name:
        found.append(f"the module is called {top.name}, the netlist {netlist.name}")
    wanted = {f"{unit.name}_inst" for unit in netlist.units} | {"error_latch"}
    alone = one_at_a_time(netlist)
    if alone is not None:
        wanted.add("activation")
        found += activation_differences(alone, top.instances.get("activation"))
    found += [f"no instance {name}" for name in sorted(wanted - top.instances.keys())]
    found += [f"instance {name} has no unit" for name in sorted(top.instances.keys() - wanted)]
    for unit in netlist.units:
        instance = top.instances.get(f"{unit.name}_inst")
        if instance is not None:
            found += list(instance_differences(netlist, unit.name, instance))
    for channel in netlist.channels:
        entered = alone is None or channel != alone.start
        found += list(boundary_differences(channel, top, entered=entered))
    found += list(error_differences(netlist, top))
    return found


def instance_differences(netlist: Netlist, name: str, instance: ReadInstance) -> Iterator[str]:
    """What differs on one unit's instance: channel pins, pins of no channel, width parameters."""
    unit = netlist.unit_by_name[name]
    in_ports, out_ports = netlist.ports_of(unit)
    wanted: dict[str, str] = {}
    widths: dict[str, int] = {}
    sides = (
        (in_ports, netlist.inputs_of(unit), ("data_i", "valid_i", "ready_o")),
        (out_ports, netlist.outputs_of(unit), ("data_o", "valid_o", "ready_i")),
    )
    for ports, channels, ends in sides:
        for port, channel in zip(ports, channels, strict=True):
            for end in ends:
                if channel.width or not end.startswith("data"):
                    wanted[f"{port.name}_{end}"] = f"{channel.name}_{end[:-2]}"
            own_text = unit.operator is ISLAND  # a static loop's module is written for its widths
            if channel.width and port.type not in ("i1", "none") and not own_text:
                widths[f"{port.type.upper()}_WIDTH"] = channel.width
    for pin, net in wanted.items():
        if instance.pins.get(pin) != net:
            yield f"{name}_inst.{pin} is on {instance.pins.get(pin)}, not on {net}"
    yield from other_pins(
        netlist, name, {p: n for p, n in instance.pins.items() if p not in wanted}
    )
    for parameter, width in widths.items():
        if instance.parameters.get(parameter) != str(width):
            yield f"{name}_inst.{parameter} is {instance.parameters.get(parameter)}, not {width}"


def other_pins(netlist: Netlist, name: str, pins: Mapping[str, str]) -> Iterator[str]:
    """Pins that carry no channel: clock, reset, error, the RAM port of an external memory."""
    memory = netlist.unit_by_name[name].attributes.get("memory")
    wanted = {"clk_i": "clk_i", "rst_ni": "rst_ni", "error_o": f"{name}_error"}
    wanted["refused_o"] = f"{name}_refused"
    wanted |= {pin.name: f"{memory}_{pin.name}" for pin in (*READ_PINS, *WRITE_PINS)}
    for pin in pins:
        bank, _, verb = pin.partition("_")
        if verb in RAM_PINS and bank.startswith("bank"):
            wanted[pin] = f"{memory}_{bank.removeprefix('bank')}_{verb}"
        elif pin in RAM_PINS:
            wanted[pin] = f"{memory}_{pin}"
    for pin, net in pins.items():
        if wanted.get(pin) != net:
            yield f"{name}_inst.{pin} is on {net}, not on {wanted.get(pin)}"


def error_differences(netlist: Netlist, top: ReadTop) -> Iterator[str]:
    """What differs on the way of the error outputs to the error latch."""
    for number, code in enumerate(RUNTIME_ERRORS[1:], start=1):
        wanted = {f"{u.name}_error" for u in netlist.units if u.operator.semantics.error == code}
        refused = {u.name for u in netlist.units if u.operator.semantics.refusal == code}
        wanted |= {f"{name}_refused" for name in refused}
        if number >= len(OF_EVERY_CIRCUIT) and not wanted:
            continue  # no unit of the circuit can raise it
        found = set(top.assigns.get(f"error_{number}", "").split("|"))
        if found != (wanted or {"1'b0"}):
            yield f"error_{number} collects {sorted(found)}, not {sorted(wanted)}"


def activation_differences(alone: OneAtATime, instance: ReadInstance | None) -> Iterator[str]:
    """What differs where start passes the module that lets one activation run at a time."""
    port, start, done = alone.start.source.port, alone.start.name, alone.done.name
    wanted = {
        "clk_i": "clk_i",
        "rst_ni": "rst_ni",
        "start_valid_i": f"{port}_valid_i",
        "start_ready_o": f"{port}_ready_o",
        "begin_valid_o": f"{start}_valid",
        "begin_ready_i": f"{start}_ready",
        "done_valid_i": f"{done}_valid",
        "done_ready_i": f"{done}_ready",
    }
    if instance is not None and instance.pins != wanted:
        yield f"activation is on {instance.pins}, not on {wanted}"


def boundary_differences(channel: Channel, top: ReadTop, *, entered: bool) -> Iterator[str]:
    """What differs where a channel meets the circuit's own ports; `entered` without a module."""
    wanted: dict[str, str] = {}
    if not channel.source.unit and entered:
        wanted[f"{channel.name}_valid"] = f"{channel.source.port}_valid_i"
        wanted[f"{channel.source.port}_ready_o"] = f"{channel.name}_ready"
        if channel.width:
            wanted[f"{channel.name}_data"] = f"{channel.source.port}_data_i"
    if not channel.target.unit:
        wanted[f"{channel.target.port}_valid_o"] = f"{channel.name}_valid"
        wanted[f"{channel.name}_ready"] = f"{channel.target.port}_ready_i"
        if channel.width:
            wanted[f"{channel.target.port}_data_o"] = f"{channel.name}_data"
    for target, source in wanted.items():
        if top.assigns.get(target) != source:
            yield f"{target} is assigned {top.assigns.get(target)}, not {source}"
