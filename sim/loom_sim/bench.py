"""Runs inside the simulator: sets totals and seeds, waits for events, reads counters.

The plan comes from PLAN and the answer goes to ANSWER, both JSON in the working folder. All jobs
run side by side; each begins its next activation as soon as its last one has ended.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.handle import SimHandleBase
from cocotb.triggers import Event, Timer, ValueChange
from cocotb.utils import get_sim_time

from loom_sim.ports import TokenDriver, TokenMonitor, Tokens, TokenScoreboard

PLAN = Path("plan.json")
ANSWER = Path("answer.json")
PROGRESS = "loom-progress"
PERIOD = 2  # simulator steps a clock cycle
RESET_CYCLES = 4
HEARTBEAT = 2.0  # seconds between two lines of progress

Json = dict[str, Any]


class JobBench:
    """One job of the harness: its ports, and what its activations have given so far."""

    def __init__(self, handle: Any, number: int, plan: Json, clock: SimHandleBase) -> None:
        self.handle = handle
        self.number = number
        self.plan = plan
        self.busy = False
        self.ended = Event()
        self.runs: list[Json] = []
        self.expected: Json = {}
        self.outputs: dict[str, Tokens] = {}
        self.outputs_before = 0
        self.scoreboard = TokenScoreboard(handle)
        self.drivers = {
            name: TokenDriver(handle, f"in_{name}", clock, width)
            for name, width in plan["inputs"].items()
        }
        self.monitors = {
            name: TokenMonitor(handle, f"out_{name}", clock, width)
            for name, width in plan["outputs"].items()
        }
        for name, monitor in self.monitors.items():
            monitor.add_callback(self._keeper(name))
            self.scoreboard.add_output(monitor, name, self._expecter(name))
        for memory in plan["memories"]:
            for signal, value in memory["settings"].items():
                getattr(handle, f"mem_{memory['name']}_{signal}").value = value
        handle.requested.value = 0
        self._limit(dict.fromkeys(plan["limited"], 0))
        for driver in self.drivers.values():
            driver.bus.total.value = 0

    def outputs_taken(self) -> int:
        """Tokens taken from outputs since the beginning [tokens]."""
        return self.outputs_before + sum(monitor.taken() for monitor in self.monitors.values())

    async def run(self) -> None:
        """All activations have run, or one has ended with outputs missing."""
        for number, activation in enumerate(self.plan["activations"], 1):
            await self.begin(number, activation)
            await self.end()
            if not self.is_complete(activation):
                return

    async def begin(self, number: int, activation: Json) -> None:
        """The tokens and words of an activation are there, and it is requested by its number."""
        self.expected = activation["expected"]
        self.scoreboard.mismatches.clear()
        for memory in self.plan["memories"]:
            words = activation["memories"][memory["name"]]
            Path(memory["file"]).write_text("".join(f"{word:x}\n" for word in words))
        for name, driver in self.drivers.items():
            await driver.send(tuple(activation["inputs"][name]))
        self._limit(activation["limits"])
        self.ended.clear()
        self.handle.requested.value = number
        self.busy = True

    async def end(self) -> None:
        """The activation has ended, and what it gave is the last of the runs."""
        await self.ended.wait()
        for monitor in self.monitors.values():
            await monitor.receive()
        counts = {name: monitor.count for name, monitor in self.monitors.items()}
        self.outputs_before += sum(counts.values())
        self.runs.append(self._run(counts))

    def is_complete(self, activation: Json) -> bool:
        """True if the last run has ended in time and with all its tokens."""
        last, wanted = self.runs[-1], activation["wanted"]
        return not last["timed_out"] and all(c >= wanted[n] for n, c in last["counts"].items())

    def _limit(self, limits: dict[str, int]) -> None:
        for name, limit in limits.items():
            getattr(self.handle, f"out_{name}_limit").value = limit

    def _run(self, counts: dict[str, int]) -> Json:
        handle = self.handle
        memories, accesses = {}, {}
        for memory in self.plan["memories"]:
            name = memory["name"]
            memories[name] = _hexadecimal(memory["file"])
            accesses[name] = [
                int(getattr(handle, f"mem_{name}_{kind}").value)
                for kind in ("loads", "stores", "strays")
            ]
        return {
            "outputs": dict(self.outputs),
            "counts": counts,
            "memories": memories,
            "accesses": accesses,
            "cycles": int(handle.cycles.value),
            "timed_out": bool(int(handle.timed_out.value)),
            "error_code": int(handle.error_code.value),
            "late": int(handle.late.value) if self.plan["black_box"] else 0,
            "mismatches": list(self.scoreboard.mismatches),
            "report": _hexadecimal(self.plan["report"]),
            "profile": _hexadecimal(self.plan["profile"]) if self.plan["profile"] else [],
        }

    def _keeper(self, name: str) -> Any:
        def keep(tokens: Tokens) -> None:
            self.outputs[name] = tokens

        return keep

    def _expecter(self, name: str) -> Any:
        def expect(tokens: Tokens) -> Tokens:
            return tuple(self.expected[name]) if name in self.expected else tokens

        return expect


def _hexadecimal(file: str) -> list[int]:
    return [int(word, 16) for word in Path(file).read_text().split() if word[0] not in "/@"]


@cocotb.test()
async def run_plan(dut: Any) -> None:
    """The answer to the plan is written."""
    plan = json.loads(PLAN.read_text())
    jobs = start(dut, plan)
    await Timer(RESET_CYCLES * PERIOD, "step")
    dut.rst_ni.value = 1
    await Timer(2 * PERIOD, "step")
    for task in [cocotb.start_soon(job.run()) for job in jobs]:
        await task
    ANSWER.write_text(json.dumps([job.runs for job in jobs]))


def start(dut: Any, plan: Json) -> list[JobBench]:
    """The clock runs, the harness is in reset; its jobs, which hear when activations have ended."""
    dut.rst_ni.value = 0
    dut.stall.value = plan["stall"]
    dut.shy.value = plan["shy"]
    dut.seed.value = plan["seed"]
    dut.max_cycles.value = plan["max_cycles"]
    jobs = [
        JobBench(getattr(dut, f"job_{number}"), number, job, dut.clk_i)
        for number, job in enumerate(plan["jobs"])
    ]
    Clock(dut.clk_i, PERIOD, "step", impl="gpi").start()
    cocotb.start_soon(_wake(dut, jobs))
    cocotb.start_soon(_tell_progress(jobs, plan["last_cycle"]))
    return jobs


async def _wake(dut: Any, jobs: list[JobBench]) -> None:
    """For ever: when activations have ended, their jobs know."""
    while True:
        await ValueChange(dut.events)
        idle = int(dut.idle.value)
        for job in jobs:
            if job.busy and idle >> job.number & 1:
                job.busy = False
                job.ended.set()


async def _tell_progress(jobs: list[JobBench], limit: int) -> None:
    """For ever: a line every few seconds, however fast the clock is simulated.

    Fails after `limit` [cycles]: the harness has ended every activation before.
    """
    step = 1000
    last = time.monotonic()
    while True:
        before = time.monotonic()
        await Timer(step * PERIOD, "step")
        now = time.monotonic()
        # Aim at a fourth of a heartbeat, so that a slow circuit is still heard in time.
        step = max(100, min(4 * step, int(step * HEARTBEAT / 4 / max(now - before, 1e-6))))
        cycles = int(get_sim_time("step")) // PERIOD
        assert cycles <= limit, "an activation neither ends nor times out"
        if now - last >= HEARTBEAT:
            last = now
            outputs = sum(job.outputs_taken() for job in jobs)
            activations = sum(len(job.runs) for job in jobs)
            print(f"{PROGRESS} {cycles} {outputs} {activations}", flush=True)
