"""A netlist as a picture: a box for each unit and port, a line for each channel."""

from __future__ import annotations

from loom.dialects.operators.catalogue import CATALOGUE
from loom.draw.picture import Box, Frame, Kind, Line, Picture
from loom.errors import Place
from loom.netlist.netlist import Endpoint, Netlist, Unit

STORES = CATALOGUE["handshake.buffer"]


def picture_of_netlist(netlist: Netlist) -> Picture:
    """The picture; units of a loop stand in a frame of its line."""
    around = {unit.loop for unit in netlist.units if unit.loop is not None}
    loops = sorted(around, key=lambda place: (place.line, place.column))
    frames = tuple(Frame(frame_of(loop), f"loop at line {loop.line}") for loop in loops)
    given = [port for port in netlist.ports if port.direction == "input"]
    taken = [port for port in netlist.ports if port.direction == "output"]
    boxes = [Box(f"%{port.name}", (port.name,), "port") for port in given]
    boxes += [box_of(unit) for unit in netlist.units]
    boxes += [Box(f"%{port.name}", (port.name,), "port") for port in taken]
    lines = tuple(
        Line(end_of(each.source), end_of(each.target), each.name, each.type, each.width == 0)
        for each in netlist.channels
    )
    return Picture(netlist.name, frames, tuple(boxes), lines)


def frame_of(loop: Place | None) -> str:
    """The name of the frame of a loop; empty outside of loops."""
    return "" if loop is None else f"loop_{loop.line}_{loop.column}"


def end_of(end: Endpoint) -> str:
    """The box that an end of a channel is at."""
    return end.unit or f"%{end.port}"


def box_of(unit: Unit) -> Box:
    """A unit with its operator, its constants and its attributes."""
    stated = {**unit.constants, **unit.attributes}
    details = [f"{name} = {value}" for name, value in stated.items() if name != "memory"]
    lines = (unit.name, unit.operator.name, *([", ".join(details)] if details else []))
    line = 0 if unit.place is None else unit.place.line
    return Box(unit.name, lines, kind_of(unit), frame_of(unit.loop), line)


def kind_of(unit: Unit) -> Kind:
    """What a unit does."""
    if unit.operator.hardware.memory_kind or "memory" in unit.attributes:
        return "memory"
    if unit.operator.name == STORES.name:
        return "buffer"
    return "compute" if unit.operator.semantics.meaning is not None else "steer"
