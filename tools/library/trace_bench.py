"""Runs inside the simulator: lets the clock run and reads the recorded channels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Timer

PERIOD = 2
"""Simulator steps a clock cycle."""


@cocotb.test()
async def record(dut: Any) -> None:
    """The answer holds the words of every recorded net."""
    plan = json.loads(Path("plan.json").read_text())
    dut.rst_ni.value = 0
    Clock(dut.clk_i, PERIOD, "step", impl="gpi").start()
    await Timer(4 * PERIOD, "step")
    dut.rst_ni.value = 1
    await Timer((plan["cycles"] + 4) * PERIOD, "step")
    words = {
        net: [int(getattr(dut, f"{net}_trace")[k].value) for k in range(plan["cycles"])]
        for net in plan["nets"]
    }
    Path("answer.json").write_text(json.dumps(words))
