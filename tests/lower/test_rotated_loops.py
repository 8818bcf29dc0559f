"""Loops that are known to run are rotated: n turns take n tests and n cycles, also in nests."""

from __future__ import annotations

import itertools

import pytest
from xdsl.dialects import scf

from loom.dialects.facts.loop_attributes import NONZERO_TRIP
from loom.front.api import compile_text
from loom.frontend.mlir.read import parse_module
from loom.lower.loops.guard_loops import guard_loops
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from loom.model.timed.simulate import run_timed
from tests.model.test_program_meets_model import POLICIES, ZeroTrip

pytestmark = pytest.mark.usefixtures("no_clock_period")

HEAD = """func.func @f(%n: i8, %m: i8) -> i8 {
  %0 = arith.constant 0 : i8
  %1 = arith.constant 1 : i8
  %2 = arith.constant 2 : i8
  %4 = arith.constant 4 : i8
  %last = arith.constant 127 : i8
  %least = arith.constant -128 : i8
"""
TURN = "%y = arith.addi %x, %i : i8 scf.yield %y : i8 }"


def loop(bounds: str, start: str = "%0", word: str = "") -> str:
    """A loop that sums its variable."""
    return f"%s = scf.for {word}%i = {bounds} iter_args(%x = {start}) -> i8 : i8 {{ {TURN}"


def within(head: str, bounds: str, word: str = "") -> str:
    """The loop in another one of variable %j."""
    inner = loop(bounds, "%w", word)
    return f"{head} iter_args(%w = %0) -> i8 : i8 {{ {inner} scf.yield %s : i8 }}"


def under(test: str, bounds: str, word: str = "", otherwise: bool = False) -> str:
    """The loop on a side of a branch."""
    sides = [f"{loop(bounds, word=word)} scf.yield %s : i8", "scf.yield %m : i8"]
    taken, other = reversed(sides) if otherwise else sides
    return f"%c = arith.cmpi {test} : i8 %q = scf.if %c -> i8 {{ {taken} }} else {{ {other} }}"


PROGRAMS: dict[str, tuple[str, str, tuple[bool, ...]]] = {
    "constants": (loop("%0 to %4 step %1"), "%s", (True,)),
    "one turn": (loop("%2 to %4 step %4"), "%s", (True,)),
    "up to the last number": (loop("%2 to %last step %4"), "%s", (True,)),
    "no turn": (loop("%4 to %2 step %1"), "%s", (False,)),
    "equal bounds": (loop("%4 to %4 step %1"), "%s", (False,)),
    "unsigned, no turn": (loop("%least to %4 step %1", word="unsigned "), "%s", (False,)),
    "signed": (loop("%least to %4 step %4"), "%s", (True,)),
    "an argument": (loop("%0 to %n step %1"), "%s", (False,)),
    "a range": ("%k = arith.andi %n, %2 : i8 %h = arith.addi %k, %1 : i8 "
                + loop("%0 to %h step %1"), "%s", (True,)),
    "a range that may reach the bound": (
        "%k = arith.andi %n, %4 : i8 " + loop("%k to %4 step %1"), "%s", (False,)),
    "an unsigned range": ("%k = arith.andi %n, %2 : i8 "
                          + loop("%k to %4 step %1", word="unsigned "), "%s", (True,)),
    "a negative range is none unsigned": (
        "%k = arith.ori %n, %least : i8 " + loop("%k to %0 step %last", word="unsigned "),
        "%s", (False,)),
    "the bound of the loop around": (
        within("%r = scf.for %j = %0 to %n step %1", "%0 to %n step %1"), "%r", (False, True)),
    "from below the loop around": (
        within("%r = scf.for %j = %2 to %n step %1", "%0 to %n step %1"), "%r", (False, True)),
    "from above the loop around": (
        within("%r = scf.for %j = %0 to %n step %1", "%1 to %n step %1"), "%r", (False, False)),
    "from the variable around": (
        within("%r = scf.for %j = %0 to %n step %1", "%j to %n step %1"), "%r", (False, True)),
    "up to the variable around": (
        within("%r = scf.for %j = %0 to %n step %1", "%0 to %j step %1"), "%r", (False, False)),
    "up to the variable around, which is no zero": (
        within("%r = scf.for %j = %1 to %n step %1", "%0 to %j step %1"), "%r", (False, True)),
    "another sign": (
        within("%r = scf.for %j = %m to %n step %1", "%m to %n step %1", "unsigned "),
        "%r", (False, False)),
    "another bound": (
        within("%r = scf.for %j = %0 to %n step %1", "%0 to %m step %1"), "%r", (False, False)),
    "up to less than the loop around": (
        "%k = arith.andi %n, %2 : i8 "
        + within("%r = scf.for %j = %0 to %4 step %1", "%0 to %k step %1"), "%r", (True, False)),
    "under a test": (under("slt, %m, %n", "%m to %n step %4"), "%q", (True,)),
    "under a test the other way round": (under("sgt, %n, %m", "%m to %n step %4"), "%q", (True,)),
    "under a test that lets an empty loop in": (
        under("sle, %m, %n", "%m to %n step %4"), "%q", (False,)),
    "where a test does not hold": (
        under("sge, %m, %n", "%m to %n step %4", otherwise=True), "%q", (True,)),
    "where another test does not hold": (
        under("sle, %n, %m", "%m to %n step %4", otherwise=True), "%q", (True,)),
    "where the test that it needs does not hold": (
        under("slt, %m, %n", "%m to %n step %4", otherwise=True), "%q", (False,)),
    "under an unsigned test": (
        under("ult, %m, %n", "%m to %n step %4", "unsigned "), "%q", (True,)),
    "under an unsigned test the other way round": (
        under("ugt, %n, %m", "%m to %n step %4", "unsigned "), "%q", (True,)),
    "where an unsigned test does not hold": (
        under("uge, %m, %n", "%m to %n step %4", "unsigned ", otherwise=True), "%q", (True,)),
    "where another unsigned test does not hold": (
        under("ule, %n, %m", "%m to %n step %4", "unsigned ", otherwise=True), "%q", (True,)),
    "under a test of the other sign": (under("ult, %m, %n", "%m to %n step %4"), "%q", (False,)),
    "under a test of equality": (under("eq, %m, %n", "%m to %n step %4"), "%q", (False,)),
}  # fmt: skip
VALUES = (0, 1, 2, 3, 5, 120, 127, 128, 200, 255)


def text_of(name: str) -> str:
    body, result, _ = PROGRAMS[name]
    return f"{HEAD}  {body}\n  return {result} : i8\n}}"


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_known_to_run(name: str) -> None:
    module = parse_module(text_of(name), "k.mlir")
    guard_loops(module, Options())
    loops = [each for each in module.walk() if isinstance(each, scf.ForOp)]
    assert tuple(NONZERO_TRIP.is_on(each) for each in loops) == PROGRAMS[name][2]


@pytest.mark.parametrize("zero_trip", POLICIES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_rotated_or_not_it_is_the_program(name: str, zero_trip: ZeroTrip) -> None:
    """Also at the ends of a short type, where the index after the last would wrap round."""
    circuit = compile_text(text_of(name), "k.mlir", options=Options(zero_trip=zero_trip))
    given = [Activation({"n": n, "m": m}) for n, m in itertools.product(VALUES, VALUES)]
    few = [each for each in given if "around" not in name or each.inputs["n"] in (0, 1, 2, 5, 128)]
    report = compare_models(circuit.source, circuit.top, circuit.netlist, few, max_cycles=1_000_000)
    assert report.differences == ()


def test_a_guarded_loop_is_rotated_and_a_raw_one_is_not() -> None:
    text = text_of("an argument")
    assert "rotated" not in compile_text(text, "k.mlir").dfg_text
    assert (
        compile_text(text, "k.mlir", options=Options(zero_trip="guard")).dfg_text.count("rotated")
        >= 1
    )


NEST = """func.func @f(%a: memref<64xi8>, %b: memref<64xi8>) {{
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 4 : index
  %3 = arith.constant 12 : index
  %p = arith.constant {0} : index
  %q = arith.constant {1} : index
  %r = arith.constant {2} : index
  %zero = arith.constant 0 : i8
  scf.for %i = %0 to %p step %1 {{
    scf.for %j = %0 to %q step %1 {{
      %s = scf.for %k = %0 to %r step %1 iter_args(%x = %zero) -> i8 {{
        %l = arith.addi %k, %j : index
        %v = memref.load %a[%l] : memref<64xi8>
        %y = arith.addi %x, %v : i8
        scf.yield %y : i8
      }}
      %t = arith.muli %i, %2 : index
      %w = arith.addi %t, %j : index
      memref.store %s, %b[%w] : memref<64xi8>
    }}
  }}
  return
}}"""


@pytest.mark.parametrize("turns", [(1, 1, 1), (3, 4, 1), (3, 4, 2), (4, 4, 5), (8, 4, 30)])
def test_a_nest_takes_a_cycle_a_turn(turns: tuple[int, int, int]) -> None:
    """Entries follow each other without a cycle between; six cycles are the way through."""
    circuit = compile_text(NEST.format(*turns), "k.mlir")
    words = {"a": list(range(64)), "b": [0] * 64}
    first, second = run_timed(circuit.netlist, [Activation(words)] * 2)
    product = turns[0] * turns[1] * turns[2]
    assert product < first.cycles == second.cycles <= product + 6
