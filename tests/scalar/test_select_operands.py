"""What a loop carries passes one operation; the select stands before its other operand."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import SSAValue

from loom.front.circuit import Circuit
from loom.lower.scalar import select_operands
from loom.lower.scalar.arith_builder import Arithmetic
from tests.lean.bodies import compiled, differences

LOOP = """%one = arith.constant 1 : i8
  %eight = arith.constant 8 : index
  %s = scf.for %i = %0 to %eight step %1 iter_args(%x = %k) -> (i8) {{
    %v = memref.load %b[%i] : memref<8xi8>
    %four = arith.constant 4 : i8
    %c = arith.cmpi ult, {}, %four : i8
    %y = {}
    %r = arith.select %c, {} : i8
    scf.yield %r : i8
  }}
  return %s : i8"""
ROWS: Mapping[str, tuple[str, bool]] = {
    "a count": (LOOP.format("%v", "arith.addi %x, %one : i8", "%y, %x"), True),
    "a count of the others": (LOOP.format("%v", "arith.addi %x, %one : i8", "%x, %y"), True),
    "a sum": (LOOP.format("%v", "arith.addi %v, %x : i8", "%y, %x"), True),
    "a difference": (LOOP.format("%v", "arith.subi %x, %v : i8", "%x, %y"), True),
    "bits": (LOOP.format("%v", "arith.xori %x, %v : i8", "%y, %x"), True),
    "a difference the other way": (LOOP.format("%v", "arith.subi %v, %x : i8", "%y, %x"), False),
    "a conjunction": (LOOP.format("%v", "arith.andi %x, %v : i8", "%y, %x"), False),
    "a condition on what is carried": (
        LOOP.format("%x", "arith.addi %x, %v : i8", "%y, %x"),
        False,
    ),
}
"""The body, and whether the operation comes last."""


def comes_last(circuit: Circuit) -> bool:
    """True if what the loop carries is no select's result."""
    netlist = circuit.netlist
    if any(unit.operator.name == "dataflow.accumulate" for unit in netlist.units):
        return True
    (loop,) = (u for u in netlist.units if u.operator.name == "dataflow.carry")
    carried = netlist.inputs_of(loop)[2]
    while (unit := netlist.unit_by_name[carried.source.unit]).operator.name in (
        "handshake.buffer",
        "handshake.fork",
        "handshake.cond_br",
    ):
        carried = netlist.inputs_of(unit)[-1]
    return unit.operator.name != "arith.select"


@pytest.mark.parametrize("name", ROWS)
def test_the_select_stands_before_the_operation(name: str) -> None:
    body, last = ROWS[name]
    circuit = compiled(body)
    assert comes_last(circuit) == last
    assert differences(circuit) == set()


def test_an_operand_that_is_not_neutral_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def one(
        make: Arithmetic,
        condition: SSAValue,
        value: SSAValue,
        type_: IntegerType | IndexType,
        *_: bool,
    ) -> SSAValue:
        """Planted: the operand whatever the condition is."""
        return value

    monkeypatch.setattr(select_operands, "neutral_or", one)
    assert differences(compiled(ROWS["a sum"][0])) != set()
