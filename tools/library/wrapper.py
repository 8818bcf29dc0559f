"""A unit's module with a register on each port, so that its paths can be timed by class.

The registers of data, valid and ready have a clock each, and the unit its own: the paths from one
clock to another are then the paths of one class, e.g. from an input's valid to an input's ready.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from loom.analysis.timing.unit_costs import CHOICE, chooses
from loom.emit.circuit import instance_of
from loom.emit.instance import Instance
from loom.emit.modules import address_width
from loom.emit.render import Rendered
from loom.netlist.memory_channels import strobe_width
from tools.bare_text import bare
from tools.library.units import LibraryUnit

DECLARATION = re.compile(r"^  (input|output) logic (?:\[[^\]]*\] )?(\w+?),?$", re.MULTILINE)
CLOCKS = {"clk_data": "data", "clk_valid": "valid", "clk_ready": "ready", "clk_i": "register"}
"""The clocks of a wrapped module and the class of signals that each stands for."""
CHOICE_CLOCK = "clk_choice"
"""Of the data that steer; only of a module that has such."""
CLASSES = {**CLOCKS, CHOICE_CLOCK: CHOICE}
"""The class that each clock stands for."""
METHOD = 1
"""Counts the ways in which units have been measured: costs of another way are not kept."""


@dataclass(frozen=True)
class Design:
    """A module with all that it needs, and a register around it."""

    module: str
    sources: str
    parameters: tuple[tuple[str, str], ...]
    wrapper: str

    @property
    def digest(self) -> str:
        """A name for the texts without comments and layout: a cost belongs to them."""
        text = f"{bare(self.sources)}\n{self.parameters}\n{bare(self.wrapper)}\n{METHOD}"
        return sha256(text.encode()).hexdigest()[:16]


def design_of(unit: LibraryUnit) -> Design:
    """The unit's module, its parts and its wrapper."""
    modules: dict[str, Rendered] = {}
    instance = instance_of(unit.netlist, unit.netlist.units[0], modules)
    rendered = modules[instance.module]
    sources = "\n".join(made.text for made in (*rendered.needs, rendered))
    return Design(instance.module, sources, instance.parameters, wrapper(unit, instance, rendered))


def wrapper(unit: LibraryUnit, instance: Instance, rendered: Rendered) -> str:
    """A module called `wrapped` with a register on each port of the unit's module."""
    into_ports, _ = unit.operator.signature.ports_of(unit.shape)
    choices = [port.name for port in into_ports if chooses(unit.operator, port)]
    ports = [f"input logic {clock}" for clock in (*CLOCKS, *[CHOICE_CLOCK] * bool(choices))]
    lines: list[str] = []
    pins: list[str] = []
    for direction, name in DECLARATION.findall(rendered.text):
        if name == "clk_i":
            pins.append(".clk_i(clk_i)")
            continue
        if name == "rst_ni":
            ports.append("input logic rst_ni")
            pins.append(".rst_ni(rst_ni)")
            continue
        kind = f"logic [{width_of(name, unit) - 1}:0]"
        ports.append(f"{direction} {kind} {name}")
        into, out = (name, f"{name}_q") if direction == "input" else (f"{name}_d", name)
        lines.append(f"  {kind} {into if direction == 'output' else out};")
        lines.append(f"  always_ff @(posedge {clock_of(name, choices)}) {out} <= {into};")
        pins.append(f".{name}({out if direction == 'input' else into})")
    values = ", ".join(f".{name}({value})" for name, value in instance.parameters)
    parameters = f" #({values})" if values else ""
    listed = ",\n  ".join(ports)
    body = "\n".join(lines)
    return (
        f"module wrapped (\n  {listed}\n);\n{body}\n"
        f"  {instance.module}{parameters} dut ({', '.join(pins)});\nendmodule\n"
    )


def clock_of(port: str, choices: Sequence[str]) -> str:
    """The clock of the register on a port; a RAM outside and errors are on the unit's own.

    `choices` are the ports whose data steer.
    """
    if port.removesuffix("_data_i") in choices:
        return CHOICE_CLOCK
    role = port.removesuffix("_i").removesuffix("_o").rpartition("_")[2]
    outside = port.startswith(("rd_", "wr_", "ar_", "r_", "aw_", "b_"))
    return f"clk_{role}" if role in CLOCKS.values() and not outside else "clk_i"


def width_of(port: str, unit: LibraryUnit) -> int:
    """The width of a port of the unit's module [bits]."""
    name, _, role = port.removesuffix("_i").removesuffix("_o").rpartition("_")
    if role in ("valid", "ready", "en", "error"):
        return 1
    for memory in unit.netlist.memories:
        if name in ("rd", "wr", "ar", "r", "aw"):
            if role == "strb":
                return strobe_width(memory.width)
            return memory.width if role == "data" else address_width(memory)
    return {p.name: p.width for p in unit.netlist.ports}.get(name, 1)
