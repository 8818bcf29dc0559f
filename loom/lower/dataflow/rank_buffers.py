"""Which of two placements of buffers is better: by time, then by the bits that they hold.

Time is what the loops take, as far as their trip counts are known, then the latency of the circuit:
the cycles of its longest way with one iteration of each loop, which each entry of a loop and
each activation takes once more.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import SSAValue

from loom.analysis.schedule.event_graph import Edge, EventGraph
from loom.analysis.schedule.modulo_schedule import Arc, modulo_schedule
from loom.analysis.schedule.plan_buffers import forward_arcs
from loom.analysis.timing.clocked_units import Buffer
from loom.analysis.timing.pipeline_long_paths import CONTROL
from loom.dialects.ops.types import width_of
from loom.lower.dataflow.expected_cycles import expected_cycles


def rank_buffers(graph: EventGraph, buffers: Mapping[Edge, Buffer]) -> tuple[int, int, int]:
    """Less is better: cycles of loops, latency [cycles], bits; edges may be of an equal graph."""
    by_value = {edge.value: buffer for edge, buffer in buffers.items()}
    bits = sum(
        buffer.slots * (width_of(value.type, graph.index_width) + CONTROL)
        for value, buffer in by_value.items()
    )
    return expected_cycles(graph, buffers).total, latency(graph, by_value), bits


def latency(graph: EventGraph, by_value: Mapping[SSAValue, Buffer]) -> int:
    """The cycles of the longest way through the graph with one iteration of each loop."""
    arcs = [
        Arc(edge.source, edge.target, edge.latency + latency_of(by_value.get(edge.value)), 0)
        for edge in forward_arcs(graph)
    ]
    return max(modulo_schedule(arcs).start.values(), default=0)


def latency_of(buffer: Buffer | None) -> int:
    """From a token's arrival to its departure at least [cycles]."""
    if buffer is None or not buffer.registered:
        return 0
    return buffer.slots if buffer.passes_ready else 1
