"""A product with a constant power of two adds to the exponent in static schedules too."""

from __future__ import annotations

from functools import cache

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.front.static_circuit import StaticCircuit
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from tests.static.test_machines import static
from tests.static.test_static_rtl import INPUTS
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import describe_runs

WORDS = {
    "f16": (0x0001, 0x0203, 0x03FF, 0x0400, 0x1235, 0x3C01, 0x7BFF, 0x7C00, 0x7E00, 0x8002, 0xFBFF),
    "bf16": (0x0001, 0x0043, 0x007F, 0x0080, 0x1235, 0x3F81, 0x7F7F, 0x7F80, 0x7FC0, 0x8002),
    "f32": (0x1, 0x400003, 0x7FFFFF, 0x800000, 0x12345678, 0x7F7FFFFF, 0x7F800000, 0x7FC00000),
    "f64": (0x1, 0x8000000000003, 0x10000000000000, 0x123456789ABCDEF5, 0x7FEFFFFFFFFFFFFF),
}
"""Subnormal, normal, largest, infinite, not a number, some negative."""
PROGRAM = """
func.func @scales(%a: memref<16x{form}>, %b: memref<16x{form}>, %c: memref<16x{form}>) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant 16 : index
  %half = arith.constant 0.5 : {form}
  %large = arith.constant -16.0 : {form}
  %three = arith.constant 3.0 : {form}
  scf.for %k = %zero to %end step %one {{
    %x = memref.load %a[%k] : memref<16x{form}>
    %small = arith.mulf %x, %half : {form}
    %eighth = arith.divf %small, %large : {form}
    %wide = arith.mulf %large, %x : {form}
    %sum = arith.addf %eighth, %wide : {form}
    memref.store %eighth, %b[%k] : memref<16x{form}>
    %triple = arith.mulf %sum, %three : {form}
    memref.store %triple, %c[%k] : memref<16x{form}>
  }}
  return
}}
"""


@cache
def scales(form: str) -> tuple[StaticCircuit, list[Activation]]:
    """The program of a format, and its words."""
    circuit = static(PROGRAM.format(form=form), Options())
    words = list(WORDS[form] * 4)[:16]
    given = Activation({"a": words, "b": [0] * 16, "c": [0] * 16})
    return circuit, [given]


@pytest.mark.parametrize("form", WORDS)
def test_three_products_are_exponents_and_one_is_a_multiplier(form: str) -> None:
    circuit, given = scales(form)
    scaled = [unit for unit in circuit.fsmd.units if unit.shape.constants]
    assert [len(unit.operands) for unit in scaled] == [1, 1, 1]
    products = [u for u in circuit.fsmd.units if u.operator.name == "arith.mulf"]
    assert len(products) == 4
    assert list(circuit.differences(given, 1000)) == []


@pytest.mark.sim
def test_results_and_cycles_in_rtl(deep: Deep) -> None:
    loaded = [scales(form) for form in WORDS]
    kernels = [
        Kernel(c.dynamic.source, c.dynamic.top, c.dynamic.netlist, c.rtl, True, c.cycles)
        for c, _ in loaded
    ]
    given = [each for _, each in loaded]
    deep(*INPUTS, texts=describe_runs(list(zip(kernels, given, strict=True))))
    for report in cosimulate_kernels(kernels, given, SimOptions(max_cycles=1000)):
        assert report.match, report.differences
        assert [run.cycles for run in report.rtl.runs] == report.predicted
