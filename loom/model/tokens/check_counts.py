"""The invariants counted in a run: what each channel carried against its clock and the program.

The clocks (`loom.analysis.balance.token_clocks`) say how many tokens each channel carries as sums
of the ones of the conditions. The ones are counted where conditions are made; the iterations of a
loop and the accesses of a memory are also known from the program, which knows no netlist.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import PurePath

from loom.analysis.balance.done_before_return import DONE_PORTS
from loom.analysis.balance.invariants import BALANCE, BODY, BOUNDARY, DONES, GATE, OUTPUT, STREAM
from loom.analysis.balance.token_clocks import Clock, Clocks, Decision
from loom.analysis.balance.token_counts import TokenCount
from loom.dialects.operators.dataflow_operators import is_rotated
from loom.dialects.operators.island_operator import ISLAND
from loom.dialects.operators.rates import Equation, rates_of
from loom.errors import Place
from loom.model.bundles.activation import Activation
from loom.model.reference.reference import Outcome
from loom.model.tokens.token_run import ActivationRun
from loom.netlist.names import port_names
from loom.netlist.netlist import OUTSIDE, Channel, Endpoint, Netlist, Unit

SHOWN = 3
"""Channels that break one invariant and are named [channels]."""


class Counted:
    """What is required of each activation of one netlist.

    Loops at places that are `reshaped` have trip counts of their own, not the program's.
    """

    def __init__(
        self, netlist: Netlist, clocks: Clocks, reshaped: frozenset[Place] = frozenset()
    ) -> None:
        self.netlist = netlist
        self.reshaped = {str(replace(place, file=PurePath(place.file).name)) for place in reshaped}
        self.clocks = clocks
        self.sources = {channel.name: channel.source for channel in netlist.channels}
        kinds: dict[Clock, int] = {}
        for decision in self.loops():
            if self.is_rotated(decision):
                kinds[decision.clock] = BODY
                continue
            kinds[decision.clock] = BOUNDARY
            if 1 in decision.sides:
                kinds[decision.sides[1]] = BODY
        self.calls = dict(calls_of(netlist))
        """By the channel of the calls of a shared circuit those of its callers."""
        known = [c for c in netlist.channels if c.name in clocks.by_channel]
        self.kinds = {c.name: self.kind_of(c, kinds) for c in known}

    def watched(self) -> frozenset[str]:
        """The channels whose ones must be counted."""
        return frozenset(self.clocks.conditions)

    def kind_of(self, channel: Channel, kinds: Mapping[Clock, int]) -> int:
        """The number of the invariant that the channel's count belongs to."""
        if channel.target.unit == OUTSIDE:
            return OUTPUT
        kind = kinds.get(self.clocks.by_channel[channel.name], BALANCE)
        if channel.source.unit == OUTSIDE:
            return kind
        unit = self.netlist.unit_by_name[channel.source.unit]
        if "cont_cond" in unit.operator.signature.attributes:
            return STREAM
        rates = rates_of(unit.operator, self.netlist.shape_by_unit[unit.name]) or ()
        return GATE if any(rate.relation == "~" for rate in rates) else kind

    def is_rotated(self, decision: Decision) -> bool:
        """True of the condition of a rotated stream: a token an iteration and none more."""
        source = self.sources[decision.channel].unit
        unit = self.netlist.unit_by_name.get(source)
        if unit is None or "cont_cond" not in unit.operator.signature.attributes:
            return False
        return is_rotated(self.netlist.shape_by_unit[unit.name])

    def loops(self) -> Iterator[Decision]:
        """The conditions that are loops' tests; those after a gate are not."""
        return (
            d for d in self.clocks.conditions.values() if d.loop and d.clock.parent is d.sides[0]
        )

    def differences(
        self, run: ActivationRun, outcome: Outcome, activation: Activation
    ) -> Iterator[tuple[int, str]]:
        """Numbers of broken invariants, each with what was counted."""
        unknowns = {f"T({name})": count for name, count in run.ones.items()}
        unknowns |= {
            f"C({called})": sum(run.tokens[channel] for channel in callers)
            for called, callers in self.calls.items()
        }
        found: dict[int, list[str]] = {}
        for name, kind in self.kinds.items():
            count = TokenCount(1) if kind == OUTPUT else self.clocks.by_channel[name].count
            if name not in run.tokens:  # endless, from a source to what its reader waits for
                continue
            if not all(unknown in unknowns for unknown in count.unknowns):
                continue
            wanted = count.value(unknowns)
            if run.tokens[name] != wanted:
                expected = f"{count} = {wanted}" if count.unknowns else f"{wanted}"
                text = f"channel {name} carries {run.tokens[name]} tokens, not {expected}"
                found.setdefault(kind, []).append(text)
        from_program = self.trip_counts(run, outcome), self.accesses(run, outcome, activation)
        for kind, text in chain(*from_program):
            found.setdefault(kind, []).append(text)
        for kind in sorted(found):
            for text in found[kind][:SHOWN]:
                yield kind, text
            if len(found[kind]) > SHOWN:
                yield kind, f"and {len(found[kind]) - SHOWN} more"

    def trip_counts(self, run: ActivationRun, outcome: Outcome) -> Iterator[tuple[int, str]]:
        """Loops whose trip count is not the program's, where that is known by its place.

        A loop whose place has no column stands for several of the program, as do those in it.
        """
        known = by_place(outcome.iterations)
        known |= dict.fromkeys(self.reshaped)
        loops = [(d.loop.place, d) for d in self.loops() if d.loop and d.loop.place]
        places = Counter(place for place, _ in loops)
        rows = (loop for place, loop in loops if place.line and not place.column)
        rolled = [self.iterations_of(loop) for loop in rows]
        for place, loop in loops:
            wanted = known.get(str(place))
            if places[place] > 1 or wanted is None or any(map(loop.clock.lies_in, rolled)):
                continue
            trips = (run.tokens if self.is_rotated(loop) else run.ones)[loop.channel]
            if trips != wanted:
                yield STREAM, f"the loop at {place} has {trips} iterations, the program's {wanted}"

    def iterations_of(self, loop: Decision) -> Clock:
        """The clock of a loop's iterations."""
        return loop.clock if self.is_rotated(loop) else loop.sides.get(1, loop.clock)

    def accesses(
        self, run: ActivationRun, outcome: Outcome, activation: Activation
    ) -> Iterator[tuple[int, str]]:
        """External memories that give more done tokens than the program accesses, or none at all.

        A load of a known element and a store that is written over are left out of the circuit. A
        schedule may load once more what stands before an inner loop (docs/static.md).
        """
        islands = [unit for unit in self.netlist.units if unit.operator is ISLAND]
        loads_again = {c.target.unit for unit in islands for c in self.netlist.outputs_of(unit)}
        ports = {port: name for name, port in port_names(activation.inputs).items()}
        for unit in self.netlist.units:
            memory = unit.attributes.get("memory")
            name = ports.get(str(memory))
            if name is None or name not in outcome.accesses:
                continue
            given = {"ld": 0, "st": 0}
            for channel in self.netlist.outputs_of(unit):
                if channel.source.port.startswith(DONE_PORTS):
                    given[channel.source.port[:2]] += run.tokens[channel.name]
            loads, stores = outcome.accesses[name]
            more = given["ld"] > loads and unit.name not in loads_again
            if given["st"] > stores or more or (stores and not given["st"]):
                found = f"{given['st']} done tokens (stores) and {given['ld']} (loads)"
                wanted = f"the program stores {stores} and loads {loads}"
                yield DONES, f"memory {memory} gives {found}, {wanted}"


def rates_of_unit(netlist: Netlist, unit: Unit) -> tuple[Equation, ...]:
    """The equations of a unit; none where its row says none."""
    return rates_of(unit.operator, netlist.shape_by_unit[unit.name]) or ()


def calls_of(netlist: Netlist) -> Iterator[tuple[str, list[str]]]:
    """The channel of what a unit calls, and the channels for whose tokens it does."""
    for unit in netlist.units:
        for equation in rates_of_unit(netlist, unit):
            if equation.relation == "<-":
                called = netlist.channel_by_source[Endpoint(unit.name, equation.left.port)]
                inputs = netlist.inputs_of(unit)
                parts = [each.name for each in inputs if each.target.port in equation.parts]
                if parts:
                    yield called.name, parts


def by_place(iterations: Mapping[str, int]) -> dict[str, int | None]:
    """The trip count of each loop by its place, file without folder; None for several there."""
    found: dict[str, int | None] = {}
    for label, count in iterations.items():
        path, colon, rest = label.partition(":")
        place = f"{PurePath(path).name}{colon}{rest.partition(' ')[0]}"
        found[place] = None if place in found or " " in rest else count
    return found
