"""No token waits for itself: in every cycle of the netlist some unit begins without it.

A carry and an invariant give the first token of a burst before they take a condition, so what comes
back to them is one iteration old. That breaks a cycle only if the whole cycle lies inside the loop:
what leaves the loop and comes back was never an iteration old. What a mux takes from the side that
only the last iteration has does not come back: the same condition sends it out of the loop. So a
token is followed together with what is known of the condition at its iteration. Source: docs/spec
D6; the condition is that of Kahn networks with delays, for each loop within its burst.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from loom.analysis.balance.token_clocks import Clock, Clocks
from loom.dialects.operators.rates import AFTER, CLOSES, WITH, Equation, rates_of
from loom.graph_algorithms import component_numbers, on_cycles
from loom.netlist.netlist import Endpoint, Netlist, Unit

Known = tuple[str, int]
"""A condition, by the first channel with its tokens, and the value it has."""


class TokenState(NamedTuple):
    """A token of a channel, in an iteration in which the conditions `ended` are 0."""

    channel: str
    ended: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Wait:
    """A token at `target` waits for one at `source`: of the previous iteration if `loop` is set.

    `loop` is then the clock of the tests whose iterations are meant. `only` is what has to be so
    for the token to wait: the side of a mux, or of a branch.
    """

    source: TokenState
    target: TokenState
    loop: Clock | None
    only: Known | None


def waits_of(netlist: Netlist, clocks: Clocks) -> Iterator[Wait]:
    """Which channel waits for which, through every unit whose row says its rates."""
    for unit in netlist.units:
        rates = rates_of(unit.operator, netlist.shape_by_unit[unit.name])
        if rates is None:
            continue
        ways = paths_through(rates)
        sided = [equation for equation in rates if equation.right.side is not None]
        inputs, outputs = netlist.ports_of(unit)
        for out in outputs:
            target = netlist.channel_by_source[Endpoint(unit.name, out.name)].name
            for into in inputs:
                if out.name in ways and passes(ways, rates, into.name, out.name):
                    source = netlist.channel_by_target[Endpoint(unit.name, into.name)].name
                    loop = loop_of(netlist, clocks, unit, into.name, out.name)
                    only = (
                        None
                        if loop
                        else side_of(netlist, clocks, unit, sided, (into.name, out.name))
                    )
                    yield Wait(TokenState(source), TokenState(target), loop, only)


def side_of(
    netlist: Netlist, clocks: Clocks, unit: Unit, sided: Sequence[Equation], ports: tuple[str, str]
) -> Known | None:
    """The condition, and its value, without which nothing passes from one port to the other.

    `sided` are the equations of the unit that count one side of a condition.
    """
    for equation in sided:
        side = equation.right.side
        if equation.left.port in ports and side is not None:
            channel = netlist.channel_by_target[Endpoint(unit.name, equation.right.port)].name
            return clocks.same[channel], side
    return None


def propagate_conditions(waits: Sequence[Wait], clocks: Clocks) -> list[Wait]:
    """The waits of tokens together with what is known at their iteration; those that can be."""
    leaving: dict[str, list[Wait]] = {}
    for wait in waits:
        leaving.setdefault(wait.source.channel, []).append(wait)
    found: list[Wait] = []
    work = [TokenState(channel) for channel in leaving]
    seen = set(work)
    while work:
        state = work.pop()
        for wait in leaving.get(state.channel, ()):
            if wait.only is not None and wait.only[1] == 1 and wait.only[0] in state.ended:
                continue
            target = TokenState(wait.target.channel, conditions_after(wait, state, clocks))
            found.append(Wait(state, target, wait.loop, wait.only))
            if target not in seen:
                seen.add(target)
                work.append(target)
    return found


def conditions_after(wait: Wait, state: TokenState, clocks: Clocks) -> frozenset[str]:
    """The conditions that are known to be 0 at the token that waits, with which their loops end."""
    ended = state.ended
    if wait.only is not None and wait.only[1] == 0 and clocks.ends_bursts(wait.only[0]):
        ended |= {wait.only[0]}
    clock = clocks.by_channel.get(wait.target.channel)
    if not ended or clock is None:
        return frozenset()
    loops = {name: clocks.conditions[name].clock for name in ended}
    # A branch or a loop inside an iteration belongs to it; a token that leaves the loop to none.
    return frozenset(
        name for name, loop in loops.items() if loop is not wait.loop and clock.lies_in(loop)
    )


def paths_through(rates: Sequence[Equation]) -> dict[str, str]:
    """Ports to a port that stands for all on the same way through the unit.

    A shared circuit has room for the result of every call that it takes, so the calls of one caller
    wait for no other's: what is called waits for nothing, as the start of a circuit of its own. A
    queue serves accesses in the order of the text, so none waits for a younger one.
    """
    way: dict[str, str] = {}
    members: dict[str, list[str]] = {}
    for equation in rates:
        if equation.relation == "<-":
            for end in (equation.left, equation.right):
                members.setdefault(way.setdefault(end.port, end.port), [end.port])
            continue
        if equation.relation in (CLOSES, WITH):
            continue
        for term in (equation.left, equation.right):
            members.setdefault(way.setdefault(term.port, term.port), [term.port])
        ends = {way[equation.left.port], way[equation.right.port]}
        if len(ends) == 2:
            # The shorter list goes over, so that no port does so often.
            small, large = sorted(ends, key=lambda each: (len(members[each]), each))
            members[large] += members[small]
            way |= dict.fromkeys(members.pop(small), large)
    return way


def passes(ways: Mapping[str, str], rates: Sequence[Equation], into: str, out: str) -> bool:
    """True if the output waits for the input: both are on one way, or the output's waits for it."""
    before = {ways.get(e.left.port) for e in rates if e.relation == WITH and e.right.port == into}
    return ways.get(into) == ways[out] or ways[out] in before


def loop_of(netlist: Netlist, clocks: Clocks, unit: Unit, into: str, out: str) -> Clock | None:
    """The loop whose previous iteration the output waits for at this input; None: the same one."""
    if not unit.operator.semantics.leads:
        return None
    rates = rates_of(unit.operator, netlist.shape_by_unit[unit.name]) or ()
    for start in rates:
        if start.relation == AFTER and start.left.port == into:
            name = netlist.channel_by_target[Endpoint(unit.name, into)].name
            return clocks.by_channel.get(name)
        condition = start.left.port
        channel = netlist.channel_by_target.get(Endpoint(unit.name, condition))
        if start.left.side is None or start.relation != "=" or channel is None:
            continue
        repeats = any(e.left.port == out and e.right == (condition, None) for e in rates)
        if repeats and into != start.right.port:
            return clocks.by_channel.get(channel.name)
    return None


def find_deadlocks(netlist: Netlist, clocks: Clocks) -> list[tuple[str, ...]]:
    """Groups of channels whose tokens wait for each other; those that no token reaches at all."""
    work = [propagate_conditions(list(waits_of(netlist, clocks)), clocks)]
    found: list[tuple[str, ...]] = []
    while work:
        waits = on_cycles(work.pop())
        number = component_numbers(waits)
        groups: dict[int, list[Wait]] = {}
        for wait in waits:
            groups.setdefault(number[wait.source], []).append(wait)
        for group in groups.values():
            left = [wait for wait in group if not is_broken_by(wait, group, clocks)]
            if len(left) < len(group):
                work.append(left)
            else:
                found.append(tuple(sorted({wait.source.channel for wait in group})))
    return found


def is_broken_by(wait: Wait, group: Sequence[Wait], clocks: Clocks) -> bool:
    """True if the wait is for the previous iteration of a loop that all of the group lies in."""
    if wait.loop is None:
        return False
    for member in group:
        clock = clocks.by_channel.get(member.source.channel)
        if clock is None or not clock.lies_in(wait.loop):
            return False
    return True
