"""Which circuits run one activation at a time, and by which of their channels."""

from __future__ import annotations

from dataclasses import dataclass

from loom.netlist.netlist import Channel, Netlist


@dataclass(frozen=True, slots=True)
class OneAtATime:
    """The channels of a circuit whose next start waits until done was taken."""

    start: Channel
    done: Channel


def one_at_a_time(netlist: Netlist) -> OneAtATime | None:
    """The channels of start and done where activations must not overlap, else None.

    Accesses of a memory are ordered within an activation alone, so a circuit that stores to one
    runs one activation at a time; arrays that are only read let activations overlap. Start is the
    one control input, done the one control output: a graph with others is ordered by its caller.
    """
    if not any(unit.attributes.get("stores") for unit in netlist.units):
        return None
    starts = [c for c in netlist.channels if not c.source.unit and not c.width]
    dones = [c for c in netlist.channels if not c.target.unit and not c.width]
    if len(starts) != 1 or len(dones) != 1:
        return None
    return OneAtATime(starts[0], dones[0])
