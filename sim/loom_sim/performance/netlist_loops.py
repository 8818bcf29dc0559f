"""The loops of a netlist: which condition sends each of them round, by place in the source."""

from __future__ import annotations

from dataclasses import dataclass

from loom.dialects.operators.dataflow_operators import is_rotated, lanes_of
from loom.dialects.ops.dataflow import CarryOp, InvariantOp, ReplicateOp, StreamOp
from loom.dialects.ops.handshake import ForkOp
from loom.dialects.ops.handshake_buffer import BufferOp
from loom.errors import Place
from loom.netlist.netlist import OUTSIDE, Endpoint, Netlist

REPEATERS = frozenset(op.name for op in (CarryOp, InvariantOp, ReplicateOp))
"""Units that keep or repeat a token as long as a condition, their first input, is true."""
PASSES = frozenset(op.name for op in (ForkOp, BufferOp))
"""Units that copy or keep a token and change nothing."""


@dataclass(frozen=True)
class NetlistLoop:
    """A loop of the source: the channels on which its conditions come, and its steering units.

    Where it is `rotated` a condition has a token an iteration, else one more each time it is
    entered. `lanes` entries take turns.
    """

    place: Place
    conditions: tuple[str, ...]
    units: tuple[str, ...]
    rotated: bool
    lanes: int = 1


def loops_of(netlist: Netlist) -> list[NetlistLoop]:
    """The loops of a netlist, in the order of the source.

    A loop that counts is known by its stream; any other by what its carries wait for. Where units
    do not say which line they come from, a loop stands under the name of its condition.
    """
    streams: dict[Place, dict[str, None]] = {}
    tested: dict[Place, dict[str, None]] = {}
    units: dict[Place, dict[str, None]] = {}
    rotated: set[Place] = set()
    lanes: dict[Place, int] = {}
    for unit in netlist.units:
        if unit.operator.name == StreamOp.name:
            found, condition = streams, netlist.outputs_of(unit)[1].name
        elif unit.operator.name in REPEATERS:
            origin = origin_of(netlist, netlist.inputs_of(unit)[0].source)
            found, condition = tested, netlist.channel_by_source[origin].name
        else:
            continue
        place = unit.place or Place(condition)
        units.setdefault(place, {})[unit.name] = None
        if found is streams and is_rotated(netlist.shape_by_unit[unit.name]):
            rotated.add(place)
        if found is streams:
            lanes[place] = lanes_of(netlist.shape_by_unit[unit.name])
        if found is streams or unit.operator.name == CarryOp.name:
            found.setdefault(place, {})[condition] = None
    places = sorted({**streams, **tested}, key=lambda place: (place.line, place.column))
    return [
        NetlistLoop(
            place,
            tuple(streams.get(place) or tested[place]),
            tuple(units[place]),
            place in rotated,
            lanes.get(place, 1),
        )
        for place in places
    ]


def origin_of(netlist: Netlist, source: Endpoint) -> Endpoint:
    """Where a token comes from, behind forks and buffers."""
    while source.unit != OUTSIDE:
        unit = netlist.unit_by_name[source.unit]
        if unit.operator.name not in PASSES:
            break
        source = netlist.inputs_of(unit)[0].source
    return source
