"""The ports of a machine as a netlist: channels and memories outside, without units between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument

from loom.dialects.facts.argument_names import argument_names
from loom.dialects.facts.arrays import memory_behind, partition_attribute
from loom.dialects.operators.catalogue import row_of_memory
from loom.dialects.operators.memories import address_bits
from loom.dialects.operators.operator import AttributeValue, Operator, Shape
from loom.dialects.ops.types import width_of
from loom.netlist.banks import bank_names, banks_of
from loom.netlist.fsmd.fsmd import Constant, Fsmd, ReadPort, WritePort
from loom.netlist.names import Names, module_name
from loom.netlist.netlist import OUTSIDE, Channel, Endpoint, Memory, Netlist, OutsidePort, Unit

MACHINE = "machine"
"""What stands at the other end of the channels."""


def netlist_of_ports(function: FuncOp, fsmd: Fsmd, index_width: int) -> Netlist:
    """The ports that the circuit of a static schedule has, named as those of a dynamic circuit."""
    names = Names()
    arguments = dict(zip(function.args, map(names.new, argument_names(function)), strict=True))
    inputs: list[tuple[str, Attribute | None]] = [
        (name, value.type)
        for value, name in arguments.items()
        if not isinstance(value.type, MemRefType)
    ]
    inputs.append((names.new("start"), None))
    types = function.function_type.outputs.data
    outputs: list[tuple[str, Attribute | None]] = [
        (names.new(f"out{k}"), type_) for k, type_ in enumerate(types)
    ]
    outputs.append((names.new("done"), None))
    ports: list[OutsidePort] = []
    channels: list[Channel] = []
    for name, type_ in (*inputs, *outputs):
        is_input = (name, type_) in inputs
        text, width = ("none", 0) if type_ is None else (str(type_), width_of(type_, index_width))
        ports.append(OutsidePort(name, "input" if is_input else "output", text, width))
        ends = Endpoint(OUTSIDE, name), Endpoint(MACHINE, name)
        channels.append(Channel(name, text, width, *(ends if is_input else ends[::-1])))
    read = {port.memory for port in fsmd.reads}
    written = {port.memory for port in fsmd.writes}
    memories: list[Memory] = []
    units: list[Unit] = []
    for argument, name in arguments.items():
        partition = partition_attribute(argument, function, function)
        banks = bank_names(name, None if partition is None else partition.data)
        loads = tuple(number for number, bank in enumerate(banks) if bank in read)
        stores = tuple(number for number, bank in enumerate(banks) if bank in written)
        if loads or stores:
            memories.append(memory_of(argument, name, function, index_width))
            choice = memory_behind(argument, function)
            said, row = choice.said, row_of_memory(choice.kind)
            counts = {"loads": len(loads), "stores": len(stores)}
            attributes: dict[str, AttributeValue] = {"memory": name, **counts, **said}
            if partition is not None:
                attributes["partition"] = partition.data
                attributes |= {"load_banks": loads, "store_banks": stores}
            if choice.kind.answers:  # which has a controller; the machine compares addresses
                attributes["in_range"] = True
                channels += channels_of(row, f"memory_{name}", attributes, memories[-1])
            units.append(Unit(f"memory_{name}", row, attributes))
    title = module_name(function.sym_name.data)
    return Netlist(title, index_width, tuple(ports), tuple(memories), tuple(units), tuple(channels))


def with_idle_ports(fsmd: Fsmd, netlist: Netlist) -> Fsmd:
    """The machine with the ports of the dynamic circuit's memories that it does not use.

    A program may load what decides nothing: the schedule has no such load, the netlist has.
    """
    wires, reads, writes = list(fsmd.wires), list(fsmd.reads), list(fsmd.writes)
    zeros = {w.width: w.name for w in wires if isinstance(w, Constant) and not w.value}

    def zero(width: int) -> str:
        if width not in zeros:
            zeros[width] = f"IDLE_{width}"
            wires.insert(0, Constant(zeros[width], width, 0))
        return zeros[width]

    for unit in netlist.units:
        kind, shape = unit.operator.hardware.memory_kind, netlist.shape_by_unit[unit.name]
        if kind is None or not kind.is_outside:
            continue
        memory = netlist.memory_by_name[str(unit.attributes["memory"])]
        latency = kind.latency_of(shape)
        for bank in banks_of(memory, shape):
            name, bits = bank.name, address_bits(bank.words)
            if bank.loads and all(port.memory != name for port in reads):
                word = f"{name}_idle_word"
                reads.append(ReadPort(word, memory.width, name, zero(1), zero(bits), latency))
            if bank.stores and all(port.memory != name for port in writes):
                done = kind.done_latency_of(shape) if kind.answers else 0
                writes.append(WritePort(name, zero(1), zero(bits), zero(memory.width), done))
    return replace(fsmd, wires=tuple(wires), reads=tuple(reads), writes=tuple(writes))


def channels_of(
    row: Operator, unit: str, attributes: Mapping[str, AttributeValue], memory: Memory
) -> Iterator[Channel]:
    """The channels between the machine and the controller of an array."""
    place = address_bits(memory.depth)
    kinds = {"T": (memory.type, memory.width), "A": (f"i{place}", place), "none": ("none", 0)}
    inputs, outputs = row.signature.ports_of(Shape((), (), attributes))
    for port in (*inputs, *outputs):
        ends = Endpoint(unit, port.name), Endpoint(MACHINE, f"{memory.name}_{port.name}")
        source, target = ends if port in outputs else ends[::-1]
        yield Channel(f"{memory.name}_{port.name}", *kinds[port.type], source, target)


def memory_of(argument: BlockArgument, name: str, function: FuncOp, index_width: int) -> Memory:
    """The array that an argument is."""
    assert isinstance(argument.type, MemRefType)
    element, depth = argument.type.element_type, argument.type.get_shape()[0]
    kind = memory_behind(argument, function).kind
    return Memory(name, str(element), width_of(element, index_width), depth, kind)
