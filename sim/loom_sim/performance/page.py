"""The report as one HTML page that needs nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from loom.netlist.netlist import Unit
from loom_sim.performance.describe import lines, to_json
from loom_sim.performance.drawing import HEIGHT, Drawing, draw, node_of
from loom_sim.performance.performance import Performance

FOLDER = Path(__file__).parent


def page(found: Performance) -> str:
    """The page's text. Refused: REPORT_NO_LAYOUT where igraph is not installed."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER), undefined=StrictUndefined, autoescape=True,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    return environment.get_template("page.html.j2").render(
        name=found.netlist.name,
        style=(FOLDER / "page.css").read_text(encoding="utf-8"),
        script=(FOLDER / "page.js").read_text(encoding="utf-8"),
        summary="\n".join(lines(found)),
        source=list(enumerate(found.source.splitlines(), 1)),
        # "</" would end the script that holds the data.
        data=json.dumps(data_of(found, draw(found.netlist))).replace("</", "<\\/"),
    )


def data_of(found: Performance, drawing: Drawing) -> dict[str, Any]:
    """What the page's script draws: units, channels, loops."""
    netlist = found.netlist
    units = [unit_data(unit, netlist.shape_by_unit[unit.name], drawing) for unit in netlist.units]
    ports = [
        {"name": f"%{port.name}", "operator": port.direction, "kind": "port", "line": 0,
         "detail": port.type, **box_data(f"%{port.name}", drawing)}
        for port in netlist.ports
    ]  # fmt: skip
    cycles = max(1, found.cycles)
    channels = [
        {
            "name": channel.name,
            "from": node_of(channel.source),
            "to": node_of(channel.target),
            "ends": f"{channel.source} to {channel.target}",
            "type": channel.type,
            "path": drawing.paths[channel.name],
            "tokens": found.channels[channel.name].tokens,
            "busy": round(found.channels[channel.name].tokens / cycles, 4),
            "waiting": round(found.channels[channel.name].waits / cycles, 4),
        }
        for channel in netlist.channels
    ]
    report = to_json(found)
    return {
        "cycles": found.cycles,
        "height": HEIGHT,
        "units": [*units, *ports],
        "channels": channels,
        "loops": report["loops"],
        "critical": list(found.critical),
    }


def unit_data(unit: Unit, shape: Any, drawing: Drawing) -> dict[str, Any]:
    """One unit: its operator, where it comes from, latency [cycles], constants and attributes."""
    latency = unit.operator.hardware.latency_of(shape)
    stated = {**unit.constants, **unit.attributes, **({"latency": latency} if latency else {})}
    details = [f"{name} {value}" for name, value in stated.items()]
    return {
        "name": unit.name,
        "operator": unit.operator.name,
        "kind": kind_of(unit),
        "line": 0 if unit.place is None else unit.place.line,
        "detail": ", ".join(details),
        **box_data(unit.name, drawing),
    }


def kind_of(unit: Unit) -> str:
    """The colour of a unit: it computes, serves a memory, or steers tokens."""
    if unit.operator.hardware.memory_kind or "memory" in unit.attributes:
        return "memory"
    return "compute" if unit.operator.semantics.meaning is not None else "steer"


def box_data(name: str, drawing: Drawing) -> Mapping[str, float]:
    """Where a box stands."""
    box = drawing.boxes[name]
    return {"x": box.x, "y": box.y, "width": box.width}
