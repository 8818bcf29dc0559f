"""Tokens wait where that costs least: before a fork, once for all its legs, or on fewer bits.

Units fire as soon as they can, so that a token waits behind the last unit before its partner. Where
it waits so anyway, units before it may fire later: the token then waits in front of them, as an
address of a few bits instead of the element loaded, or as one token in front of a fork instead of
one on each leg. Between the same two ends there are as many slots as before.

Transparent buffers that no path needs for its period any more go.

Source: retiming, Leiserson and Saxe, Retiming synchronous circuitry, Algorithmica 6, 1991.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects import arith

from loom.analysis.schedule.buffers import (
    TokenRate,
    build_views,
    delay_early,
    slots_for,
    stays_on,
)
from loom.analysis.schedule.choose_buffer_forms import (
    OUTSIDE_LOOPS,
    SLOW,
    STAGE,
    Forms,
    Use,
    add_use,
    cells,
    change_forms,
    choices_of,
)
from loom.analysis.schedule.event_graph import Edge, EventGraph, Node, needs_slot
from loom.analysis.schedule.modulo_schedule import Schedule
from loom.analysis.timing.clocked_units import Buffer, Clock
from loom.dialects.ops.handshake import ConstantOp, SinkOp
from loom.dialects.ops.handshake_function import ReturnOp
from loom.dialects.ops.handshake_memory import LoadOp, MemoryInterface
from loom.dialects.ops.index import IndexCastUIOp
from loom.dialects.ops.types import width_of

WIRES = (ConstantOp, arith.ExtUIOp, arith.ExtSIOp, arith.IndexCastOp, IndexCastUIOp)
"""Units of one operand that are wires."""
LARGEST = 32
"""Units that move together at most."""
STEPS = 4
"""How far before a wait other channels are tried."""
TRIALS = 10_000
"""Edges by trials of idle buffers: the larger a graph, the fewer."""
PASSES = 3
"""How often all buffers are looked at."""


def move_waits(
    graph: EventGraph, planned: Mapping[Edge, Buffer], clock: Clock | None
) -> dict[Edge, Buffer]:
    """The buffers of `planned`, by the edges of `graph`, moved and in cheaper forms."""
    moves = Moves(graph, planned, clock)
    formed = dict(change_forms(moves.forms, moves.registered, moves.settled))
    moves.move_all()
    moves.drop_idle()
    moves.move_cuts()
    if moves.forms.buffers == formed:
        return formed
    return change_forms(moves.forms, moves.registered, moves.settled)


class Moves:
    """The buffers of a graph while waits move; `settled` are the schedules, which change."""

    def __init__(
        self, graph: EventGraph, planned: Mapping[Edge, Buffer], clock: Clock | None
    ) -> None:
        edges = {edge.value: edge for edge in graph.edges}
        buffers = {edges[edge.value]: buffer for edge, buffer in planned.items()}
        self.forms = Forms(graph, buffers, clock)
        self.registered = {edge for edge, buffer in buffers.items() if buffer.registered}
        views = build_views(graph, self.registered)
        schedules = delay_early(graph, views)
        self.starts = [dict(found.start) for found in schedules]
        self.settled = [
            (view, Schedule(start, found.interval))
            for view, start, found in zip(views, self.starts, schedules, strict=True)
        ]
        choices = choices_of(graph)
        self.regular = [choices.isdisjoint(view.arcs) for view in views]
        self.note_views(graph)
        self.leaving: dict[Node, list[Edge]] = {}
        self.entering: dict[Node, list[Edge]] = {}
        self.tied: dict[Node, list[Node]] = {}
        for edge in graph.edges:
            self.leaving.setdefault(edge.source, []).append(edge)
            self.entering.setdefault(edge.target, []).append(edge)
            if is_inside_access(edge):
                self.tied.setdefault(edge.source, []).append(edge.target)
                self.tied.setdefault(edge.target, []).append(edge.source)
        self.needed = {edge for edge in buffers if self.is_needed(edge)}

    def note_views(self, graph: EventGraph) -> None:
        """Of each edge the views that look at it: the whole, and its innermost loop, as far as they
        do; which of them count its slots; of each node the views of its edges."""
        numbers = {loop: n for n, loop in enumerate(graph.edges_by_loop, 1)}
        self.views: dict[Edge, list[int]] = {}
        self.counted: dict[Edge, list[int]] = {}
        self.homes: dict[Node, set[int]] = {}
        for edge in graph.edges:
            around = graph.loops.get(edge.value)
            both = (0, numbers[around[-1]]) if around else (0,)
            self.views[edge] = [n for n in both if edge in self.settled[n][0].arcs]
            self.counted[edge] = [n for n in both if edge in self.settled[n][0].rates]
            self.homes.setdefault(edge.source, set()).update(self.views[edge])
            self.homes.setdefault(edge.target, set()).update(self.views[edge])

    def move_all(self) -> None:
        """Waits move as long as that saves cells."""
        for _ in range(PASSES):
            waiting = [edge for edge in self.forms.buffers if self.is_wait(edge)]
            waiting.sort(key=lambda edge: -self.cells(edge, self.forms.buffers[edge]))
            moved = [self.move(edge) for edge in waiting]
            if not any(moved):
                break

    def drop_idle(self) -> None:
        """Buffers go in which no token has to wait and that no path needs."""
        idle = [
            edge
            for edge in self.forms.buffers
            if edge not in self.needed and self.buffer(edge) is None
        ]
        idle.sort(key=lambda edge: -self.forms.width(edge))
        for edge in idle[: TRIALS // max(1, len(self.views))]:
            self.forms.replace({edge: None})

    def move_cuts(self) -> None:
        """Registers of ready that no token waits in stand on the fewest bits near by."""
        trials = TRIALS // max(1, len(self.views))
        buffers = self.forms.buffers
        for edge in [edge for edge in buffers if buffers[edge].passes_ready][:trials]:
            self.gather_cuts(edge)
        cuts = sorted(filter(self.is_cut, buffers), key=lambda edge: -self.forms.width(edge))
        for edge in cuts[:trials]:
            self.move_cut(edge)

    def is_cut(self, edge: Edge) -> bool:
        """True of an edge whose buffer only registers ready."""
        idle = edge not in self.needed and self.buffer(edge) is None
        return idle and self.forms.buffers.get(edge) == CUT

    def gather_cuts(self, edge: Edge) -> bool:
        """A buffer that passes ready registers it, in place of cuts in front; false if not."""
        cuts: list[Edge] = []
        work, seen = [edge.source], {edge.source}
        while work:
            for other in self.entering.get(work.pop(), ()):
                if self.is_cut(other):
                    cuts.append(other)
                elif other not in self.forms.buffers and other.source not in seen:
                    seen.add(other.source)
                    work.append(other.source)
        gone = dict.fromkeys(cuts)
        changes = {**gone, edge: self.buffer(edge)}
        return bool(cuts) and self.saved(changes) > 0 and self.forms.replace(changes)

    def move_cut(self, edge: Edge) -> bool:
        """The register stands on a cheaper channel around its two units; false if it stays."""
        near = [*self.entering.get(edge.source, ()), *self.leaving.get(edge.target, ())]
        found = [
            (gain, changes)
            for other in near
            if other not in self.forms.buffers
            and (gain := self.saved(changes := {edge: None, other: CUT})) > 0
        ]
        found.sort(key=lambda each: -each[0])
        return any(self.forms.replace(changes) for _, changes in found)

    def is_needed(self, edge: Edge) -> bool:
        """True of an edge whose token the unit in front would hold for all of an inner loop."""
        rates = [rate for n in self.counted[edge] for rate, _ in self.stays(edge, n)]
        return self.slots(edge) > 0 and any(rate.longer for rate in rates)

    def is_wait(self, edge: Edge) -> bool:
        """True of an edge that has slots because its tokens wait."""
        return self.slots(edge) > (2 if edge in self.registered else 0)

    def move(self, edge: Edge) -> bool:
        """The wait on the edge moves to where it costs least; false if it stays."""
        if not self.is_wait(edge):
            return False
        found = [
            (gain, group, cycles)
            for cycles in sorted({self.waits(edge), 1})
            if cycles > 0
            for group in self.groups(edge, cycles)
            if (gain := self.gain(group, cycles)) > 0
        ]
        return any(
            self.try_move(group, cycles)
            for _, group, cycles in sorted(found, key=lambda each: (-each[0], len(each[1])))
        )

    def groups(self, edge: Edge, cycles: int) -> Iterator[dict[Node, None]]:
        """What may fire so much later, so that tokens wait before it instead of on the edge."""
        seeds = [edge.source]
        for _ in range(STEPS):
            group = self.close(seeds, cycles)
            if group is None or edge.target in group:
                return
            yield group
            into = [e for node in group for e in self.entering.get(node, ())]
            into = [e for e in into if e.source not in group]
            if not into:
                return
            seeds = [*group, max(into, key=self.forms.width).source]

    def close(self, seeds: Sequence[Node], cycles: int) -> dict[Node, None] | None:
        """The nodes, and those that must fire as much later; None if they are too many,
        or one of them keeps its time."""
        group = dict.fromkeys(seeds)
        work = list(group)
        while work:
            node = work.pop()
            late = [e.target for e in self.leaving.get(node, ()) if self.waits(e) < cycles]
            for other in (*late, *self.tied.get(node, ())):
                if other not in group:
                    group[other] = None
                    work.append(other)
            if len(group) > LARGEST or not may_wait(node):
                return None
        return group

    def waits(self, edge: Edge) -> int:
        """How much later the edge's source may fire without its target being later [cycles]."""
        if isinstance(edge.operation, SinkOp):
            return LONG
        found = LONG
        for n in self.views[edge]:
            view, schedule = self.settled[n]
            arc, start = view.arcs[edge], schedule.start
            between = max(schedule.interval[edge.source], schedule.interval[edge.target])
            apart = start[edge.target] - start[edge.source]
            found = min(found, apart + between * arc.ahead - arc.delay)
        return found

    def shift(self, group: Mapping[Node, None], cycles: int) -> None:
        """The group fires so much later."""
        for node in group:
            for n in self.homes[node]:
                self.starts[n][node] += cycles

    def border(self, group: Mapping[Node, None]) -> list[Edge]:
        """The edges between the group and other nodes."""
        out = [e for node in group for e in self.leaving.get(node, ()) if e.target not in group]
        into = [e for node in group for e in self.entering.get(node, ()) if e.source not in group]
        return out + into

    def gain(self, group: Mapping[Node, None], cycles: int) -> float:
        """The cells that are saved at most if the group fires so much later."""
        border = self.border(group)
        before = [self.need(edge) for edge in border]
        self.shift(group, cycles)
        changes = {
            edge: self.form(edge)
            for edge, need in zip(border, before, strict=True)
            if self.need(edge) != need
        }
        self.shift(group, -cycles)
        return self.saved(changes)

    def try_move(self, group: Mapping[Node, None], cycles: int) -> bool:
        """The group fires so much later, if buffers for that are possible and in time."""
        border = self.border(group)
        before = [self.need(edge) for edge in border]
        self.shift(group, cycles)
        other = [e for e, need in zip(border, before, strict=True) if self.need(e) != need]
        plain = {edge: self.buffer(edge) for edge in other}
        kept = {e: each or (CUT if e in self.forms.buffers else None) for e, each in plain.items()}
        for changes in ({edge: self.form(edge) for edge in other}, plain, kept):
            if self.saved(changes) > 0 and self.forms.replace(changes):
                return True
        self.shift(group, -cycles)
        return False

    def saved(self, changes: Mapping[Edge, Buffer | None]) -> float:
        """The cells that are saved by these buffers instead of those that stand."""
        stands = self.forms.buffers
        return sum(
            self.cells(e, stands.get(e)) - self.cells(e, each) for e, each in changes.items()
        )

    def slots(self, edge: Edge) -> int:
        """The slots for the tokens that wait on the edge."""
        return max((slots_for(self.stays(edge, n)) for n in self.counted[edge]), default=0)

    def stays(self, edge: Edge, n: int) -> list[tuple[TokenRate, int]]:
        """How long tokens stay on the edge in a view."""
        return stays_on(edge, *self.settled[n], edge in self.registered)

    def use(self, edge: Edge) -> Use:
        """What the tokens of the edge ask of its buffer."""
        found: Use | None = None
        for n in self.counted[edge]:
            view, _ = self.settled[n]
            found = add_use(found, view, edge, self.stays(edge, n), self.regular[n])
        return found or OUTSIDE_LOOPS

    def buffer(self, edge: Edge) -> Buffer | None:
        """The buffer for the tokens that wait on the edge."""
        slots = self.slots(edge)
        if edge in self.registered:
            return Buffer(True, max(2, slots))
        needs = slots > 0 or needs_slot(edge) or edge in self.needed
        return Buffer(False, max(1, slots)) if needs else None

    def need(self, edge: Edge) -> tuple[Buffer | None, Use]:
        """What the tokens of the edge ask for: a buffer, and which forms it may have."""
        return self.buffer(edge), self.use(edge)

    def form(self, edge: Edge) -> Buffer | None:
        """The buffer in the form that it may get, if no path is late by it."""
        buffer, use = self.buffer(edge), self.use(edge)
        if buffer is None:
            return None
        if buffer.registered or (use.waits and self.forms.width(edge) > 1):
            return SLOW if use.fits_slow else STAGE if use.fits_stage else buffer
        return buffer

    def cells(self, edge: Edge, buffer: Buffer | None) -> float:
        """The LUTs and flip-flops of this buffer on the edge."""
        return cells(narrowest(edge, self.forms.graph.index_width), buffer) if buffer else 0.0


CUT = Buffer(False, 1)
"""A buffer that registers ready and holds no token for long."""
LONG = 1 << 30
"""Longer than any token waits [cycles]."""


def is_inside_access(edge: Edge) -> bool:
    """True of an edge between a load and its memory."""
    pair = edge.source.operation, edge.operation
    return any(isinstance(each, LoadOp) for each in pair) and any(
        isinstance(each, MemoryInterface) for each in pair
    )


def may_wait(node: Node) -> bool:
    """False of the return, of loads that share a port, and of other units with a latency.

    Loads that share a port are where it is free. A product that fires later stops all tokens in its
    pipeline where a FIFO beside it is a slot too short.
    """
    if isinstance(node.operation, MemoryInterface):
        return node.operation.load_count < 2
    return not isinstance(node.operation, ReturnOp) and (
        isinstance(node.operation, LoadOp) or not node.timing.latency
    )


def narrowest(edge: Edge, index_width: int) -> int:
    """The bits of a buffer on the edge, which stands before units of wires that widen a value."""
    found = width_of(edge.value.type, index_width)
    unit = edge.value.owner
    while isinstance(unit, WIRES):
        found = min(found, width_of(unit.operands[0].type, index_width))
        unit = unit.operands[0].owner
    return found
