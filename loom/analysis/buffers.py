"""Where buffers must go: every cycle is cut, nothing deadlocks, no path starves its partner.

Three rules, from the design notes on elastic units and buffer placement:

1. Every cycle of valid gets a registered buffer, every cycle of ready that is left a transparent
   one, where a loop closes: on what comes back into a carry.
2. What a carry or invariant takes is made one iteration before it is used, so it needs a slot to
   wait in. Without it the condition's fork waits for the carry, and the carry for the fork's next
   token.
3. Inside loops a path that is shorter than its partner gets as many slots as tokens wait on it.

With a clock period, edges on paths that are longer get a registered buffer too (`clock_cuts`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set

from xdsl.ir import Block

from loom.analysis.clock_cuts import Clock, ClockedGraph, Cut, values_to_cut
from loom.analysis.flow_graph import Edge, FlowGraph, feedback_rank
from loom.analysis.loop_depth import loops_of_values
from loom.analysis.loop_edges import RANKS, edges_by_loop, turns_ahead
from loom.analysis.paces import paces
from loom.analysis.start_times import Arc, schedule
from loom.dialects.cores import Cores
from loom.netlist.components import breaking


def plan(
    block: Block, index_width: int, cores: Cores, clock: Clock | None = None
) -> dict[Edge, Cut]:
    """The buffers that the body needs, by edge.

    Refused: a period that no buffer brings about (LOWER_CLOCK_PERIOD).
    """
    graph = FlowGraph(block, index_width, cores)
    cuts = place(graph, frozenset())
    if clock is None:
        return cuts
    edges = {edge.operation.operands[edge.index]: edge for edge in graph.edges}
    chosen: set[Edge] = set()
    while True:
        by_value = {edge.operation.operands[edge.index]: cut for edge, cut in cuts.items()}
        timed = ClockedGraph(block, index_width, cores, clock, by_value)
        late = values_to_cut(timed, block)
        if not late:
            return cuts
        chosen |= {edges[value] for value in late}
        cuts = place(graph, chosen)


def place(graph: FlowGraph, chosen: Set[Edge]) -> dict[Edge, Cut]:
    """The buffers by edge, registered ones on those in `chosen` too."""
    paths = [edge for edge in graph.edges if edge.source.timing.latency == 0]
    valid_cuts = {*breaking(paths, feedback_rank, RANKS), *chosen}
    paths = [
        edge for edge in graph.edges if edge not in valid_cuts and not edge.source.timing.cuts_ready
    ]
    ready_cuts = set(breaking(paths, feedback_rank, RANKS))
    needed = needed_slots(graph, valid_cuts)
    cuts: dict[Edge, Cut] = {}
    for edge in graph.edges:
        slots = needed[edge]
        if edge in valid_cuts:
            cuts[edge] = Cut(True, max(2, slots))
        elif edge in ready_cuts or slots > 0 or feedback_rank(edge) < RANKS:
            cuts[edge] = Cut(False, max(1, slots))
    return cuts


def needed_slots(graph: FlowGraph, registered: set[Edge]) -> dict[Edge, int]:
    """The slots of each edge with which every loop runs at its best rate [tokens].

    The whole graph is looked at once, so that loops overlap with what comes before and after; then
    each loop alone, with one turn of the loops in it: where a loop and the one around it wait for
    each other, the turns of the inner one follow each other faster than the whole says.
    """
    closing = set(breaking(graph.edges, feedback_rank, RANKS))
    loops = loops_of_values(graph.block)
    ahead: dict[Edge, int | None] = {
        edge: int(edge in closing or feedback_rank(edge) < RANKS) for edge in graph.edges
    }
    whole = slots_at(graph, ahead, registered)
    around = {edge: loops.get(edge.operation.operands[edge.index]) or () for edge in graph.edges}
    needed = {edge: slots if around[edge] else 0 for edge, slots in whole.items()}
    for loop, edges in edges_by_loop(graph, loops).items():
        turns = {edge: turns_ahead(edge, loop, closing) for edge in edges}
        for edge, slots in slots_at(graph, turns, registered).items():
            if around[edge][-1] is loop:
                needed[edge] = max(needed[edge], slots)
    return needed


def slots_at(
    graph: FlowGraph, ahead: Mapping[Edge, int | None], registered: Set[Edge]
) -> dict[Edge, int]:
    """The slots of edges that reach so many iterations ahead; None: not looked at [tokens].

    A token stays `spare` cycles longer than its edge's delay, so (delay + spare) / II tokens are on
    the edge at a time. One more slot, for 1 / II of the time, lets a buffer take the next token
    while it gives the last: its ready does not see the reader's.
    """
    arcs = {
        edge: Arc(edge.source, edge.target, edge.latency + (edge in registered), reach)
        for edge, reach in ahead.items()
        if reach is not None
    }
    found = schedule([*arcs.values(), *own_intervals(arcs)])
    pace = paces(tuple(arcs), graph.index_width, found.interval)
    needed: dict[Edge, int] = {}
    for edge, arc in arcs.items():
        interval = max(pace[edge.source], pace[edge.target])
        spare = found.start[edge.target] + interval * arc.ahead - found.start[edge.source]
        spare -= arc.delay
        stay = spare + (edge in registered)
        needed[edge] = -(-(stay + 1) // interval) if stay > 0 else 0
    return needed


def own_intervals(edges: Iterable[Edge]) -> Iterator[Arc]:
    """A cycle around each unit that takes a token only every few cycles."""
    nodes = {node: None for edge in edges for node in (edge.source, edge.target)}
    return (Arc(n, n, n.timing.interval, 1) for n in nodes if n.timing.interval > 1)
