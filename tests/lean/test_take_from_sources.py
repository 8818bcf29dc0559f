"""A token that says nothing comes from a source at its reader, never before the start."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from loom.analysis.balance.invariants import check_invariants
from loom.front.api import check_request
from loom.front.circuit import Circuit
from loom.front.request import Request
from loom.lower.lean import take_from_sources
from tests.lean.bodies import BODY, compiled, differences
from tests.lean.test_drop_idle_control import every_value, never

pytestmark = pytest.mark.usefixtures("no_clock_period")

LOOP = """%eight = arith.constant 8 : index
  scf.for %i = %0 to %eight step %1 {{
    %v = memref.load %b[%i] : memref<8xi8>
    %c = arith.cmpi slt, %v, %k : i8
    scf.if %c {{
      {}
    }}
  }}
  return %k : i8"""
BLACK = LOOP.format("memref.store %z, %a[%i] : memref<8xi8>")
COPIED = LOOP.format("memref.store %v, %a[%i] : memref<8xi8>")
IN_PLACE = LOOP.format("memref.store %z, %b[%i] : memref<8xi8>")
TWICE = LOOP.format("""memref.store %z, %a[%i] : memref<8xi8>
      %j = arith.index_castui %v : i8 to index
      %m = arith.andi %j, %1 : index
      memref.store %k, %a[%m] : memref<8xi8>""")
FILLED = """%eight = arith.constant 8 : index
  scf.for %i = %0 to %eight step %1 {
    memref.store %z, %a[%i] : memref<8xi8>
  }
  return %k : i8"""
ARGUMENT = """%c = arith.cmpi slt, %k, %z : i8
  scf.if %c {
    memref.store %z, %a[%1] : memref<8xi8>
  }
  return %k : i8"""
BODIES: Mapping[str, tuple[str, int]] = {
    "a constant stored under a branch": (BLACK, 2),
    "a datum stored under a branch": (COPIED, 1),
    "a constant stored where its condition was loaded": (IN_PLACE, 2),
    "two stores under a branch that wait for each other": (TWICE, 1),
    "a constant stored in each iteration": (FILLED, 1),
    "a branch by an argument": (ARGUMENT, 1),
}
"""Body, and how many sources its circuit has."""


def sources(circuit: Circuit) -> int:
    return Counter(unit.operator.name for unit in circuit.netlist.units)["handshake.source"]


@pytest.mark.parametrize("name", BODIES)
def test_what_says_nothing_comes_from_a_source(name: str) -> None:
    body, count = BODIES[name]
    circuit = compiled(body)
    assert sources(circuit) == count
    assert check_invariants(circuit.netlist).problems("f.mlir") == []
    assert differences(circuit) == set()
    assert check_request(Request(BODY.format(body), "f.mlir")).kind == "program"


def test_done_tokens_that_say_nothing_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: no control token waits for an access."""
    monkeypatch.setattr(take_from_sources, "waits_for_access", never)
    circuit = compiled(BLACK)
    problems = check_invariants(circuit.netlist).problems("f.mlir")
    assert {problem.code for problem in problems} == {"NETLIST_RETURN"}


def test_a_token_before_the_start_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: every value comes after the start token."""
    monkeypatch.setattr(take_from_sources, "values_after_start", every_value)
    circuit = compiled(ARGUMENT)
    assert sources(circuit) > 1
    problems = check_invariants(circuit.netlist).problems("f.mlir")
    assert "NETLIST_ACCESS" in {problem.code for problem in problems}
