"""A result that waits to be taken stays as it is, though the inputs of its activation are gone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.model.bundles.activation import Activation
from tests.static.test_machines import static
from tests.static.test_static_rtl import INPUTS
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import describe_runs

PROGRAMS = {
    "given": """func.func @given(%n: i32) -> i32 {
  return %n : i32
}""",
    "passed": """func.func @passed(%n: i32, %a: memref<8xi32>) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %x = memref.load %a[%c0] : memref<8xi32>
  return %n, %x : i32, i32
}""",
    "forwarded": """func.func @forwarded(%n: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %r:2 = scf.while (%x = %c1) : (i32) -> (i32, i32) {
    %y = arith.addi %x, %n : i32
    %more = arith.cmpi ult, %x, %n : i32
    scf.condition(%more) %x, %y : i32, i32
  } do {
  ^bb0(%x: i32, %y: i32):
    %twice = arith.addi %x, %x : i32
    scf.yield %twice : i32
  }
  return %r#1 : i32
}""",
    "summed": """func.func @summed(%n: i32, %a: memref<8xi32>) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %n) -> (i32) {
    %x = memref.load %a[%i] : memref<8xi32>
    %t = arith.addi %s, %x : i32
    scf.yield %t : i32
  }
  %o = arith.xori %r, %n : i32
  %p = arith.addi %r, %r : i32
  return %o, %p : i32, i32
}""",
}
"""An input, one beside an element, a wire of one, and sums with and without one."""


def load(name: str) -> tuple[Kernel, list[Activation]]:
    """A program's circuit and its activations."""
    circuit = static(PROGRAMS[name])
    dynamic = circuit.dynamic
    box = Kernel(dynamic.source, dynamic.top, dynamic.netlist, circuit.rtl, True, circuit.cycles)
    array = {"a": [7, 1, 2, 3, 4, 5, 6, 8]} if "%a" in PROGRAMS[name] else {}
    return box, [Activation({"n": number, **array}) for number in (5, 77, 3, 12)]


@pytest.mark.sim
def test_waiting_results_stay(deep: Deep) -> None:
    loaded = [load(name) for name in PROGRAMS]
    deep(*INPUTS, texts=describe_runs(loaded))
    kernels, given = zip(*loaded, strict=True)
    for stalls in (0.0, 0.6):
        reports = cosimulate_kernels(kernels, given, SimOptions(stalls=stalls, max_cycles=4000))
        assert [(r.kernel.top, r.differences) for r in reports if not r.match] == []
        if not stalls:
            for report in reports:
                assert [run.cycles for run in report.rtl.runs] == report.predicted


@pytest.mark.sim
def test_a_result_that_is_a_wire_of_an_input_is_seen(deep: Deep) -> None:
    kernel, given = load("passed")
    top = "rtl/passed.sv"
    assert kernel.files[top].count("out0_data_o = out0_q;") == 1
    text = kernel.files[top].replace(
        "out0_data_o = out0_q;", "out0_data_o = out0_waits_q ? n : out0_q;"
    )
    wrong = replace(kernel, files={**kernel.files, top: text})
    deep(*INPUTS, texts=describe_runs([(wrong, given)]))
    (report,) = cosimulate_kernels([wrong], [given], SimOptions(stalls=0.6, max_cycles=4000))
    assert not report.match


def test_registers_are_only_where_something_would_change() -> None:
    assert "out0_q" in static(PROGRAMS["given"]).rtl["rtl/given.sv"]
    text = static(PROGRAMS["summed"]).rtl["rtl/summed.sv"]
    assert "out0_data_o = out0_q" in text
    assert "out1_data_o = p;" in text
