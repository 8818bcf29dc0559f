"""Accesses that the circuit's return does not wait for: neither for the done token nor the datum.

A token comes before the return if its reader cannot give such a token without it, whichever way the
conditions go. A loop takes its tokens in order and each run of it ends on the false side, so what
leaves there comes after all that was sent round before (docs/spec D7). Source:
docs/spec/memory-order.md, "What done means".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from loom.analysis.balance.token_clocks import Clocks
from loom.dialects.operators.island_operator import ANSWERS, ISLAND
from loom.dialects.operators.ordering.load_store_queue import LOAD_STORE_QUEUE
from loom.dialects.operators.rates import AFTER, CLOSES, DELAYS, Equation, rates_of
from loom.netlist.netlist import OUTSIDE, Channel, Endpoint, Netlist, Unit

DONE_PORTS = ("st_done", "ld_done")
ACCEPTED = "st_accepted"
"""Ports of a memory: done tokens, and those that a store is accepted."""


def find_dones_after_return(
    netlist: Netlist, clocks: Clocks, *, by_data: bool = True
) -> list[tuple[Unit, Channel]]:
    """The memories and their done channels that the return can overtake.

    With `by_data` those of loads are left out whose datum it cannot: a memory gives the datum after
    it has served the load.
    The greatest set of channels that come before the return: loops are taken to end, so a token
    that goes round leaves in the end on the other side.
    """
    memories = [unit for unit in netlist.units if unit.operator.hardware.memory_kind]
    if not memories:
        return []
    ending = {name for name in clocks.by_channel if clocks.ends_bursts(name)}
    ways = {unit.name: find_ways(netlist, unit, ending) for unit in netlist.units}
    # A static loop, or a queue, takes no done token of a load: the datum is its done token.
    islands = [unit for unit in netlist.units if unit.operator in (ISLAND, LOAD_STORE_QUEUE)]
    same = clocks.same
    taken_by_islands = {same[each.name] for unit in islands for each in netlist.inputs_of(unit)}
    before_return = find_channels_before(netlist, ways, {})
    for unit in memories:
        before_return |= dones_before_others(netlist, ways, unit, before_return)
    return [
        (unit, channel)
        for unit in memories
        for channel in netlist.outputs_of(unit)
        if channel.source.port.startswith(DONE_PORTS)
        and channel.name not in before_return
        and not (
            (datum := datum_of(netlist, unit, channel)) in before_return
            and (by_data or same[datum] in taken_by_islands)
        )
    ]


def find_channels_before(
    netlist: Netlist, ways: Mapping[str, Ways], ends: Mapping[Endpoint, bool]
) -> set[str]:
    """The greatest set of channels that come before the return, or before one of the `ends`.

    Those say of ports of input whether all that they take counts; if there are any, the return does
    not.
    """
    found = {channel.name for channel in netlist.channels}
    work = list(netlist.channels)
    while work:
        channel = work.pop()
        if channel.name not in found:
            continue
        if ends and channel.target.unit == OUTSIDE:
            comes_before = False
        elif channel.target in ends:
            comes_before = ends[channel.target]
        else:
            comes_before = precedes_return(ways, channel, found)
        if not comes_before:
            found.discard(channel.name)
            if channel.source.unit != OUTSIDE:
                work += netlist.inputs_of(netlist.unit_by_name[channel.source.unit])
    return found


def dones_before_others(
    netlist: Netlist, ways: Mapping[str, Ways], memory: Unit, before_return: AbstractSet[str]
) -> set[str]:
    """The done channels of stores after which one comes whose done token is before the return.

    The memory serves stores in the order in which it accepts them, and the later one waits until
    this one is accepted.
    """
    outputs = {channel.source.port: channel.name for channel in netlist.outputs_of(memory)}
    accepted = {port: port.replace(ACCEPTED, "st_done") for port in outputs if ACCEPTED in port}
    found: set[str] = set()
    while accepted:
        ends = {
            Endpoint(memory.name, done.replace("done", kind)): outputs[done]
            in before_return | found
            for done in accepted.values()
            for kind in ("address", "data")
        }
        reached = find_channels_before(netlist, ways, ends)
        new = {outputs[done] for port, done in accepted.items() if outputs[port] in reached}
        if new <= found:
            break
        found |= new
    return found


def datum_of(netlist: Netlist, memory: Unit, done: Channel) -> str | None:
    """The channel of the datum of the load that a done channel is of; None if it is a store's."""
    shape = netlist.shape_by_unit[memory.name]
    stores, loads = shape.integer("stores"), shape.integer("loads")
    outputs = netlist.outputs_of(memory)
    number = outputs.index(done) - loads - stores
    return outputs[number].name if number >= 0 else None


@dataclass(frozen=True)
class Ways:
    """How tokens pass through one unit; `rates` is None if its row does not say.

    `answers` are ports of which each token is taken before the output `done` has one.

    `outputs` are its ports of output with their channels, `last` the inputs whose 0 comes after all
    else in a burst, `together` the ports that have as many tokens as a port, by one equation after
    the other.
    """

    rates: tuple[Equation, ...] | None
    outputs: Mapping[str, str]
    last: frozenset[str]
    together: Mapping[str, frozenset[str]]
    answers: frozenset[str] = frozenset()


def find_ways(netlist: Netlist, unit: Unit, ending: AbstractSet[str]) -> Ways:
    """The ways through the unit; `ending` are channels of conditions whose bursts end with a 0."""
    inputs, outputs = netlist.ports_of(unit)
    by_output = {
        port.name: netlist.channel_by_source[Endpoint(unit.name, port.name)].name
        for port in outputs
    }
    last = frozenset(
        port.name
        for port in inputs
        if netlist.channel_by_target[Endpoint(unit.name, port.name)].name in ending
    )
    rates = rates_of(unit.operator, netlist.shape_by_unit[unit.name])
    together: dict[str, frozenset[str]] = {}
    neighbours = find_neighbours(rates or ())
    for port in neighbours:
        if port not in together:
            found = find_connected_ports(port, neighbours)
            together.update(dict.fromkeys(found, found))
    of_island = inputs if unit.operator is ISLAND else ()
    answers = frozenset(port.name for port in of_island if port.name.startswith(ANSWERS))
    return Ways(rates, by_output, last, together, answers)


def precedes_return(
    ways: Mapping[str, Ways], channel: Channel, before_return: AbstractSet[str]
) -> bool:
    """True if no token leads to the return without each token of the channel.

    `before_return` are the channels of which that is still assumed.
    """
    end = channel.target
    if end.unit == OUTSIDE:
        return channel.width == 0
    unit = ways[end.unit]
    if end.port in unit.answers:
        return unit.outputs["done"] in before_return
    if unit.rates is None:
        return any(output in before_return for output in unit.outputs.values())
    return leads_to_output(unit, unit.rates, end.port, before_return)


def leads_to_output(
    unit: Ways, rates: Sequence[Equation], port: str, before_return: AbstractSet[str]
) -> bool:
    """True if each token at `port` leads to a token on an output in `before_return`."""

    def reach(ports: Iterable[str]) -> bool:
        return any(unit.outputs.get(each) in before_return for each in ports)

    together = unit.together.get(port, frozenset({port}))
    if reach(together):
        return True
    if reach(e.left.port for e in rates if e.relation == CLOSES and e.right.port == port):
        return True
    # What comes back from a shared circuit goes to one of the callers, whichever it is.
    called = {e.left.port for e in rates if e.relation == "<-" and e.right.port == port}
    if called and all(reach([each]) for each in unit.outputs.keys() - called):
        return True
    sides = [e for e in rates if e.left.side is None and e.right.port in together]
    wanted = (0,) if unit.last & together else (0, 1)
    if all(reach(e.left.port for e in sides if e.right.side == side) for side in wanted):
        return True
    # A token that starts a burst, or makes one of its iterations, is in the stream of the burst.
    bursts = {e.left.port for e in rates if e.left.side is not None and e.right.port in together}
    bursts |= {e.right.port for e in rates if e.right.side is not None and e.left.port in together}
    plain = (e for e in rates if e.left.side is None and e.right.side is None)
    bursts |= {e.left.port for e in plain if e.right.port in bursts}
    # The 0 that ends the burst comes after it, and so does what is made for that 0.
    ended = unit.last & bursts
    ends = {
        e.left.port
        for e in rates
        if e.left.side is None and e.right.side == 0 and e.right.port in ended
    }
    return reach(bursts | ends)


def find_neighbours(rates: Sequence[Equation]) -> dict[str, list[str]]:
    """By port the ports that have as many tokens by one equation."""
    found: dict[str, list[str]] = {}
    for equation in rates:
        apart = equation.relation in ("<-", AFTER, DELAYS, CLOSES)
        if not apart and equation.left.side is None and equation.right.side is None:
            found.setdefault(equation.left.port, []).append(equation.right.port)
            found.setdefault(equation.right.port, []).append(equation.left.port)
    return found


def find_connected_ports(port: str, neighbours: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """The port, and all that neighbours lead to from it."""
    found, work = {port}, [port]
    while work:
        new = [each for each in neighbours.get(work.pop(), ()) if each not in found]
        found.update(new)
        work += new
    return frozenset(found)
