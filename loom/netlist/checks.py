"""What every netlist must hold: names, one driver and one reader, types, memories, cut cycles.

`problems` finds all it can; an empty list means the netlist can be emitted and simulated.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from loom.dialects.floats.formats import FORMATS
from loom.dialects.operators.operator import Operator, Port
from loom.dialects.operators.partitions import Partition
from loom.errors import LoomError, Place
from loom.netlist.banks import banks_outside
from loom.netlist.cycles import uncut_cycles
from loom.netlist.island_memories import apart_from_memories
from loom.netlist.memory_channels import channel_pins
from loom.netlist.names import is_identifier, is_module_name
from loom.netlist.netlist import OUTSIDE, Channel, Endpoint, Netlist, Unit
from loom.netlist.taken_together import taken_apart
from loom.netlist.token_types import MAX_WIDTH

MAX_DEPTH = (1 << 31) - 1
"""The deepest memory [words]: what an integer parameter of SystemVerilog holds."""
MAX_SLOTS = 1 << 16
"""The longest buffer [tokens]."""


def problems(netlist: Netlist, file: str = "<netlist>") -> list[LoomError]:
    """Every problem of the netlist; later checks run where the earlier ones found nothing."""
    for check in (names, attributes, endpoints, types, memories, cycles, broadcasts, islands):
        found = [
            LoomError(code, place, what, accepted)
            for code, place, what, accepted in check(netlist, Place(file))
        ]
        if found:
            return found
    return []


INTEGER = re.compile(r"index|i\d+")
"""Types of numbers that a loop may count in."""

Finding = tuple[str, Place, str, str]


def names(netlist: Netlist, place: Place) -> Iterator[Finding]:
    """Names are identifiers and unique among their kind."""
    outside = [port.name for port in netlist.ports]
    kinds = (
        ("unit", "units", [unit.name for unit in netlist.units]),
        ("channel", "channels", [channel.name for channel in netlist.channels]),
        (
            "port or memory",
            "ports or memories",
            outside + [memory.name for memory in netlist.memories],
        ),
    )
    for kind, several, found in kinds:
        for name, count in Counter(found).items():
            if count > 1:
                yield "NETLIST_NAME", place, f"{count} {several} named {name!r}", "unique names"
            if not is_identifier(name):
                what = f"{name!r} as the name of a {kind}"
                yield "NETLIST_NAME", place, what, "letters, digits and underscores"
    if not is_module_name(netlist.name):
        what = f"{netlist.name!r} as the name of a circuit"
        yield "NETLIST_NAME", place, what, "SystemVerilog identifiers that are no keywords"


def attributes(netlist: Netlist, place: Place) -> Iterator[Finding]:
    """Every unit says what its operator asks, within the choices."""
    for unit in netlist.units:
        operator = unit.operator
        signature, hardware = operator.signature, operator.hardware
        for name in signature.attributes:
            if name not in unit.attributes and name not in signature.defaults:
                yield at(unit, place, f"no attribute {name}", f"{operator.name} with {name}")
        for name, value in unit.attributes.items():
            choices = hardware.options.get(name, signature.choices.get(name))
            if name not in signature.attributes and name not in hardware.options:
                known = ", ".join((*signature.attributes, *hardware.options)) or "no attributes"
                yield at(unit, place, f"attribute {name}", f"{operator.name} with {known}")
            elif choices is not None and value not in choices:
                yield at(unit, place, f"{name} = {value!r}", " ".join(map(str, choices)))
            elif choices is not None and isinstance(value, bool):  # which Python takes for 0 or 1
                yield at(unit, place, f"{name} = {value}", " ".join(map(str, choices)))
            elif choices is None and not fits(operator, name, value, len(netlist.channels)):
                yield at(unit, place, f"{name} = {value!r}", f"what {operator.name} means by it")
        for name in unit.constants:
            if name not in signature.constants:
                known = " and ".join(signature.constants) or "no constants"
                yield at(unit, place, f"constant {name}", f"{operator.name} with {known}")


def fits(operator: Operator, name: str, value: object, channels: int) -> bool:
    """True if a value without fixed choices has the kind that the operator wants.

    A memory has no more accesses than the netlist has channels.
    """
    default = operator.signature.defaults.get(name)
    if isinstance(default, bool):
        return isinstance(value, bool)
    if isinstance(default, tuple | Partition):
        return isinstance(value, type(default))
    if name in ("memory", "groups") or isinstance(default, str):
        return isinstance(value, str)
    least = 1 if name == "slots" else 0
    most = {"stores": channels, "loads": channels, "slots": MAX_SLOTS}.get(name, 1 << MAX_WIDTH)
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def at(unit: Unit, place: Place, what: str, accepted: str) -> Finding:
    """A finding about one unit."""
    return "NETLIST_ATTRIBUTE", unit.place or place, f"{what} on unit {unit.name!r}", accepted


def endpoints(netlist: Netlist, place: Place) -> Iterator[Finding]:
    """Every port has exactly one channel, and every channel two ports that exist."""
    wanted_sources: set[Endpoint] = set()
    wanted_targets: set[Endpoint] = set()
    for unit in netlist.units:
        inputs, outputs = netlist.ports_of(unit)
        if unit.constants and not inputs:
            yield at(unit, place, "constants alone", "a channel to one operand")
        wanted_targets |= {Endpoint(unit.name, port.name) for port in inputs}
        wanted_sources |= {Endpoint(unit.name, port.name) for port in outputs}
    for outside in netlist.ports:
        ends = wanted_sources if outside.direction == "input" else wanted_targets
        ends.add(Endpoint(OUTSIDE, outside.name))
    for kind, wanted, found in (
        ("driver", wanted_sources, Counter(channel.source for channel in netlist.channels)),
        ("reader", wanted_targets, Counter(channel.target for channel in netlist.channels)),
    ):
        misfits = [(end, n) for end, n in found.items() if n > 1 or end not in wanted]
        for end, count in sorted(misfits):
            if end not in wanted:
                yield (
                    "NETLIST_ENDPOINT",
                    place,
                    f"a channel with the {kind} {end}, which does not exist",
                    "ports of units and of the circuit",
                )
            else:
                yield (
                    "NETLIST_CHANNEL",
                    place,
                    f"{count} channels with the {kind} {end}",
                    "exactly one channel a port",
                )
        for end in sorted(wanted - set(found)):
            yield (
                "NETLIST_DANGLING",
                place,
                f"no channel with the {kind} {end}",
                "exactly one channel a port",
            )


def types(netlist: Netlist, place: Place) -> Iterator[Finding]:
    """Types are those of the ports: fixed ones as named, variables the same all over a unit."""
    outside = {port.name: port.type for port in netlist.ports}
    for channel in netlist.channels:
        for end in (channel.source, channel.target):
            if end.unit == OUTSIDE and outside[end.port] != channel.type:
                yield mismatch(channel, place, outside[end.port], end)
    for unit in netlist.units:
        inputs, outputs = netlist.ports_of(unit)
        bound: dict[str, int] = {}
        pairs = [
            *zip(inputs, netlist.inputs_of(unit), strict=True),
            *zip(outputs, netlist.outputs_of(unit), strict=True),
        ]
        for port, channel in pairs:
            yield from port_type(unit, port, channel, bound, place)
        for name, variable in unit.operator.signature.formats.items():
            form = FORMATS[str(unit.attributes[name])]
            if bound.get(variable, form.width) != form.width:
                what = f"{name} = {form.name!r} beside a channel of {bound[variable]} bits"
                yield at(unit, place, what, f"channels of {form.width} bits")
        misfit = unit.operator.signature.misfit
        wrong = misfit(netlist.shape_by_unit[unit.name]) if misfit is not None else None
        if wrong is not None:
            what, accepted = wrong
            yield "NETLIST_TYPE", unit.place or place, f"{what} at unit {unit.name!r}", accepted
        value = unit.attributes.get("value")
        width = netlist.shape_by_unit[unit.name].outputs[0] if isinstance(value, int) else 0
        if isinstance(value, int) and value >> width:
            yield at(unit, place, f"value = {value}", f"values of {width} bits")
        yield from constants(netlist, unit, place)


def constants(netlist: Netlist, unit: Unit, place: Place) -> Iterator[Finding]:
    """Every constant fits the width of its operand."""
    shape = netlist.shape_by_unit[unit.name]
    inputs, _ = unit.operator.signature.ports_of(shape)
    for number, value in shape.constants.items():
        if value >> shape.inputs[number]:
            what = f"constant {inputs[number].name} = {value}"
            yield at(unit, place, what, f"constants of {shape.inputs[number]} bits")


def port_type(
    unit: Unit, port: Port, channel: Channel, bound: dict[str, int], place: Place
) -> Iterator[Finding]:
    """Check one port; `bound` holds the widths of the unit's type variables so far."""
    end = Endpoint(unit.name, port.name)
    if port.type in ("i1", "none"):
        if channel.type != port.type:
            yield mismatch(channel, unit.place or place, port.type, end)
        return
    if port.type == "index" and not INTEGER.fullmatch(channel.type):
        yield mismatch(channel, unit.place or place, "index or an integer", end)
        return
    width = bound.setdefault(port.type, channel.width)
    if width != channel.width:
        yield mismatch(channel, unit.place or place, f"{width} bits", end)
    elif (
        width == 0
        and unit.operator.semantics.meaning is not None
        and not unit.operator.semantics.passes_control
    ):
        yield mismatch(channel, unit.place or place, "a type with data", end)


def mismatch(channel: Channel, place: Place, wanted: str, end: Endpoint) -> Finding:
    """A finding about the type of a channel at one end."""
    what = f"channel {channel.name!r} of type {channel.type} at {end}"
    return "NETLIST_TYPE", place, what, wanted


def memories(netlist: Netlist, place: Place) -> Iterator[Finding]:
    """Every memory has a size and exactly one unit, of its kind and type."""
    users: dict[str, list[Unit]] = {memory.name: [] for memory in netlist.memories}
    for unit in netlist.units:
        name = unit.attributes.get("memory")
        if isinstance(name, str):
            if name not in users:
                yield at(unit, place, f"memory {name!r}", "memories that the netlist declares")
            else:
                users[name].append(unit)
    for memory in netlist.memories:
        found = users[memory.name]
        what = f"memory {memory.name!r}"
        if not 1 <= memory.depth <= MAX_DEPTH:
            yield "NETLIST_MEMORY", place, f"{what} of depth {memory.depth}", "1 to 2^31 - 1 words"
        if memory.width == 0:
            yield (
                "NETLIST_MEMORY",
                place,
                f"{what} of type {memory.type}",
                "words of 1 bit and more",
            )
        if memory.contents is not None and len(memory.contents) != memory.depth:
            yield (
                "NETLIST_MEMORY",
                place,
                f"{what} with {len(memory.contents)} initial words",
                f"{memory.depth} words or none",
            )
        if len(found) != 1 or found[0].operator.hardware.memory_kind != memory.kind:
            names_ = ", ".join(unit.name for unit in found) or "no unit"
            yield (
                "NETLIST_MEMORY",
                place,
                f"{what}, {memory.kind}, served by {names_}",
                "one memory unit of the same kind",
            )
            continue
        partition = memory.kind.lanes_of(netlist.shape_by_unit[found[0].name]).partition
        if partition is not None and partition.depth != memory.depth:
            yield (
                "NETLIST_MEMORY",
                place,
                f"{what} of {memory.depth} elements in banks of {partition}",
                "sizes whose product is the number of elements",
            )
        inputs, outputs = netlist.ports_of(found[0])
        if not inputs:
            where = found[0].place or place
            yield "NETLIST_MEMORY", where, f"{what} that nothing accesses", "a load or a store"
        for port, channel in [
            *zip(inputs, netlist.inputs_of(found[0]), strict=True),
            *zip(outputs, netlist.outputs_of(found[0]), strict=True),
        ]:
            if port.type == "T" and channel.width != memory.width:
                yield mismatch(channel, place, memory.type, Endpoint(found[0].name, port.name))
    banks = {bank.name for bank in banks_outside(netlist) if bank.array.name != bank.name}
    for memory in netlist.memories_outside:
        if memory.name in banks:
            what = f"memory {memory.name!r}, called like a bank of another"
            yield "NETLIST_NAME", place, what, "names of their own for memories and banks"
    yield from shared_data_ports(netlist, place)


def shared_data_ports(netlist: Netlist, place: Place) -> Iterator[Finding]:
    """Channels outside whose data port would have the name of a memory's: `m_rd` beside `m`."""
    memory_of_port: dict[tuple[str, str], str] = {}
    pins_of_memory: dict[str, str] = {}
    for bank in banks_outside(netlist):
        if bank.array.kind.answers:
            pins = channel_pins(loads=bank.loads, stores=bank.stores)
            pins_of_memory |= {f"{bank.name}_{pin.name}": bank.name for pin in pins}
            continue
        if bank.loads:
            memory_of_port["input", f"{bank.name}_rd"] = bank.name
        if bank.stores:
            memory_of_port["output", f"{bank.name}_wr"] = bank.name
    for port in netlist.ports:
        there, back = ("i", "o") if port.direction == "input" else ("o", "i")
        own = (f"{port.name}_valid_{there}", f"{port.name}_ready_{back}")
        memory = next((pins_of_memory[pin] for pin in own if pin in pins_of_memory), None)
        if memory is not None:
            what = f"port {port.name!r} beside memory {memory!r}, which has a channel so called"
            yield "NETLIST_NAME", place, what, "another name for one of them"
        memory = memory_of_port.get((port.direction, port.name))
        if memory is not None and port.width:
            what = f"port {port.name!r} beside memory {memory!r}, whose words have a port so called"
            yield "NETLIST_NAME", place, what, "another name for one of them"


def cycles(netlist: Netlist, place: Place) -> Iterator[Finding]:
    """Every cycle holds a cut of data and valid, and a cut of ready."""
    for signal, members in uncut_cycles(netlist):
        shown = ", ".join(members[:6]) + (", ..." if len(members) > 6 else "")
        yield (
            "NETLIST_CYCLE",
            place,
            f"a combinational cycle of {signal} through {shown}",
            "a buffer in every cycle (seq cuts data, valid and ready; fifo cuts ready; "
            "stage cuts data and valid)",
        )


def broadcasts(netlist: Netlist, place: Place) -> Iterator[Finding]:
    """The outputs of every broadcast are taken in the same cycles."""
    for unit, first, other in taken_apart(netlist):
        what = f"{first} and {other} of broadcast {unit.name!r}, which go to different units"
        accepted = "outputs to one unit that joins them, or a fork"
        yield "NETLIST_BROADCAST", unit.place or place, what, accepted


def islands(netlist: Netlist, place: Place) -> Iterator[Finding]:
    """The requests of a static loop go straight to memories, which answer when it expects it."""
    for unit, what in apart_from_memories(netlist):
        accepted = (
            "channels straight to the ports of one access of a RAM, of a known bank or of an array "
            "behind channels that it waits for, where no other of the unit takes its port"
        )
        where = f"{what} of unit {unit.name!r}"
        yield "NETLIST_ISLAND", unit.place or place, where, accepted
