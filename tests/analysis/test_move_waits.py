"""Tokens wait where that costs least, and nothing is later by it."""

from __future__ import annotations

import pytest

from loom.analysis.schedule.buffers import place_buffers
from loom.analysis.schedule.choose_buffer_forms import change_forms
from loom.analysis.schedule.event_graph import Edge, EventGraph
from loom.analysis.schedule.move_waits import Moves, move_waits, narrowest
from loom.analysis.schedule.plan_buffers import plan_buffers
from loom.analysis.timing.clocked_units import Buffer, Clock, measured_delays
from loom.analysis.timing.unit_costs import overhead
from loom.dialects.ops.handshake_memory import MemoryInterface
from loom.dialects.ops.types import width_of
from loom.front.api import compile_text
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.timed.simulate import run_timed
from tests.analysis.test_buffer_forms import example
from tests.support.event_graphs import graph_of

# The second operand waits for a product of the first, which is loaded by the same index.
LATE = """func.func @f(%a: memref<64xi32>, %b: memref<64xi32>, %c: memref<64xi32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %n = arith.constant 64 : index
  scf.for %i = %0 to %n step %1 {
    %x = memref.load %a[%i] : memref<64xi32>
    %y = memref.load %b[%i] : memref<64xi32>
    %p = arith.muli %x, %x : i32
    %s = arith.addi %p, %y : i32
    memref.store %s, %c[%i] : memref<64xi32>
  }
  return
}"""


def bits(graph: EventGraph, buffers: dict[Edge, Buffer]) -> int:
    """The bits of data in all slots."""
    return sum(width_of(e.value.type, 32) * buffer.slots for e, buffer in buffers.items())


def test_an_address_waits_instead_of_an_element() -> None:
    graph = graph_of(LATE)
    planned = place_buffers(graph, frozenset(), frozenset())
    found = move_waits(graph, planned, None)
    assert slots_of_elements(found) < slots_of_elements(planned)
    assert bits(graph, found) < bits(graph, planned)


def slots_of_elements(buffers: dict[Edge, Buffer]) -> int:
    """The slots behind memories."""
    return sum(
        b.slots for e, b in buffers.items() if isinstance(e.source.operation, MemoryInterface)
    )


def test_no_cycle_is_lost() -> None:
    circuit = compile_text(LATE, "k.mlir", options=Options(clock_period=None))
    given = Activation({"a": list(range(64)), "b": [5] * 64, "c": [0] * 64})
    (run,) = run_timed(circuit.netlist, [given])
    assert run.cycles == 64 + CYCLES
    assert run.memories["c"] == [k * k + 5 for k in range(64)]


CYCLES = 4
"""Of a load, a product and a store."""


@pytest.mark.parametrize("name", ("matvec", "threshold", "gcd"))
def test_no_path_is_late_by_a_move(name: str) -> None:
    graph = graph_of(example(name))
    clock = Clock(10.0, measured_delays, overhead())
    planned = plan_buffers(graph, clock)
    moves = Moves(graph, planned, clock)
    moves.move_all()
    moves.drop_idle()
    change_forms(moves.forms, moves.registered, moves.settled)
    assert moves.forms.arrivals is not None
    assert not moves.forms.arrivals.is_late()


def test_a_buffer_that_a_path_needs_stays() -> None:
    """Without the clock no path needs it, and no token waits there."""
    graph = graph_of(example("fir"))
    clock = Clock(10.0, measured_delays, overhead())
    planned = plan_buffers(graph, clock)
    kept = Moves(graph, planned, clock)
    kept.drop_idle()
    free = Moves(graph, planned, None)
    free.drop_idle()
    assert free.forms.buffers.keys() < kept.forms.buffers.keys()
    assert len(kept.forms.buffers) <= len(planned)


WIDENED = """func.func @f(%a: i8, %b: i32) -> i32 {
  %n = arith.extui %a : i8 to i32
  %s = arith.muli %n, %b : i32
  return %s : i32
}"""


def test_a_buffer_is_as_wide_as_what_the_wires_before_it_read() -> None:
    graph = graph_of(WIDENED)
    (edge,) = (e for e in graph.edges if e.operation.name == "arith.muli")
    assert edge.source.operation.name == "arith.extui"
    assert width_of(edge.value.type, 32) > 8
    assert narrowest(edge, 32) == 8
