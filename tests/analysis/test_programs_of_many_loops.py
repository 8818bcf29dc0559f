"""Loops in a row over one memory cost the same each, however many there are."""

from __future__ import annotations

from loom.front.api import compile_text
from loom.lower.dataflow.materialize_forks import MOST_LEGS
from loom.lower.options import Options
from loom.netlist.netlist import Netlist
from tests.random_programs import random_program
from tests.random_programs.verdict import judge_by_models, setting_of

HEAD = """func.func @k(%a: memref<64xi32>, %b: memref<64xi32>, %n: index, %t: i32) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
"""
LOOP = """  scf.for %i = %0 to %n step %1 {
    %x = memref.load %a[%i] : memref<64xi32>
    %c = arith.cmpi sgt, %x, %t : i32
    scf.if %c {
      %y = arith.addi %x, %t : i32
      memref.store %y, %a[%i] : memref<64xi32>
    }
  }
"""


APART = Options(clock_period=None, share="off")
"""Loops alike are not rolled into one."""


def loops_in_a_row(count: int) -> str:
    """A program of so many loops, each of which reads what the one before may have stored."""
    return HEAD + LOOP * count + "  return\n}"


def deepest_fifo(netlist: Netlist) -> int:
    """The most slots of a buffer [tokens]."""
    found = [unit.attributes.get("slots", 0) for unit in netlist.units]
    return max(each for each in found if isinstance(each, int))


def test_the_stream_of_a_late_loop_fills_no_deep_fifos() -> None:
    """Without registers for a clock, whose places differ from loop to loop."""
    options = APART
    circuits = [compile_text(loops_in_a_row(n), "k.mlir", options=options) for n in (2, 8)]
    few, many = (deepest_fifo(circuit.netlist) for circuit in circuits)
    assert many == few


NEST = """  scf.for %i = %0 to %16 step %1 {
    scf.for %j = %0 to %16 step %1 {
      %p = arith.addi %i, %j : index
      %x = memref.load %a[%p] : memref<64xi32>
      %y = arith.addi %x, %t : i32
      memref.store %y, %a[%p] : memref<64xi32>
    }
  }
"""


def test_a_late_nest_fills_no_deep_fifos() -> None:
    """Tokens of its outer loop waited for all iterations of the nests before it: 1,561 slots in a
    matrix product. Those of its inner loop wait for the two cycles that each of them adds.
    """
    head = HEAD + "  %16 = arith.constant 16 : index\n"
    texts = [head + NEST * count + "  return\n}" for count in (2, 8)]
    circuits = [compile_text(text, "k.mlir", options=APART) for text in texts]
    few, many = (deepest_fifo(circuit.netlist) for circuit in circuits)
    assert few < many <= few + 2 * (8 - 2)


def requesters(text: str) -> tuple[object, object]:
    """Who requests the ports of the memory a: stores, loads."""
    netlist = compile_text(text, "k.mlir", options=APART).netlist
    (said,) = (u.attributes for u in netlist.units if u.attributes.get("memory") == "a")
    return said.get("store_requesters"), said.get("load_requesters")


def test_loops_that_wait_for_each_other_share_a_requester() -> None:
    assert requesters(loops_in_a_row(3)) == ((0, 0, 0), (0, 0, 0))


def test_accesses_of_one_loop_have_requesters_of_their_own() -> None:
    two = LOOP.replace(
        "    %c =", "    %z = memref.load %a[%0] : memref<64xi32>\n    %c ="
    ).replace("sgt, %x, %t", "sgt, %x, %z")
    assert requesters(HEAD + LOOP + two + "  return\n}") == ((0, 0), (0, 0, 1))


def test_loops_that_only_load_share_nothing() -> None:
    load = LOOP[: LOOP.index("    %c")] + "    memref.store %x, %b[%i] : memref<64xi32>\n  }\n"
    assert requesters(HEAD + load * 3 + "  return\n}") == (None, None)


def test_accesses_inside_of_a_loop_share_nothing() -> None:
    """Iterations of the loop around them overlap."""
    around = "  scf.for %j = %0 to %n step %1 {\n" + LOOP * 2 + "  }\n"
    assert requesters(HEAD + around + "  return\n}") == (None, None)


def test_many_readers_have_a_tree_of_forks() -> None:
    circuit = compile_text(loops_in_a_row(40), "k.mlir", options=APART)
    legs = [
        len(circuit.netlist.outputs_of(unit))
        for unit in circuit.netlist.units
        if unit.operator.name == "handshake.fork"
    ]
    assert 4 < max(legs) <= MOST_LEGS


PERIOD = 10.0
"""Of the circuits whose longest paths are looked at [ns]."""


def test_the_longest_path_does_not_grow_with_the_loops() -> None:
    options = Options(clock_period=PERIOD)
    found = [compile_text(loops_in_a_row(n), "k.mlir", options=options).cost for n in (2, 5)]
    assert all(cost.path is not None and cost.path.delay <= PERIOD for cost in found)
    one, more = found[0].area.luts / 2, found[1].area.luts / 5
    assert more <= 1.1 * one


def test_a_load_that_nothing_needs_leaves_no_gap_among_the_requesters() -> None:
    """A random program whose loads are numbered before some of them are found to be dead."""
    seed = 653
    assert judge_by_models(random_program(seed), setting_of(seed, both=False)).finding is None
