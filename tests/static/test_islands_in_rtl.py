"""Static loops in dynamic circuits: the SystemVerilog does what the programs do, in the cycles of
the timed model, with as many tokens on each channel; a fault in the text is seen.
"""

from __future__ import annotations

import re

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.front.api import compile_text
from loom.front.request import Request
from loom.front.styles.choose import compile_in_style
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.timed.simulate import run_timed
from tests.support.static.islands import PROGRAMS, inputs

pytestmark = pytest.mark.sim


def kernel_of(name: str) -> tuple[Kernel, list[Activation]]:
    """The circuit of a program, and its inputs."""
    circuit = compile_text(PROGRAMS[name], f"{name}.mlir")
    return Kernel(circuit.source, circuit.top, circuit.netlist, circuit.files()), inputs()


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("stalls", [0.0, 0.4])
def test_every_program_in_rtl(stalls: float) -> None:
    kernels, given = zip(*map(kernel_of, PROGRAMS), strict=True)
    reports = cosimulate_kernels(kernels, given, SimOptions(stalls=stalls, seed=3))
    assert [(r.kernel.top, r.differences) for r in reports if not r.match] == []
    if not stalls:
        for kernel, inputs_, report in zip(kernels, given, reports, strict=True):
            measured = [run.cycles for run in report.rtl.runs]
            assert measured == [run.cycles for run in run_timed(kernel.netlist, inputs_)]


COMPARED = """func.func @compared(%a: i8, %b: i8) -> (i1, i1, i1, i1, i1, i1) {
  %zero = arith.constant 0 : i8
  %ones = arith.constant -1 : i8
  %least = arith.constant -128 : i8
  %most = arith.constant 127 : i8
  %0 = arith.cmpi ult, %a, %zero : i8
  %1 = arith.cmpi ule, %zero, %a : i8
  %2 = arith.cmpi ugt, %a, %ones : i8
  %3 = arith.cmpi slt, %b, %least : i8
  %4 = arith.cmpi sge, %most, %b : i8
  %5 = arith.cmpi sgt, %b, %most : i8
  return %0, %1, %2, %3, %4, %5 : i1, i1, i1, i1, i1, i1
}
"""


@pytest.mark.usefixtures("deep_on_sources")
def test_a_comparison_that_is_known_has_no_warning() -> None:
    """Verilator takes none with the end of a range; the operands then have no reader."""
    request = Request(COMPARED, "k.mlir", options=Options(style="static"))
    kernel = compile_in_style(request).simulated()
    given = [Activation({"a": a, "b": b}) for a, b in ((0, 128), (255, 127), (3, 5))]
    (report,) = cosimulate_kernels([kernel], [given], SimOptions())
    assert not report.differences
    assert "1'b0" in kernel.files["rtl/compared.sv"]


NARROW = """func.func @narrow(%A: memref<4xi8>, %n: index, %k: i2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 7 : i8
  %at = arith.index_cast %k : i2 to index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %z, %A[%at] : memref<4xi8>
  } {loom.style = "static"}
  return
}
"""


def test_an_address_of_which_the_sign_alone_is_read_has_no_warning() -> None:
    """Its low bits are those of the value that it is made of, which the port has."""
    files = compile_text(NARROW, "narrow.mlir").files()
    (text,) = (each for path, each in files.items() if "island" in path)
    (compared,) = re.findall(r"assign A_beyond = (\w+)\[2\];", text)
    unused = text[text.index("assign unused_bits") :].split(";")[0]
    assert compared in re.findall(r"\w+", unused)


FAULTS = {
    "a start in every cycle": (
        "nest", "busy_q <= (busy_q | go) & ~ended;", "busy_q <= busy_q & ~ended;",
    ),
    "a result that is not kept": ("whole", " | (out0_valid & ~out0_ready_i);", ";"),
    "operands taken twice": (
        "nest", "assign in0_ready_o = step1_drain_q;", "assign in0_ready_o = 1'b1;",
    ),
    "an address of the next iteration": ("nest", "i_q_2 <= i_q;", "i_q_2 <= step1_1;"),
}  # fmt: skip
"""By program, in the text of its static loop."""


def faulty(number: int, name: str, was: str, becomes: str) -> Kernel:
    """The circuit of a program with another text, under a name of its own."""
    own = f"{name}{number}"
    circuit = compile_text(PROGRAMS[name].replace(f"@{name}", f"@{own}"), f"{name}.mlir")
    files = dict(circuit.files())
    (path,) = (each for each in files if "island" in each)
    assert was in files[path], was
    files[path] = files[path].replace(was, becomes)
    return Kernel(circuit.source, circuit.top, circuit.netlist, files)


@pytest.mark.usefixtures("deep_on_sources")
def test_a_fault_in_the_text_is_seen() -> None:
    wrong = [faulty(number, *fault) for number, fault in enumerate(FAULTS.values())]
    # A result that is taken at once needs no register: only stalls show that it is not kept.
    given = [inputs()] * len(wrong)
    reports = cosimulate_kernels(wrong, given, SimOptions(stalls=0.4, seed=3))
    seen = dict(zip(FAULTS, (bool(report.differences) for report in reports), strict=True))
    assert all(seen.values()), seen
