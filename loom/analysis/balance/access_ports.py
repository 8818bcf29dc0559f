"""Every access has one memory port, and its datum comes from there.

In a circuit without idle logic a memory port may have no access unit: its address, or the datum of
a store, then waits for the start token itself.

Source: docs/spec/memory-order.md, "Invariants": one control input, one data connection and
one done token an access.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from loom.analysis.balance.after_start import channels_after_start
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.island_operator import ISLAND
from loom.dialects.operators.ordering.load_store_queue import LOAD_STORE_QUEUE
from loom.dialects.ops.handshake_memory import LoadOp, StoreOp
from loom.netlist.netlist import Endpoint, Netlist, Unit

LOAD, STORE = CATALOGUE[LoadOp.name], CATALOGUE[StoreOp.name]


def misplaced_accesses(
    netlist: Netlist, same: Mapping[str, str], *, lean: bool
) -> Iterator[tuple[Unit, str]]:
    """Accesses without exactly one port of a memory, and ports without exactly one access.

    `same` names the channels that carry the same tokens. In a `lean` circuit a port may have none.
    """
    direct = set(direct_ports(netlist)) if lean else set()
    ports = dict(memory_ports(netlist, same))
    accesses = dict.fromkeys(ports, 0)
    for access in netlist.units:
        if access.operator in (ISLAND, LOAD_STORE_QUEUE):  # held against memories on their own
            for channel in netlist.outputs_of(access):
                for at in [at for at, address in ports.items() if address == same[channel.name]]:
                    accesses[at] += 1
            continue
        if access.operator not in (LOAD, STORE):
            continue
        kind = "ld" if access.operator is LOAD else "st"
        sent = same[netlist.channel_by_source[Endpoint(access.name, "address_out")].name]
        found = [at for at, address in ports.items() if address == sent]
        for at in found:
            accesses[at] += 1
        if len(found) != 1:
            yield access, f"unit {access.name} with {len(found)} memory ports for its address"
            continue
        memory, port = found[0]
        number = port.removeprefix(f"{kind}_address")
        if not number.isdigit():
            yield access, f"unit {access.name} at {memory}.{port}, the port of another kind"
            continue
        datum, wanted = data_of(netlist, access, memory, number)
        if same[datum] != same[wanted]:
            yield access, f"unit {access.name} with its address at {memory}.{port}, not its datum"
    for (memory, port), count in accesses.items():
        if count != 1 and not (count == 0 and Endpoint(memory, port) in direct):
            yield netlist.unit_by_name[memory], f"{memory}.{port} with {count} accesses"


def direct_ports(netlist: Netlist) -> Iterator[Endpoint]:
    """Address ports of memories at which no access begins before the start token came."""
    started = channels_after_start(netlist)
    for unit in netlist.units:
        if unit.operator.hardware.memory_kind:
            for port in netlist.ports_of(unit)[0]:
                if "_address" in port.name:
                    datum = port.name.replace("_address", "_data")
                    ends = [Endpoint(unit.name, name) for name in (port.name, datum)]
                    given = [netlist.channel_by_target.get(end) for end in ends]
                    if any(channel is not None and channel.name in started for channel in given):
                        yield ends[0]


def memory_ports(netlist: Netlist, same: Mapping[str, str]) -> Iterator[tuple[Endpoint, str]]:
    """Every address port of a memory, with what it carries."""
    for unit in netlist.units:
        if unit.operator.hardware.memory_kind:
            for port in netlist.ports_of(unit)[0]:
                if "_address" in port.name:
                    end = Endpoint(unit.name, port.name)
                    yield end, same[netlist.channel_by_target[end].name]


def data_of(netlist: Netlist, access: Unit, memory: str, number: str) -> tuple[str, str]:
    """The channel of the access's datum, and that of the memory port of this number."""
    if access.operator is LOAD:
        into = netlist.channel_by_target[Endpoint(access.name, "data_in")]
        return into.name, netlist.channel_by_source[Endpoint(memory, f"ld_data{number}")].name
    out = netlist.channel_by_source[Endpoint(access.name, "data_out")]
    return out.name, netlist.channel_by_target[Endpoint(memory, f"st_data{number}")].name
