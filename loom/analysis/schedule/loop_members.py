"""Which units and edges lie in which loop, and which edges lead to its next iteration."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from xdsl.ir import Block, Operation, SSAValue

from loom.analysis.schedule.event_graph import (
    RANKS,
    Edge,
    feedback_rank,
    iterations_back,
)
from loom.analysis.schedule.loop_nest import Repeater, loops_of_values, origin_of
from loom.dialects.facts.places import place_of
from loom.dialects.ops.dataflow import StreamOp
from loom.dialects.ops.handshake_memory import MemoryInterface
from loom.errors import Place


def iterations_ahead(edge: Edge, loop: SSAValue, closing: Collection[Edge]) -> int | None:
    """The distance of an edge in iterations of `loop`; None if it leads to another loop's next one.

    `closing` are edges that close cycles: those of no loop that is known reach ahead as well.
    """
    if feedback_rank(edge) >= RANKS:
        return int(edge in closing)
    if isinstance(edge.operation, Repeater):
        mine = origin_of(edge.operation.d) is loop
        return iterations_back(edge) if mine else None
    return iterations_back(edge)


def loops_of_units(block: Block) -> dict[Operation, Place]:
    """The place of the innermost loop around each operation; units outside loops are left out.

    A unit at the border of a loop, which reads inside and gives outside, is in the loop; a memory,
    which may serve many loops, is in none.
    """
    loops = loops_of_values(block)
    places = places_of_loops(block)
    found: dict[Operation, Place] = {}
    for operation in block.ops:
        if isinstance(operation, MemoryInterface):
            continue
        around = [loops.get(value, ()) for value in (*operation.operands, *operation.results)]
        deepest = max(around, key=len, default=())
        if deepest and deepest[-1] in places:
            found[operation] = places[deepest[-1]]
    return found


def places_of_loops(block: Block) -> Mapping[SSAValue, Place]:
    """By the condition that decides about another iteration, where its loop stands."""
    found: dict[SSAValue, Place] = {}
    for operation in block.ops:
        if isinstance(operation, StreamOp):
            found[operation.cont] = place_of(operation)
        elif isinstance(operation, Repeater):
            found.setdefault(origin_of(operation.d), place_of(operation))
    return {condition: place for condition, place in found.items() if place.line}
