"""The cheapest form of each buffer that is planned: fewer slots, or stages, which pass ready.

Of a registered buffer with two slots one is there because its ready does not see the reader's. It
is not needed where tokens come so far apart that each has left when the next one comes, nor in a
stage, which takes a token in the cycle in which it gives its own. Where a token comes in every
cycle and each waits equally long, a line of registers is as long as they wait. Where a token waits
a cycle or more anyway, a transparent buffer need not be transparent; conditions stay as they are,
for the one that ends a loop is often awaited where the others wait.

- A buffer of one slot needs another place for tokens in every cycle of units that it lies on: the
  next token of a loop comes before a fork behind the buffer has handed out the last one.
- A stage must close no cycle of ready, and make no path late.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from loom.analysis.schedule.buffers import (
    Settle,
    TokenRate,
    View,
    build_views,
    delay_early,
    stays_on,
)
from loom.analysis.schedule.event_graph import Edge, EventGraph, Node
from loom.analysis.schedule.interleaved_entries import slots_of_lanes
from loom.analysis.schedule.modulo_schedule import Schedule
from loom.analysis.timing.clocked_graph import Arrivals, ClockedGraph
from loom.analysis.timing.clocked_units import Buffer, Clock, shape_of_buffer
from loom.analysis.timing.unit_costs import unit_cost
from loom.dialects.operators.catalogue import find
from loom.dialects.ops.handshake import MuxOp
from loom.dialects.ops.handshake_buffer import BufferOp
from loom.dialects.ops.handshake_routing import ControlMergeOp, MergeOp
from loom.dialects.ops.types import width_of
from loom.graph_algorithms import closes_cycle, strong_components

Choice = MuxOp | MergeOp | ControlMergeOp
"""Units behind the sides of a branch, of which a short one may make a token leave early."""

STAGE = Buffer(True, 1, passes_ready=True)
SLOW = Buffer(True, 1)
"""One slot that gives a token every second cycle at most."""
FLIP_FLOP = 0.5
"""What a flip-flop costs beside a LUT: an ECP5 has one for each, and circuits more LUTs."""
MOST = 16
"""Registers of a line."""
MANY = 4
"""From so many on edges are looked at together."""


def choose_buffer_forms(
    graph: EventGraph,
    found: Mapping[Edge, Buffer],
    clock: Clock | None,
    schedules: Sequence[Settle] = (delay_early,),
) -> dict[Edge, Buffer]:
    """The buffers of `found`, by the edges of `graph`, in cheaper forms that lose no cycle.

    `schedules` are those for which the slots were counted.
    """
    edges = {edge.value: edge for edge in graph.edges}
    buffers = {edges[edge.value]: buffer for edge, buffer in found.items()}
    registered = {edge for edge, buffer in buffers.items() if buffer.registered}
    settled = settle_views(graph, registered, schedules)
    return change_forms(Forms(graph, buffers, clock), registered, settled)


def settle_views(
    graph: EventGraph, registered: Set[Edge], schedules: Sequence[Settle] = (delay_early,)
) -> list[tuple[View, Schedule]]:
    """The views of a graph with these registers, each with each of its schedules."""
    views = build_views(graph, registered)
    return [pair for settle in schedules for pair in zip(views, settle(graph, views), strict=True)]


def change_forms(
    forms: Forms, registered: Set[Edge], settled: Sequence[tuple[View, Schedule]]
) -> dict[Edge, Buffer]:
    """The buffers of `forms` in cheaper ones, for these schedules with the registers placed."""
    buffers = dict(forms.buffers)
    uses = uses_of(forms.graph, registered, settled)
    widest = sorted(buffers, key=lambda edge: (-forms.width(edge), -buffers[edge].slots))
    open_ = [e for e in widest if buffers[e].registered or (uses[e].waits and forms.width(e) > 1)]
    forms.change({edge: SLOW for edge in open_ if uses[edge].fits_slow})
    left = [edge for edge in open_ if forms.buffers[edge] != SLOW]
    forms.change({edge: STAGE for edge in left if uses[edge].fits_stage})
    lined = [e for e in registered if uses[e].line and not forms.starts_again(e)]
    lines = {e: Buffer(True, uses[e].line, passes_ready=True) for e in widest if e in lined}
    forms.change({edge: line for edge, line in lines.items() if forms.is_cheaper(edge, line)})
    fifos = [edge for edge in open_ if not forms.buffers[edge].registered]
    queues = {edge: Buffer(True, max(2, forms.buffers[edge].slots)) for edge in fifos}
    forms.change({edge: each for edge, each in queues.items() if forms.is_cheaper(edge, each)})
    return forms.buffers


@dataclass(frozen=True)
class Use:
    """What the tokens of an edge ask of its buffer.

    `waits`: a token stays a cycle or more. `fits_slow`: each has left a cycle before the next one
    comes. `fits_stage`: each leaves no later than the next one comes. `line`: where one comes in
    every cycle, how long each of them stays, if that is always the same [cycles]; else 0.
    """

    waits: bool
    fits_slow: bool
    fits_stage: bool
    line: int = 0


OUTSIDE_LOOPS = Use(waits=False, fits_slow=False, fits_stage=True)
"""One token for each activation, which may follow each other at any rate."""


def uses_of(
    graph: EventGraph, registered: Set[Edge], settled: Sequence[tuple[View, Schedule]]
) -> dict[Edge, Use]:
    """What the tokens of each edge ask of its buffer."""
    uses = dict.fromkeys(graph.edges, OUTSIDE_LOOPS)
    seen: set[Edge] = set()
    choices = choices_of(graph)
    for view, schedule in settled:
        regular = choices.isdisjoint(view.arcs)
        for edge in view.rates:
            stays = stays_on(edge, view, schedule, edge in registered)
            uses[edge] = add_use(uses[edge] if edge in seen else None, view, edge, stays, regular)
            seen.add(edge)
    return uses


def choices_of(graph: EventGraph) -> set[Edge]:
    """The edges to units that do not read all their operands each time."""
    return {edge for edge in graph.edges if isinstance(edge.operation, Choice)}


def add_use(
    before: Use | None,
    view: View,
    edge: Edge,
    stays: Sequence[tuple[TokenRate, int]],
    regular: bool,
) -> Use:
    """What tokens that stay so long ask, besides what was asked `before`."""
    before = before or Use(True, True, True, stays[0][1])
    alike = {(rate.interval, stay) for rate, stay in stays} == {(1, before.line)}
    return Use(
        before.waits and regular and all(surely_waits(view, edge, *each) for each in stays),
        before.fits_slow and all(leaves_before_next(view, edge, *each) for each in stays),
        before.fits_stage and all(rate.tokens(stay - 1) <= 1 for rate, stay in stays),
        before.line if regular and alike and 2 <= before.line <= MOST else 0,
    )


def cells(width: int, buffer: Buffer) -> float:
    """The area of a buffer, as measured: LUTs, and flip-flops, of which circuits have fewer."""
    operator = find(BufferOp.name)
    assert operator is not None
    shape = shape_of_buffer(width, buffer)
    cost = unit_cost(operator, shape)
    assert cost is not None
    return cost.area.luts + FLIP_FLOP * cost.area.flip_flops


def surely_waits(view: View, edge: Edge, rate: TokenRate, stay: int) -> bool:
    """Whether a token stays a cycle or more.

    To the next iteration of an outer loop it may be what that waits for: how long the recurrence
    through the inner loops takes is not known.
    """
    return stay >= 1 and not (rate.is_outer and view.arcs[edge].ahead)


def leaves_before_next(view: View, edge: Edge, rate: TokenRate, stay: int) -> bool:
    """Whether a token has left a cycle before the next one comes, in the shortest iterations too.

    `fastest` takes an inner loop for one iteration, so that a rate of an outer loop is more exact.
    On a recurrence through an inner loop the first token of the next entry may come at once.
    """
    shortest = max(view.fastest[edge.source], view.fastest[edge.target])
    if rate.is_outer and shortest > 1:
        return False
    between = rate.interval if rate.is_outer else min(rate.interval, shortest)
    return max(1, stay + rate.longer) + 1 <= between


class Forms:
    """The buffers of a graph while their forms are chosen."""

    def __init__(self, graph: EventGraph, buffers: dict[Edge, Buffer], clock: Clock | None) -> None:
        self.graph = graph
        self.buffers = dict(buffers)
        self.of_lanes = slots_of_lanes(graph)
        self.leaving: dict[Node, list[Edge]] = {}
        for edge in graph.edges:
            self.leaving.setdefault(edge.source, []).append(edge)
        self.arrivals: Arrivals | None = None
        if clock:
            values = [edge.value for edge in graph.edges]
            timed = ClockedGraph(graph.block, graph.index_width, graph.cores, clock, values)
            planned = {edge.value: buffer for edge, buffer in buffers.items()}
            self.arrivals = Arrivals(timed, planned)

    def starts_again(self, edge: Edge) -> bool:
        """Whether the edge lies in a loop in a loop: one entry may wait for the one before it."""
        return len(self.graph.loops.get(edge.value, ())) > 1

    def width(self, edge: Edge) -> int:
        """The bits of a token."""
        return width_of(edge.value.type, self.graph.index_width)

    def change(self, forms: Mapping[Edge, Buffer]) -> None:
        """As many of the buffers as may have these forms have them; the first ones first."""
        if not forms:
            return
        before = {edge: self.buffers[edge] for edge in forms}
        self.buffers |= forms
        if self.are_possible(forms) and self.is_in_time(forms):
            return
        self.buffers |= before
        if len(forms) > 1:
            edges = list(forms)
            half = len(edges) // 2
            self.change({edge: forms[edge] for edge in edges[:half]})
            self.change({edge: forms[edge] for edge in edges[half:]})

    def replace(self, changes: Mapping[Edge, Buffer | None]) -> bool:
        """These buffers stand, or none, if that is possible and no path is late; else as before."""
        before = {edge: self.buffers.get(edge) for edge in changes}
        self.stand(changes)
        if self.are_possible(changes) and self.is_in_time(changes):
            return True
        self.stand(before)
        return False

    def stand(self, changes: Mapping[Edge, Buffer | None]) -> None:
        """These buffers stand, or none."""
        for edge, buffer in changes.items():
            if buffer is None:
                self.buffers.pop(edge, None)
            else:
                self.buffers[edge] = buffer

    def is_cheaper(self, edge: Edge, form: Buffer) -> bool:
        """True if the form takes fewer LUTs and flip-flops than the buffer that is there."""
        width = self.width(edge)
        return cells(width, form) < cells(width, self.buffers[edge])

    def are_possible(self, edges: Collection[Edge]) -> bool:
        """True if every cycle through any of them has other slots, and a register of ready.

        Paths of ready are long: those of many edges are looked at once, in the components of the
        graph that ready connects. An edge that passes ready lies on a cycle of ready if its units
        are in one component.
        """
        if any(map(self.is_short, edges)):
            return False
        if any(closes_cycle(edge, self.without_slot) for edge in edges):
            return False
        passing = [edge for edge in edges if self.passes_ready(edge)]
        if len(passing) < MANY:
            return not any(closes_cycle(edge, self.with_ready) for edge in passing)
        found = strong_components((edge.source for edge in passing), self.read_with_ready)
        component = {node: number for number, nodes in enumerate(found) for node in nodes}
        return all(component[edge.source] != component[edge.target] for edge in passing)

    def is_short(self, edge: Edge) -> bool:
        """True of a buffer with fewer slots than entries that take turns need.

        Of a register with one slot more than a queue has the same is left without the register.
        """
        buffer, needed = self.buffers.get(edge), self.of_lanes.get(edge, 0)
        return needed > 0 and (buffer is None or buffer.slots < needed - 1)

    def passes_ready(self, edge: Edge) -> bool:
        """Whether ready goes from the edge's reader to what its source reads."""
        buffer = self.buffers.get(edge)
        return not edge.cuts_ready and (buffer is None or buffer.passes_ready)

    def without_slot(self, edge: Edge) -> Iterator[Edge]:
        """The edges behind it on which, and in the units before which, no token is stored."""
        for other in () if edge.is_kept else self.leaving.get(edge.target, ()):
            if other not in self.buffers and not other.source.timing.latency:
                yield other

    def with_ready(self, edge: Edge) -> Iterator[Edge]:
        """The edges behind it whose reader's ready goes on to what their source reads."""
        return (each for each in self.leaving.get(edge.target, ()) if self.passes_ready(each))

    def read_with_ready(self, node: Node) -> Iterator[Node]:
        """The units whose ready goes on to what this one reads."""
        return (each.target for each in self.leaving.get(node, ()) if self.passes_ready(each))

    def is_in_time(self, forms: Mapping[Edge, Buffer | None]) -> bool:
        """True if no path is late with these forms; else those that were there before stand."""
        planned = {edge.value: buffer for edge, buffer in forms.items()}
        return self.arrivals is None or self.arrivals.try_buffers(planned)
