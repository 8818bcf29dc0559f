"""Accesses that the circuit's return does not wait for: neither for the done token nor the datum.

A token comes before the return if its reader cannot give such a token without it, whichever way the
conditions go. A loop takes its tokens in order and each run of it ends on the false side, so what
leaves there comes after all that was sent round before (docs/spec D7). Source:
docs/spec/memory-order.md, "What done means".
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from loom.analysis.balance.token_clocks import Clocks
from loom.dialects.operators.rates import Equation, rates_of
from loom.netlist.netlist import OUTSIDE, Channel, Endpoint, Netlist, Unit


def find_dones_after_return(
    netlist: Netlist, clocks: Clocks, *, by_data: bool = True
) -> list[tuple[Unit, Channel]]:
    """The memories and their done channels that the return can overtake.

    With `by_data` those of loads are left out whose datum it cannot: a memory gives the datum after
    it has served the load.
    The greatest set of channels that come before the return: loops are taken to end, so a token
    that goes round leaves in the end on the other side.
    """
    ending = {name for name in clocks.by_channel if clocks.ends_bursts(name)}
    before_return = {channel.name for channel in netlist.channels}
    work = list(netlist.channels)
    while work:
        channel = work.pop()
        if channel.name in before_return and not precedes_return(
            netlist, channel, before_return, ending
        ):
            before_return.discard(channel.name)
            if channel.source.unit != OUTSIDE:
                work += netlist.inputs_of(netlist.unit_by_name[channel.source.unit])
    return [
        (unit, channel)
        for unit in netlist.units
        if unit.operator.hardware.memory_kind
        for channel in netlist.outputs_of(unit)
        if channel.width == 0
        and channel.name not in before_return
        and not (by_data and datum_of(netlist, unit, channel) in before_return)
    ]


def datum_of(netlist: Netlist, memory: Unit, done: Channel) -> str | None:
    """The channel of the datum of the load that a done channel is of; None if it is a store's."""
    shape = netlist.shape_by_unit[memory.name]
    stores, loads = shape.integer("stores"), shape.integer("loads")
    outputs = netlist.outputs_of(memory)
    number = outputs.index(done) - loads - stores
    return outputs[number].name if number >= 0 else None


def precedes_return(
    netlist: Netlist, channel: Channel, before_return: set[str], ending: AbstractSet[str]
) -> bool:
    """True if no token leads to the return without each token of the channel.

    `before_return` are the channels of which that is still assumed, `ending` the channels of
    conditions whose bursts end with a 0.
    """
    end = channel.target
    if end.unit == OUTSIDE:
        return channel.width == 0
    unit = netlist.unit_by_name[end.unit]
    rates = rates_of(unit.operator, netlist.shape_by_unit[unit.name])
    if rates is None:
        outputs = netlist.outputs_of(unit)
        return any(output.name in before_return for output in outputs)
    good = {
        port.name
        for port in netlist.ports_of(unit)[1]
        if netlist.channel_by_source[Endpoint(unit.name, port.name)].name in before_return
    }
    last = {
        port.name
        for port in netlist.ports_of(unit)[0]
        if netlist.channel_by_target[Endpoint(unit.name, port.name)].name in ending
    }
    return leads_to_output(rates, end.port, good, last)


def leads_to_output(rates: Sequence[Equation], port: str, good: set[str], last: set[str]) -> bool:
    """True if each token at `port` leads to a token on an output in `good`.

    `last` are the inputs whose 0 comes after all else in a burst.
    """
    plain = [e for e in rates if e.left.side is None and e.right.side is None]
    together = find_connected_ports(port, plain)
    if together & good:
        return True
    sides = [e for e in rates if e.left.side is None and e.right.port in together]
    wanted = (0,) if last & together else (0, 1)
    if all({e.left.port for e in sides if e.right.side == side} & good for side in wanted):
        return True
    # A token that starts a burst, or makes one of its iterations, is in the stream of the burst.
    bursts = {e.left.port for e in rates if e.left.side is not None and e.right.port in together}
    bursts |= {e.right.port for e in rates if e.right.side is not None and e.left.port in together}
    bursts |= {e.left.port for e in plain if e.right.port in bursts}
    return bool(bursts & good)


def find_connected_ports(port: str, equations: Sequence[Equation]) -> set[str]:
    """The port and all that have as many tokens by one equation after the other."""
    neighbours: dict[str, list[str]] = {}
    for equation in equations:
        left, right = equation.left.port, equation.right.port
        neighbours.setdefault(left, []).append(right)
        neighbours.setdefault(right, []).append(left)
    found, work = {port}, [port]
    while work:
        new = [each for each in neighbours.get(work.pop(), ()) if each not in found]
        found.update(new)
        work += new
    return found
