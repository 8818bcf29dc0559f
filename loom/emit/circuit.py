"""From a netlist to its SystemVerilog: the distinct modules, the structural top, the file list."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.cores import core_key
from loom.dialects.operators.island_operator import ISLAND
from loom.dialects.operators.operator import Port
from loom.dialects.operators.runtime_errors import OF_EVERY_CIRCUIT, RUNTIME_ERRORS
from loom.emit.boundary import DEFAULT_BOUNDARY, Boundary, apply_boundary, check_names
from loom.emit.cores import SUFFIX, render_core
from loom.emit.instance import (
    Instance,
    MemoryPin,
    MemoryPorts,
    Pin,
    memory_facts,
    memory_of,
    memory_pins,
    require_free_name,
    sized,
)
from loom.emit.islands import render_island
from loom.emit.modules import Module, module_of
from loom.emit.render import Rendered, render_module, template
from loom.errors import LoomError, Place, raise_all
from loom.netlist.activations import one_at_a_time
from loom.netlist.banks import banks_outside
from loom.netlist.memory_channels import channel_pins as pins_of_channels
from loom.netlist.memory_channels import strobe_width
from loom.netlist.netlist import Channel, Netlist, Unit


@dataclass(frozen=True, slots=True)
class Section:
    """The instances of one loop, under a title."""

    title: str
    instances: tuple[Instance, ...]


Emitter = Callable[[Netlist, Boundary], dict[str, str]]
"""What writes the modules of a circuit with these ports, its top and its file list."""


def emit(netlist: Netlist, boundary: Boundary = DEFAULT_BOUNDARY) -> dict[str, str]:
    """Relative path to text of every file of the circuit: modules, top and file list.

    Refused: an operator that has no hardware (EMIT_NO_HARDWARE), a core that is not the module it
    should be (EMIT_CORE), has no reset of the chosen kind (EMIT_RESET) or a clock that cannot be
    enabled (EMIT_CLOCK_ENABLE), a circuit called like one of its modules, or an array like the bank
    of another one (EMIT_NAME_TAKEN), a clock or reset called like another port (EMIT_PORT_NAME), a
    core without a form in Verilog-2005 (EMIT_VERILOG_2005).
    """
    if boundary.clock_enable:
        require_quick_rams(netlist)
    raise_all([no_hardware(netlist, u) for u in netlist.units if not u.operator.hardware.template])
    modules: dict[str, Rendered] = {}
    instances = [instance_of(netlist, unit, modules) for unit in netlist.units]
    texts: dict[str, str] = {}
    for name, rendered in in_order(modules):
        if texts.setdefault(name, rendered.text) != rendered.text:
            what = f"two modules called {name}, of the bank of an array and of another array"
            raise LoomError("EMIT_NAME_TAKEN", Place(netlist.name), what, "another name for one")
    own = [
        template("circuit/error_latch").make_module(
            {"errors": errors_of(netlist), "clear": boundary.error_clear}
        )
    ]
    if one_at_a_time(netlist) is not None:
        own.append(template("circuit/activation").make_module())
    texts |= {str(vars(part)["name"]): str(part) for part in own}
    require_free_name(netlist.name, texts)
    sections = sections_of(netlist, instances)
    texts[netlist.name] = top_text(netlist, sections, boundary)
    if boundary != DEFAULT_BOUNDARY:
        check_names(boundary, netlist.name, top_text(netlist, sections))
    files = {f"rtl/{name}.sv": text for name, text in texts.items()}
    files[f"{netlist.name}.f"] = "".join(f"{path}\n" for path in files)
    return apply_boundary(files, netlist.name, boundary)


def no_hardware(netlist: Netlist, unit: Unit) -> LoomError:
    """The refusal of a unit whose operator has a meaning but no template."""
    shape = netlist.shape_by_unit[unit.name]
    variant, key = unit.operator.hardware.variant_of(shape), core_key(unit.operator, shape)
    return LoomError(
        "EMIT_NO_HARDWARE",
        unit.place or Place(netlist.name),
        f"{unit.operator.name} of {variant}, which has no hardware",
        f"a core of yours for it: --cores DIR with {key}{SUFFIX} in it"
        + ("; `loom model` and `loom lower` take it as it is" if key in CATALOGUE else ""),
    )


def in_order(modules: Mapping[str, Rendered]) -> Iterator[tuple[str, Rendered]]:
    """Every module after the modules it needs, by name."""
    for name in sorted(modules):
        for need in modules[name].needs:
            yield need.name, need
        yield name, modules[name]


def render_unit(module: Module) -> Rendered:
    """The module's text: of a core of the user's, of a schedule, else of LOOM's own template."""
    if module.operator.hardware.core:
        return render_core(module)
    return render_island(module) if module.operator is ISLAND else render_module(module)


def instance_of(netlist: Netlist, unit: Unit, modules: dict[str, Rendered]) -> Instance:
    """The instance of `unit`; its module is rendered the first time its name comes."""
    shape = netlist.shape_by_unit[unit.name]
    memory = memory_of(netlist, unit)
    module = module_of(unit.operator, shape, memory, netlist.name)
    if module.name not in modules:
        modules[module.name] = render_unit(module)
    rendered = modules[module.name]
    facts: dict[str, int | tuple[int, ...]] = {
        name: value for name, value in unit.attributes.items() if isinstance(value, int | tuple)
    }
    facts |= module.exponent_widths
    facts["latency"] = unit.operator.hardware.latency_of(shape)
    facts |= {**unit.constants, **unit.operator.hardware.facts_of(shape)}
    facts |= memory_facts(memory, shape) if memory is not None else {}
    values = [(name, str(width)) for name, width in module.widths.items()]
    decimal = all(c.type == "index" or c.type[:1] == "i" for c in netlist.outputs_of(unit))
    for parameter in rendered.parameters:
        value = facts[parameter.fact]
        width = module.widths.get(parameter.width, 0)
        text = sized(value, width, decimal=decimal) if parameter.sized else str(value)
        values.append((parameter.fact.upper(), text))
    in_ports, out_ports = netlist.ports_of(unit)
    pins = [("clk_i", "clk_i"), ("rst_ni", "rst_ni")] if rendered.clocked else []
    pins += channel_pins(in_ports, netlist.inputs_of(unit), "i", "o")
    pins += channel_pins(out_ports, netlist.outputs_of(unit), "o", "i")
    pins += [*error_pins(unit), *memory_pins(memory, shape)]
    return Instance(unit.name, module.name, tuple(values), tuple(pins), place_text(unit.place))


def sections_of(netlist: Netlist, instances: Sequence[Instance]) -> tuple[Section, ...]:
    """The instances by innermost loop; loops, and instances in them, in the netlist's order.

    A circuit without a loop is one section without a title.
    """
    loops: dict[Place | None, list[Instance]] = {None: []}
    for unit, instance in zip(netlist.units, instances, strict=True):
        loops.setdefault(unit.loop, []).append(instance)
    outside = loops.pop(None)
    if not loops:
        return (Section("", tuple(outside)),)
    titled = [(f"Loop at {place_text(loop)}", found) for loop, found in loops.items()]
    listed = [("Outside all loops", outside), *titled]
    return tuple(Section(title, tuple(found)) for title, found in listed if found)


def place_text(place: Place | None) -> str:
    """``file:line:column`` for a comment, with nothing in it that could end the comment."""
    if place is None:
        return ""
    file = "".join(c if c.isascii() and c.isprintable() and c != "\\" else "_" for c in place.file)
    return f"{file}:{place.line}:{place.column}"


def channel_pins(
    ports: Sequence[Port], channels: Sequence[Channel], forward: str, backward: str
) -> Iterator[Pin]:
    """Data, valid and ready of every port; `forward` and `backward` end the ports' names."""
    for port, channel in zip(ports, channels, strict=True):
        if channel.width:
            yield f"{port.name}_data_{forward}", f"{channel.name}_data"
        yield f"{port.name}_valid_{forward}", f"{channel.name}_valid"
        yield f"{port.name}_ready_{backward}", f"{channel.name}_ready"


def error_pins(unit: Unit) -> tuple[Pin, ...]:
    """The error outputs, of a unit that has one."""
    return tuple(
        (f"{word}_o", f"{unit.name}_{word}") for word, code in unit_errors(unit).items() if code
    )


def unit_errors(unit: Unit) -> Mapping[str, str]:
    """The run-time code of each error output; empty where the unit has none."""
    semantics = unit.operator.semantics
    return {"error": semantics.error, "refused": semantics.refusal}


def errors_of(netlist: Netlist) -> tuple[str, ...]:
    """The run-time codes by number, without the last ones if no unit can raise them."""
    raised = [code for unit in netlist.units for code in unit_errors(unit).values()]
    most = max((RUNTIME_ERRORS.index(code) for code in raised), default=0)
    return RUNTIME_ERRORS[: max(len(OF_EVERY_CIRCUIT), most + 1)]


def outside_memories(netlist: Netlist) -> Iterator[MemoryPorts]:
    """The external memories that a unit serves, in the netlist's order; each bank is one."""
    for bank in banks_outside(netlist):
        bits, width = bank.address_width, bank.word_width
        sizes = {"T": width, "A": bits, "S": strobe_width(width), "": 1}
        pins = (
            pins_of_channels(loads=bank.loads, stores=bank.stores)
            if bank.array.kind.answers
            else ()
        )
        yield MemoryPorts(
            bank.name,
            width,
            bits,
            bank.stores,
            bank.loads,
            tuple(MemoryPin(pin.name, pin.direction, sizes[pin.width]) for pin in pins),
        )


def guarded_outputs(netlist: Netlist) -> list[str]:
    """The outputs for memories that ask for something, without their ``_o``."""
    found: list[str] = []
    for memory in outside_memories(netlist):
        asks = [("rd_en", memory.loads), ("wr_en", memory.stores)]
        if memory.pins:
            names = [pin.name for pin in memory.pins if pin.name.endswith(("_valid_o", "_ready_o"))]
            asks = [(name.removesuffix("_o"), True) for name in names]
        found += [f"{memory.name}_{name}" for name, there in asks if there]
    return found


def require_quick_rams(netlist: Netlist) -> None:
    """Return if each RAM outside answers in the next cycle. Refused: EMIT_CLOCK_ENABLE.

    A RAM that takes more cycles goes on while the circuit is held.
    """
    for unit in netlist.units:
        memory = memory_of(netlist, unit)
        if memory is None or not memory.kind.is_outside or memory.kind.answers:
            continue
        latency = memory.kind.stated_latency(netlist.shape_by_unit[unit.name])
        if latency > 1:
            what = f"{memory.name}, a RAM outside of latency {latency}, and a clock enable"
            accepted = "RAMs of latency 1 and memories behind channels"
            raise LoomError("EMIT_CLOCK_ENABLE", Place(netlist.name), what, accepted)


def top_text(
    netlist: Netlist, sections: Sequence[Section], boundary: Boundary = DEFAULT_BOUNDARY
) -> str:
    """The structural top: ports, nets, the instances by loop, the error latch."""
    errors = [
        [
            f"{unit.name}_{word}"
            for unit in netlist.units
            for word, raised in unit_errors(unit).items()
            if raised == code
        ]
        for code in errors_of(netlist)[1:]
    ]
    text: str = template("circuit/top").render(
        name=netlist.name,
        edge=boundary,
        ports=netlist.ports,
        inputs=[port for port in netlist.ports if port.direction == "input"],
        one_at_a_time=one_at_a_time(netlist),
        memories=tuple(outside_memories(netlist)),
        guarded=guarded_outputs(netlist) if boundary.clock_enable else [],
        channels=netlist.channels,
        entering=[(c, c.source.port) for c in netlist.channels if not c.source.unit],
        leaving=[(c, c.target.port) for c in netlist.channels if not c.target.unit],
        units=len(netlist.units),
        sections=sections,
        error_nets=[net for nets in errors for net in nets],
        errors=errors,
    )
    return text
