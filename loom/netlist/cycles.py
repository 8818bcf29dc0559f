"""Combinational cycles of a netlist: of data and valid forwards, of ready backwards.

Ready may depend on valid but valid never on ready, so a cycle is all of one kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from loom.graph_algorithms import component_numbers
from loom.netlist.netlist import OUTSIDE, Netlist


@dataclass(frozen=True, slots=True)
class Path:
    """A channel between two ways through units."""

    source: tuple[str, str]
    target: tuple[str, str]


def uncut_cycles(netlist: Netlist) -> Iterator[tuple[str, list[str]]]:
    """The kind of signal and the units of every group of cycles that nothing cuts."""
    cuts_valid: set[str] = set()
    cuts_ready: set[str] = set()
    for unit in netlist.units:
        shape = netlist.shape_by_unit[unit.name]
        if unit.operator.hardware.latency_of(shape) > 0:
            cuts_valid.add(unit.name)
        if unit.operator.hardware.cuts_ready_of(shape):
            cuts_ready.add(unit.name)
    for signal, cutting in (("valid", cuts_valid), ("ready", cuts_ready)):
        paths = [
            Path(
                way(netlist, c.source.unit, c.source.port),
                way(netlist, c.target.unit, c.target.port),
            )
            for c in netlist.channels
            if c.source.unit != OUTSIDE
            and c.target.unit != OUTSIDE
            and c.source.unit not in cutting
        ]
        groups: dict[int, list[str]] = {}
        found = component_numbers(paths)
        for path in paths:
            if found[path.source] == found[path.target]:
                groups.setdefault(found[path.source], []).append(path.source[0])
        for members in groups.values():
            yield signal, sorted(set(members))


def way(netlist: Netlist, unit: str, port: str) -> tuple[str, str]:
    """The unit, and for units with separate ways through, which one the port lies on."""
    separate = netlist.unit_by_name[unit].operator.ways_of(netlist.shape_by_unit[unit])
    return unit, separate.get(port, "")
