"""Buffers by a solver: registers where loops stay fastest, then the fewest slots.

Three programs in a row (docs/spec/buffering.md, "Optimal placement"): registers and rates,
start times with the least storage, transparent buffers for ready. What the first one does not see,
delays of transparent buffers, is put right as without a solver: late paths get registers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set

from loom.analysis.schedule.buffers import (
    View,
    count_slots,
)
from loom.analysis.schedule.event_graph import (
    RANKS,
    Edge,
    EventGraph,
    Node,
    feedback_rank,
    needs_slot,
)
from loom.analysis.schedule.milp import LinearProgram, Variable
from loom.analysis.schedule.modulo_schedule import Schedule
from loom.analysis.schedule.optimal_registers import Placement, place_ready_fifos, value_on
from loom.analysis.schedule.plan_buffers import place_in_time
from loom.analysis.timing.clocked_graph import Arrivals, ClockedGraph
from loom.analysis.timing.clocked_units import Buffer, Clock
from loom.analysis.timing.pipeline_long_paths import CONTROL, PeriodTooShort
from loom.dialects.ops.types import width_of
from loom.graph_algorithms import feedback_arcs

ROUNDING = 1e-6
ROUNDS = 2
"""Times that registers are placed anew for a clock."""


def plan_optimal_buffers(graph: EventGraph, clock: Clock | None) -> dict[Edge, Buffer] | None:
    """The solver's buffers by edge; None if nothing that it finds is in time.

    Delays of the buffers that hold waiting tokens are known when registers are: with them the
    registers are placed anew, a few times; what is late then gets registers as without a solver.

    Refused: LOWER_NO_SOLVER without OR-tools.
    """
    held = {edge for edge in graph.edges if needs_slot(edge)}
    registered: set[Edge] | None = None
    for _ in range(ROUNDS):
        registered = Placement(graph, clock, held).chosen()
        if registered is None:
            return None
        buffers = add_slots(graph, clock, registered)
        if clock is None or is_in_time(graph, clock, buffers):
            return buffers
        more = buffers.keys() - registered - held
        if not more:
            break
        held |= more
    assert registered is not None and clock is not None

    def place(graph: EventGraph, registered: Set[Edge], ready: Set[Edge]) -> dict[Edge, Buffer]:
        return add_slots(graph, clock, registered, ready)

    try:
        return place_in_time(graph, clock, place, registered)
    except PeriodTooShort:
        return None


def is_in_time(graph: EventGraph, clock: Clock, buffers: Mapping[Edge, Buffer]) -> bool:
    """True if no path is late."""
    by_value = {value_on(edge): cut for edge, cut in buffers.items()}
    timed = ClockedGraph(
        graph.block, graph.index_width, graph.cores, clock, map(value_on, graph.edges)
    )
    return not Arrivals(timed, by_value).is_late()


def add_slots(
    graph: EventGraph, clock: Clock | None, registered: Set[Edge], ready: Set[Edge] = frozenset()
) -> dict[Edge, Buffer]:
    """The buffers by edge, where these have registers."""
    needed = count_slots(graph, registered, minimize_storage)
    held = {edge for edge in graph.edges if needed[edge] or needs_slot(edge) or edge in ready}
    fifos = place_ready_fifos(graph, clock, registered, held)
    if fifos is None:
        cut = held | registered
        paths = [e for e in graph.edges if e not in cut and not e.cuts_ready]
        fifos = set(feedback_arcs(paths, feedback_rank, RANKS))
    buffers: dict[Edge, Buffer] = {}
    for edge in graph.edges:
        if edge in registered:
            buffers[edge] = Buffer(True, max(2, needed[edge]))
        elif edge in held or edge in fifos:
            buffers[edge] = Buffer(False, max(1, needed[edge]))
    return buffers


def minimize_storage(graph: EventGraph, views: Sequence[View]) -> list[Schedule]:
    """Start times at which the tokens that wait take the fewest bits.

    The intervals are those of the earliest schedules, which are start times too. Times may be any
    numbers; rounded down they keep every difference that is a whole number.
    """
    program = LinearProgram()
    slots: dict[Edge, Variable] = {}
    costs: dict[Variable, float] = {}
    starts: list[dict[Node, Variable]] = []
    for view in views:
        start: dict[Node, Variable] = {}
        starts.append(start)
        interval = view.earliest.interval
        for edge, arc in view.arcs.items():
            for node in (edge.source, edge.target):
                if node not in start:
                    start[node] = program.variable(float("-inf"))
            if edge.source is edge.target:
                continue
            between = max(interval[edge.source], interval[edge.target])
            apart = {start[edge.target]: 1.0, start[edge.source]: -1.0}
            program.at_least(arc.delay - between * arc.ahead, apart)
            if edge in view.rates:
                if edge not in slots:
                    slots[edge] = program.variable(0)
                    width = width_of(value_on(edge).type, graph.index_width)
                    costs[slots[edge]] = float(width + CONTROL)
                for rate in view.rates[edge]:
                    n = rate.interval
                    waits = {start[edge.target]: -1.0, start[edge.source]: 1.0, slots[edge]: n}
                    program.at_least(n * arc.ahead - arc.delay, waits)
    found = program.minimize(costs)
    assert found is not None, "the earliest start times are some"
    return [
        Schedule(
            {node: math.floor(found[time] + ROUNDING) for node, time in start.items()},
            view.earliest.interval,
        )
        for view, start in zip(views, starts, strict=True)
    ]
