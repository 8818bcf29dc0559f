"""A circuit with exp, log, sin and cos gives what the program says, bit by bit."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from loom.dialects.floats.formats import FORMATS
from loom.dialects.operators.cores import ANY, Core
from loom.front.api import compile_text
from loom.front.cli import main
from loom.lower.legalize import expand_functions
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.comparison import ModelReport, compare_models
from tests.dialects.test_elementary import HARD, operands

KERNEL = """func.func @f(%x: TYPE) -> (TYPE, TYPE, TYPE, TYPE) {
  %e = math.exp %x : TYPE
  %l = math.log %x : TYPE
  %s = math.sin %x : TYPE
  %c = math.cos %x : TYPE
  return %e, %l, %s, %c : TYPE, TYPE, TYPE, TYPE
}
"""
FAST = Options(clock_period=None)


def compared(form: str, given: list[int]) -> ModelReport:
    """The source program beside the token model of its circuit, which has all four functions."""
    circuit = compile_text(KERNEL.replace("TYPE", form), options=FAST)
    activations = [Activation({"x": each}) for each in given]
    return compare_models(circuit.source, "f", circuit.netlist, activations, max_cycles=5000)


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("form", FORMATS)
def test_the_circuit_computes_the_meaning(form: str) -> None:
    given = operands(FORMATS[form], Random(form), 12) + HARD.get(form, [])
    assert compared(form, given).differences == ()


@pytest.mark.usefixtures("deep_on_sources")
def test_another_operation_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault: numbers are compared as signed ones."""
    monkeypatch.setitem(expand_functions.COMPARISONS, "below", "slt")
    assert compared("f32", operands(FORMATS["f32"], Random(1), 12)).differences


def test_equal_tables_are_arrays_of_their_own_that_nobody_has_named() -> None:
    text = """memref.global constant @math_exp_f16_0 : memref<2xi8> = dense<[3, 5]>
func.func @f(%x: f16, %i: index) -> (f16, i8) {
  %e = math.exp %x : f16
  %g = math.exp %e : f16
  %t = memref.get_global @math_exp_f16_0 : memref<2xi8>
  %v = memref.load %t[%i] : memref<2xi8>
  return %g, %v : f16, i8
}
"""
    circuit = compile_text(text, options=FAST)
    names = [memory.name for memory in circuit.netlist.memories]
    assert sorted(names) == ["math_exp_f16_1", "math_exp_f16_2", "t"]
    given = [Activation({"x": x, "i": x & 1}) for x in (0, 0x3C01, 0xBC00)]
    report = compare_models(circuit.source, "f", circuit.netlist, given, max_cycles=5000)
    assert not report.differences


@pytest.mark.parametrize(("core", "is_kept"), [(ANY, True), ("f16", True), ("f32", False)])
def test_a_core_of_the_format_is_kept(core: str, is_kept: bool) -> None:
    text = "func.func @f(%x: f16) -> f16 {\n  %e = math.exp %x : f16\n  return %e : f16\n}\n"
    options = Options(clock_period=None, cores={"math.exp": Core("exp", "", {core: 1})})
    units = {unit.operator.name for unit in compile_text(text, options=options).netlist.units}
    assert ("math.exp" in units) == is_kept


LOOP = """func.func @f(%x: memref<24xf32>, %y: memref<24xf32>, %z: memref<24xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c24 = arith.constant 24 : index
  scf.for %i = %c0 to %c24 step %c1 {
    %a = memref.load %x[%i] : memref<24xf32>
    %e = math.exp %a : f32
    %s = math.sin %a : f32
    %l = math.log %e : f32
    %p = arith.mulf %l, %s : f32
    memref.store %p, %y[%i] : memref<24xf32>
    %h = memref.load %z[%i] : memref<24xf16>
    %c = math.cos %h : f16
    memref.store %c, %z[%i] : memref<24xf16>
  }
  return
}
"""


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_rtl_computes_the_meaning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel, inputs = tmp_path / "k.mlir", tmp_path / "b.json"
    kernel.write_text(LOOP)
    some = operands(FORMATS["f32"], Random(3), 40)
    few = operands(FORMATS["f16"], Random(4), 40)
    bundle = [
        {"inputs": {"x": [f"0x{each:08x}" for each in Random(k).sample(some, 24)],
                    "y": [0.0] * 24,
                    "z": [f"0x{each:04x}" for each in Random(k).sample(few, 24)]}}
        for k in range(3)
    ]  # fmt: skip
    inputs.write_text(json.dumps(bundle))
    assert main(["sim", str(kernel), "--inputs", str(inputs), "--stalls", "0.3"]) == 0
    assert "source, token model and RTL agree on 3 activations" in capsys.readouterr().out
