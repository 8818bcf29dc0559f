"""The memories of static loops: a schedule counts on an answer after a fixed number of cycles.

Where it is behind channels it may come later: the schedule then waits.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.dialects.operators.island_operator import ISLAND, ports_of_island
from loom.dialects.operators.lanes import ANY, Lane
from loom.netlist.netlist import Endpoint, Netlist, Unit


def apart_from_memories(netlist: Netlist) -> Iterator[tuple[Unit, str]]:
    """Each access of a static loop that no RAM, bank or channel serves in the time it states.

    One that takes a port of the RAM with another one of the loop may have to wait.
    """
    for unit in netlist.units:
        if unit.operator is not ISLAND:
            continue
        ports = ports_of_island(netlist.shape_by_unit[unit.name])
        taken: set[tuple[str, str, Lane]] = set()
        waiting = dict(ports.channels)
        for name, latency in zip(ports.accesses, ports.answer_latencies, strict=True):
            verb, k = name[:2], name[2:]
            if verb == "ld":
                pairs = [(f"ld_address{k}", f"ld_data{k}")]
            else:
                pairs = [(f"st_address{k}", f"st_done{k}"), (f"st_data{k}", f"st_done{k}")]
            lane = lane_of(netlist, unit, pairs, latency, waits=name in waiting)
            if lane is None or lane in taken:
                yield unit, f"{'load' if verb == 'ld' else 'store'} {k}"
            else:
                taken.add(lane)


def lane_of(
    netlist: Netlist,
    unit: Unit,
    pairs: list[tuple[str, str]],
    latency: int,
    *,
    waits: bool,
) -> tuple[str, str, Lane] | None:
    """The memory, the side and the port of a RAM, or the channel, that serve an access.

    `waits`: the unit takes it for one behind channels. None if its requests do not reach the ports
    of one access, whose answers come back to the unit.
    """
    into, back = (pair.rstrip("0123456789") for pair in pairs[0])
    found: tuple[str, str, Lane] | None = None
    for request, answer in pairs:
        there = netlist.channel_by_source[Endpoint(unit.name, request)].target
        here = netlist.channel_by_target[Endpoint(unit.name, answer)].source
        memory = netlist.unit_by_name.get(there.unit)
        kind = None if memory is None else memory.operator.hardware.memory_kind
        if memory is None or kind is None or kind.answers != waits:
            return None
        name = into if request.startswith(into) else "st_data"
        number = there.port.removeprefix(name)
        if not number.isdigit() or here != Endpoint(there.unit, f"{back}{number}"):
            return None
        shape = netlist.shape_by_unit[memory.name]
        lanes = kind.lanes_of(shape)
        loads = into == "ld_address"
        banks = lanes.load_banks if loads else lanes.store_banks
        if banks[int(number)] == ANY:
            return None
        due = kind.latency_of(shape) if loads else kind.done_latency_of(shape)
        if due != latency or (waits and kind.outstanding_of(shape) <= latency):
            return None
        listed = lanes.loads if loads else lanes.stores
        (lane,) = (each for each in listed if int(number) in each.accesses)
        found = memory.name, into, lane
    return found
