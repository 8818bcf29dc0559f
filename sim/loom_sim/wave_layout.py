"""What a wave viewer shows of a circuit: its channels in groups, a group for each loop.

The text is a save file of GTKWave: a line with the flags of the traces that follow, in hexadecimal
(GTKWave user's guide, "Signal Save Files"), then a trace a line.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.errors import Place
from loom.netlist.netlist import Channel, Netlist

SCOPE = "loom_harness.job_0.dut"
"""The circuit in the wave of a single job."""
BITS, HEXADECIMAL = "@28", "@22"
"""Flags of traces, to the right."""
OPEN, OPEN_ENDS, CLOSED, CLOSED_ENDS = "@800200", "@1000200", "@c00200", "@1401200"
"""Flags of the two lines around a group."""


def gtkwave_layout(netlist: Netlist) -> str:
    """The save file: clock and reset, then a closed group for each loop; an open one outside."""
    groups: dict[Place | None, list[Channel]] = {None: []}
    for channel in netlist.channels:
        unit = netlist.unit_by_name.get(channel.source.unit)
        groups.setdefault(None if unit is None else unit.loop, []).append(channel)
    inner = sorted((loop for loop in groups if loop is not None), key=position)
    lines = [BITS, f"{SCOPE}.clk_i", f"{SCOPE}.rst_ni"]
    for loop in (None, *inner):
        begin, end = (OPEN, OPEN_ENDS) if loop is None else (CLOSED, CLOSED_ENDS)
        title = "outside all loops" if loop is None else f"loop at line {loop.line}:{loop.column}"
        traces = [line for channel in groups[loop] for line in traces_of(channel)]
        lines += [begin, f"-{title}", *traces, end, f"-{title}"]
    return "\n".join(lines) + "\n"


def position(place: Place) -> tuple[int, int]:
    """Where a loop stands in the text."""
    return place.line, place.column


def traces_of(channel: Channel) -> Iterator[str]:
    """The data of a channel, if it has any, then valid and ready."""
    name, width = f"{SCOPE}.{channel.name}", channel.width
    if width > 1:
        yield HEXADECIMAL
        yield f"{name}_data[{width - 1}:0]"
    yield BITS
    if width == 1:
        yield f"{name}_data"
    yield from (f"{name}_valid", f"{name}_ready")
