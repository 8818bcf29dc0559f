"""No token waits for itself: in every cycle of the netlist some unit begins without it.

A carry and an invariant give the first token of a burst before they take a condition, so what
comes back to them is one turn old. That breaks a cycle only if the whole cycle lies inside the
loop: what leaves the loop and comes back was never a turn old. Source: errata E6; the condition is
that of Kahn networks with delays, for each loop within its burst.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loom.analysis.clocks import Clock, Clocks
from loom.dialects.rates import Equation, rates_of
from loom.netlist.components import components, on_cycles
from loom.netlist.netlist import Endpoint, Netlist, Unit


@dataclass(frozen=True, slots=True)
class Wait:
    """A token of channel `target` waits for one of `source`: of the turn before if `loop` is set.

    `loop` is then the clock of the tests whose turns are meant.
    """

    source: str
    target: str
    loop: Clock | None


def waits_of(netlist: Netlist, clocks: Clocks) -> Iterator[Wait]:
    """Who waits for whom, through every unit whose row says its rates."""
    for unit in netlist.units:
        rates = rates_of(unit.operator, netlist.shape_by_unit[unit.name])
        if rates is None:
            continue
        ways = ways_through(rates)
        inputs, outputs = netlist.ports_of(unit)
        for out in outputs:
            target = netlist.channel_by_source[Endpoint(unit.name, out.name)].name
            for into in inputs:
                if ways.get(into.name) == ways.get(out.name, ""):
                    source = netlist.channel_by_target[Endpoint(unit.name, into.name)].name
                    yield Wait(source, target, loop_of(netlist, clocks, unit, into.name, out.name))


def ways_through(rates: Sequence[Equation]) -> dict[str, str]:
    """Ports to a port that stands for all on the same way through the unit."""
    way: dict[str, str] = {}
    for equation in rates:
        left, right = (way.setdefault(t.port, t.port) for t in (equation.left, equation.right))
        way = {port: left if stands == right else stands for port, stands in way.items()}
    return way


def loop_of(netlist: Netlist, clocks: Clocks, unit: Unit, into: str, out: str) -> Clock | None:
    """The loop whose turn before the output waits for at this input; None if for this one."""
    rates = rates_of(unit.operator, netlist.shape_by_unit[unit.name]) or ()
    for start in rates:
        condition = start.left.port
        channel = netlist.channel_by_target.get(Endpoint(unit.name, condition))
        if start.left.side is None or start.relation != "=" or channel is None:
            continue
        repeats = any(e.left.port == out and e.right == (condition, None) for e in rates)
        if repeats and into != start.right.port:
            return clocks.by_channel.get(channel.name)
    return None


def waits_for_itself(netlist: Netlist, clocks: Clocks) -> list[tuple[str, ...]]:
    """Groups of channels whose tokens wait for each other; those that no token reaches at all."""
    work = [list(waits_of(netlist, clocks))]
    found: list[tuple[str, ...]] = []
    while work:
        waits = on_cycles(work.pop())
        number = components(waits)
        groups: dict[int, list[Wait]] = {}
        for wait in waits:
            groups.setdefault(number[wait.source], []).append(wait)
        for group in groups.values():
            left = [wait for wait in group if not breaks(wait, group, clocks)]
            if len(left) < len(group):
                work.append(left)
            else:
                found.append(tuple(sorted({wait.source for wait in group})))
    return found


def breaks(wait: Wait, group: Sequence[Wait], clocks: Clocks) -> bool:
    """True if the wait is for the turn before of a loop that all of the group lies in."""
    if wait.loop is None:
        return False
    for member in group:
        clock = clocks.by_channel.get(member.source)
        if clock is None or not clock.lies_in(wait.loop):
            return False
    return True
