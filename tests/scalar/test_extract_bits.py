"""A bit of a value is selected: `value >> place & 1` is one unit, and gives what the shift gave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from loom.dialects.ops.dataflow import BitOp
from loom.front.circuit import Circuit
from loom.lower.scalar import extract_bits
from tests.lean.bodies import compiled, differences

BODY = """%v = memref.load %b[%1] : memref<8xi8>
  %seven = arith.constant 7 : i8
  %one = arith.constant 1 : i8
  %two = arith.constant 2 : i8
  %p = arith.andi %k, %seven : i8
  {}
  return %r : i8"""
ROWS: Mapping[str, tuple[str, int]] = {
    "the lowest bit": ("%s = arith.shrui %v, %p : i8\n  %r = arith.andi %s, %one : i8", 1),
    "of a signed shift": ("%s = arith.shrsi %v, %p : i8\n  %r = arith.andi %one, %s : i8", 1),
    "in a type of one bit": (
        "%s = arith.shrui %v, %p : i8\n  %t = arith.trunci %s : i8 to i1\n"
        "  %r = arith.extsi %t : i1 to i8",
        1,
    ),
    "two bits": (
        "%three = arith.constant 3 : i8\n  %s = arith.shrui %v, %p : i8\n"
        "  %r = arith.andi %s, %three : i8",
        0,
    ),
    "the second bit": ("%s = arith.shrui %v, %p : i8\n  %r = arith.andi %s, %two : i8", 0),
    "a place that is known": ("%s = arith.shrui %v, %two : i8\n  %r = arith.andi %s, %one : i8", 0),
    "a shift with another reader": (
        "%s = arith.shrui %v, %p : i8\n  %t = arith.andi %s, %one : i8\n"
        "  %r = arith.addi %s, %t : i8",
        0,
    ),
    "a left shift": ("%s = arith.shli %v, %p : i8\n  %r = arith.andi %s, %one : i8", 0),
}
"""What the result is made by, and how many selectors of a bit the circuit has."""


def units(circuit: Circuit) -> Counter[str]:
    """How many units of each operator there are."""
    return Counter(unit.operator.name for unit in circuit.netlist.units)


@pytest.mark.parametrize("name", ROWS)
def test_one_bit_is_selected(name: str) -> None:
    body, bits = ROWS[name]
    circuit = compiled(BODY.format(body))
    found = units(circuit)
    assert found["dataflow.bit"] == bits
    shifts = found["arith.shrui"] + found["arith.shrsi"] + found["arith.shli"]
    assert shifts == 1 - bits
    assert differences(circuit) == set()


def test_the_bit_of_another_value_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the bit of the place at the value."""
    monkeypatch.setattr(extract_bits, "BitOp", lambda value, place: BitOp(place, value))
    body = ROWS["the lowest bit"][0].replace("shrui %v", "shrui %k")
    assert differences(compiled(BODY.format(body))) != set()
