"""What a wave viewer shows of a circuit: its channels in groups, a group for each loop.

For GTKWave it is a save file: a line with the flags of the traces that follow, in hexadecimal
(GTKWave user's guide, "Signal Save Files"), then a trace a line. For Surfer it is a command file, a
command a line (Surfer user guide, "Commands"), which has no way to make a group: dividers stand
before the channels of a loop.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.errors import Place
from loom.netlist.netlist import Channel, Netlist

SCOPE = "loom_harness.job_0.dut"
"""The circuit in the wave of a single job."""
CONTROL = ("clk_i", "rst_ni")
BITS, HEXADECIMAL = "@28", "@22"
"""Flags of traces, to the right."""
OPEN, OPEN_ENDS, CLOSED, CLOSED_ENDS = "@800200", "@1000200", "@c00200", "@1401200"
"""Flags of the two lines around a group."""


def gtkwave_layout(netlist: Netlist) -> str:
    """The save file: clock and reset, then a closed group for each loop; an open one outside."""
    lines = [BITS, *(f"{SCOPE}.{name}" for name in CONTROL)]
    for number, (title, channels) in enumerate(groups_of(netlist)):
        begin, end = (CLOSED, CLOSED_ENDS) if number else (OPEN, OPEN_ENDS)
        traces = [line for channel in channels for line in traces_of(channel)]
        lines += [begin, f"-{title}", *traces, end, f"-{title}"]
    return "\n".join(lines) + "\n"


def surfer_layout(netlist: Netlist) -> str:
    """The command file: clock and reset, then the channels outside loops and those of each loop."""
    lines = [f"variable_add {SCOPE}.{name}" for name in CONTROL]
    for title, channels in groups_of(netlist):
        lines.append(f"divider_add {title}")
        for channel in channels:
            ends = ("data", "valid", "ready") if channel.width else ("valid", "ready")
            lines += [f"variable_add {SCOPE}.{channel.name}_{end}" for end in ends]
    return "\n".join([*lines, "zoom_fit"]) + "\n"


def groups_of(netlist: Netlist) -> Iterator[tuple[str, list[Channel]]]:
    """The channels outside all loops, then those that units of each loop give, with titles."""
    groups: dict[Place | None, list[Channel]] = {None: []}
    for channel in netlist.channels:
        unit = netlist.unit_by_name.get(channel.source.unit)
        groups.setdefault(None if unit is None else unit.loop, []).append(channel)
    yield "outside all loops", groups.pop(None)
    inner = {loop: channels for loop, channels in groups.items() if loop is not None}
    for loop in sorted(inner, key=position):
        yield f"loop at line {loop.line}:{loop.column}", inner[loop]


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
