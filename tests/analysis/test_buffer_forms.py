"""Buffers have the cheapest form that loses no cycle, closes no cycle and makes no path late."""

from __future__ import annotations

import pytest

from loom.analysis.schedule.buffers import place_buffers
from loom.analysis.schedule.choose_buffer_forms import (
    MANY,
    OUTSIDE_LOOPS,
    SLOW,
    STAGE,
    Forms,
    choose_buffer_forms,
    settle_views,
    uses_of,
)
from loom.analysis.schedule.event_graph import Edge, EventGraph
from loom.analysis.timing.clocked_units import Buffer, Clock, measured_delays
from loom.analysis.timing.unit_costs import overhead
from loom.front.api import compile_file, compile_request, compile_text
from loom.front.request import Request
from loom.graph_algorithms import closes_cycle
from loom.lower.dataflow import choose_period as lowering
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.timed.simulate import run_timed
from tests.model.test_examples import activations
from tests.support.event_graphs import graph_of
from tests.support.folders import EXAMPLES

TWO = Buffer(True, 2)


def example(name: str) -> str:
    return (EXAMPLES / f"{name}.mlir").read_text(encoding="utf-8")


STRAIGHT = """func.func @f(%a: i32, %b: i32) -> i32 {
  %s = arith.addi %a, %b : i32
  %t = arith.xori %s, %b : i32
  return %t : i32
}"""


def edge_to(graph: EventGraph, name: str) -> Edge:
    """The edge to the operation of this name, from another operation."""
    return next(edge for edge in graph.edges if edge.operation.name == name)


def test_a_register_outside_of_loops_is_a_stage() -> None:
    """Activations may follow each other at once, so one slot that holds back ready is too slow."""
    graph = graph_of(STRAIGHT)
    edge = edge_to(graph, "arith.xori")
    assert uses_of(graph, {edge}, settle_views(graph, {edge}))[edge] == OUTSIDE_LOOPS
    assert choose_buffer_forms(graph, {edge: TWO}, None) == {edge: STAGE}


def test_a_stage_makes_no_path_late() -> None:
    """Ready goes on through a stage: at a period that only the register meets it stays one."""
    graph = graph_of(STRAIGHT)
    edge = edge_to(graph, "arith.xori")
    kinds = set[str]()
    for tenths in range(20, 80):
        clock = Clock(tenths / 10, measured_delays, overhead())
        forms = Forms(graph, {edge: TWO}, clock)
        assert forms.arrivals is not None
        meets = not forms.arrivals.is_late()
        found = choose_buffer_forms(graph, {edge: TWO}, clock)
        forms.arrivals.set_buffers({edge.value: found[edge]})
        assert not forms.arrivals.is_late() or not meets
        kinds.add(found[edge].kind)
    assert kinds == {"seq", "stage"}


def test_the_only_slot_of_a_cycle_is_not_alone() -> None:
    """A fork behind a buffer gives the next token before it has handed out the last one."""
    graph = graph_of(example("gcd"))
    buffers = place_buffers(graph, frozenset(), frozenset())
    registered = [edge for edge, buffer in buffers.items() if buffer.registered]
    forms = Forms(graph, buffers, None)
    forms.change(dict.fromkeys(registered, SLOW))
    cycles = [e for e in registered if forms.buffers[e] == TWO]
    assert cycles, "the two values of gcd's loop have no other place"
    for edge in cycles:
        forms.buffers[edge] = SLOW
        assert not forms.are_possible([edge])
        forms.buffers[edge] = TWO


@pytest.mark.parametrize("name", ["kmp", "stencil_2d"])
def test_many_forms_are_possible_if_each_is(name: str) -> None:
    """Looked at together edges get the answer that each of them gets alone."""
    graph = graph_of(example(name))
    buffers = place_buffers(graph, frozenset(), frozenset())
    registered = [edge for edge, buffer in buffers.items() if buffer.registered]
    forms = Forms(graph, {**buffers, **dict.fromkeys(registered, STAGE)}, None)
    passing = [edge for edge in graph.edges if forms.passes_ready(edge)]
    fine = [edge for edge in passing if forms.are_possible([edge])]
    wrong = [edge for edge in passing if edge not in fine]
    assert len(fine) > MANY and any(not closes_cycle(e, forms.without_slot) for e in wrong)
    assert forms.are_possible(fine)
    assert not any(forms.are_possible([*fine[:MANY], edge]) for edge in wrong)


def test_a_stage_closes_no_cycle_of_ready() -> None:
    text = example("fir").replace("arith.addi %acc, %product", "arith.subi %product, %acc")
    graph = graph_of(text)
    buffers = place_buffers(graph, frozenset(), frozenset())
    (edge,) = [e for e, b in buffers.items() if b.registered and e.rank == 0]
    forms = Forms(graph, {**buffers, edge: STAGE}, None)
    assert not forms.are_possible([edge])
    free = Options(clock_period=None)
    netlist = compile_text(text, "fir.mlir", options=free).netlist
    assert "seq" in [unit.attributes.get("kind") for unit in netlist.units]


def test_tokens_that_stay_equally_long_stand_in_a_line() -> None:
    """In some of these a token comes in every cycle, and each waits equally long."""
    names = ("binary_gcd", "histogram_float", "memory_2")
    files = [EXAMPLES / "c" / "anchors" / f"{name}.c" for name in names]
    netlists = [compile_file(file).netlist for file in files]
    shapes = [shape for netlist in netlists for shape in netlist.shape_by_unit.values()]
    lines = [s.attributes["slots"] for s in shapes if s.attributes.get("kind") == "stage"]
    assert any(isinstance(slots, int) and slots > 1 for slots in lines)


@pytest.mark.parametrize("period", (None, 10.0))
@pytest.mark.parametrize("name", ("fir", "gcd", "kmp", "crc32", "histogram", "spmv"))
def test_no_cycle_is_lost_and_no_cell_is_added(
    name: str, period: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = Request(example(name), name, options=Options(clock_period=period))
    circuit = compile_request(request)

    def plain(
        graph: EventGraph, found: dict[Edge, Buffer], clock: Clock | None
    ) -> dict[Edge, Buffer]:
        edges = {edge.value: edge for edge in graph.edges}
        return {edges[edge.value]: buffer for edge, buffer in found.items()}

    monkeypatch.setattr(lowering, "move_waits", plain)
    before = compile_request(request)
    given = activations(name, circuit)
    cycles, usual = (
        [run.cycles for run in run_timed(each.netlist, given)] for each in (circuit, before)
    )
    assert sum(cycles) <= sum(usual)
    cells, most = (each.cost.area.luts + each.cost.area.flip_flops for each in (circuit, before))
    assert cells <= most


def test_no_line_stands_where_a_loop_starts_again() -> None:
    """An entry of the inner loop waits for stores of the one before: a line would hold it up.

    Between entries are the cycles from the last word of a row to its total, less than seven.
    """
    file = EXAMPLES / "c" / "anchors" / "bicg_30.c"
    netlist = compile_file(file, options=Options(clock_period=10.0)).netlist
    shapes = netlist.shape_by_unit.values()
    lines = [s.attributes["slots"] for s in shapes if s.attributes.get("kind") == "stage"]
    assert lines and all(isinstance(slots, int) and slots <= 2 for slots in lines)
    given = Activation({name: [1] * (900 if name == "a" else 30) for name in "asqpr"})
    (run,) = run_timed(netlist, [given])
    assert run.cycles < 31 * 31
