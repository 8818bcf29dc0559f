"""Runs inside the simulator: resets in the middle of activations, and runs them again.

Activation `n` of a job is begun, and reset after `n` cycles; then it runs to its end, which is what
the answer tells. Number 0 is not disturbed. Jobs with fewer activations rest meanwhile.
"""

from __future__ import annotations

import json
from typing import Any

import cocotb
from cocotb.triggers import Timer
from loom_sim.bench import ANSWER, PERIOD, PLAN, JobBench, start

LONGEST = 3
"""A reset lasts one to so many cycles [cycles]."""


@cocotb.test()
async def run_plan(dut: Any) -> None:
    """The answer to the plan is written."""
    plan = json.loads(PLAN.read_text())
    jobs = start(dut, plan)
    for number in range(max(len(job.plan["activations"]) for job in jobs)):
        await reset(dut, jobs, 1 + number % LONGEST)
        active = [job for job in jobs if number < len(job.plan["activations"])]
        if number:
            for job in active:
                await job.begin(1, job.plan["activations"][number])
                job.busy = False
            # The harness begins two cycles after it was asked.
            await Timer((2 + number) * PERIOD, "step")
            await reset(dut, jobs, 1 + number % LONGEST)
        for job in active:
            await job.begin(1, job.plan["activations"][number])
        for job in active:
            await job.end()
    ANSWER.write_text(json.dumps([job.runs for job in jobs]))


async def reset(dut: Any, jobs: list[JobBench], cycles: int) -> None:
    """Everything was in reset for so long, and nothing is requested [cycles]."""
    dut.rst_ni.value = 0
    for job in jobs:
        job.handle.requested.value = 0
    await Timer(cycles * PERIOD, "step")
    dut.rst_ni.value = 1
    await Timer(2 * PERIOD, "step")
