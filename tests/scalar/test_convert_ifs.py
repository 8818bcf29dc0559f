"""If-conversion: what is cheap to compute is selected, what is not stays in its branch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest
from xdsl.dialects.scf import IfOp
from xdsl.ir import SSAValue

from loom.front.circuit import Circuit
from loom.lower.scalar import convert_ifs
from tests.lean.bodies import compiled, differences

IF = """%v = memref.load %b[%1] : memref<8xi8>
  %c = arith.cmpi ult, %v, %k : i8
  %r = scf.if %c -> (i8) {{
    {}
    scf.yield %x : i8
  }} else {{
    %y = arith.subi %k, %v : i8
    scf.yield %y : i8
  }}
  return %r : i8"""
ROWS: Mapping[str, tuple[str, int, int]] = {
    "a sum": (IF.format("%x = arith.addi %v, %k : i8"), 1, 0),
    "a sum of a sum": (
        IF.format("%w = arith.addi %v, %k : i8\n    %x = arith.xori %w, %k : i8"),
        1,
        0,
    ),
    "an element": (IF.format("%x = memref.load %a[%1] : memref<8xi8>"), 0, 1),
    "a product, which takes cycles": (IF.format("%x = arith.muli %v, %k : i8"), 0, 1),
    "a quotient, which may be undefined": (IF.format("%x = arith.divui %v, %k : i8"), 0, 1),
    "a shift, which may be undefined": (
        IF.format("%w = arith.andi %v, %k : i8\n    %x = arith.shrui %k, %w : i8").replace(
            "ult, %v, %k", "ult, %v, %z"
        ),
        0,
        1,
    ),
    "a shift by a constant": (
        IF.format("%w = arith.constant 3 : i8\n    %x = arith.shli %v, %w : i8"),
        1,
        0,
    ),
    "a shift by an amount that is proved to be defined": (
        IF.format(
            "%seven = arith.constant 7 : i8\n    %w = arith.andi %v, %seven : i8\n"
            "    %x = arith.shli %k, %w : i8"
        ),
        1,
        0,
    ),
    "a shift by an amount that may be the width": (
        IF.format(
            "%eight = arith.constant 8 : i8\n    %w = arith.minui %v, %eight : i8\n"
            "    %x = arith.shli %k, %w : i8"
        ).replace("ult, %v, %k", "ult, %v, %z"),
        0,
        1,
    ),
    "nothing": (IF.format("%x = arith.subi %k, %v : i8"), 0, 0),
    "a sum beside a store": (
        IF.format("memref.store %k, %a[%1] : memref<8xi8>\n    %x = arith.addi %v, %k : i8"),
        1,
        1,
    ),
    "more than is worth it": (
        IF.format(
            "%w0 = arith.addi %v, %k : i8\n    "
            + "\n    ".join(
                f"%w{n} = arith.{'xori' if n % 2 else 'addi'} %w{n - 1}, %v : i8"
                for n in range(1, 8)
            )
            + "\n    %x = arith.xori %w7, %k : i8"
        ),
        0,
        1,
    ),
}
"""The body, and how many selects and muxes the circuit has."""


def units(circuit: Circuit) -> Counter[str]:
    """How many units of each operator there are."""
    return Counter(unit.operator.name for unit in circuit.netlist.units)


@pytest.mark.parametrize("name", ROWS)
def test_values_without_latency_are_selected(name: str) -> None:
    body, selects, muxes = ROWS[name]
    circuit = compiled(body)
    found = units(circuit)
    assert (found["arith.select"], found["handshake.mux"]) == (selects, muxes)
    assert differences(circuit) == set()


def test_the_value_of_the_other_side_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    select_one = convert_ifs.select_one

    def swapped(branch: IfOp, chosen: SSAValue, other: SSAValue) -> SSAValue:
        """Planted: the select takes the value of the other side."""
        return select_one(branch, other, chosen)

    monkeypatch.setattr(convert_ifs, "select_one", swapped)
    assert differences(compiled(ROWS["a sum"][0])) != set()


def test_a_shift_that_is_moved_but_undefined_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: every shift is taken for one that is defined; the units of the row differ."""
    body, selects, muxes = ROWS["a shift by an amount that may be the width"]
    monkeypatch.setattr(convert_ifs, "is_defined", lambda *_: True)
    found = units(compiled(body))
    assert (found["arith.select"], found["handshake.mux"]) != (selects, muxes)
