"""No unit of a circuit is left whose tokens end in sinks alone; errors are still reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.front.api import compile_text
from loom.netlist.netlist import Netlist
from tests.support.compiled import compile_example
from tests.support.folders import EXAMPLES
from tests.support.netlists import NetlistBuilder

pytestmark = pytest.mark.usefixtures("no_clock_period")
"""These are about programs, not registers: placement for a period has tests of its own."""

DEAD_RESULT = """func.func @f(%m: memref<8xi32>, %n: index) -> i32 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %a, %b = scf.for %i = %0 to %n step %1 iter_args(%x = %z, %y = %z) -> (i32, i32) {
    %v = memref.load %m[%i] : memref<8xi32>
    %p = arith.addi %x, %v : i32
    %q = arith.muli %y, %v : i32
    scf.yield %p, %q : i32, i32
  }
  return %a : i32
}"""
"""The product is carried round the loop and never used."""


def without_effect(netlist: Netlist) -> list[str]:
    """Units all of whose outputs go to sinks."""
    sinks = {unit.name for unit in netlist.units if unit.operator.name == "handshake.sink"}
    return [
        unit.name
        for unit in netlist.units
        if (outputs := netlist.outputs_of(unit))
        and all(channel.target.unit in sinks for channel in outputs)
        and not unit.operator.semantics.error
    ]


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.mlir")), ids=lambda file: file.stem)
def test_every_unit_of_an_example_has_an_effect(file: Path) -> None:
    assert without_effect(compile_example(file).netlist) == []


def test_a_value_that_is_carried_and_never_used_costs_nothing() -> None:
    names = [unit.operator.name for unit in compile_text(DEAD_RESULT, "f.mlir").netlist.units]
    assert "arith.muli" not in names
    assert names.count("dataflow.accumulate") == 1, "the sum, which says that the loads are done"


def test_a_loop_that_can_report_an_error_stays() -> None:
    text = DEAD_RESULT.replace("(%m: memref<8xi32>, %n: index)", "(%n: index, %1: index)")
    text = text.replace("  %1 = arith.constant 1 : index\n", "").replace("return %a", "return %z")
    text = text.replace("%v = memref.load %m[%i] : memref<8xi32>", "%v = arith.constant 3 : i32")
    names = [unit.operator.name for unit in compile_text(text, "f.mlir").netlist.units]
    assert "dataflow.stream" in names
    assert "dataflow.carry" not in names


def test_the_check_sees_a_unit_without_effect() -> None:
    builder = NetlistBuilder()
    for name in ("a", "b"):
        builder.port("input", name, "i8")
    builder.unit("sum", "arith.addi")
    builder.unit("end", "handshake.sink")
    builder.connect("%a", "sum.lhs", "i8")
    builder.connect("%b", "sum.rhs", "i8")
    builder.connect("sum.result", "end.in", "i8")
    assert without_effect(builder.build()) == ["sum"]
