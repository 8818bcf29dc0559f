"""A circuit behind AXI4-Lite, judged by cocotbext-axi's master; each fault is reported."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from loom_sim.suite import load
from loom_sim.systems import SystemReport, main, simulate_system

import loom
from loom.bus.wrap import Wrapped, wrap_circuit
from loom.model.timed.simulate import run_timed
from tests.bus.inputs import BUS_INPUTS
from tests.support.deep import Deep
from tests.support.folders import DOCS, EXAMPLES

pytestmark = pytest.mark.sim
HERE = Path(__file__).parent
BENCH = HERE / "axi4lite_bench.py"
PORT, REGISTERS = "rtl/loom_axi4lite_port.sv", "rtl/mix_axi4lite_registers.sv"
FAULTS = {
    "a strobe is not looked at": (
        REGISTERS, "writes & at_6 & access_strobe_i[1]", "writes & at_6", {"byte_strobes"}),
    "an answer does not wait": (
        PORT, "(write_q ? s_axi_bready : s_axi_rready)",
        "(write_q | ~write_q | s_axi_bready | s_axi_rready)",
        {"back_pressure"}),
    "arrays are open while it runs": (
        REGISTERS, "x_open = in_x & ~busy_q", "x_open = in_x", {"while_it_runs"}),
    "arguments are not sampled": (
        REGISTERS, "if (launch) sample_c_q", "sample_c_q", {"while_it_runs"}),
    "done is not cleared by a read": (
        REGISTERS, "ends | (done_q & ~(reads & at_0))", "ends | done_q", {"while_it_runs"}),
    "the interrupt is not masked off": (
        REGISTERS, "status_q ^ (", "status_q | (", {"while_it_runs"}),
    "a start is lost while it runs": (
        REGISTERS, "| (control_writes & access_data_i[0])",
        "| (control_writes & access_data_i[0] & ~busy_q)", {"starts_in_a_row"}),
    "the error stays": (
        REGISTERS, "k_error_clear_o = writes & at_", "k_error_clear_o = 1'b0 & at_",
        {"an_error_is_cleared"}),
    "a reset leaves an answer": (
        PORT, "      answer_q <= 1'b0;\n", "", {"reset_in_a_transaction"}),
    "a hole is no error": (
        REGISTERS, "~known", "(known & ~known)", {"registers_after_reset"}),
}  # fmt: skip
"""File, text, text of the fault, and tests of the bench of which each must fail."""


@cache
def wrapped() -> Wrapped:
    """mix behind AXI4-Lite."""
    circuit = loom.compile_file(HERE / "mix.c")
    return wrap_circuit(circuit.netlist, "axi4lite", circuit.signs)


def simulate(made: Wrapped) -> SystemReport:
    return simulate_system(made, BENCH)


@pytest.mark.usefixtures("deep_on_sources")
def test_every_register_keeps_its_promise() -> None:
    report = simulate(wrapped())
    assert report.good, (report.failed, report.assertions)
    assert set(report.passed) >= {name for *_, names in FAULTS.values() for name in names}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_reported(fault: str, deep: Deep) -> None:
    deep(*BUS_INPUTS, texts=wrapped().files.values())
    path, old, new, names = FAULTS[fault]
    text = wrapped().files[path]
    assert old in text
    files = {**wrapped().files, path: text.replace(old, new)}
    report = simulate(replace(wrapped(), files=files))
    assert names <= report.failed.keys(), (report.failed, report.assertions)


@pytest.mark.usefixtures("deep_on_sources")
def test_the_example_takes_the_predicted_cycles(capsys: pytest.CaptureFixture[str]) -> None:
    """fir in `examples/systems/`, by the command of its docstring."""
    program = EXAMPLES / "c" / "fir.c"
    bench = EXAMPLES / "systems" / "fir_on_axi4lite.py"
    assert main(["axi4lite", str(program), str(bench)]) == 0
    said = capsys.readouterr().out
    assert "filters_two_signals: passed" in said
    kernel, activations = load(program)
    (timed, *_) = run_timed(kernel.netlist, activations)
    (took,) = re.findall(r"fir took \d+ cycles", said)
    assert took == f"fir took {timed.cycles} cycles"
    assert f"\n{took}\n" in (DOCS / "integration.md").read_text(encoding="utf-8")
