"""Where quick turns come between slow ones, what a slow one takes is there when it comes."""

from __future__ import annotations

from typing import Literal

import pytest

from loom.analysis.schedule import shortest_iteration
from loom.front.api import compile_text
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from loom.model.timed.simulate import run_timed

pytestmark = pytest.mark.usefixtures("no_clock_period")

TURNS, SLOW, THROUGH = 64, 4, 20
"""Turns, cycles of one with a product of what is carried, and of the way through [cycles]."""
PRODUCT = f"""func.func @f(%a: memref<{TURNS}xi32>) -> i32 {{
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %n = arith.constant {TURNS} : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s = scf.for %i = %0 to %n step %1 iter_args(%x = %one) -> i32 {{
    %v = memref.load %a[%i] : memref<{TURNS}xi32>
    %c = arith.cmpi sgt, %v, %zero : i32
    %y = scf.if %c -> i32 {{
      %p = arith.muli %v, %v : i32
      %q = arith.muli %p, %v : i32
      %r = arith.muli %q, %p : i32
      %t = arith.muli %x, %r : i32
      scf.yield %t : i32
    }} else {{
      scf.yield %x : i32
    }}
    scf.yield %y : i32
  }}
  return %s : i32
}}"""
PATTERNS = {
    "by turns": [k % 2 for k in range(TURNS)],
    "rarely": [int(k % 8 == 7) for k in range(TURNS)],
    "one half after the other": [int(k < TURNS // 2) for k in range(TURNS)],
    "in groups": [k // 4 % 2 for k in range(TURNS)],
}


@pytest.mark.parametrize("buffers", ["fast", "optimal"])
@pytest.mark.parametrize("name", PATTERNS)
def test_a_slow_turn_waits_for_the_one_before_alone(
    name: str, buffers: Literal["fast", "optimal"]
) -> None:
    """Slow turns take their product, quick ones a cycle."""
    taken = PATTERNS[name]
    circuit = compile_text(PRODUCT, "k.mlir", options=Options(buffers=buffers))
    given = [Activation({"a": [3 * each for each in taken]})] * 2
    report = compare_models(circuit.source, "f", circuit.netlist, given, max_cycles=10_000)
    assert report.differences == ()
    least = SLOW * sum(taken) + TURNS - sum(taken)
    for run in run_timed(circuit.netlist, given):
        assert run.cycles <= least + THROUGH


END = """func.func @f(%a: memref<8xi32>, %k: i32) -> index {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  %no = arith.constant false
  %s = scf.while (%i = %0) : (index) -> index {
    %in = arith.cmpi ult, %i, %n : index
    %go = scf.if %in -> i1 {
      %v = memref.load %a[%i] : memref<8xi32>
      %w = arith.muli %v, %v : i32
      %c = arith.cmpi ne, %w, %k : i32
      scf.yield %c : i1
    } else {
      scf.yield %no : i1
    }
    scf.condition(%go) %i : index
  } do {
  ^bb0(%i: index):
    %j = arith.addi %i, %1 : index
    scf.yield %j : index
  }
  return %s : index
}"""


def slots_of(text: str) -> list[int]:
    """The slots of each buffer of the circuit with its idle logic."""
    netlist = compile_text(text, "k.mlir", options=Options(lean="off")).netlist
    shapes = [netlist.shape_by_unit[u.name] for u in netlist.units if "slots" in u.attributes]
    return [shape.integer("slots") for shape in shapes]


def test_a_side_that_ends_the_loop_has_no_short_iterations(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No slot waits for an iteration that the short side of the test does not make."""
    slots = slots_of(END)
    monkeypatch.setattr(shortest_iteration, "CONDITION", None)
    assert sum(slots) < sum(slots_of(END))
