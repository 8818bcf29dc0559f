"""Equivalent channels: copies of one channel, and equal functions of equivalent channels."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from loom.dialects.operators.rates import rates_of
from loom.netlist.netlist import OUTSIDE, Channel, Netlist


def equivalent_channels(netlist: Netlist) -> Mapping[str, str]:
    """For each channel the first found that carries the same tokens in the same order."""
    return _ValueNumbering(netlist).run()


class _ValueNumbering:
    """Value numbering without recursion: a channel's number waits for those it is made from."""

    def __init__(self, netlist: Netlist) -> None:
        self.netlist = netlist
        self.found: dict[str, str] = {}
        self.by_key: dict[Hashable, str] = {}
        self.begun: set[str] = set()
        self.copies: dict[str, Mapping[str, str]] = {}

    def run(self) -> Mapping[str, str]:
        for root in self.netlist.channels:
            work = [root]
            while work:
                channel = work[-1]
                if channel.name in self.found:
                    work.pop()
                    continue
                sources = self.sources_of(channel)
                first_time = channel.name not in self.begun
                self.begun.add(channel.name)
                missing = [c for c in sources if c.name not in self.found]
                if missing and first_time:
                    work += [c for c in missing if c.name not in self.begun]
                    continue
                # What still waits for itself is a value of its own.
                self.found[channel.name] = (
                    channel.name if missing else self.number(channel, sources)
                )
                work.pop()
        return self.found

    def sources_of(self, channel: Channel) -> tuple[Channel, ...]:
        """The channels that alone decide what this one carries; none if more does."""
        if channel.source.unit == OUTSIDE:
            return ()
        unit = self.netlist.unit_by_name[channel.source.unit]
        copies = self.copied_channel(channel)
        if copies is not None:
            return (copies,)
        return self.netlist.inputs_of(unit) if unit.operator.semantics.meaning is not None else ()

    def copied_channel(self, channel: Channel) -> Channel | None:
        """The channel that this one is a copy of."""
        copied = self.copied_ports(channel.source.unit).get(channel.source.port)
        if copied is None:
            return None
        return self.netlist.channel_by_target[channel.source._replace(port=copied)]

    def copied_ports(self, name: str) -> Mapping[str, str]:
        """The outputs of a unit that are copies, each with the port that it is a copy of."""
        if name not in self.copies:
            unit, found = self.netlist.unit_by_name[name], dict[str, str]()
            for equation in rates_of(unit.operator, self.netlist.shape_by_unit[name]) or ():
                if equation.relation == "==":
                    found.setdefault(equation.left.port, equation.right.port)
            self.copies[name] = found
        return self.copies[name]

    def number(self, channel: Channel, sources: tuple[Channel, ...]) -> str:
        """The channel's representative, with those it is made from known."""
        if not sources:
            return channel.name
        unit = self.netlist.unit_by_name[channel.source.unit]
        inputs = tuple(self.found[c.name] for c in sources)
        if self.copied_channel(channel) is not None:
            return inputs[0]
        function = (
            unit.operator.name,
            tuple(sorted(unit.attributes.items())),
            tuple(sorted(unit.constants.items())),
        )
        key = (function, channel.source.port, channel.type, inputs)
        return self.by_key.setdefault(key, channel.name)
