"""Tokens of an outer loop come as far apart as the inner loops' iterations make them."""

from __future__ import annotations

import pytest

from loom.analysis.schedule.buffers import TokenRate, build_views, count_slots
from loom.analysis.schedule.event_graph import EventGraph
from loom.analysis.schedule.outer_iterations import iteration_cycles, trip_count
from loom.dialects.ops.dataflow import StreamOp
from loom.front.api import compile_text
from loom.model.bundles.activation import Activation
from loom.model.timed.simulate import run_timed
from tests.support.event_graphs import graph_of

pytestmark = pytest.mark.usefixtures("no_clock_period")

# The index of the store waits for the inner loop and for two products.
NEST = """func.func @f(%n: index, %take: i1, %a: memref<64xi32>, %s: memref<8xi32>) {{
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %8 = arith.constant 8 : index
  %z = arith.constant 1 : i32
  scf.for %i = %0 to %8 step %1 {{
    {before}
    %p = scf.for %j = %0 to %{bound} step %1 iter_args(%acc = %z) -> (i32) {{
      %v = memref.load %a[%j] : memref<64xi32>
      %y = arith.addi %acc, %v : i32
      scf.yield %y : i32
    }}
    {after}
    %q = arith.muli %{product}, %{product} : i32
    %r = arith.muli %q, %q : i32
    memref.store %r, %s[%i] : memref<8xi32>
  }}
  return
}}"""
PLAIN = {"before": "", "after": "", "product": "p"}
UNDER_A_BRANCH = {
    "before": "%t = scf.if %take -> (i32) {",
    "after": "scf.yield %p : i32 } else { scf.yield %z : i32 }",
    "product": "t",
}


def known_cycles(graph: EventGraph) -> list[int]:
    """The cycles of an iteration of each loop of which they are known, if no II is above 1."""
    loops = {loop for loops in graph.loops.values() for loop in loops}
    return list(iteration_cycles(graph, dict.fromkeys(loops, 1)).values())


def test_an_iteration_lasts_as_long_as_those_in_it() -> None:
    assert known_cycles(graph_of(NEST.format(bound="8", **PLAIN))) == [8]


def test_of_a_loop_to_an_argument_nothing_is_known() -> None:
    assert known_cycles(graph_of(NEST.format(bound="n", **PLAIN))) == []


def test_of_a_loop_under_a_branch_nothing_is_known() -> None:
    assert known_cycles(graph_of(NEST.format(bound="8", **UNDER_A_BRANCH))) == []


def test_trip_counts_of_constants_are_exact() -> None:
    graph = graph_of(NEST.format(bound="8", **PLAIN))
    streams = [op for op in graph.block.ops if isinstance(op, StreamOp)]
    assert [trip_count(each.cont, 32) for each in streams] == [8, 8]


def test_slots_of_an_outer_loop_are_for_its_iterations() -> None:
    slots = {}
    for bound in ("8", "n"):
        graph = graph_of(NEST.format(bound=bound, **PLAIN))
        registered = frozenset(graph.closing)
        found = count_slots(graph, registered)
        outer = [edge for edge in graph.edges if len(graph.loops.get(edge.value, ())) == 1]
        slots[bound] = max(found[edge] for edge in outer)
    assert slots == {"8": 1, "n": 7}


def test_entries_follow_each_other_without_a_gap() -> None:
    circuit = compile_text(NEST.format(bound="8", **PLAIN), "k.mlir")
    given = Activation({"n": 8, "take": 1, "a": list(range(64)), "s": [0] * 8})
    (run,) = run_timed(circuit.netlist, [given])
    assert run.cycles == 64 + 6


RATES = {
    "one waits in front": (TokenRate(20, is_outer=True, longer=19), 5, 1),
    "it leaves just in time": (TokenRate(20, is_outer=True, longer=19), 19, 1),
    "it leaves a cycle late": (TokenRate(20, is_outer=True, longer=19), 20, 2),
}
"""How tokens come, how long one waits besides [cycles], and the slots that this takes."""


@pytest.mark.parametrize("name", RATES)
def test_the_unit_in_front_holds_one_token(name: str) -> None:
    rate, stay, slots = RATES[name]
    assert rate.tokens(stay) == slots


def test_only_rates_of_outer_loops_count_iterations_of_inner_ones() -> None:
    graph = graph_of(NEST.format(bound="8", **PLAIN))
    for view in build_views(graph, frozenset(graph.closing)):
        for edge, rates in view.rates.items():
            is_outer = len(graph.loops[edge.value]) == 1
            assert all(rate.is_outer == is_outer for rate in rates)
            assert not is_outer or all(rate.interval >= 8 for rate in rates)
