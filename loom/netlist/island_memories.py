"""The memories of static loops: a schedule counts on an answer after a fixed number of cycles."""

from __future__ import annotations

from collections.abc import Iterator

from loom.dialects.operators.island_operator import ISLAND, ports_of_island
from loom.dialects.operators.lanes import ANY
from loom.netlist.netlist import Endpoint, Netlist, Unit


def apart_from_memories(netlist: Netlist) -> Iterator[tuple[Unit, str]]:
    """Each access of a static loop that no RAM, or bank, serves in the time it states."""
    for unit in netlist.units:
        if unit.operator is not ISLAND:
            continue
        ports = ports_of_island(netlist.shape_by_unit[unit.name])
        for k, latency in enumerate(ports.latencies):
            pairs = [(f"ld_address{k}", f"ld_data{k}")]
            if not is_served(netlist, unit, "ld_address", pairs, "ld_data", latency):
                yield unit, f"load {k}"
        for k in range(ports.stores):
            pairs = [(f"st_address{k}", f"st_done{k}"), (f"st_data{k}", f"st_done{k}")]
            if not is_served(netlist, unit, "st_address", pairs, "st_done", None):
                yield unit, f"store {k}"


def is_served(
    netlist: Netlist,
    unit: Unit,
    into: str,
    pairs: list[tuple[str, str]],
    back: str,
    latency: int | None,
) -> bool:
    """Whether requests reach the ports of one access, whose answers come back to the unit."""
    for request, answer in pairs:
        there = netlist.channel_by_source[Endpoint(unit.name, request)].target
        here = netlist.channel_by_target[Endpoint(unit.name, answer)].source
        memory = netlist.unit_by_name.get(there.unit)
        kind = None if memory is None else memory.operator.hardware.memory_kind
        if memory is None or kind is None or kind.answers:
            return False
        name = into if request.startswith(into) else "st_data"
        number = there.port.removeprefix(name)
        if not number.isdigit() or here != Endpoint(there.unit, f"{back}{number}"):
            return False
        shape = netlist.shape_by_unit[memory.name]
        lanes = kind.lanes_of(shape)
        banks = lanes.load_banks if into == "ld_address" else lanes.store_banks
        copies = not lanes.registers and any(lane.copy for lane in lanes.loads)
        if copies or banks[int(number)] == ANY:
            return False
        if latency is not None and kind.stated_latency(shape) != latency:
            return False
    return True
