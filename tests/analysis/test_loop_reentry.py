"""An entry of a loop that waits for the memory of the one before waits for nothing else."""

from __future__ import annotations

from typing import Literal

import pytest

from loom.analysis.schedule.buffers import TokenRate
from loom.analysis.schedule.event_graph import EventGraph
from loom.analysis.schedule.outer_iterations import max_trip_count
from loom.analysis.schedule.plan_buffers import plan_buffers
from loom.dialects.ops.dataflow import StreamOp
from loom.front.api import compile_text
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from loom.model.timed.simulate import run_timed
from tests.analysis.test_buffers import graph_of

pytestmark = pytest.mark.usefixtures("no_clock_period")

# Products are ahead of the sums, which wait for those of the entry before.
SUMS = """func.func @f(%a: memref<4x8xi32>, %s: memref<8xi32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %m = arith.constant 4 : index
  %n = arith.constant 8 : index
  scf.for %i = %0 to %m step %1 {
    scf.for %j = %0 to %n step %1 {
      %v = memref.load %a[%i, %j] : memref<4x8xi32>
      %p = arith.muli %v, %v : i32
      %x = memref.load %s[%j] : memref<8xi32>
      %y = arith.addi %x, %p : i32
      memref.store %y, %s[%j] : memref<8xi32>
    }
  }
  return
}"""
# The token of an entry passes the test of the inner loop once more, and past all of it if no turn
# is made.
ROWS = """func.func @f(%n: index, %s: memref<8xi32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.for %i = %0 to %n step %1 {
    scf.for %j = %0 to %i step %1 {
      %x = memref.load %s[%j] : memref<8xi32>
      %y = arith.addi %x, %x : i32
      memref.store %y, %s[%j] : memref<8xi32>
    }
  }
  return
}"""
# Two loads of a turn share a port: the second one has a product behind it.
PORT = """func.func @f(%s: memref<16xi32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %m = arith.constant 4 : index
  %n = arith.constant 8 : index
  scf.for %i = %0 to %m step %1 {
    scf.for %j = %0 to %n step %1 {
      %x = memref.load %s[%j] : memref<16xi32>
      %k = arith.addi %j, %i : index
      %v = memref.load %s[%k] : memref<16xi32>
      %p = arith.muli %v, %v : i32
      %y = arith.subi %x, %p : i32
      memref.store %y, %s[%j] : memref<16xi32>
    }
  }
  return
}"""
NESTS: dict[str, tuple[str, Activation, list[int]]] = {
    # An entry: its iterations, and the cycle from a store to its done token.
    "sums": (SUMS, Activation({"a": list(range(32)), "s": [0] * 8}), [4 * (8 + 1) + 3] * 2),
    # Eight entries: each its iterations, and the test that ends it.
    "rows": (ROWS, Activation({"n": 8, "s": list(range(1, 9))}), [28 + 8 + 1] * 2),
    # Two loads an iteration, and two cycles between entries.
    "port": (PORT, Activation({"s": list(range(16))}), [4 * (2 * 8 + 2)] * 2),
}
"""A kernel, its inputs, the cycles of two runs by tokens."""


@pytest.mark.parametrize("buffers", ["fast", "optimal"])
@pytest.mark.parametrize("name", NESTS)
def test_an_entry_waits_for_memory_alone(name: str, buffers: Literal["fast", "optimal"]) -> None:
    text, given, cycles = NESTS[name]
    options = Options(buffers=buffers, memory_order="tokens")
    circuit = compile_text(text, "k.mlir", options=options)
    report = compare_models(circuit.source, "f", circuit.netlist, [given] * 2, max_cycles=10_000)
    assert report.differences == ()
    assert [run.cycles for run in run_timed(circuit.netlist, [given] * 2)] == cycles


@pytest.mark.parametrize(("name", "cycles"), [("sums", 4 * 8 + 4), ("port", 4 * 2 * 8 + 3)])
def test_an_entry_waits_for_no_other_place(name: str, cycles: int) -> None:
    """By comparators an entry begins in the cycle after the last one, before stores are done."""
    text, given, _ = NESTS[name]
    circuit = compile_text(text, "k.mlir")
    report = compare_models(circuit.source, "f", circuit.netlist, [given] * 2, max_cycles=10_000)
    assert report.differences == ()
    assert [run.cycles for run in run_timed(circuit.netlist, [given] * 2)] == [cycles] * 2


# An inner loop that is given, in every turn, what leaves it: no program says that.
OWN_END = """
  %o1, %o2, %o3 = handshake.fork [3] %around : i1
  %outer = dataflow.carry %o1, %a, %back : i1, i8, i8 -> i8
  %goes, %ends = handshake.cond_br %o2, %outer : i8
  %inner = dataflow.carry %c1, %goes, %next : i1, i8, i8 -> i8
  %i1, %i2 = handshake.fork [2] %inner : i8
  %zero = handshake.constant %start {value = 0 : i8} : i8
  %test = arith.cmpi eq, %i1, %zero : i8
  %c1, %c2, %c3 = handshake.fork [3] %test : i1
  %stays, %leaves = handshake.cond_br %c2, %i2 : i8
  %left, %back, %asked = handshake.fork [3] %leaves : i8
  %again = dataflow.replicate %c3, %left : i1, i8 -> i8
  %next = arith.addi %stays, %again : i8
  %one = handshake.constant %start {value = 1 : i8} : i8
  %around = arith.cmpi eq, %asked, %one : i8"""


def test_a_graph_that_waits_for_its_own_end_has_its_cycles_cut() -> None:
    found = plan_buffers(EventGraph(graph_of(OWN_END, "%a: i8", "%ends : i8"), 64, {}))
    assert sum(cut.registered for cut in found.values()) > 0


PACES = {
    "one a cycle": (TokenRate(1), 3, 4),
    "one in two cycles": (TokenRate(2), 4, 3),
    "more than an entry has": (TokenRate(1, 8, 50), 20, 8),
    "less than an entry has": (TokenRate(1, 8, 50), 3, 4),
    "two entries": (TokenRate(1, 8, 50), 70, 16),
}
"""How tokens come, how long one waits [cycles], and the slots that this takes."""


@pytest.mark.parametrize("name", PACES)
def test_slots_are_for_the_tokens_that_there_are(name: str) -> None:
    pace, stay, slots = PACES[name]
    assert pace.tokens(stay) == slots


STREAMS: dict[str, tuple[int | None, int, int | None, int]] = {
    "constants": (2, 1, 7, 5),
    "by steps": (0, 3, 7, 3),
    "downwards": (7, -2, 0, 4),
    "to a bound that is not known": (3, 1, None, 5),
    "from a start that is not known": (None, 1, 2, 10),
    "of no known bounds": (None, 1, None, 8),
}
"""Start, step and bound in four bits, None for an argument; the turns at most."""


@pytest.mark.parametrize("name", STREAMS)
def test_constants_and_width_limit_the_turns(name: str) -> None:
    start, step, bound, turns = STREAMS[name]
    numbers = {"from": start, "step": step, "bound": bound}
    known = [
        f"%{key} = handshake.constant %start {{value = {number} : i4}} : i4"
        for key, number in numbers.items()
        if number is not None
    ]
    uses = [f"%{key}" if number is not None else "%n" for key, number in numbers.items()]
    stream = f'%i, %c = dataflow.stream {", ".join(uses)} {{step_op = "+="}} : i4, i4, i4'
    block = graph_of("\n".join([*known, stream]), "%n: i4", "%i : i4")
    (found,) = (op for op in block.ops if isinstance(op, StreamOp))
    assert max_trip_count(found.cont, 64) == turns
