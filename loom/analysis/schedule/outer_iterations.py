"""How long an iteration of an outer loop lasts at least, by the trip counts of its inner loops.

A schedule has one iteration of each inner loop. If an inner loop of n iterations is entered in each
iteration of the outer one, tokens of the outer loop come at least n times the inner II apart, and
those that pass by the inner loop wait for n - 1 iterations more.

Trip counts size buffers and decide nothing about results: upper bounds by constants or the index
width do not consider an index that wraps.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass

from xdsl.dialects.arith import ConstantOp as ParameterOp
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue

from loom.analysis.schedule.event_graph import RANKS, Edge, EventGraph, Node, feedback_rank
from loom.analysis.schedule.loop_nest import Loops, origin_of
from loom.analysis.schedule.modulo_schedule import Arc, modulo_schedule
from loom.dialects.facts.instances import shape_of
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.dataflow_operators import find_burst
from loom.dialects.ops.dataflow import AccumulateOp, InvariantOp, ReplicateOp, StreamOp
from loom.dialects.ops.handshake import CondBranchOp, ConstantOp
from loom.dialects.ops.types import width_of

SHORT = 8
"""Cycles of an iteration below which entries overlap so much that its slots count as if the inner
loops had one iteration each."""


@dataclass(frozen=True)
class OuterIterations:
    """`least`: the cycles of an iteration at least, by the edges of outer loops for which they are
    known. `longer`: how much longer a token stays on such an edge than the schedule says [cycles].
    """

    least: Mapping[Edge, int]
    longer: Mapping[Edge, int]


def outer_iterations(
    graph: EventGraph, around: Mapping[Edge, Loops], intervals: Mapping[SSAValue, int]
) -> OuterIterations:
    """Of the edges in loops whose inner loops have known trip counts, and run in each iteration.

    `around` are the loops of each edge, `intervals` the shortest II of each loop, by its condition.
    """
    least = iteration_cycles(graph, intervals)
    if not least:
        return OuterIterations({}, {})
    trips = {loop: trip_count(loop, graph.index_width) for loop in intervals}
    more = {loop: (n - 1) * least.get(loop, intervals[loop]) for loop, n in trips.items() if n}
    counted = {
        edge: cycles
        for edge, loops in around.items()
        if loops and (cycles := least.get(loops[-1], 0)) >= SHORT
    }
    held = find_held(graph, around, more)
    passed = find_passed(graph, {around[edge][-1] for edge in counted}, more)
    longer = {
        edge: max(passed[around[edge][-1]].between(edge), held.get(edge, 0)) for edge in counted
    }
    return OuterIterations(counted, longer)


@dataclass(frozen=True)
class Passed:
    """How much later each unit of an iteration is, for the inner loops on the way [cycles]."""

    start: Mapping[Hashable, int]

    def between(self, edge: Edge) -> int:
        """How much later the unit behind the edge is than the one in front of it [cycles]."""
        return self.start.get(edge.target, 0) - self.start.get(edge.source, 0)


def find_passed(
    graph: EventGraph, loops: Collection[SSAValue], more: Mapping[SSAValue, int]
) -> dict[SSAValue, Passed]:
    """What an iteration of each of these loops passes inside of that loop.

    Tokens that wait for another loop than those inside, one before theirs, wait in its stream.
    """
    inside = graph.edges_by_loop
    found: dict[SSAValue, Passed] = {}
    for loop in loops:
        arcs = [
            Arc(
                edge.source,
                edge.target,
                more.get(left, 0) if (left := left_loop(edge)) else 0,
                0,
            )
            for edge in inside[loop]
            if edge not in graph.closing and feedback_rank(edge) >= RANKS
        ]
        found[loop] = Passed(modulo_schedule(arcs).start)
    return found


def find_held(
    graph: EventGraph, around: Mapping[Edge, Loops], more: Mapping[SSAValue, int]
) -> dict[Edge, int]:
    """How long a token stays because an inner loop behind the edge repeats it [cycles].

    That goes through forks and all that takes no time, and adds up where what an inner loop gives
    is repeated in one further in.
    """
    entering: dict[Node, list[Edge]] = {}
    for edge in graph.edges:
        entering.setdefault(edge.target, []).append(edge)
    found: dict[Edge, int] = {}
    work = [
        (edge, more.get(loop, 0))
        for edge in graph.edges
        if around[edge] and (loop := repeating_loop(edge))
    ]
    while work:
        edge, cycles = work.pop()
        if cycles <= found.get(edge, 0) or not around[edge]:
            continue
        found[edge] = cycles
        if edge.source.timing.latency:
            continue
        for before in entering.get(edge.source, ()):
            repeating = repeating_loop(before)
            if repeating and repeating is around[edge][-1]:
                work.append((before, cycles + more.get(repeating, 0)))
            elif around[before] and around[before][-1] is around[edge][-1]:
                work.append((before, cycles))
    return found


def iteration_cycles(graph: EventGraph, intervals: Mapping[SSAValue, int]) -> dict[SSAValue, int]:
    """The cycles of an iteration at least, of each loop of which they are known, by its condition.

    That asks for inner loops, all with known trip counts and under no branch.
    """
    inner: dict[SSAValue, list[SSAValue]] = {}
    depth: dict[SSAValue, int] = {}
    for loops in set(graph.loops.values()):
        for place, loop in enumerate(loops):
            depth[loop] = place
            if place and loop not in inner.setdefault(loops[place - 1], []):
                inner[loops[place - 1]].append(loop)
    if not inner:
        return {}
    found: dict[SSAValue, int] = {}
    for loop in sorted(inner, key=lambda each: -depth[each]):
        cycles = [intervals.get(loop, 1)]
        for each in inner[loop]:
            trips = trip_count(each, graph.index_width)
            known = each in found or each not in inner
            if trips is None or not known or each in graph.conditional:
                break
            cycles.append(trips * found.get(each, intervals.get(each, 1)))
        else:
            found[loop] = max(cycles)
    return found


def left_loop(edge: Edge) -> SSAValue | None:
    """The condition of the loop that a token or a total leaves by this edge, if it leaves one."""
    unit = edge.value.owner
    if isinstance(unit, CondBranchOp) and edge.value is unit.false_result:
        return origin_of(unit.condition)
    if isinstance(unit, AccumulateOp):
        return origin_of(unit.cond)
    return None


def repeating_loop(edge: Edge) -> SSAValue | None:
    """The condition of the loop that reads the token in each of its iterations, if one does."""
    reader = edge.operation
    if isinstance(reader, InvariantOp | ReplicateOp) and edge.value is reader.a:
        return origin_of(reader.d)
    return None


def max_trip_count(condition: SSAValue, index_width: int) -> int | None:
    """The greatest trip count of the loop with this condition; None for an uncounted loop."""
    stream = condition.owner
    if not isinstance(stream, StreamOp):
        return None
    start, step, bound = map(constant, (stream.start, stream.step, stream.bound))
    half = 1 << (width_of(stream.index.type, index_width) - 1)
    if start is None or bound is None:
        distance = half - (start or 0) if bound is None else bound + half
    else:
        distance = abs(bound - start)
    return -(-distance // abs(step or 1))


def trip_count(condition: SSAValue, index_width: int) -> int | None:
    """The trip count of the loop with this condition, if start, step and bound are parameters."""
    stream = condition.owner
    if not isinstance(stream, StreamOp) or not stream.rotated:
        return None
    shape = shape_of(stream, CATALOGUE[StreamOp.name], index_width)
    if len(shape.constants) < len((stream.start, stream.step, stream.bound)):
        return None
    burst = find_burst(shape)
    return None if burst is None else burst.count


def constant(value: SSAValue) -> int | None:
    """The integer that a value always is, or None."""
    owner = origin_of(value).owner
    if isinstance(owner, ConstantOp | ParameterOp) and isinstance(owner.value, IntegerAttr):
        return int(owner.value.value.data)
    return None
