"""Copies of a token that are always taken in the same cycle, whatever else the circuit does.

A unit that joins its inputs takes a token of each at once. If it gives one output in the same
cycle, it takes them in the cycle in which that output is taken: its inputs are all taken when the
reader of its output takes. So two copies of a token that go to one joining unit, directly or
through joining units and broadcasts alone, are taken together. No register has to say which of
them has left and which still waits.

If all copies of a fork are taken together, its token is taken with them, so copies of a fork in
front of it reach the same unit through it. Each step leaves the circuit as it was, cycle by cycle,
since registers that are always equal are one register.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from types import MappingProxyType

from loom.dialects.ops.dataflow import BroadcastOp
from loom.dialects.ops.handshake import CondBranchOp, ForkOp
from loom.dialects.ops.handshake_memory import LoadOp, StoreOp
from loom.netlist.netlist import Channel, Netlist, Unit

JOINING = (CondBranchOp.name, LoadOp.name, StoreOp.name)
"""Operators without a meaning that take a token of every input on a way at once."""
NOWHERE: Mapping[str, Hashable] = MappingProxyType({})


def find_groups(netlist: Netlist) -> Mapping[str, tuple[int, ...]]:
    """By fork of which copies are taken together: the number of each copy's group."""
    found = {fork: numbered(readers) for fork, readers in find_readers(netlist, NOWHERE).items()}
    return {fork: groups for fork, groups in found.items() if len(set(groups)) < len(groups)}


def find_readers(
    netlist: Netlist, ends: Mapping[str, Hashable]
) -> Mapping[str, Sequence[Hashable]]:
    """By fork what decides when each of its copies is taken; at channels in `ends` it is known."""
    readers = Readers(netlist, ends)
    return {
        unit.name: [readers.of(channel) for channel in netlist.outputs_of(unit)]
        for unit in netlist.units
        if unit.operator.name == ForkOp.name
    }


def taken_apart(netlist: Netlist) -> Iterator[tuple[Unit, str, str]]:
    """The broadcasts that may lose or repeat a token, with two outputs whose readers differ."""
    readers = Readers(netlist, NOWHERE)
    for unit in netlist.units:
        if unit.operator.name == BroadcastOp.name:
            first, *others = netlist.outputs_of(unit)
            for other in others:
                if readers.of(other) != readers.of(first):
                    yield unit, first.source.port, other.source.port
                    break


class Readers:
    """What decides when the token of a channel is taken; each channel is looked at once."""

    def __init__(self, netlist: Netlist, ends: Mapping[str, Hashable]) -> None:
        self.netlist = netlist
        self.known = dict(ends)

    def of(self, channel: Channel) -> Hashable:
        """The unit, with its way; or the end of the channel that is taken by itself."""
        work = [channel]
        begun: set[str] = set()
        while work:
            place = work[-1]
            if place.name not in self.known:
                reader, following = self.next_of(place)
                later = [each for each in following if each.name not in self.known]
                if later and place.name not in begun:
                    begun.add(place.name)
                    work += later
                    continue
                found = {self.known.get(each.name, place.target) for each in following}
                self.known[place.name] = reader if len(found) != 1 else found.pop()
            work.pop()
        return self.known[channel.name]

    def next_of(self, channel: Channel) -> tuple[Hashable, Sequence[Channel]]:
        """The reader; and the channels with which this one is taken if they have one reader."""
        unit = self.netlist.unit_by_name.get(channel.target.unit)
        if unit is None:
            return channel.target, ()
        operator, shape = unit.operator, self.netlist.shape_by_unit[unit.name]
        outputs = self.netlist.outputs_of(unit)
        if operator.name == BroadcastOp.name:
            return channel.target, outputs[:1]
        if operator.name == ForkOp.name:
            return channel.target, outputs
        if operator.name in JOINING:
            return (unit.name, operator.ways_of(shape).get(channel.target.port, "")), ()
        if operator.semantics.meaning is None or operator.hardware.core:
            return channel.target, ()
        return unit.name, outputs if joins_at_once(unit, self.netlist) else ()


def joins_at_once(unit: Unit, netlist: Netlist) -> bool:
    """True of a unit that joins its inputs and gives its one output in the same cycle."""
    operator, shape = unit.operator, netlist.shape_by_unit[unit.name]
    return (
        operator.semantics.meaning is not None
        and not operator.hardware.core
        and len(netlist.outputs_of(unit)) == 1
        and not operator.hardware.latency_of(shape)
    )


def numbered(readers: Sequence[Hashable]) -> tuple[int, ...]:
    """Each reader's number among those that differ, in order."""
    numbers: dict[Hashable, int] = {}
    return tuple(numbers.setdefault(reader, len(numbers)) for reader in readers)
