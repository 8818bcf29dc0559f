"""A lower bound on the cycles of a circuit, from what the program did."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from loom.netlist.netlist import Netlist

ONE_EACH = (1, 1)
OTHERS = ""
"""In the place of a memory's name: those that have no ports of their own in a table."""


def cycles_no_circuit_beats(
    accesses: Mapping[str, tuple[int, int]],
    iterations: Mapping[str, int],
    ports: Mapping[str, tuple[int, int]] = MappingProxyType({}),
) -> int:
    """Cycles that every circuit needs with these read and write ports of its memories [cycles].

    A port serves an access a cycle, and a loop starts one iteration of its body a cycle; so the
    busiest memory or loop sets the bound. Steps that must follow each other, pipeline depth and
    latency only add to it. Memories that `ports` does not name have one port of each kind, or those
    of `OTHERS`. At least 1.
    """
    cycles = [
        -(-count // max(1, several))
        for name, pair in accesses.items()
        for count, several in zip(pair, ports.get(name, ports.get(OTHERS, ONE_EACH)), strict=True)
    ]
    return max((1, *cycles, *iterations.values()))


def ports_of(netlist: Netlist, names: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """Read and write ports of the arguments, by name, and the most of any memory inside.

    `names` has the name in the netlist for each argument; what a program calls its other memories
    does not always tell which those are in the netlist.
    """
    outside = {port: name for name, port in names.items()}
    found: dict[str, tuple[int, int]] = {}
    inside = [ONE_EACH]
    for unit in netlist.units:
        kind = unit.operator.hardware.memory_kind
        if kind is None:
            continue
        ports = kind.ports_of(netlist.shape_by_unit[unit.name])
        if kind.is_outside:
            found[outside[str(unit.attributes["memory"])]] = ports
        else:
            inside.append(ports)
    reads, writes = zip(*inside, strict=True)
    return {**found, OTHERS: (max(reads), max(writes))}
