"""The buffers of a graph, for a clock period too: those that it needs, and more on late paths.

A path that exceeds the period gets a buffer where it lengthens the II of no loop, if there is such
a place (`register_slack`); ready alone is held by a transparent one, which takes no cycle. Buffers
without which no path is late go again, registers that close loops too. Which of several places is
taken decides where the next paths are late: so a loop that is slower than without a clock is placed
anew for each shorter II, and without each buffer that binds it. The placement whose loops are
fastest is kept, of equal ones the smallest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property

from xdsl.ir import SSAValue

from loom.analysis.schedule.buffers import place_buffers
from loom.analysis.schedule.event_graph import (
    RANKS,
    Edge,
    EventGraph,
    Node,
    feedback_rank,
    needs_slot,
)
from loom.analysis.schedule.modulo_schedule import Arc, modulo_schedule
from loom.analysis.schedule.register_slack import RegisterSlack, arcs_of_loops
from loom.analysis.timing.clocked_graph import Arrivals, ClockedGraph
from loom.analysis.timing.clocked_units import Buffer, Clock
from loom.analysis.timing.pipeline_long_paths import (
    CONTROL,
    PeriodNotMet,
    PeriodTooShort,
    Placeable,
    pipeline_late_paths,
)
from loom.dialects.ops.types import width_of


def plan_buffers(
    graph: EventGraph, clock: Clock | None = None, effort: float = 1.0
) -> dict[Edge, Buffer]:
    """The buffers without a solver, by edge; for a clock's period the best of some placements.

    `effort` is the part of all trials that are made. Raises `PeriodNotMet` for a period that no
    buffer brings about.
    """
    if clock is None:
        return place_buffers(graph, frozenset(), frozenset())
    return FirstPlacements(graph, clock, effort).improve(effort)


class FirstPlacements:
    """The first placements for a clock's period, which `improve` looks for better ones than."""

    def __init__(self, graph: EventGraph, clock: Clock, effort: float) -> None:
        """As many as `effort` says. Raises `PeriodNotMet` if no buffer brings the period about."""
        self.placer = Placer(graph, clock, place_where_loops_close)
        self.found: list[Placement] = []
        is_large = len(graph.edges) > LARGE
        nears = NEAR[:1] if is_large else NEAR[: math.ceil(effort * len(NEAR))]
        for near in nears:
            try:
                settled = self.placer.settle(frozenset(), frozenset(), near)
                self.found.append(self.placer.reduce(settled, near))
            except PeriodTooShort as reason:
                if near == nears[-1] and not self.found:
                    accepted = find_accepted_period(graph, clock, reason)
                    raise PeriodNotMet(reason.path, accepted) from None
        self.found.sort(key=lambda each: each.rating)

    def improve(self, effort: float) -> dict[Edge, Buffer]:
        """The buffers of the best placement after the part `effort` of all trials."""
        edges = max(1, len(self.placer.graph.edges))
        starts = self.found[: max(1, SMALL // edges)]
        trials = int(effort * TRIALS) // edges if edges <= HUGE else 0
        if trials:
            free = place_buffers(self.placer.graph, frozenset(), frozenset())
            least = self.placer.intervals({e for e, buffer in free.items() if buffer.registered})
            starts = [self.placer.improve(each, least, trials) for each in starts]
        return dict(min(starts, key=lambda each: each.rating).buffers)


LARGE = 400
"""Edges of a graph from which on it is placed once, and paths are followed to a horizon."""
HORIZON = 2.0
"""Periods after which arrivals of a large graph are not told apart."""
SMALL = 1000
"""Edges of a graph up to which more than one placement is improved."""
TRIALS = 10_000
"""Edges by trials of other places: the larger a graph, the fewer."""
HUGE = 2000
"""Edges of a graph from which on no other places are tried: they took a fifth of the time, and
changed one of two programs' cycles, by 0.9 %."""
NEAR = (0.6, 0.4, 0.2, 0.8)
"""The part of the latest place on a late path from which on places are compared."""


def find_accepted_period(graph: EventGraph, clock: Clock, found: PeriodTooShort) -> float:
    """A period that is accepted: each one that is not names a longer one to try [ns].

    Buffers for a longer period lie elsewhere, and so do the paths that are left.
    """
    while True:
        period = found.next_period
        try:
            placer = Placer(graph, replace(clock, period=period), place_where_loops_close)
            placer.settle(frozenset(), frozenset(), NEAR[0])
        except PeriodTooShort as again:
            found = again
        else:
            return period


def place_in_time(
    graph: EventGraph, clock: Clock, place: Place, registered: Set[Edge] = frozenset()
) -> dict[Edge, Buffer]:
    """The buffers that `place` finds, `registered` ones there, and more until no path is late.

    Raises `PeriodTooShort` if no buffer can bring that about.
    """
    placer = Placer(graph, clock, place)
    placed = placer.settle(registered, frozenset(), NEAR[0])
    return dict(placer.reduce(placed, NEAR[0]).buffers)


Place = Callable[[EventGraph, Set[Edge], Set[Edge]], dict[Edge, Buffer]]
"""The buffers by edge: registered ones on those given first too, others on those given next."""


def place_where_loops_close(
    graph: EventGraph, registered: Set[Edge], ready: Set[Edge]
) -> dict[Edge, Buffer]:
    """As `place_buffers`, with registers where loops close that have none."""
    return place_buffers(graph, registered, ready, moved=False)


class TooSlow(Exception):
    """A placement makes the loops no faster than one that is known."""


@dataclass(frozen=True)
class Placement:
    """Buffers by edge, and the arrivals with them.

    Those of `registered` and `ready` were chosen, others follow from them. `slow` is the sum of the
    loops' IIs by their weights, `size` bits and latency.
    """

    registered: frozenset[Edge]
    ready: frozenset[Edge]
    buffers: Mapping[Edge, Buffer]
    arrivals: Arrivals
    slow: float
    size: float

    @property
    def rating(self) -> tuple[float, float]:
        """Less is better."""
        return self.slow, self.size


class Placer:
    """Places buffers for a clock's period, by way of one timed graph."""

    def __init__(self, graph: EventGraph, clock: Clock, place: Place) -> None:
        self.graph = graph
        self.place = place
        self.edges = {edge.value: edge for edge in graph.edges}
        self.timed = ClockedGraph(graph.block, graph.index_width, graph.cores, clock, self.edges)
        self.horizon = math.inf if len(graph.edges) <= LARGE else HORIZON * clock.period
        self.loops = list(arcs_of_loops(graph).values())
        self.forward = forward_arcs(graph)

    def settle(
        self,
        registered: Set[Edge],
        ready: Set[Edge],
        near: float,
        limit: float = math.inf,
        found: Arrivals | None = None,
    ) -> Placement:
        """Buffers with which no path is late: those given and more.

        More registers ask for more slots elsewhere, whose delays make other paths late, and so on.
        `found` are arrivals with buffers much like those. Raises `PeriodTooShort` if no buffer can
        bring that about, `TooSlow` at the limit.
        """
        registered, ready = set(registered), set(ready)
        while True:
            buffers = self.place(self.graph, registered, ready)
            registered |= {edge for edge, buffer in buffers.items() if buffer.registered}
            slack = RegisterSlack(self.loops, registered)
            planned = {edge.value: each for edge, each in buffers.items()}
            found = self.arrivals(planned, found)
            trial = Trial(self, found, slack, registered, ready, limit=limit)
            if not pipeline_late_paths(found, near, trial.price, trial.put):
                chosen = frozenset(registered), frozenset(ready)
                return Placement(*chosen, buffers, found, slack.slow, self.size(buffers))

    def arrivals(
        self, planned: Mapping[SSAValue, Buffer], known: Arrivals | None = None
    ) -> Arrivals:
        """The arrivals with these buffers, from those `known` where few differ."""
        if known is None:
            return Arrivals(self.timed, planned, self.horizon)
        found = known.copy()
        stand = known.buffers
        values = [value for value in self.edges if planned.get(value) != stand.get(value)]
        found.set_buffers({value: planned.get(value) for value in values})
        return found

    def size(self, buffers: Mapping[Edge, Buffer]) -> float:
        """What buffers hold [bits], and the latency that they add."""
        registered = {edge for edge, buffer in buffers.items() if buffer.registered}
        bits = sum(
            buffer.slots * (width_of(edge.value.type, self.graph.index_width) + CONTROL)
            for edge, buffer in buffers.items()
        )
        return bits + LATENCY * self.latency(registered)

    def latency(self, registered: Set[Edge]) -> int:
        """The cycles of the longest way through the graph with one iteration of each loop."""
        arcs = [
            Arc(edge.source, edge.target, edge.latency + (edge in registered), 0)
            for edge in self.forward
        ]
        return max(modulo_schedule(arcs).start.values(), default=0)

    def reduce(self, placed: Placement, near: float) -> Placement:
        """Without the buffers that no path needs, if that is better.

        Those that make a loop slow go first, then the widest.
        """
        slack = RegisterSlack(self.loops, placed.registered)
        found = placed.arrivals.copy()
        registered, ready = set(placed.registered), set(placed.ready)
        extra = [edge for edge in self.graph.edges if edge in registered or edge in ready]
        extra.sort(key=lambda edge: (-slack.cost(edge), -self.timed.width(edge.value)))
        removed = False
        for edge in extra:
            stands = placed.buffers[edge]
            less = without_choice(edge, stands)
            if less == stands or (edge in registered and self.breaks_cycle(edge, registered)):
                continue
            if found.try_buffers({edge.value: less}):
                registered.discard(edge)
                ready.discard(edge)
                removed = True
        if not removed:
            return placed
        settled = self.settle(registered, ready, near, found=found)
        return min(placed, settled, key=lambda each: each.rating)

    def retry(
        self,
        best: Placement,
        drop: Set[Edge],
        near: float,
        budget: Sequence[int],
        forbidden: Set[Edge] = frozenset(),
    ) -> Placement | None:
        """A better placement with other buffers than those of `drop`; None if none was found."""
        less = {
            edge.value: without_choice(edge, buffer) if edge in drop else buffer
            for edge, buffer in best.buffers.items()
        }
        planned = {value: each for value, each in less.items() if each}
        found = self.arrivals(planned, best.arrivals)
        registered, ready = set(best.registered - drop), set(best.ready - drop)
        slack = RegisterSlack(self.loops, registered, budget)
        trial = Trial(self, found, slack, registered, ready, forbidden, best.slow)
        try:
            if slack.slow >= best.slow:
                return None
            pipeline_late_paths(found, near, trial.price, trial.put)
            settled = self.settle(registered, ready, near, best.slow, found)
            placed = self.reduce(settled, near)
        except (PeriodTooShort, TooSlow):
            return None
        return placed if placed.rating < best.rating else None

    def improve(self, placed: Placement, least: Sequence[int], trials: int) -> Placement:
        """Loops that are slower than their `least` II are placed anew, as often as `trials` says.

        First all registers of a loop go, for each shorter II; then one at a time.
        """
        best = placed
        order = sorted(range(len(self.loops)), key=lambda n: -self.loops[n].weight)
        left = trials
        again = True
        while again:
            again = False
            for drop, near, budget, forbidden in self.alternatives(best, order, least):
                if left == 0:
                    return best
                left -= 1
                if (found := self.retry(best, drop, near, budget, forbidden)) is not None:
                    best, again = found, True
                    break
        return best

    def alternatives(
        self, best: Placement, order: Sequence[int], least: Sequence[int]
    ) -> Iterator[tuple[Set[Edge], float, Sequence[int], Set[Edge]]]:
        """What may go from a placement, by which IIs, and where no buffer may go instead."""
        slack = RegisterSlack(self.loops, best.registered)
        now = [loop.ii for loop in slack.loops]
        chosen = best.registered | best.ready
        for n in order:
            here = chosen & self.loops[n].ahead.keys()
            for target in range(least[n], now[n]):
                for near in NEAR:
                    yield here, near, [*now[:n], target, *now[n + 1 :]], frozenset()
        for n in order:
            loop = slack.loops[n]
            if now[n] <= least[n]:
                continue
            budget = [*now[:n], now[n] - 1, *now[n + 1 :]]
            bound = [
                edge
                for edge in self.graph.edges
                if edge in chosen and edge in loop.delay and loop.binds(edge)
            ]
            for edge in bound:
                yield {edge}, NEAR[0], budget, {edge}

    def intervals(self, registered: Set[Edge]) -> list[int]:
        """The II of each loop [cycles]."""
        return [loop.ii for loop in RegisterSlack(self.loops, registered).loops]

    def breaks_cycle(self, edge: Edge, registered: Set[Edge]) -> bool:
        """Whether units without latency close a cycle over the edge without another register."""
        if not edge.goes_on:
            return False
        work, seen = [edge.target], {edge.target}
        while work:
            node = work.pop()
            if node is edge.source:
                return True
            for other in self.leaving.get(node, ()):
                if other not in registered and other.target not in seen:
                    seen.add(other.target)
                    work.append(other.target)
        return False

    @cached_property
    def leaving(self) -> Mapping[Node, list[Edge]]:
        """The edges that leave each unit without latency."""
        found: dict[Node, list[Edge]] = {}
        for edge in self.graph.edges:
            if edge.goes_on:
                found.setdefault(edge.source, []).append(edge)
        return found


@dataclass(frozen=True)
class Trial:
    """Buffers that are placed on late paths, with what each costs."""

    placer: Placer
    arrivals: Arrivals
    slack: RegisterSlack
    registered: set[Edge]
    ready: set[Edge]
    forbidden: Set[Edge] = frozenset()
    limit: float = math.inf

    def price(self, place: Placeable) -> float:
        """What the buffer costs in time: a transparent one delays a recurrence as a register does.

        Its delay may be what another register is needed for.
        """
        edge = self.placer.edges[place.value]
        return math.inf if edge in self.forbidden else self.slack.cost(edge)

    def put(self, place: Placeable) -> None:
        """The buffer stands. Raises `TooSlow` if the loops are as slow as the limit."""
        edge = self.placer.edges[place.value]
        stands = self.arrivals.buffers.get(place.value)
        least = max(2 if place.registered else 1, stands.slots if stands else 0)
        self.arrivals.set_buffer(place.value, Buffer(place.registered, least))
        if not place.registered:
            self.ready.add(edge)
            return
        self.registered.add(edge)
        self.slack.add(edge)
        if self.slack.slow >= self.limit:
            raise TooSlow


def without_choice(edge: Edge, stands: Buffer) -> Buffer | None:
    """What is left of a buffer that no path needs: slots for tokens that wait."""
    if stands.registered and (stands.slots > REGISTERED or needs_slot(edge)):
        return Buffer(False, max(1, stands.slots - 1))
    if not stands.registered and (stands.slots > 1 or needs_slot(edge)):
        return stands
    return None


REGISTERED = 2
"""Slots of a register."""
LATENCY = 8.0
"""So many bits of buffers a cycle of the circuit's latency is worth."""


def forward_arcs(graph: EventGraph) -> list[Edge]:
    """The edges without those that lead to a next iteration."""
    return [
        edge for edge in graph.edges if edge not in graph.closing and feedback_rank(edge) >= RANKS
    ]
