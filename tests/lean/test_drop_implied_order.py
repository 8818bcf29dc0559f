"""An access waits for no load whose datum it waits for, and for every other one."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from loom.analysis.balance.invariants import check_invariants
from loom.analysis.order import waits_for_datum
from loom.front.api import check_request, compile_text
from loom.front.request import Request
from loom.lower.lean import drop_implied_order
from loom.lower.options import Options
from tests.lean.bodies import BODY, compiled, differences, guarded

LOOP = """%eight = arith.constant 8 : index
  %four = arith.constant 4 : i8
  scf.for %i = %0 to %eight step %1 {{
    {}
  }}
  return %k : i8"""
SUM = "%v = memref.load %a[%i] : memref<8xi8>\n    %y = arith.addi %v, %k : i8\n    "
USED = "memref.store %y, %b[%i] : memref<8xi8>\n    "
STORE = "memref.store {}, %a[%i] : memref<8xi8>"
IF = "scf.if %c {{\n      {}\n    }}"
DARK = SUM + "%c = arith.cmpi ult, %y, %four : i8\n    "
AT_DATUM = SUM.replace("%a", "%b") + (
    "%m = arith.andi %v, %four : i8\n    %j = arith.index_castui %m : i8 to index\n    "
)
ACCESSES: Mapping[str, tuple[str, int]] = {
    "a store of what was loaded": (SUM + STORE.format("%y"), 0),
    "a store of another value": (SUM + USED + STORE.format("%k"), 1),
    "a store under a condition on the datum": (DARK + IF.format(STORE.format("%k")), 0),
    "a store under another condition": (
        SUM + USED + "%c = arith.cmpi ult, %k, %four : i8\n    " + IF.format(STORE.format("%k")),
        1,
    ),
    "a store at an address that was loaded": (
        AT_DATUM + "memref.store %k, %b[%j] : memref<8xi8>",
        1,
    ),
    "a load of what was stored at an address that was loaded": (
        AT_DATUM
        + "%w = memref.load %a[%j] : memref<8xi8>\n    %x = arith.addi %w, %v : i8\n    "
        + "memref.store %x, %a[%j] : memref<8xi8>",
        1,
    ),
    "a store in a loop under a condition on the datum": (
        DARK
        + IF.format(
            "scf.for %j = %0 to %eight step %1 {\n        "
            + STORE.format("%k").replace("%i", "%j")
            + "\n      }"
        ),
        1,
    ),
}
"""The loop's body, and how many accesses keep a unit that waits for a control token.

The load of an element that a store of an earlier iteration may have written keeps its own.
"""


@pytest.mark.parametrize("name", ACCESSES)
def test_an_access_waits_for_the_loads_whose_data_it_does_not_wait_for(name: str) -> None:
    text = LOOP.format(ACCESSES[name][0])
    circuit = compiled(text)
    assert guarded(circuit) == ACCESSES[name][1]
    assert check_invariants(circuit.netlist).problems("f.mlir") == []
    assert differences(circuit) == set()
    assert check_request(Request(BODY.format(text), "f.mlir")).kind == "program"


def always(*_: object) -> bool:
    """Planted: every access comes after every load."""
    return True


def test_an_order_that_is_needed_and_dropped_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waits_for_datum.Datum, "precedes", always)
    circuit = compiled(LOOP.format(ACCESSES["a store of another value"][0]))
    assert guarded(circuit) == 0
    assert differences(circuit) != set()


TWO_LOADS = """func.func @f(%a: memref<8xi8>, %i: index, %j: index, %k: i8) -> (i8, i8) {
  %four = arith.constant 4 : i8
  %u = memref.load %a[%i] : memref<8xi8>
  %v = memref.load %a[%j] : memref<8xi8>
  %c = arith.cmpi ult, %v, %four : i8
  scf.if %c {
    memref.store %k, %a[%j] : memref<8xi8>
  }
  %w = memref.load %a[%i] : memref<8xi8>
  return %u, %w : i8, i8
}"""


def balance_of_two_loads() -> tuple[str, int]:
    """The verdict on the balance of a store in a branch after two loads, and the units."""
    netlist = compile_text(TWO_LOADS, "f.mlir", options=Options(clock_period=None)).netlist
    return check_invariants(netlist).balance, len(netlist.units)


def test_a_token_of_two_loads_stays_whole_in_a_branch(monkeypatch: pytest.MonkeyPatch) -> None:
    """The condition implies one of them; a token of the other alone took more units to hand on."""
    verdict, units = balance_of_two_loads()
    assert verdict == "proved"
    monkeypatch.setattr(drop_implied_order, "is_made_beside", always)
    taken_apart, more = balance_of_two_loads()
    assert taken_apart == "refuted" and more > units
