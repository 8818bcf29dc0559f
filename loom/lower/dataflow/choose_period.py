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
from loom.analysis.schedule.plan_buffers import LARGE, plan_buffers
from loom.analysis.timing.clocked_units import Buffer, Clock, measured_delays
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
    period = period_of(options)
    try:
        buffers = plan_for(function, options, open_latencies, period)
        found = ChosenPeriod(period, buffers)
    except PeriodNotMet as reason:
        period, buffers = plan_for_least(function, options, open_latencies, reason)
        if options.clock_period != "default":
            raise refuse_period(function, options, reason, period) from None
        note = format_path_note(function, options, reason, period)
        found = ChosenPeriod(period, buffers, note)
    if options.clock_period != "default" or period is None:
        return found
    return save_time(function, options, open_latencies, found)


def solve_at_chosen(
    function: FuncOp, options: Options, open_latencies: Sequence[Operation]
) -> ChosenPeriod:
    """The solver's buffers for the period that is best with those by rules.

    The solver takes as long for one period as rules for all of them.
    """
    found = choose_period(function, replace(options, buffers="fast"))
    return replace(found, buffers=plan_for(function, options, open_latencies, found.period))


def save_time(
    function: FuncOp, options: Options, open_latencies: Sequence[Operation], found: ChosenPeriod
) -> ChosenPeriod:
    """The period with the least time of those tried, that of `found` if none saves enough."""
    graph = graph_of(function, options)
    assert found.period is not None, "the default is a period"
    usual = find_target(options.target).period
    first = best = expected_cycles(graph, found.buffers)
    # A longer period has multipliers of fewer cycles.
    set_latencies(open_latencies, options, COARSE[-1] * usual)
    least = least_cycles(graph_of(function, options)).total
    is_large = len(graph.edges) > LARGE
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
                buffers = plan_for(function, options, open_latencies, period, effort)
            except PeriodNotMet:
                continue
            cycles = expected_cycles(graph_of(function, options), buffers)
            if period * cycles.total <= most:
                note = format_loop_note(function, found.period, first, period, cycles)
                chosen, best = ChosenPeriod(period, buffers, note), cycles

    if first.total > least:
        attempt(COARSE, 0.0 if is_large else EFFORT)
    if chosen is not found and is_large:
        trial, chosen = chosen, found
        best = first
        attempt([(trial.period or usual) / usual], 1.0)
    elif chosen is not found:
        before = None
        while chosen is not before:
            before = chosen
            attempt([(chosen.period or usual) / usual - FINE], 1.0)
        attempt([(chosen.period or usual) / usual + FINE], 1.0)
    set_latencies(open_latencies, options, chosen.period)
    return chosen


def graph_of(function: FuncOp, options: Options) -> EventGraph:
    """The graph of the function, with the latencies that its operations now say."""
    return EventGraph(function.body.block, options.index_width, options.cores)


def plan_for(
    function: FuncOp,
    options: Options,
    open_latencies: Sequence[Operation],
    period: float | None,
    effort: float = 1.0,
) -> Mapping[Edge, Buffer]:
    """The buffers of the function, whose multipliers get their latencies for the period.

    Without `effort` they are those of a first look: no other places are tried, no waits are moved.
    Raises `PeriodNotMet`, whose delays are those of the table.
    """
    set_latencies(open_latencies, options, period)
    target = find_target(options.target)
    measured = None if period is None else max(SHORTEST, target.placed_for(period))
    clock = None if measured is None else Clock(measured, measured_delays, overhead())
    graph = graph_of(function, options)
    if options.buffers == "optimal":
        return plan_with_solver(graph, clock)
    planned = plan_buffers(graph, clock, effort)
    return move_waits(graph, planned, clock) if effort else planned


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
) -> tuple[float, Mapping[Edge, Buffer]]:
    """The shortest period that is reached [ns], in hundredths, and its buffers."""
    target = find_target(options.target)
    while True:
        period = math.ceil(target.period_of(reason.accepted) * 100 - 1e-6) / 100
        try:
            return period, plan_for(function, options, open_latencies, period)
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
