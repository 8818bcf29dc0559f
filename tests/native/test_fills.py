"""What is read before it is written holds what the user says: program = token model = RTL."""

from __future__ import annotations

from pathlib import Path

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.elements import Fill
from loom.front.api import compile_request
from loom.front.circuit import Circuit
from loom.front.cli import main
from loom.front.request import Request
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from loom.model.reference.reference import compile_reference
from tests.support.refusals import refusal

KERNEL = """memref.global "private" @kept : memref<4xi16> = uninitialized
func.func @NAME(%i: i2) -> (i32, f32, i1, i16, f16, index, f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %v = arith.constant 7 : i32
  %one = arith.constant 1 : i16
  %j = arith.index_castui %i : i2 to index
  %s = scf.for %k = %c0 to %c2 step %c1 iter_args(%sum = %z) -> (i32) {
    %m = memref.alloc() : memref<3x4xi32>
    %old = memref.load %m[%c0, %j] : memref<3x4xi32>
    memref.store %v, %m[%c0, %j] : memref<3x4xi32>
    %next = arith.addi %sum, %old : i32
    scf.yield %next : i32
  }
  %n = memref.alloc() : memref<f32>
  %x = memref.load %n[] : memref<f32>
  %b = memref.alloca() : memref<4xi1>
  %y = memref.load %b[%j] : memref<4xi1>
  %g = memref.get_global @kept : memref<4xi16>
  %w = memref.load %g[%j] : memref<4xi16>
  %w1 = arith.addi %w, %one : i16
  memref.store %w1, %g[%j] : memref<4xi16>
  %p = ub.poison : f16
  %q = memref.alloc() : memref<4xindex>
  %e = memref.load %q[%j] : memref<4xindex>
  %h = memref.alloc() : memref<4xf64>
  %d = memref.load %h[%j] : memref<4xf64>
  return %s, %x, %y, %w, %p, %e, %d : i32, f32, i1, i16, f16, index, f64
}"""
"""An array that is new in each iteration, one of each kind of element, a global, a value."""
GIVEN = [Activation({"i": i}) for i in (1, 0, 1, 3)]
"""Activations without a reset between them, the same element twice."""
FILLS: tuple[Fill, ...] = ("0", "random")
C = """int f(int a) {
  int s = 0;
  for (int i = 0; i < 4; i++) {
    int x, t[2][3];
    struct { int u; float w; } q, r[3];
    if (a & 1) { x = 3; t[1][i & 1] = a; }
    s += x + t[1][1] + q.u + r[2].u + (r[1].w == 0.0f);
    t[1][1] = 1000; x = 77; q.u = 5; r[2].u = 9; r[1].w = 3.0f;
  }
  return s;
}
int main(void) { f(0); f(1); f(2); return 0; }
"""
PYTHON = """import numpy as np
import loom

@loom.kernel
def f(a: np.int32) -> np.int32:
    t = np.empty(4, dtype=np.int32)
    t[1] = a
    s = np.int32(0)
    for x in t:
        s += x
    return s

if __name__ == "__main__":
    f(np.int32(3))
    f(np.int32(5))
"""


def circuit_of(fill: Fill, text: str = KERNEL, file: str = "k.mlir") -> Circuit:
    name = "f" if fill == "0" else "g"
    return compile_request(
        Request(text.replace("@NAME", f"@{name}"), file, None, Options(fill=fill))
    )


def results_of(circuit: Circuit) -> list[tuple[int, ...]]:
    """What the program gives, each activation alone."""
    reference = compile_reference(circuit.source, circuit.top)
    return [reference.run(list(each.inputs.values())).results for each in GIVEN]


@pytest.mark.parametrize("text", ["%x = memref.load %n[] : memref<f32>", "%y = memref.load %b[%j]"])
def test_without_a_fill_the_run_is_refused(text: str) -> None:
    assert text in KERNEL
    kept = KERNEL.replace(
        "%old = memref.load %m[%c0, %j] : memref<3x4xi32>", "%old = arith.addi %z, %z : i32"
    )
    if text.startswith("%y"):
        kept = kept.replace("%x = memref.load %n[] : memref<f32>", "%x = ub.poison : f32")
    found = refusal(lambda: results_of(circuit_of("refuse", kept)))
    assert "REF_UNINITIALISED" in found


def test_new_arrays_are_new_each_time_and_hold_the_same() -> None:
    zeros = [0] * 7
    once_more = [0, 0, 0, 1, 0, 0, 0]  # the global has what the first activation wrote
    assert [list(each) for each in results_of(circuit_of("0"))] == [zeros, zeros, once_more, zeros]
    first, other, again, _ = results_of(circuit_of("random"))
    assert again[3] == (first[3] + 1) % (1 << 16)
    assert first[:3] == again[:3] and first[4:] == again[4:] and first[0] != other[0]
    sums, x, _, w, p, e, d = first
    assert all((sums, x, w, p, d)) and not sums & 1  # twice the same element, never the 7 of before
    assert e < 1 << 7
    assert results_of(circuit_of("random"))[0] == first


def test_the_models_agree() -> None:
    for fill in FILLS:
        circuit = circuit_of(fill)
        report = compare_models(circuit.source, circuit.top, circuit.netlist, GIVEN, max_cycles=999)
        assert not report.differences


def test_a_wrong_content_is_seen() -> None:
    circuit, zeros = (
        circuit_of("random"),
        circuit_of("random", KERNEL.replace("= uninitialized", "= dense<0>")),
    )
    report = compare_models(zeros.source, "g", circuit.netlist, GIVEN, max_cycles=999)
    assert report.differences


def test_globals_keep_what_is_written_and_new_arrays_do_not(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "k.mlir"
    file.write_text(KERNEL.replace("@NAME", "@f"))
    bundle = tmp_path / "k.json"
    bundle.write_text('[{"inputs": {"i": 1}}, {"inputs": {"i": 1}}]')
    assert main(["model", str(file), "--fill", "0", "--inputs", str(bundle)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "results 0, 0.0, 0, 0, 0.0, 0, 0.0;" in lines[0]
    assert "results 0, 0.0, 0, 1, 0.0, 0, 0.0;" in lines[1]


@pytest.mark.parametrize(("file", "text"), [("k.c", C), ("k.py", PYTHON)])
def test_programs_with_zeros_are_what_their_language_runs(
    file: str, text: str, tmp_path: Path
) -> None:
    path = tmp_path / file
    path.write_text(text)
    assert main(["model", str(path), "--fill", "0"]) == 0


@pytest.mark.parametrize(
    ("file", "text", "code"), [("k.c", C, "C_UNINITIALISED"), ("k.py", PYTHON, "REF_UNINITIALISED")]
)
def test_programs_are_refused_by_default(
    file: str, text: str, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / file
    path.write_text(text)
    assert main(["model", str(path)]) == 2
    assert code in capsys.readouterr().err


@pytest.mark.parametrize(("file", "text"), [("k.c", C), ("k.py", PYTHON)])
def test_numbers_by_chance_show_what_depends_on_them(
    file: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / file
    path.write_text(text)
    status = main(["model", str(path), "--fill", "random"])
    shown = capsys.readouterr()
    if file == "k.c":
        assert status == 2 and "whose result is what x, read in line 7" in shown.err
    else:
        assert status == 1 and "the Python program expects 3" in shown.out


def test_what_depends_on_nothing_passes_with_numbers_by_chance(tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    path.write_text(
        "int f(int a) { int t[4], u[4], x; t[a & 3] = a;\n"
        "  for (int i = 0; i < 4; i++) u[i] = t[i];\n  x = u[a & 3]; return x; }\n"
        "int main(void) { f(2); f(7); return 0; }\n"
    )
    assert main(["model", str(path)]) == 2
    assert main(["model", str(path), "--fill", "random"]) == 0


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_both_fills_in_rtl() -> None:
    circuits = [*map(circuit_of, FILLS), circuit_of("0", C.replace("f(", "h("), "k.c")]
    kernels = [Kernel(c.source, c.top, c.netlist, c.files()) for c in circuits]
    given = [GIVEN, GIVEN, [Activation({"a": a}) for a in (0, 1, 2)]]
    for report in cosimulate_kernels(kernels, given, SimOptions(stalls=0.3)):
        assert report.match, (report.kernel.top, report.differences[:3])
