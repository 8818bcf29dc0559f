"""Buffer placement: every cycle has a register, nothing deadlocks, paths are balanced.

Three rules (docs/spec/buffering.md, "Where a buffer must stand"):

1. Every cycle of valid gets a registered buffer, every cycle of ready that is left a transparent
   one, where a loop closes: on what comes back into a carry, or where tokens wait anyway if that
   is faster (`place_registers`).
2. What a carry or invariant takes is made one iteration before it is used, so it needs a slot to
   wait in; so does what a gate's condition splits. Without it the condition's fork waits for the
   carry, and the carry for the fork's next token.
3. Inside loops a path that is shorter than its partner gets as many slots as tokens wait on it,
   FIFOs being sized for the II of the short iterations (`shortest_iteration`). Loads
   that share a port leave it to those without slack (`delay_loads`).

With a clock period there are more: `loom.analysis.schedule.plan_buffers`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from loom.analysis.schedule.delay_loads import delay_loads, find_shared_loads
from loom.analysis.schedule.delay_streams import delay_streams
from loom.analysis.schedule.event_graph import (
    RANKS,
    Edge,
    EventGraph,
    feedback_rank,
    is_taken_at_once,
    iterations_back,
    needs_slot,
)
from loom.analysis.schedule.initiation_intervals import port_limits
from loom.analysis.schedule.interleaved_entries import lanes_inside, slots_of_lanes
from loom.analysis.schedule.loop_members import iterations_ahead
from loom.analysis.schedule.loop_nest import Loops, Repeater
from loom.analysis.schedule.modulo_schedule import Arc, Schedule, modulo_schedule
from loom.analysis.schedule.outer_iterations import (
    OuterIterations,
    max_trip_count,
    outer_iterations,
)
from loom.analysis.schedule.place_registers import move_registers_to_slack
from loom.analysis.schedule.shortest_iteration import shortest_iteration
from loom.analysis.schedule.token_rates import raise_to_slow_units
from loom.analysis.timing.clocked_units import Buffer
from loom.graph_algorithms import feedback_arcs


def place_buffers(
    graph: EventGraph, chosen: Set[Edge], ready: Set[Edge], *, moved: bool = True
) -> dict[Edge, Buffer]:
    """The buffers by edge: registered ones on those in `chosen` too, others on `ready`.

    Registers are `moved` to where they cost no time.
    """
    paths = [e for e in graph.edges if e.goes_on and e not in chosen]
    usual = set(feedback_arcs(paths, feedback_rank, RANKS))
    own = move_registers_to_slack(graph, usual, chosen) if moved else usual
    registered_edges = {*own, *chosen}
    paths = [edge for edge in paths if edge not in registered_edges]
    registered_edges |= set(feedback_arcs(paths, feedback_rank, RANKS))
    paths = [
        edge for edge in graph.edges if edge not in registered_edges | ready and not edge.cuts_ready
    ]
    ready_edges = ready | set(feedback_arcs(paths, feedback_rank, RANKS))
    needed = count_slots(graph, registered_edges)
    buffers: dict[Edge, Buffer] = {}
    for edge in graph.edges:
        slots = needed[edge]
        if edge in registered_edges:
            buffers[edge] = Buffer(True, max(2, slots))
        elif edge in ready_edges or slots > 0 or needs_slot(edge):
            buffers[edge] = Buffer(False, max(1, slots))
    return buffers


@dataclass(frozen=True)
class TokenRate:
    """The token rate of an edge: one token per `interval`, at most `most` tokens in a group.

    `interval` and `apart`, from one group to the next, in cycles; without `most` there is no end.
    `is_outer`: the interval counts all iterations of inner loops, for which a token stays `longer`
    than the schedule says [cycles].
    """

    interval: int
    most: int | None = None
    apart: int = 1
    is_outer: bool = False
    longer: int = 0

    def tokens(self, stay: int) -> int:
        """How many come while one stays so long [cycles], and one to take meanwhile."""
        if self.is_outer:
            return max(1, -(-(stay + self.longer + 2) // self.interval) - 1)
        found = -(-(stay + 1) // self.interval)
        return found if self.most is None else min(found, self.most * -(-(stay + 1) // self.apart))


@dataclass(frozen=True)
class View:
    """Edges that are looked at together, with a schedule; slots are found for those `counted`.

    `intervals` are the cycles between the firings of a node. Tokens on a counted edge come at any
    of its `rates`: that of its nodes, and higher ones where short iterations come between, or
    where iterations of an inner loop follow each other faster than the whole says.
    """

    depth: int  # of the loop that is looked at alone; 0: the whole graph
    arcs: Mapping[Edge, Arc]
    earliest: Schedule
    intervals: Mapping[Hashable, int]
    fastest: Mapping[Hashable, int]  # the same of the shortest iterations
    rates: Mapping[Edge, Sequence[TokenRate]]  # each of them once, in the order of their finding


Settle = Callable[[EventGraph, Sequence[View]], Sequence[Schedule]]
"""When the nodes of each view fire."""


def delay_early(graph: EventGraph, views: Sequence[View]) -> Sequence[Schedule]:
    """As soon as they can, but streams late, and loads that share a port."""
    loads = find_shared_loads(graph)
    return [
        delay_loads(
            view.arcs, delay_streams(graph, view.arcs, view.rates.keys(), view.earliest), loads
        )
        for view in views
    ]


def count_slots(
    graph: EventGraph, registered: Set[Edge], settle: Settle = delay_early
) -> dict[Edge, int]:
    """The slots of each edge with which every loop runs at its best rate [tokens].

    What runs beside a static loop has nothing to do meanwhile: it needs no slots to run ahead by
    all its cycles, but for one token more.
    """
    needed = count_slots_by(graph, registered, settle, edge_latency)
    if any(edge.delay != edge.latency for edge in graph.edges):
        soon = count_slots_by(graph, registered, settle, edge_delay)
        needed = {edge: min(slots, soon[edge] + 1) for edge, slots in needed.items()}
    return needed


def edge_latency(edge: Edge) -> int:
    """The cycles until a value is there."""
    return edge.latency


def edge_delay(edge: Edge) -> int:
    """The same, with static loops that are done at once."""
    return edge.delay


def count_slots_by(
    graph: EventGraph, registered: Set[Edge], settle: Settle, delay: Callable[[Edge], int]
) -> dict[Edge, int]:
    """The slots where values are there after so many cycles [tokens]."""
    needed = {**dict.fromkeys(graph.edges, 0), **slots_of_lanes(graph)}
    seen = build_views(graph, registered, delay)
    for view, found in zip(seen, settle(graph, seen), strict=True):
        for edge, slots in slots_in_view(view, found, registered).items():
            needed[edge] = max(needed[edge], slots)
    return needed


def build_views(
    graph: EventGraph, registered: Set[Edge], delay: Callable[[Edge], int] = edge_latency
) -> list[View]:
    """The whole graph, so that loops overlap with what is around them; then each loop alone.

    Alone a loop has one iteration of the loops in it: where a loop and the one around it wait for
    each other, the iterations of the inner one follow each other faster than the whole says. At
    that rate they also arrive where they wait for the previous entry.
    """
    closing, loops = graph.closing, graph.loops
    around = {edge: loops.get(edge.operation.operands[edge.index]) or () for edge in graph.edges}
    ahead: dict[Edge, int | None] = {
        edge: iterations_back(edge) if feedback_rank(edge) < RANKS else int(edge in closing)
        for edge in graph.edges
    }
    counted = {edge for edge, loops_of_edge in around.items() if loops_of_edge}
    whole = build_view(graph, 0, ahead, registered, counted, delay)
    alone: list[View] = []
    for loop, edges in graph.edges_by_loop.items():
        reach = {edge: iterations_ahead(edge, loop, closing) for edge in edges}
        counted = {edge for edge in edges if around[edge][-1] is loop}
        depth = len(loops[loop])
        alone.append(build_view(graph, depth, reach, registered, counted, delay))
    whole = replace(whole, rates=add_inner_rates(graph, whole, alone, around))
    shortest = dict(zip(graph.edges_by_loop, map(shortest_interval, alone), strict=True))
    outer = outer_iterations(graph, around, shortest)
    lanes = lanes_inside(graph)
    interleaved = {
        e: lanes[loops[-1]] for e, loops in around.items() if loops and loops[-1] in lanes
    }
    return [at_outer_rates(view, outer, interleaved) for view in (whole, *alone)]


def shortest_interval(view: View) -> int:
    """The cycles between two iterations of a loop at least, by what each of them passes."""
    rates = (view.fastest[e.target] for e in view.rates if isinstance(e.operation, Repeater))
    return max(rates, default=1)


def at_outer_rates(view: View, outer: OuterIterations, interleaved: Mapping[Edge, int]) -> View:
    """The view with tokens of outer loops as far apart as the inner loops' iterations make them.

    Where entries are `interleaved`, so many tokens come in a row.
    """
    if outer.least.keys().isdisjoint(view.rates):
        return view
    rates = dict(view.rates)
    for edge, found in view.rates.items():
        if least := outer.least.get(edge):
            slow = max(least, min(rate.interval for rate in found))
            longer = outer.longer[edge] + (slow if view.arcs[edge].ahead else 0)
            rates[edge] = [TokenRate(slow, is_outer=True, longer=longer)]
            if lanes := interleaved.get(edge):
                alike = [TokenRate(r.interval, lanes, lanes * slow) for r in found]
                rates[edge] = each_once([*rates[edge], *alike])
    return replace(view, rates=rates)


def add_inner_rates(
    graph: EventGraph, whole: View, alone: Sequence[View], around: Mapping[Edge, Loops]
) -> dict[Edge, Sequence[TokenRate]]:
    """The rates of the whole, and those of innermost loops that are faster alone.

    No iteration starts before its memories have served the previous one; an entry of the loop has
    at most its trip count of them.
    """
    outer = {loop for loops in around.values() for loop in loops[:-1]}
    shared = port_limits(graph)
    found = dict(whole.rates)
    for view in alone:
        for edge, own in view.rates.items():
            loop = around[edge][-1]
            if loop not in outer:
                served = max((cycles for cycles, *_ in shared.get(loop, ())), default=1)
                most = max_trip_count(loop, graph.index_width)
                slow = min(rate.interval for rate in found[edge])
                alike = [max(served, rate.interval) for rate in own]
                faster = [TokenRate(n, most, slow) for n in alike if n < slow]
                found[edge] = each_once([*found[edge], *faster])
    return found


def each_once(rates: Iterable[TokenRate]) -> list[TokenRate]:
    """The rates without repetition, in their order, so that plans are the same in each process."""
    return list(dict.fromkeys(rates))


def build_view(
    graph: EventGraph,
    depth: int,
    ahead: Mapping[Edge, int | None],
    registered: Set[Edge],
    counted: Set[Edge],
    delay: Callable[[Edge], int],
) -> View:
    """Edges that reach so many iterations ahead; None: not looked at."""
    arcs = {
        edge: Arc(edge.source, edge.target, delay(edge) + (edge in registered), reach)
        for edge, reach in ahead.items()
        if reach is not None
    }
    found = modulo_schedule([*arcs.values(), *unit_interval_arcs(arcs)])
    intervals = raise_to_slow_units(graph, tuple(arcs), found.interval)
    short = intervals
    left = shortest_iteration(arcs)
    if len(left) < len(arcs):
        soonest = modulo_schedule([*left.values(), *unit_interval_arcs(arcs)])
        short = raise_to_slow_units(graph, tuple(arcs), {**found.interval, **soonest.interval})
    of_edges: dict[Edge, Sequence[TokenRate]] = {}
    for edge in arcs:
        if edge not in counted:
            continue
        nodes = edge.source, edge.target
        # A node on a recurrence never fires faster than the recurrence.
        slow = min(found.interval[node] for node in nodes) > 1
        ways = (intervals,) if slow else (intervals, short)
        of_edges[edge] = each_once(TokenRate(max(way[n] for n in nodes)) for way in ways)
    return View(depth, arcs, found, intervals, short, of_edges)


def slots_in_view(view: View, found: Schedule, registered: Set[Edge]) -> dict[Edge, int]:
    """The slots of the edges that the view counts, where its nodes fire as `found` says [tokens].

    A token stays `spare` cycles longer than its edge's delay, so (delay + spare) / II tokens are on
    the edge at a time. One more slot, for 1 / II of the time, lets a buffer take the next token
    while it gives the last: its ready does not see the reader's. FIFOs are sized
    for the II of the faster side, so operands are ready when a long iteration starts.
    """
    return {
        edge: slots_for(stays) for edge, stays in stays_in_view(view, found, registered).items()
    }


def slots_for(stays: Sequence[tuple[TokenRate, int]]) -> int:
    """The slots for tokens that come at these rates and stay so long [tokens]."""
    return max((rate.tokens(stay) for rate, stay in stays if stay > 0), default=0)


def stays_in_view(
    view: View, found: Schedule, registered: Set[Edge]
) -> dict[Edge, list[tuple[TokenRate, int]]]:
    """How long a token stays on each edge that the view counts, at each of its rates [cycles]."""
    return {edge: stays_on(edge, view, found, edge in registered) for edge in view.rates}


def stays_on(
    edge: Edge, view: View, found: Schedule, is_registered: bool
) -> list[tuple[TokenRate, int]]:
    """How long a token stays on an edge that the view counts, at each of its rates [cycles]."""
    if is_taken_at_once(edge):
        return [(rate, 0) for rate in view.rates[edge]]
    arc = view.arcs[edge]
    apart = found.start[edge.target] - found.start[edge.source] - arc.delay + is_registered
    return [(rate, apart + rate.interval * arc.ahead) for rate in view.rates[edge]]


def unit_interval_arcs(edges: Iterable[Edge]) -> Iterator[Arc]:
    """A cycle around each unit that takes a token only every few cycles."""
    nodes = {node: None for edge in edges for node in (edge.source, edge.target)}
    return (Arc(n, n, n.timing.interval, 1) for n in nodes if n.timing.interval > 1)
