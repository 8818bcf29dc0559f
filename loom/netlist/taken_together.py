"""Copies of a token that are always taken in the same cycle, whatever else the circuit does.

A unit that joins its inputs takes a token of each at once. If it gives one output in the same
cycle, it takes them in the cycle in which that output is taken: its inputs are all taken when the
reader of its output takes. So two copies of a token that go to one joining unit, directly or
through joining units and broadcasts alone, are taken together. No register has to say which of
them has left and which still waits.

If a fork's copies are taken together, so are those of a fork in front of it that reach the same
unit through it: forks are looked at again until nothing new is found. Each step leaves the circuit
as it was, cycle by cycle, since registers that are always equal are one register.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Set

from loom.dialects.ops.dataflow import BroadcastOp
from loom.dialects.ops.handshake import CondBranchOp, ForkOp
from loom.dialects.ops.handshake_memory import LoadOp, StoreOp
from loom.netlist.netlist import Channel, Netlist, Unit

JOINING = (CondBranchOp.name, LoadOp.name, StoreOp.name)
"""Operators without a meaning that take a token of every input on a way at once."""
NONE: frozenset[str] = frozenset()


def find_groups(netlist: Netlist) -> Mapping[str, tuple[int, ...]]:
    """By fork of which copies are taken together: the number of each copy's group."""
    forks = [unit for unit in netlist.units if unit.operator.name == ForkOp.name]
    found: dict[str, tuple[int, ...]] = {}
    whole: set[str] = set()
    while True:
        readers = Readers(netlist, whole)
        open_forks = [unit for unit in forks if unit.name not in whole]
        for unit in open_forks:
            groups = numbered([readers.of(channel) for channel in netlist.outputs_of(unit)])
            if len(set(groups)) < len(groups):
                found[unit.name] = groups
        new = {unit.name for unit in open_forks if not any(found.get(unit.name, (1,)))}
        if not new:
            return found
        whole |= new


def taken_apart(netlist: Netlist) -> Iterator[tuple[Unit, str, str]]:
    """The broadcasts that may lose or repeat a token, with two outputs whose readers differ."""
    readers = Readers(netlist, NONE)
    for unit in netlist.units:
        if unit.operator.name == BroadcastOp.name:
            first, *others = netlist.outputs_of(unit)
            for other in others:
                if readers.of(other) != readers.of(first):
                    yield unit, first.source.port, other.source.port
                    break


class Readers:
    """Which unit decides when the token of a channel is taken; `whole` forks are broadcasts."""

    def __init__(self, netlist: Netlist, whole: Set[str]) -> None:
        self.netlist = netlist
        self.whole = whole
        self.known: dict[str, Hashable] = {}

    def of(self, channel: Channel) -> Hashable:
        """The unit, with its way; or the end of the channel that is taken by itself."""
        passed: list[str] = []
        while True:
            reader = self.known.get(channel.name)
            following = None
            if reader is None:
                reader, following = self.next_of(channel)
            passed.append(channel.name)
            if following is None:
                self.known.update(dict.fromkeys(passed, reader))
                return reader
            channel = following

    def next_of(self, channel: Channel) -> tuple[Hashable, Channel | None]:
        """The reader; or the channel with which this one is taken."""
        unit = self.netlist.unit_by_name.get(channel.target.unit)
        if unit is None:
            return channel.target, None
        operator, shape = unit.operator, self.netlist.shape_by_unit[unit.name]
        outputs = self.netlist.outputs_of(unit)
        if operator.name == BroadcastOp.name or unit.name in self.whole:
            return None, outputs[0]
        if operator.name in JOINING:
            return (unit.name, operator.ways_of(shape).get(channel.target.port, "")), None
        if operator.semantics.meaning is None or operator.hardware.core:
            return channel.target, None
        if len(outputs) == 1 and not operator.hardware.latency_of(shape):
            return None, outputs[0]
        return unit.name, None


def numbered(readers: list[Hashable]) -> tuple[int, ...]:
    """Each reader's number among those that differ, in order."""
    numbers: dict[Hashable, int] = {}
    return tuple(numbers.setdefault(reader, len(numbers)) for reader in readers)
