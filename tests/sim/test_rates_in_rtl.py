"""Small loops take the cycles an iteration that their slowest cycle asks, in RTL."""

from __future__ import annotations

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.analysis.timing.targets import find_target
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.operator import Shape
from loom.front.api import compile_text
from loom.lower.dataflow.choose_units import choose_latency
from loom.model.bundles.activation import Activation
from tests.analysis.test_buffers import BRANCH

pytestmark = [pytest.mark.sim, pytest.mark.usefixtures("no_clock_period")]
LOOP = """func.func @NAME(%n: index, %a: i8, %k: i8) -> i8 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %s = scf.for %i = %0 to %n step %1 iter_args(%x = %a) -> i8 {
    %j = arith.index_cast %i : index to i8
    BODY
    scf.yield %y : i8
  }
  return %s : i8
}"""
SQUARES = """%p = arith.muli %j, %j : i8
    %q = arith.addi %p, %j : i8
    %y = arith.addi %x, %q : i8"""
PERIOD = find_target("ecp5").period
PRODUCT = choose_latency(CATALOGUE["arith.muli"], Shape((8, 8), (8,), {}), PERIOD)
KERNELS = {
    "a sum": (LOOP.replace("BODY", "%y = arith.addi %x, %j : i8"), 1),
    "a sum of what comes late": (LOOP.replace("BODY", SQUARES), 1),
    "a product": (LOOP.replace("BODY", "%y = arith.muli %x, %j : i8"), PRODUCT),
    "a branch that skips its product": (BRANCH.replace("@f", "@NAME"), 1),
}
"""The text, and cycles an iteration."""
SHORT, LONG = 16, 48


@pytest.mark.usefixtures("deep_on_sources")
def test_loops_keep_their_rate() -> None:
    """The product of the branch is never taken: no i8 is less than -128."""
    kernels: list[Kernel] = []
    for number, (text, _) in enumerate(KERNELS.values()):
        circuit = compile_text(text.replace("NAME", f"kernel_{number}"), "k.mlir")
        kernels.append(Kernel(circuit.source, circuit.top, circuit.netlist, circuit.files()))
    given = [Activation({"n": trips, "a": 1, "k": 0x80}) for trips in (SHORT, LONG)]
    reports = cosimulate_kernels(kernels, [given] * len(kernels), SimOptions())
    assert all(report.match for report in reports)
    cycles = [[run.cycles for run in report.rtl.runs] for report in reports]
    rates = [(long - short) / (LONG - SHORT) for short, long in cycles]
    assert dict(zip(KERNELS, rates, strict=True)) == {
        name: interval for name, (_, interval) in KERNELS.items()
    }
