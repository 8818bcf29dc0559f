"""An access starts with its address where its control token orders nothing, never before start."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from loom.analysis.balance.invariants import check_invariants
from loom.front.api import check_request
from loom.front.request import Request
from loom.lower.lean import drop_idle_control
from tests.lean.bodies import BODY, compiled, differences, guarded

pytestmark = pytest.mark.usefixtures("no_clock_period")

LOOP = """%s = scf.for %i = %0 to %n step %1 iter_args(%x = %z) -> (i8) {
    %v = memref.load %a[%i] : memref<8xi8>
    %y = arith.addi %x, %v : i8
    scf.yield %y : i8
  }
  return %s : i8"""
RUNNING = LOOP.replace("    scf.yield", "    memref.store %y, %b[%i] : memref<8xi8>\n    scf.yield")
ARGUMENT = "%s = memref.load %a[%n] : memref<8xi8>\n  return %s : i8"
CONSTANT = ARGUMENT.replace("%n", "%1")
STORE = "memref.store %k, %a[%n] : memref<8xi8>\n  return %k : i8"
INDIRECT = """%w = memref.load %b[%n] : memref<8xi8>
  %j = arith.index_castui %w : i8 to index
  %s = memref.load %a[%j] : memref<8xi8>
  return %s : i8"""
COPY = """%v = memref.load %a[%0] : memref<8xi8>
  memref.store %v, %a[%1] : memref<8xi8>
  return %k : i8"""
IN_ORDER = """%one = arith.constant 1 : i8
  %eight = arith.constant 8 : index
  scf.for %i = %0 to %eight step %1 {
    %w = memref.load %b[%i] : memref<8xi8>
    %m = arith.andi %w, %one : i8
    %j = arith.index_castui %m : i8 to index
    %v = memref.load %a[%j] : memref<8xi8>
    %y = arith.addi %v, %k : i8
    memref.store %y, %a[%j] : memref<8xi8>
  }
  return %k : i8"""
WHILE = """%s = scf.while (%i = %n) : (index) -> index {
    %v = memref.load %a[%i] : memref<8xi8>
    %w = arith.index_castui %v : i8 to index
    %c = arith.cmpi ugt, %w, %i : index
    scf.condition(%c) %w : index
  } do {
  ^bb0(%i: index):
    scf.yield %i : index
  }
  %r = arith.index_cast %s : index to i8
  return %r : i8"""
FROM_ZERO = WHILE.replace("(%i = %n)", "(%i = %0)")
ACCESSES: Mapping[str, tuple[str, int]] = {
    "an index of a loop": (LOOP, 0),
    "a load and a store at an index of a loop": (RUNNING, 0),
    "a constant": (CONSTANT, 0),
    "an argument": (ARGUMENT, 1),
    "address and datum from arguments": (STORE, 1),
    "an element at an argument, and one at that element": (INDIRECT, 1),
    "a store of what its memory gives": (COPY, 0),
    "loads that wait for stores": (IN_ORDER, 1),
    "what a loop carries from an argument": (WHILE, 1),
    "what a loop carries from a constant": (FROM_ZERO, 0),
}
"""Body, and how many accesses keep a unit that waits for a control token."""


@pytest.mark.parametrize("name", ACCESSES)
def test_an_access_waits_for_control_only_where_it_must(name: str) -> None:
    circuit = compiled(ACCESSES[name][0])
    assert guarded(circuit) == ACCESSES[name][1]
    assert check_invariants(circuit.netlist).problems("f.mlir") == []
    assert differences(circuit) == set()
    text = BODY.format(ACCESSES[name][0])
    assert check_request(Request(text, "f.mlir")).kind == "program"


def never(*_: object) -> bool:
    """Planted: no control token ever orders anything."""
    return False


def every_value(block: drop_idle_control.Block) -> set[object]:
    """Planted: every value comes after the start token."""
    return {value for unit in block.ops for value in unit.results} | {*block.args}


UNGUARDED = "with 0 accesses; LOOM accepts one memory port an access"
FAULTS: Mapping[str, tuple[str, Callable[..., object]]] = {
    "an argument": ("values_after_start", every_value),
    "address and datum from arguments": ("values_after_start", every_value),
    "what a loop carries from an argument": ("values_after_start", every_value),
}


@pytest.mark.parametrize("name", FAULTS)
def test_an_access_that_may_run_before_the_start_is_reported(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drop_idle_control, *FAULTS[name])
    circuit = compiled(ACCESSES[name][0])
    assert guarded(circuit) == 0
    (problem,) = check_invariants(circuit.netlist).problems("f.mlir")
    assert problem.code == "NETLIST_ACCESS"
    assert UNGUARDED in str(problem)


def test_an_order_that_is_needed_and_dropped_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drop_idle_control, "waits_for_access", never)
    circuit = compiled(IN_ORDER)
    assert guarded(circuit) == 0
    assert differences(circuit) != set()


def test_the_graph_with_idle_logic_is_held_to_its_control_tokens() -> None:
    netlist = compiled(LOOP).netlist
    problems = check_invariants(netlist, lean=False).problems("f.mlir")
    assert {problem.code for problem in problems} == {"NETLIST_ACCESS", "NETLIST_RETURN"}
