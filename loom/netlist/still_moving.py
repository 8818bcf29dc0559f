"""Where a circuit still moves when a limit ends its run, in words."""

from __future__ import annotations

from collections.abc import Iterable

from loom.netlist.netlist import OUTSIDE, Netlist

SHOWN = 4
"""Loops or channels that a message names."""


def describe_movement(netlist: Netlist, channels: Iterable[str]) -> str:
    """The innermost loops whose units send or take tokens on `channels`, else these channels."""
    moving = set(channels)
    loops: dict[str, None] = {}
    names = [channel.name for channel in netlist.channels if channel.name in moving]
    for channel in netlist.channels:
        if channel.name not in moving:
            continue
        for end in (channel.source, channel.target):
            loop = None if end.unit == OUTSIDE else netlist.unit_by_name[end.unit].loop
            if loop is not None:
                loops[f"the loop at {loop}"] = None
    found = list(loops) or [f"channel {name}" for name in names]
    more = [f"{len(found) - SHOWN} more"] if len(found) > SHOWN else []
    return f"still moving: {', '.join([*found[:SHOWN], *more]) or 'what waits for the outside'}"
