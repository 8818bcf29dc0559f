"""A circuit behind Avalon-MM, judged by cocotb-bus's AvalonMaster; each fault is reported."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from loom_sim.systems import simulate_system

import loom
from loom.bus.wrap import Wrapped, wrap_circuit
from tests.bus.inputs import BUS_INPUTS
from tests.support.deep import Deep

pytestmark = pytest.mark.sim
HERE = Path(__file__).parent
BENCH = HERE / "avalon_bench.py"
PORT = "rtl/loom_avalon_port.sv"
FAULTS = {
    "byte enables are not looked at": ("= avs_byteenable;\n\n", "= avs_byteenable | 4'hf;\n\n",
                                       {"byte_enables"}),
    "errors are answered with okay": ("{error_q, 1'b0}", "{1'b0, error_q & 1'b0}",
                                      {"registers_and_activations"}),
    "writes have no response": ("answer_q & answer_write_q;", "answer_q & answer_write_q & 1'b0;",
                                {"byte_enables"}),
    "waitrequest is never high": ("avs_waitrequest = ~take_q", "avs_waitrequest = 1'b0 & take_q",
                                  {"registers_and_activations", "byte_enables"}),
    "a reset leaves an access": ("      access_q <= 1'b0;\n", "", {"resets"}),
}  # fmt: skip
"""Text, text of the fault, and tests of the bench of which each must fail."""


@cache
def wrapped() -> Wrapped:
    """mix behind Avalon-MM."""
    circuit = loom.compile_file(HERE / "mix.c")
    return wrap_circuit(circuit.netlist, "avalon", circuit.signs)


@pytest.mark.usefixtures("deep_on_sources")
def test_every_register_keeps_its_promise() -> None:
    report = simulate_system(wrapped(), BENCH)
    assert report.good, (report.failed, report.assertions)
    assert set(report.passed) >= {name for *_, names in FAULTS.values() for name in names}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_reported(fault: str, deep: Deep) -> None:
    deep(*BUS_INPUTS, texts=wrapped().files.values())
    old, new, names = FAULTS[fault]
    text = wrapped().files[PORT]
    assert old in text
    files = {**wrapped().files, PORT: text.replace(old, new)}
    report = simulate_system(replace(wrapped(), files=files), BENCH)
    assert names <= report.failed.keys(), (report.failed, report.assertions)


HOST = """import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles


@cocotb.test()
async def a_command_changes(dut):
    dut.reset.value, dut.avs_read.value, dut.avs_write.value = 1, 0, 0
    Clock(dut.clk, 10, "ns").start()
    await ClockCycles(dut.clk, 3)
    dut.reset.value, dut.avs_address.value = 0, 1
    PINS
    await ClockCycles(dut.clk, 1)
    dut.avs_address.value = 2
    await ClockCycles(dut.clk, 3)
"""


@pytest.mark.parametrize(
    ("pins", "assertion"),
    [("dut.avs_read.value = 1", "command_stays"),
     ("dut.avs_read.value = dut.avs_write.value = 1", "one_command")],
)  # fmt: skip
def test_a_host_that_breaks_the_protocol_is_reported(
    pins: str, assertion: str, tmp_path: Path
) -> None:
    bench = tmp_path / "host_bench.py"
    bench.write_text(HOST.replace("PINS", pins))
    (found, *_) = simulate_system(wrapped(), bench).assertions
    assert assertion in found
