"""A reduction is one unit where nothing else reads its total, with the same results and cycles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from loom.analysis.balance.after_start import channels_after_start
from loom.dialects.ops.dataflow import AccumulateOp
from loom.front.api import check_request, compile_text
from loom.front.circuit import Circuit
from loom.front.request import Request
from loom.lower.lean import build_accumulators
from loom.lower.options import Options
from tests.lean.bodies import BODY, compiled, differences
from tests.support.netlists import NetlistBuilder
from tests.support.refusals import refusal

LOOP = """%s = scf.for %i = %0 to {bound} step %1 iter_args(%x = {first}) -> (i8) {{
    %v = memref.load %a[%i] : memref<8xi8>
    {body}
    scf.yield %y : i8
  }}
  return %s : i8"""


def loop(body: str, bound: str = "%n", first: str = "%z") -> str:
    """A loop that carries %x, with %v loaded; it ends with %y."""
    return LOOP.format(body=body, bound=bound, first=first)


ADD = "%y = arith.addi %x, %v : i8"
NEST = """%e = arith.constant 5 : index
  %s = scf.for %j = %0 to %n step %1 iter_args(%w = %z) -> (i8) {
    %r = scf.for %i = %0 to %e step %1 iter_args(%x = %w) -> (i8) {
      %v = memref.load %a[%i] : memref<8xi8>
      %y = arith.addi %x, %v : i8
      scf.yield %y : i8
    }
    scf.yield %r : i8
  }
  return %s : i8"""
CONSTANTS = "%d = arith.constant 3 : i8\n%q = arith.constant 4 : i8\n"
BUILT: Mapping[str, str] = {
    "a loop that may not run": loop(ADD),
    "a loop that runs": f"%e = arith.constant 6 : index\n  {loop(ADD, '%e')}",
    "an initial value that is a token": loop(ADD, first="%k"),
    "a difference": loop("%y = arith.subi %x, %v : i8"),
    "the total on the right": loop("%y = arith.xori %v, %x : i8"),
    "a maximum": loop("%y = arith.maxsi %x, %v : i8"),
    "two in a row": loop("%u = arith.addi %x, %v : i8\n    %y = arith.addi %k, %u : i8"),
    "constants in a row": CONSTANTS
    + loop("%u = arith.addi %x, %d : i8\n%y = arith.addi %u, %d : i8"),
    "masks in a row": CONSTANTS + loop("%u = arith.ori %d, %x : i8\n%y = arith.ori %u, %q : i8"),
    "constants around": CONSTANTS
    + loop("%u = arith.addi %x, %d : i8\n%w = arith.addi %u, %v : i8\n%y = arith.addi %w, %q : i8"),
    "an inner loop": NEST,
}
"""Bodies with a reduction that becomes one unit."""
LEFT: Mapping[str, str] = {
    "a total that is stored": loop(f"{ADD}\n    memref.store %x, %b[%i] : memref<8xi8>"),
    "a next total that is stored": loop(f"{ADD}\n    memref.store %y, %b[%i] : memref<8xi8>"),
    "a difference the other way": loop("%y = arith.subi %v, %x : i8"),
    "two operators": loop("%u = arith.addi %x, %v : i8\n    %y = arith.xori %u, %v : i8"),
    "differences in a row": loop("%u = arith.subi %x, %v : i8\n    %y = arith.subi %u, %k : i8"),
    "the total twice": loop("%y = arith.addi %x, %x : i8"),
    "a product": loop("%y = arith.muli %x, %v : i8"),
}
"""Bodies whose total is carried as any value."""


def accumulators(circuit: Circuit) -> int:
    """How many reductions are one unit."""
    return sum(u.operator.name == "dataflow.accumulate" for u in circuit.netlist.units)


@pytest.mark.parametrize("name", BUILT)
def test_a_reduction_is_one_unit(name: str) -> None:
    circuit = compiled(BUILT[name])
    assert accumulators(circuit) == 1
    check_request(Request(BODY.format(BUILT[name]), "f.mlir"))
    assert differences(circuit) == set()


@pytest.mark.parametrize("name", LEFT)
def test_what_else_reads_the_total_keeps_the_carry(name: str) -> None:
    circuit = compiled(LEFT[name])
    assert accumulators(circuit) == 0
    assert differences(circuit) == set()


def test_an_operator_that_is_too_slow_for_the_period_keeps_the_carry(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = BODY.format(BUILT["a loop that may not run"])
    monkeypatch.setattr(build_accumulators, "SHARE", 0.1)
    without, within = (
        compile_text(text, "f.mlir", options=Options(clock_period=period)) for period in (None, 10)
    )
    assert (accumulators(without), accumulators(within)) == (1, 0)
    assert differences(within) == set()


def test_a_loop_that_may_not_run_built_as_one_that_does_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    build = AccumulateOp.__init__

    def rotated(unit: AccumulateOp, *given: Any) -> None:
        """Planted: the false comes with an operand."""
        build(unit, *given[:-1], rotated=True)

    monkeypatch.setattr(AccumulateOp, "__init__", rotated)
    assert differences(compiled(BUILT["a loop that may not run"])) != set()


def test_brackets_that_matter_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    more = build_accumulators.ASSOCIATIVE | {"subi"}
    monkeypatch.setattr(build_accumulators, "ASSOCIATIVE", more)
    circuit = compiled(LEFT["differences in a row"])
    assert accumulators(circuit) == 1
    assert differences(circuit) != set()


GRAPH = """handshake.func @f(%a: memref<8xi8>, %n: index, %start: none, ...) -> (i8, none) {{
  %z = arith.constant 0 : i8
  %one = arith.constant 1 : index
  %s:3 = handshake.fork [3] %start : none
  %first = handshake.constant %s#0 {{value = 0 : index}} : index
  %i, %more = dataflow.stream %first, %one, %n {{{rotated}}}
  %m:2 = handshake.fork [2] %more : i1
  {address}
  %v, %d = handshake.extmemory [ld = 1, st = 0] (%a : memref<8xi8>) (%j) : (index) -> (i8, none)
  handshake.sink %d : none
  %t = dataflow.accumulate %m#1, %z, %v {{operator = "addi"{comma}{rotated}}} : i8
  {end}
}}"""
ADDRESS = {
    "rotated": "handshake.sink %m#0 : i1",
    "": "%j, %past = handshake.cond_br %m#0, %i : index\n  handshake.sink %past : index",
}
AWAITED = """handshake.sink %s#1 : none
  handshake.sink %s#2 : none
  %u:2 = handshake.fork [2] %t : i8
  %done = handshake.join %u#0 : i8
  handshake.return %u#1, %done : i8, none"""
NOT_AWAITED = """handshake.sink %t : i8
  %r = handshake.constant %s#1 {value = 3 : i8} : i8
  handshake.return %r, %s#2 : i8, none"""


def graph(rotated: str, end: str) -> Request:
    """A sum of loaded elements as a graph, and what the return waits for."""
    text = GRAPH.format(
        rotated=rotated, comma=", " * bool(rotated), address=ADDRESS[rotated], end=end
    )
    return Request(text.replace("(%j)", "(%i)") if rotated else text, "f.mlir")


@pytest.mark.parametrize("rotated", ["rotated", ""])
def test_a_return_that_does_not_wait_for_the_total_is_reported(rotated: str) -> None:
    check_request(graph(rotated, AWAITED))
    assert "for which the return does not wait" in refusal(
        check_request, graph(rotated, NOT_AWAITED)
    )


@pytest.mark.parametrize("rotated", [True, False])
def test_a_total_comes_after_what_it_always_takes(rotated: bool) -> None:
    """Without an iteration it waits for no operand, so it may be there before the start."""
    builder = NetlistBuilder()
    for name, type_ in (("start", "none"), ("more", "i1"), ("first", "i8")):
        builder.port("input", name, type_)
    builder.port("output", "result", "i8")
    builder.unit("three", "handshake.constant", value=3)
    builder.unit("sum", "dataflow.accumulate", operator="addi", rotated=rotated)
    builder.connect("%start", "three.ctrl", "none")
    builder.connect("three.result", "sum.operand", "i8")
    builder.connect("%more", "sum.cond", "i1")
    builder.connect("%first", "sum.initial", "i8")
    builder.connect("sum.result", "%result", "i8", "total")
    assert ("total" in channels_after_start(builder.build())) is rotated


EXTREME = """func.func @f(%n: index, %a: i2) -> i2 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 1 : i2
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a) -> i2 {
    %m = arith.maxsi %s, %k : i2
    scf.yield %m : i2
  }
  return %r : i2
}"""


def test_a_constant_that_no_accumulator_takes_stays_with_its_operator(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The greatest number of two bits: an accumulator that has it is no valid unit."""
    assert not any(unit.operator.name == AccumulateOp.name
                   for unit in compile_text(EXTREME).netlist.units)  # fmt: skip
    monkeypatch.setattr(build_accumulators, "takes_operand", lambda *_: True)
    with pytest.raises(AssertionError, match="NETLIST_TYPE"):
        compile_text(EXTREME)
