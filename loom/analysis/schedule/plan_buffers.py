"""The buffers of a graph, for a clock period too: those that it needs, and more on late paths.

A path that exceeds the period gets a buffer where it lengthens the II of no loop, if there is such
a place (`register_slack`); ready alone is held by a transparent one, which takes no cycle. Which of
several places is taken decides where the next paths are late, so a few placements are tried,
some for a shorter period, and the one whose loops are fastest is kept, of equal ones the smallest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, replace

from xdsl.ir import Block

from loom.analysis.schedule.buffers import place_buffers
from loom.analysis.schedule.event_graph import Edge, EventGraph
from loom.analysis.schedule.register_slack import RegisterSlack
from loom.analysis.timing.clocked_graph import Arrivals, ClockedGraph
from loom.analysis.timing.clocked_units import Buffer, Clock
from loom.analysis.timing.pipeline_long_paths import (
    CONTROL,
    PeriodNotMet,
    PeriodTooShort,
    Placeable,
    places_to_buffer,
)
from loom.dialects.operators.cores import Cores
from loom.dialects.ops.types import width_of


def plan_buffers(
    block: Block, index_width: int, cores: Cores, clock: Clock | None = None
) -> dict[Edge, Buffer]:
    """The buffers that the body needs, by edge.

    Raises `PeriodNotMet` for a period that no buffer brings about.
    """
    return place_by_rules(EventGraph(block, index_width, cores), clock)


def place_by_rules(graph: EventGraph, clock: Clock | None) -> dict[Edge, Buffer]:
    """The buffers without a solver, by edge; for a clock's period the best of some placements."""
    if clock is None:
        return place_buffers(graph, frozenset(), frozenset())
    found: list[dict[Edge, Buffer]] = []
    too_short: list[PeriodTooShort] = []
    for period in periods_to_try(clock.period, len(graph.edges)):
        for near in NEAR:
            try:
                tried = replace(clock, period=period)
                found.append(place_in_time(graph, tried, place_where_loops_close, near=near))
            except PeriodTooShort as reason:
                too_short.append(reason)
                break
    if found:
        return min(found, key=lambda buffers: rate_placement(graph, buffers))
    raise PeriodNotMet(too_short[0].path, find_accepted_period(graph, clock, too_short[0]))


NEAR = (0.4, 0.6)
"""The part of the latest place on a late path from which on places are compared."""
LARGE = 1000
"""Edges of a graph from which on one placement must do: each takes seconds."""


def periods_to_try(period: float, edges: int) -> list[float]:
    """The clock's period and two whole ones below [ns]: what meets a shorter period meets this.

    Periods that lie near each other share some, so that a longer one is hardly ever slower.
    """
    whole = math.ceil(period)
    shorter = [whole - 1.0, whole - 2.0] if edges < LARGE else []
    return [period, *(each for each in shorter if each > 0)]


def rate_placement(graph: EventGraph, buffers: Mapping[Edge, Buffer]) -> tuple[float, int]:
    """How slow the loops are with these buffers, and how much they hold [bits]: less is better."""
    slow = sum(loop.weight * loop.ii for loop in slack_of(graph, buffers).loops)
    bits = sum(
        buffer.slots * (width_of(edge.value.type, graph.index_width) + CONTROL)
        for edge, buffer in buffers.items()
    )
    return slow, bits


def find_accepted_period(graph: EventGraph, clock: Clock, found: PeriodTooShort) -> float:
    """A period that is accepted: each one that is not names a longer one to try [ns].

    Buffers for a longer period lie elsewhere, and so do the paths that are left.
    """
    while True:
        period = found.next_period
        try:
            place_in_time(graph, replace(clock, period=period), place_where_loops_close)
        except PeriodTooShort as again:
            found = again
        else:
            return period


Place = Callable[[EventGraph, Set[Edge], Set[Edge]], dict[Edge, Buffer]]
"""The buffers by edge: registered ones on those given first too, others on those given next."""


def place_where_loops_close(
    graph: EventGraph, registered: Set[Edge], ready: Set[Edge]
) -> dict[Edge, Buffer]:
    """As `place_buffers`, with registers where loops close."""
    return place_buffers(graph, registered, ready, moved=False)


def place_in_time(
    graph: EventGraph,
    clock: Clock,
    place: Place,
    registered: Set[Edge] = frozenset(),
    near: float = NEAR[0],
) -> dict[Edge, Buffer]:
    """The buffers that `place` finds, `registered` ones there, and more until no path is late.

    Raises `PeriodTooShort` if no buffer can bring that about.
    """
    timed = ClockedGraph(
        graph.block, graph.index_width, graph.cores, clock, [edge.value for edge in graph.edges]
    )
    chosen = Chosen(set(registered), set())
    buffers = settle_buffers(graph, timed, place, chosen, near)
    if remove_needless(graph, timed, chosen, buffers):
        buffers = settle_buffers(graph, timed, place, chosen, near)
    return buffers


@dataclass(frozen=True)
class Chosen:
    """The edges that get a buffer for the clock: registered, and those that hold ready alone."""

    registered: set[Edge]
    ready: set[Edge]


def settle_buffers(
    graph: EventGraph, timed: ClockedGraph, place: Place, chosen: Chosen, near: float
) -> dict[Edge, Buffer]:
    """The buffers with which no path is late; what they need besides is added to `chosen`.

    More registers ask for more slots elsewhere, whose delays make other paths late, and so on.
    """
    edges = {edge.value: edge for edge in graph.edges}
    while True:
        buffers = place(graph, chosen.registered, chosen.ready)
        planned = {edge.value: buffer for edge, buffer in buffers.items()}
        slack = slack_of(graph, buffers)

        def price(place: Placeable, slack: RegisterSlack = slack) -> float:
            return slack.cost(edges[place.value]) if place.registered else 0.0

        settled = True
        while found := places_to_buffer(Arrivals(timed, planned), near, price):
            settled = False
            for value, registered, _ in found:
                slots = planned[value].slots if value in planned else 0
                planned[value] = Buffer(registered, max(2 if registered else 1, slots))
                if registered:
                    chosen.registered.add(edges[value])
                    slack.add(edges[value])
                else:
                    chosen.ready.add(edges[value])
        if settled:
            return buffers


def slack_of(graph: EventGraph, buffers: Mapping[Edge, Buffer]) -> RegisterSlack:
    """The slack of the loops with these buffers."""
    return RegisterSlack(graph, {edge for edge, buffer in buffers.items() if buffer.registered})


def remove_needless(
    graph: EventGraph, timed: ClockedGraph, chosen: Chosen, buffers: Mapping[Edge, Buffer]
) -> bool:
    """Take edges out of `chosen` without which no path is late either; true if there are some.

    Those that make a loop slow go first, then the widest.
    """
    if len(graph.edges) >= LARGE:
        return False
    slack = slack_of(graph, buffers)
    planned = {edge.value: buffer for edge, buffer in buffers.items()}
    extra = [edge for edge in graph.edges if edge in chosen.registered or edge in chosen.ready]
    extra.sort(key=lambda edge: (-slack.cost(edge), -timed.width(edge.value)))
    removed = False
    for edge in extra:
        without = {value: buffer for value, buffer in planned.items() if value is not edge.value}
        if not Arrivals(timed, without).is_late():
            planned = without
            chosen.registered.discard(edge)
            chosen.ready.discard(edge)
            removed = True
    return removed
