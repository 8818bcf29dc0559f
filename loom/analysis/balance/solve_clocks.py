"""Solving the clock equations of a netlist, from the activation inwards.

What is known moves on in this order: outputs from inputs; then the condition of a loop, from a
token that starts it; last, what only has to agree. So a disagreement shows where it is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush

from loom.analysis.balance.channel_equivalence import equivalent_channels
from loom.analysis.balance.stream_nonzero_trip import has_nonzero_trip
from loom.analysis.balance.token_clocks import Clock, Clocks, Conflict, Decision
from loom.analysis.balance.token_counts import TokenCount, unknown
from loom.dialects.operators.rates import CLOSES, Equation, Term, rates_of
from loom.netlist.netlist import OUTSIDE, Endpoint, Netlist, OutsidePort, Unit

OUTPUTS, LOOPS, AGREEMENTS = range(3)


@dataclass(frozen=True, slots=True)
class Item:
    """An equation of one unit with the channels at its ports; `kind` is its place in the order."""

    where: Unit | OutsidePort
    equation: Equation
    left: str
    right: str
    kind: int


def clocks_of(netlist: Netlist) -> Clocks:
    """The clock of every channel, as far as the rows of the units say it."""
    return _Solver(netlist).run()


class _Solver:
    """What is known so far, and the equations that wait for more."""

    def __init__(self, netlist: Netlist) -> None:
        self.netlist = netlist
        self.same = equivalent_channels(netlist)
        self.drivers = {channel.name: channel.source for channel in netlist.channels}
        self.endless = channels_of_sources(netlist)
        self.unrated: list[Unit] = []
        self.items = list(self.equations())
        self.clocks: dict[str, Clock] = {}
        self.decisions: dict[str, Decision] = {}
        self.conflicts: list[Conflict] = []
        self.waiting: dict[str, list[int]] = {}
        self.missing: list[int] = []
        self.ready: list[tuple[int, int]] = []
        self.sides = dict.fromkeys(self.same.values(), 2)
        self.gates = {
            self.same[item.left]: (item.where, self.same[item.right])
            for item in self.items
            if item.equation.relation == "~" and isinstance(item.where, Unit)
        }
        self.may_be_empty: list[Unit] = []
        for number, item in enumerate(self.items):
            self.enlist(number, item)

    def equations(self) -> Iterator[Item]:
        """The equations of all units and outputs, in the order of the netlist."""
        netlist = self.netlist
        for unit in netlist.units:
            rates = rates_of(unit.operator, netlist.shape_by_unit[unit.name])
            if rates is None:
                self.unrated.append(unit)
                continue
            outputs = {port.name for port in netlist.ports_of(unit)[1]}
            for equation in rates:
                if equation.relation == CLOSES:
                    continue
                left, right = (self.channel_at(unit, t.port, outputs)
                               for t in (equation.left, equation.right))  # fmt: skip
                made = equation.left.side is None and equation.left.port in outputs
                is_loop = equation.left.side is not None
                if equation.relation == "<-":
                    made = False
                kind = OUTPUTS if made else LOOPS if is_loop else AGREEMENTS
                yield Item(unit, equation, left, right, kind)
        for port in netlist.ports:
            if port.direction == "output":
                channel = netlist.channel_by_target[Endpoint(OUTSIDE, port.name)].name
                once = Equation(Term(port.name), Term("activation"))
                yield Item(port, once, channel, channel, AGREEMENTS)

    def channel_at(self, unit: Unit, port: str, outputs: set[str]) -> str:
        """The channel at a port of a unit."""
        ends = self.netlist.channel_by_source if port in outputs else self.netlist.channel_by_target
        return ends[Endpoint(unit.name, port)].name

    def enlist(self, number: int, item: Item) -> None:
        """Note what the equation waits for."""
        needs = {self.same[item.right]}
        after_gate = item.kind == LOOPS and self.same[item.left] in self.gates
        if item.kind == AGREEMENTS or after_gate:
            needs.add(self.same[item.left])
        for channel, term in ((item.left, item.equation.left), (item.right, item.equation.right)):
            if term.side is not None:
                name = self.same[channel]
                self.sides[name] = max(self.sides[name], term.side + 1)
        self.missing.append(len(needs))
        for need in needs:
            self.waiting.setdefault(need, []).append(number)

    def run(self) -> Clocks:
        """Solve all that can be solved."""
        self.activation = Clock(None, TokenCount(1))
        for port in self.netlist.ports:
            if port.direction == "input":
                source = self.netlist.channel_by_source[Endpoint(OUTSIDE, port.name)]
                self.set_clock(source.name, self.activation)
        for item in self.items:
            if item.equation.relation == "<-":
                calls = unknown(f"C({item.left})")
                self.set_clock(item.left, Clock(self.activation, calls))
        self.solve_ready()
        while self.draw_from_sources():
            self.solve_ready()
        channels = (channel.name for channel in self.netlist.channels)
        unset = tuple(c for c in channels if c not in self.clocks and c not in self.endless)
        conditions = {name: found for name, found in self.decisions.items() if found.sides}
        return Clocks(
            self.clocks, self.same, conditions, tuple(self.conflicts),
            () if self.unrated else unset, tuple(self.unrated), tuple(self.may_be_empty),
        )  # fmt: skip

    def solve_ready(self) -> None:
        """Solve the equations whose terms are known, and those that are then."""
        while self.ready:
            self.solve(self.items[heappop(self.ready)[1]])

    def draw_from_sources(self) -> bool:
        """A channel of an endless source carries what its reader takes; false if none is left."""
        for item in self.items:
            left, right = item.equation.left, item.equation.right
            ends = (item.left, left, item.right, right), (item.right, right, item.left, left)
            for channel, term, other, known in ends:
                if (
                    item.equation.relation == "="
                    and channel in self.endless
                    and channel not in self.clocks
                    and term.side is None
                    and self.same[other] in self.decisions
                ):
                    self.set_clock(channel, self.clock_of(other, known))
                    return True
        return False

    def solve(self, item: Item) -> None:
        """Use one equation whose right side is known; a gate's `split_gate` uses itself."""
        if item.equation.relation == "~":
            return
        left, right = item.equation.left, item.equation.right
        clock = self.clock_of(item.right, right)
        if isinstance(item.where, OutsidePort):
            self.agree(item, clock, self.activation)
        elif item.kind == OUTPUTS:
            self.set_clock(item.left, clock)
        elif left.side is not None and self.same[item.left] not in self.decisions:
            self.start_loop(item, item.where, clock)
        else:
            self.agree(item, self.clock_of(item.left, left), clock)

    def agree(self, item: Item, left: Clock, right: Clock) -> None:
        """Two clocks must be one."""
        if left is not right:
            self.conflicts.append(Conflict(item.where, item.equation, left.count, right.count))

    def set_clock(self, channel: str, clock: Clock) -> None:
        """The channel has this clock, and so has all that carries the same tokens."""
        self.clocks[channel] = clock
        name = self.same[channel]
        decision = self.decisions.get(name)
        if decision is None:
            self.decisions[name] = Decision(name, clock)
            self.known(name)
        elif decision.clock is not clock:
            driver = self.drivers[channel]
            unit = self.netlist.unit_by_name[driver.unit]
            back = Equation(Term(driver.port), Term("the loop it decides"))
            self.conflicts.append(Conflict(unit, back, clock.count, decision.clock.count))

    def start_loop(self, item: Item, unit: Unit, start: Clock) -> None:
        """Each token of `start` begins a burst of the condition."""
        name = self.same[item.left]
        iterations = [self.ones(name, side) for side in range(1, self.sides[name])]
        tests = Clock(start, sum(iterations, start.count))
        self.decisions[name] = Decision(name, tests, {0: start}, unit)
        self.known(name)
        if self.drivers[item.left].unit == unit.name:
            self.set_clock(item.left, tests)

    def ones(self, name: str, side: int) -> TokenCount:
        """The number of the condition's tokens of this value."""
        return unknown(f"T({name})" if self.sides[name] == 2 else f"T({name}={side})")

    def clock_of(self, channel: str, term: Term) -> Clock:
        """The clock of a term that is known."""
        decision = self.decisions[self.same[channel]]
        return decision.clock if term.side is None else self.side(decision, term.side)

    def side(self, decision: Decision, side: int) -> Clock:
        """The clock of the condition's tokens of this value."""
        if side not in decision.sides:
            self.split(decision, side)
        return decision.sides[side]

    def split(self, decision: Decision, side: int) -> None:
        """Make the clock of one side of a condition."""
        name = decision.channel
        if name in self.gates:
            self.split_gate(decision, *self.gates[name])
        elif side:
            decision.sides[side] = Clock(decision.clock, self.ones(name, side))
        else:
            rest = decision.clock.count
            for other in range(1, self.sides[name]):
                rest -= self.ones(name, other)
            decision.sides[0] = Clock(decision.clock, rest)

    def split_gate(self, decision: Decision, unit: Unit, before: str) -> None:
        """A burst without its first token: it ends as often as the whole one, if that runs."""
        if has_nonzero_trip(self.netlist, self.same, before):
            ends = self.side(self.decisions[before], 0)
        else:
            self.may_be_empty.append(unit)
            ends = Clock(decision.clock, unknown(f"F({decision.channel})"))
        decision.loop = unit
        decision.sides[0] = ends
        decision.sides[1] = Clock(decision.clock, decision.clock.count - ends.count)

    def known(self, name: str) -> None:
        """Equations that waited for these tokens alone are ready."""
        for number in self.waiting.pop(name, ()):
            self.missing[number] -= 1
            if self.missing[number] == 0:
                heappush(self.ready, (self.items[number].kind, number))


def channels_of_sources(netlist: Netlist) -> set[str]:
    """The channels that an endless source feeds, through units that take nothing else."""
    found: set[str] = set()
    waiting = {unit.name: len(netlist.inputs_of(unit)) for unit in netlist.units}
    work = [unit for unit in netlist.units if not waiting[unit.name]]
    while work:
        unit = work.pop()
        if unit.operator.semantics.meaning is None:
            continue
        for channel in netlist.outputs_of(unit):
            found.add(channel.name)
            if channel.target.unit != OUTSIDE:
                waiting[channel.target.unit] -= 1
                if not waiting[channel.target.unit]:
                    work.append(netlist.unit_by_name[channel.target.unit])
    return found
