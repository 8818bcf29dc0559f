"""What the page's scripts show: units, channels, loops, and the first cycles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from loom.analysis.timing.area_estimate import add_banks, array_of
from loom.analysis.timing.island_cost import cost_of_unit
from loom.errors import Place
from loom.model.timed.history import History, record_history
from loom.netlist.netlist import Endpoint, Netlist, Unit
from loom_sim.performance.describe import loop_json
from loom_sim.performance.performance import LoopUse, Performance

FOLLOWED = 10_000
"""Cycles of the first activation whose tests of loops are shown at most [cycles]."""
REPLAYED, LETTERS = 256, 200_000
"""Cycles whose channels are shown at most [cycles], and letters for all channels together."""


def data_of(found: Performance) -> dict[str, Any]:
    """The object that the page's scripts read; a place of the source is ``line:column``."""
    netlist = found.netlist
    return {
        "cycles": found.cycles,
        "units": [*(unit_data(unit, netlist) for unit in netlist.units), *port_data(netlist)],
        "channels": channel_data(found),
        "loops": loop_data(found.loops, netlist.units),
        "critical": list(found.critical),
        "path": [] if found.cost.path is None else list(found.cost.path.units),
        "history": history_data(found.loops, history_of(found)),
    }


def node_of(end: Endpoint) -> str:
    """The box that the end of a channel belongs to."""
    return end.unit or f"%{end.port}"


def key_of(place: Place | None) -> str | None:
    """A place as the page writes it: one file is shown. A loop without a line has a name."""
    if place is None:
        return None
    return f"{place.line}:{place.column}" if place.line else place.file


def unit_data(unit: Unit, netlist: Netlist) -> dict[str, Any]:
    """One unit: its operator, where it comes from, latency [cycles], constants, attributes, cost.

    `delay` is its slowest path between two registers [ns].
    """
    shape = netlist.shape_by_unit[unit.name]
    latency = unit.operator.hardware.latency_of(shape)
    stated = {**unit.constants, **unit.attributes, **({"latency": latency} if latency else {})}
    cost = cost_of_unit(unit.operator, shape, array_of(netlist, unit))
    area = None if cost is None else add_banks(netlist, unit, cost.area)
    return {
        "name": unit.name,
        "operator": unit.operator.name,
        "kind": kind_of(unit),
        "line": 0 if unit.place is None else unit.place.line,
        "loop": key_of(unit.loop),
        "detail": ", ".join(f"{name} {value}" for name, value in stated.items()),
        "luts": None if area is None else round(area.luts, 1),
        "flip_flops": None if area is None else round(area.flip_flops, 1),
        "delay": None if cost is None else max(cost.delays.values(), default=None),
    }


def port_data(netlist: Netlist) -> Iterable[dict[str, Any]]:
    """The ports, as boxes."""
    for port in netlist.ports:
        yield {
            "name": f"%{port.name}", "operator": port.direction, "kind": "port", "line": 0,
            "loop": None, "detail": port.type, "luts": None, "flip_flops": None, "delay": None,
        }  # fmt: skip


def kind_of(unit: Unit) -> str:
    """The colour of a unit: it computes, serves a memory, or steers tokens."""
    if unit.operator.hardware.memory_kind or "memory" in unit.attributes:
        return "memory"
    return "compute" if unit.operator.semantics.meaning is not None else "steer"


def channel_data(found: Performance) -> list[dict[str, Any]]:
    """The channels with their ends and the shares of all cycles in which they do something."""
    cycles = max(1, found.cycles)
    return [
        {
            "name": channel.name,
            "from": node_of(channel.source),
            "to": node_of(channel.target),
            "ends": f"{channel.source} to {channel.target}",
            "type": channel.type,
            "width": channel.width,
            "tokens": found.channels[channel.name].tokens,
            "busy": round(found.channels[channel.name].tokens / cycles, 4),
            "waiting": round(found.channels[channel.name].waits / cycles, 4),
        }
        for channel in found.netlist.channels
    ]


def loop_data(loops: Iterable[LoopUse], units: Iterable[Unit]) -> list[dict[str, Any]]:
    """The loops with the key that units name; where a unit's loop has no row it has no figures."""
    rows = [
        {
            **loop_json(loop),
            "key": key_of(loop.place),
            "around": key_of(loop.around),
            "remark": loop.remark,
        }
        for loop in loops
    ]
    known = {row["key"] for row in rows}
    others = {key_of(unit.loop): unit.loop for unit in units if unit.loop is not None}
    blank = LoopUse(Place(""), "", 0, 0, 0, None, None, None, None, "")
    return rows + [
        {**loop_json(blank), "line": place.line, "key": key, "remark": ""}
        for key, place in others.items()
        if key not in known
    ]


def history_of(found: Performance) -> History:
    """The first activation in the timed model: up to `FOLLOWED` cycles of the measured ones."""
    (first, *_), netlist = found.run.model.activations, found.netlist
    return record_history(
        netlist,
        first,
        cycles=min(found.run.rtl.runs[0].cycles, FOLLOWED),
        first=min(REPLAYED, max(16, LETTERS // len(netlist.channels))),
        watched={name for loop in found.loops for name in loop.conditions},
    )


def history_data(loops: Iterable[LoopUse], history: History) -> Mapping[str, Any]:
    """Letters by channel, and for each test of a loop its cycle and whether the loop goes on."""
    return {
        "cycles": history.cycles,
        "states": history.states,
        "tests": [
            {
                "loop": key_of(loop.place),
                "condition": name,
                "cycles": [cycle for cycle, _ in history.transfers[name]],
                "goes": [token & 1 for _, token in history.transfers[name]],
            }
            for loop in loops
            for name in loop.conditions
        ],
    }
