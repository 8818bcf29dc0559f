"""Channels that an endless source feeds: there is always a token, and it is always the same.

A source has no inputs, so nothing in the circuit says how many tokens it gives: as many as its
readers take. The same holds for what a unit makes of such tokens alone. A unit that also takes
tokens that end takes as many of the endless ones as it fires.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from loom.dialects.operators.island_operator import ISLAND
from loom.dialects.operators.operator import StepMachine
from loom.dialects.operators.rates import rates_of
from loom.errors import LoomError, Place
from loom.netlist.netlist import OUTSIDE, Channel, Netlist, Unit

TRIES = 2
"""Tokens that a unit gets on each input to show that it always does the same [tokens]."""


@dataclass
class _Nowhere:
    """An environment without memory; errors are remembered."""

    contents: list[int] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def machine(self) -> StepMachine:
        """A unit with a schedule is refused before it runs."""
        raise AssertionError

    def report(self, code: str) -> None:
        """Remember the error."""
        self.errors.append(code)


def endless_channels(netlist: Netlist) -> Mapping[str, int]:
    """The token of every channel that an endless source feeds, by the channel's name.

    Refused (MODEL_ENDLESS): a unit that would never come to rest, because all its inputs are
    endless and it does not always do the same, or because any token wakes it.
    """
    tokens: dict[str, int] = {}
    pairs: list[tuple[Unit, str | None]] = []
    waiting = {unit.name: len(netlist.inputs_of(unit)) for unit in netlist.units}
    ready = [
        u for u in netlist.units if not waiting[u.name] and u.operator.semantics.meaning is not None
    ]
    while ready:
        unit = ready.pop()
        for channel, token in results(netlist, unit, tokens):
            tokens[channel.name] = token
            if channel.target.unit == OUTSIDE:
                continue
            reader = netlist.unit_by_name[channel.target.unit]
            waiting[reader.name] -= 1
            if not waiting[reader.name]:
                ready.append(reader)
            elif reader.operator.semantics.waits_for_any:
                pairs += ((reader, each) for each in partners(netlist, reader, channel) or (None,))
    for reader, partner in pairs:
        if partner is None or partner in tokens:
            raise refusal(reader, netlist)
    return tokens


def partners(netlist: Netlist, unit: Unit, channel: Channel) -> list[str]:
    """The other inputs' channels of whose tokens the unit takes one with each of this input."""
    by_port = {each.target.port: each.name for each in netlist.inputs_of(unit)}
    here = channel.target.port
    found: list[str] = []
    for equation in rates_of(unit.operator, netlist.shape_by_unit[unit.name]) or ():
        if equation.relation == "=" and equation.left.side is None and equation.right.side is None:
            ports = [equation.left.port, equation.right.port]
            if here in ports and by_port.keys() >= set(ports):
                found += (by_port[port] for port in ports if port != here)
    return found


def results(netlist: Netlist, unit: Unit, tokens: Mapping[str, int]) -> list[tuple[Channel, int]]:
    """What the unit gives, channel by channel, each time it takes these tokens."""
    channels = netlist.outputs_of(unit)
    if not netlist.inputs_of(unit):
        return [(channel, 0) for channel in channels]
    if unit.operator.semantics.waits_for_any or unit.operator is ISLAND:
        raise refusal(unit, netlist)
    given = [deque([tokens[channel.name]] * TRIES) for channel in netlist.inputs_of(unit)]
    found: list[deque[int]] = [deque() for _ in channels]
    environment = _Nowhere()
    next(unit.operator.semantics.run(netlist.shape_by_unit[unit.name], given, found, environment))
    steady = all(len(queue) in (0, TRIES) and len(set(queue)) <= 1 for queue in found)
    if environment.errors or not steady:
        raise refusal(unit, netlist)
    return [(c, queue[0]) for c, queue in zip(channels, found, strict=True) if queue]


def refusal(unit: Unit, netlist: Netlist) -> LoomError:
    """The refusal of a unit that would never come to rest."""
    return LoomError(
        "MODEL_ENDLESS",
        unit.place or Place(netlist.name),
        f"tokens without end into {unit.operator.name} ({unit.name})",
        "sources whose tokens go where tokens that end are taken with them",
    )
