"""A static loop without memories: the unit by which the seam of islands is proved and tested."""

from __future__ import annotations

from functools import cache

from loom.dialects.operators.island_operator import ISLAND
from loom.dialects.operators.operator import Shape
from loom.front.api import compile_text

PROGRAM = """func.func @sums(%n: i3) -> i5 {
  %zero = arith.constant 0 : i3
  %one = arith.constant 1 : i3
  %none = arith.constant 0 : i5
  %sum = scf.for %i = %zero to %n step %one iter_args(%total = %none) -> (i5) : i3 {
    %term = arith.extsi %i : i3 to i5
    %next = arith.addi %total, %term : i5
    scf.yield %next : i5
  } {loom.style = "static"}
  return %sum : i5
}
"""
"""The numbers from 0 to below the value are added up; the value is from -4 to 3."""


@cache
def sums_shape() -> Shape:
    """The unit of the loop, as the circuit of the program has it."""
    netlist = compile_text(PROGRAM, "sums.mlir").netlist
    (unit,) = (each for each in netlist.units if each.operator is ISLAND)
    return netlist.shape_by_unit[unit.name]
