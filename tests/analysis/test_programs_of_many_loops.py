"""Loops in a row over one memory cost the same each, however many there are."""

from __future__ import annotations

from loom.front.api import compile_text
from loom.netlist.netlist import Netlist

HEAD = """func.func @k(%a: memref<64xi32>, %n: index, %t: i32) {
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


def loops_in_a_row(count: int) -> str:
    """A program of so many loops, each of which reads what the one before may have stored."""
    return HEAD + LOOP * count + "  return\n}"


def deepest_fifo(netlist: Netlist) -> int:
    """The most slots of a buffer [tokens]."""
    found = [unit.attributes.get("slots", 0) for unit in netlist.units]
    return max(each for each in found if isinstance(each, int))


def test_the_stream_of_a_late_loop_fills_no_deep_fifos() -> None:
    few, many = (deepest_fifo(compile_text(loops_in_a_row(n), "k.mlir").netlist) for n in (2, 8))
    assert many == few
