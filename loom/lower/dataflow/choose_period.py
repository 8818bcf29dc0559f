"""The clock period of a circuit, and its buffers for it.

A user's period is met or refused. The default is the target's, with two exceptions, each with a
note. A path that no register can shorten sets the shortest period that is reached. And where an
iteration of a loop does not fit into the period, so that the loop takes more cycles than its
operations do, the circuit may be faster with fewer cycles of a longer period: of some periods up
to twice the target's that one is taken at which the loops take the least time, as far as their trip
counts are known (`expected_cycles`). A longer period must save a thirtieth of the time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.ir import Operation

from loom.analysis.schedule.buffers import delay_early
from loom.analysis.schedule.choose_buffer_forms import choose_buffer_forms
from loom.analysis.schedule.event_graph import Edge, EventGraph
from loom.analysis.schedule.loop_members import places_of_loops
from loom.analysis.schedule.move_waits import move_waits
from loom.analysis.schedule.optimal_buffers import minimize_storage, plan_optimal_buffers
from loom.analysis.schedule.plan_buffers import LARGE, FirstPlacements, plan_buffers
from loom.analysis.timing.clocked_units import Buffer, Clock, count_luts, measured_delays
from loom.analysis.timing.pipeline_long_paths import PeriodNotMet
from loom.analysis.timing.targets import find_target
from loom.analysis.timing.unit_costs import overhead
from loom.dialects.facts.places import place_of
from loom.dialects.ops.handshake_function import FuncOp
from loom.errors import LoomError
from loom.lower.dataflow.choose_units import find_open_latencies, period_of, set_latencies
from loom.lower.dataflow.expected_cycles import LoopCycles, expected_cycles, least_cycles
from loom.lower.dataflow.period_choices import format_units, list_choices
from loom.lower.dataflow.rank_buffers import rank_buffers
from loom.lower.options import Options

COARSE = (1.2, 1.4, 1.6, 1.8, 2.0)
"""The longer periods that are tried first, in periods of the target."""
FINE = 0.1
"""How far from the best the next ones are, as long as they are better; graphs of more than `LARGE`
edges have none."""
EFFORT = 0.25
"""The part of all trials that a coarse step gets, in graphs of up to `LARGE` edges; in larger ones
it gets none, and the period that is chosen is planned anew. The fine ones get all."""
SAVING = 1 / 30
"""So much of the time a longer period must save."""


@dataclass(frozen=True)
class ChosenPeriod:
    """The period [ns], None: any; the buffers for it; why it is longer than the default."""

    period: float | None
    buffers: Mapping[Edge, Buffer]
    note: str = ""


def choose_period(function: FuncOp, options: Options) -> ChosenPeriod:
    """The period and buffers of the function, whose multipliers have their latencies then.

    Refused: LOWER_CLOCK_PERIOD for a period that the user chose and no register brings about.
    """
    open_latencies = find_open_latencies(function.body.block.ops, options)
    if options.buffers == "optimal" and options.clock_period == "default":
        return solve_at_chosen(function, options, open_latencies)
    plan, reason = plan_within_reach(function, options, open_latencies)
    note = ""
    if reason is not None:
        assert plan.period is not None, "it is the shortest that is reached"
        if options.clock_period != "default":
            raise refuse_period(function, options, reason, plan.period)
        note = format_path_note(function, options, reason, plan.period)
    if options.clock_period == "default" and plan.period is not None:
        plan, longer = save_time(function, options, open_latencies, plan)
        note = longer or note
    plan = leave_distance(function, options, open_latencies, plan)
    return ChosenPeriod(plan.period, plan.finish(), note)


def plan_within_reach(
    function: FuncOp, options: Options, open_latencies: Sequence[Operation]
) -> tuple[Plan, PeriodNotMet | None]:
    """The plan for the period of the options, or for the shortest that is reached and why."""
    try:
        return plan_for(function, options, open_latencies, period_of(options)), None
    except PeriodNotMet as reason:
        return plan_for_least(function, options, open_latencies, reason), reason


def leave_distance(
    function: FuncOp, options: Options, open_latencies: Sequence[Operation], found: Plan
) -> Plan:
    """The plan by rules that takes units of a large circuit for far apart, as they are when placed;
    `found` if its loops or its longest way take longer, or if no buffer brings it about."""
    graph, target = found.graph, find_target(options.target)
    distance = target.distance(count_luts(graph.block, graph.index_width, graph.cores))
    if found.period is None or found.is_solved or not distance:
        return found
    try:
        plan = plan_for(function, options, open_latencies, found.period, distance=distance)
    except PeriodNotMet:
        return found
    before, after = (rank_buffers(graph, each.buffers)[:2] for each in (found, plan))
    return plan if all(n <= m for n, m in zip(after, before, strict=True)) else found


def plan_by_rules(function: FuncOp, options: Options) -> Plan:
    """The plan that is chosen where no solver looks for buffers; a period that is too short gives
    way to the shortest that is reached."""
    by_rules = replace(options, buffers="fast")
    open_latencies = find_open_latencies(function.body.block.ops, options)
    plan, _ = plan_within_reach(function, by_rules, open_latencies)
    if options.clock_period == "default" and plan.period is not None:
        plan, _ = save_time(function, by_rules, open_latencies, plan)
    return plan


def solve_at_chosen(
    function: FuncOp, options: Options, open_latencies: Sequence[Operation]
) -> ChosenPeriod:
    """The solver's buffers for the period that is best with those by rules.

    The solver takes as long for one period as rules for all of them.
    """
    found = choose_period(function, replace(options, buffers="fast"))
    plan = plan_for(function, options, open_latencies, found.period)
    return replace(found, buffers=plan.finish())


@dataclass(frozen=True)
class Plan:
    """Buffers for a period [ns], None: any; of a solver, or of `first` placements for a clock."""

    period: float | None
    graph: EventGraph
    clock: Clock | None
    buffers: Mapping[Edge, Buffer]
    is_solved: bool = False
    first: FirstPlacements | None = None

    @property
    def is_large(self) -> bool:
        """Whether the graph gets no more than a first look at each period that is tried."""
        return len(self.graph.edges) > LARGE

    @property
    def cycles(self) -> LoopCycles:
        """What the loops take with these buffers."""
        return expected_cycles(self.graph, self.buffers)

    def improve(self) -> Plan:
        """The plan with all trials, after a first look."""
        return self if self.first is None else replace(self, buffers=self.first.improve(1.0))

    def finish(self) -> Mapping[Edge, Buffer]:
        """The buffers where waits cost least; those of a solver as they are."""
        return self.buffers if self.is_solved else move_waits(self.graph, self.buffers, self.clock)


def save_time(
    function: FuncOp, options: Options, open_latencies: Sequence[Operation], found: Plan
) -> tuple[Plan, str]:
    """The plan with the least time of those tried and its note, `found` if none saves enough."""
    assert found.period is not None, "the default is a period"
    usual = find_target(options.target).period
    first = best = found.cycles
    # A longer period has multipliers of fewer cycles.
    set_latencies(open_latencies, options, COARSE[-1] * usual)
    least = least_cycles(graph_of(function, options)).total
    chosen = found

    def attempt(steps: Iterable[float], effort: float) -> None:
        """Take each period that saves time; a longer one than the least cycles allow saves none."""
        nonlocal chosen, best
        for step in steps:
            period = round(step * usual, 2)
            assert chosen.period is not None and found.period is not None
            most = chosen.period * best.total * (1 - SAVING)
            if period <= found.period or period * least > most:
                continue
            try:
                plan = plan_for(function, options, open_latencies, period, effort)
            except PeriodNotMet:
                continue
            cycles = plan.cycles
            if period * cycles.total <= most:
                chosen, best = plan, cycles

    if first.total > least:
        attempt(COARSE, 0.0 if found.is_large else EFFORT)
    if chosen is not found and found.is_large:
        set_latencies(open_latencies, options, chosen.period)
        chosen = chosen.improve()
        best = chosen.cycles
        if (chosen.period or usual) * best.total > found.period * first.total * (1 - SAVING):
            chosen, best = found, first
    elif chosen is not found:
        before = None
        while chosen is not before:
            before = chosen
            attempt([(chosen.period or usual) / usual - FINE], 1.0)
        attempt([(chosen.period or usual) / usual + FINE], 1.0)
    set_latencies(open_latencies, options, chosen.period)
    if chosen is found or chosen.period is None:
        return found, ""
    return chosen, format_loop_note(function, found.period, first, chosen.period, best)


def graph_of(function: FuncOp, options: Options) -> EventGraph:
    """The graph of the function, with the latencies that its operations now say."""
    return EventGraph(function.body.block, options.index_width, options.cores)


def plan_for(
    function: FuncOp,
    options: Options,
    open_latencies: Sequence[Operation],
    period: float | None,
    effort: float = 1.0,
    distance: float = 0.0,
) -> Plan:
    """The buffers of the function, whose multipliers get their latencies for the period.

    Without `effort` they are those of a first look: no other places are tried. With rules ready
    takes the `distance` longer through each unit [ns].
    Raises `PeriodNotMet`, whose delays are those of the table.
    """
    set_latencies(open_latencies, options, period)
    target = find_target(options.target)
    measured = None if period is None else max(SHORTEST, target.placed_for(period))
    graph = graph_of(function, options)
    clock = None
    if measured is not None:
        words = graph.words_off_cycles
        clock = Clock(measured, measured_delays, overhead(), words, distance)
    if options.buffers == "optimal":
        return Plan(period, graph, clock, plan_with_solver(graph, clock), is_solved=True)
    if clock is None:
        return Plan(period, graph, clock, plan_buffers(graph))
    first = FirstPlacements(graph, clock, effort)
    return Plan(period, graph, clock, first.improve(effort), first=first)


def plan_with_solver(graph: EventGraph, clock: Clock | None) -> Mapping[Edge, Buffer]:
    """The better of the buffers by a solver and those by rules (`rank_buffers`).

    Refused: LOWER_NO_SOLVER without OR-tools. Raises `PeriodNotMet` for a period that no buffer
    brings about.
    """
    solved = plan_optimal_buffers(graph, clock)
    found: list[Mapping[Edge, Buffer]] = []
    if solved is not None:
        forms = [delay_early, minimize_storage]
        found.append(choose_buffer_forms(graph, solved, clock, forms))
    try:
        found.append(move_waits(graph, plan_buffers(graph, clock), clock))
    except PeriodNotMet:
        if not found:
            raise
    return min(found, key=lambda each: rank_buffers(graph, each))


SHORTEST = 0.01
"""The shortest period that is tried [ns]."""


def plan_for_least(
    function: FuncOp, options: Options, open_latencies: Sequence[Operation], reason: PeriodNotMet
) -> Plan:
    """The plan for the shortest period that is reached, in hundredths of a nanosecond."""
    target = find_target(options.target)
    while True:
        period = math.ceil(target.period_of(reason.accepted) * 100 - 1e-6) / 100
        try:
            return plan_for(function, options, open_latencies, period)
        except PeriodNotMet as again:
            assert again.accepted > reason.accepted, "each period that is tried is longer"
            reason = again


def refuse_period(
    function: FuncOp, options: Options, reason: PeriodNotMet, period: float
) -> LoomError:
    """LOWER_CLOCK_PERIOD: a path that no register can shorten, and a period that is accepted."""
    delay = find_target(options.target).delay(reason.path.delay)
    return LoomError(
        "LOWER_CLOCK_PERIOD",
        place_of(function),
        f"a path of {delay:.2f} ns through {format_units(reason.path.units)},"
        " which no register can shorten",
        f"--clock-period {period:.2f} or longer (Fmax {1000 / period:.0f} MHz)",
    )


def format_path_note(
    function: FuncOp, options: Options, reason: PeriodNotMet, period: float
) -> str:
    """Why no shorter period is reached, and what to choose."""
    target, units = find_target(options.target), reason.path.units
    delay = target.delay(reason.path.delay)
    choices = [*list_choices(function, units, options), f"--clock-period {period:.2f}"]
    return (
        f"the clock period is {period:.2f} ns (Fmax {1000 / period:.0f} MHz) instead of"
        f" {target.period:g} ns: no register can shorten a path of {delay:.2f} ns through"
        f" {format_units(units)}; choose {' or '.join(choices)}"
    )


def format_loop_note(
    function: FuncOp, shorter: float, before: LoopCycles, period: float, cycles: LoopCycles
) -> str:
    """Which loop makes the longer period faster, and what to choose for the shorter one."""
    loop = max(cycles.intervals, key=lambda each: cycles.saved(each, before))
    place = places_of_loops(function.body.block).get(loop, place_of(function))
    return is_faster_note(
        shorter, before.intervals[loop], period, str(place), cycles.intervals[loop]
    )


def is_faster_note(shorter: float, before: int, period: float, place: str, ii: int) -> str:
    """That a loop has a shorter II at a longer period [cycles, ns]."""
    return (
        f"the clock period is {period:g} ns (Fmax {1000 / period:.0f} MHz) instead of"
        f" {shorter:g} ns, which is faster: the loop at {place} has II ="
        f" {ii}, at {shorter:g} ns it has {before};"
        f" choose --clock-period {shorter:g} for that"
    )


def is_period_note(note: str) -> bool:
    """Whether a note says why the clock period is not the default."""
    return note.startswith("the clock period is ")
