"""A circuit behind Wishbone, judged by cocotbext-wishbone's master; each fault is reported."""

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
BENCH = HERE / "wishbone_bench.py"
PORT = "rtl/loom_wishbone_port.sv"
FAULTS = {
    "selects are not looked at": ("access_strobe_o = strobe_q", "access_strobe_o = strobe_q | 4'hf",
                                  {"selects"}),
    "errors are acknowledged": ("asks & ~access_error_i;", "asks;", {"registers_and_activations"}),
    "writes are lost": ("write_o = write_q", "write_o = write_q & 1'b0", {"selects"}),
    "an ended cycle is answered": ("ends & wanted_q & asks & ~access_error_i",
                                   "ends & ~access_error_i", {"cycles_that_end_early"}),
}  # fmt: skip
"""Text, text of the fault, and tests of the bench of which each must fail."""


@cache
def wrapped() -> Wrapped:
    """mix behind Wishbone."""
    circuit = loom.compile_file(HERE / "mix.c")
    return wrap_circuit(circuit.netlist, "wishbone", circuit.signs)


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
