"""Reset in any cycle of a run: the next activations are as if there had been no run before.

Results, memories, token counts, cycles and error code are those of an undisturbed run, with sources
and sinks that stall and without, while loads and stores are on their way, outside and inside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module

import pytest
from loom_sim import JobResult, SimOptions, cosimulate

from tests.promises.held_starts import (
    HALVE,
    MOST,
    Held,
    describe_held,
    held_circuits,
    hold_text,
)
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import RTL_INPUTS
from tests.support.planted_faults import Fault

pytestmark = [pytest.mark.sim, pytest.mark.from_sources]

RESET = ("bfs", "gcd", "reverse", "crc32", "dot_banks", "halve", "perhaps")
"""Those of the circuits that soon end: RAMs outside and inside, a ROM, banks, loops, no memory."""
LAST = {0.0: 200, 0.4: 100}
"""The last cycle in which a reset comes, by the probability of a stall [cycles]."""
SURVIVES = Fault(
    "rtl/loom_memory_held.sv",
    {"if (!rst_ni) held_q <= 1'b0;": "if (!rst_ni) held_q <= grant_i;"},
)
"""An element that was asked for in the cycle before comes all the same."""
NOT_RESET = Fault(
    "rtl/loom_activation.sv",
    {
        "  always_ff @(posedge clk_i) begin : state\n    if (!rst_ni)": (
            "  initial begin : power_up\n    started_q = 1'b0;\n    ended_q = 1'b0;\n  end\n\n"
            "  always @(posedge clk_i) begin : state\n    if (!rst_ni && 1'b0)"
        )
    },
)
"""Only the power-up begins with no activation."""


def reset_in_each_cycle(
    circuits: Sequence[Held], stalls: float, monkeypatch: pytest.MonkeyPatch
) -> list[JobResult]:
    """Run 0 is undisturbed, run `n` comes after one that was reset in its cycle `n`."""
    monkeypatch.setattr(import_module("loom_sim.cosimulate"), "BENCH", "tests.promises.reset_bench")
    jobs = [
        replace(held.job, activations=held.job.activations * (1 + resets(held, stalls)))
        for held in circuits
    ]
    return cosimulate(jobs, SimOptions(stalls=stalls, seed=5, max_cycles=MOST))


def resets(held: Held, stalls: float) -> int:
    """How many resets there are."""
    return LAST[stalls] if held.kernel.top in RESET else 0


def faulty_runs(result: JobResult) -> Iterator[int]:
    """The resets after which something is otherwise than without."""
    return (number for number, run in enumerate(result.runs) if run != result.runs[0])


@pytest.mark.parametrize("stalls", LAST)
def test_the_next_run_is_as_the_first(
    stalls: float, monkeypatch: pytest.MonkeyPatch, deep: Deep
) -> None:
    circuits = held_circuits()
    deep(*RTL_INPUTS, "tests/promises/*.py", texts=describe_held(circuits))
    results = reset_in_each_cycle(circuits, stalls, monkeypatch)
    for held, result in zip(circuits, results, strict=True):
        assert held.differences(result) == [], held.kernel.top
        assert len(result.runs) == 1 + resets(held, stalls)
        assert [*faulty_runs(result)] == [], held.kernel.top


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("fault", (SURVIVES, NOT_RESET), ids=("a load survives", "no reset"))
def test_a_fault_is_reported(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    held = hold_text(HALVE)
    held = replace(held, kernel=replace(held.kernel, files=fault.plant(held.kernel.files)))
    (result,) = reset_in_each_cycle([held], 0.0, monkeypatch)
    assert held.differences(JobResult(result.name, result.runs[:1], ())) == []
    assert [*faulty_runs(result)] != []
