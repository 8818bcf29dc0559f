"""Start held high while a circuit runs: it waits until done was taken where memories are stored to.

Circuits without stores take the next start as soon as there is room, as they always do.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from loom_sim import Job, SimOptions, cosimulate

from loom.netlist.activations import one_at_a_time
from tests.promises.held_starts import (
    HALVE,
    HELD,
    LOOKUP,
    MOST,
    PERHAPS,
    Held,
    describe_held,
    held_circuits,
    hold_text,
)
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import RTL_INPUTS
from tests.support.planted_faults import Fault

pytestmark = [pytest.mark.sim, pytest.mark.from_sources]

ACTIVATION = "rtl/loom_activation.sv"
AT_ONCE = Fault(
    ACTIVATION,
    {
        "start_valid_i & ~started_q;": "start_valid_i;",
        "begin_ready_i & ~started_q;": "begin_ready_i;",
    },
)
"""Start enters whenever there is room."""
ONE_BIT = Fault(
    ACTIVATION, {"(started_q | begins) & ~(ended_q | ends);": "started_q & ~ends | begins;"}
)
"""Nothing remembers a done that comes before its start."""
FOREVER = Fault(ACTIVATION, {"(started_q | begins) & ~(ended_q | ends);": "started_q | begins;"})
"""The second start never enters."""
STALLS: Mapping[str, SimOptions] = {
    "no stalls": SimOptions(max_cycles=MOST),
    "stalls": SimOptions(max_cycles=MOST, stalls=0.4, seed=5),
    "shy": SimOptions(max_cycles=MOST, stalls=0.7, shy=True, seed=6),
}


@pytest.fixture(scope="module")
def circuits() -> tuple[Held, ...]:
    return held_circuits()


@pytest.mark.parametrize("name", STALLS)
def test_three_starts_in_a_row_are_three_activations(
    name: str, circuits: tuple[Held, ...], deep: Deep
) -> None:
    """Results, memories that each activation finds as the one before left them, token counts."""
    deep(*RTL_INPUTS, "tests/promises/*.py", texts=describe_held(circuits))
    results = cosimulate([held.job for held in circuits], STALLS[name])
    for held, result in zip(circuits, results, strict=True):
        assert held.differences(result) == [], held.kernel.top
        if name == "no stalls":
            timed = held.timed()
            assert result.runs[0].cycles == timed.cycles, held.kernel.top
            assert dict(result.runs[0].outputs) == dict(timed.outputs)


def test_only_circuits_that_store_wait(circuits: tuple[Held, ...]) -> None:
    waiting = {held.kernel.top for held in circuits if one_at_a_time(held.kernel.netlist)}
    assert waiting == {
        "matmul", "bfs", "histogram", "reverse", "insertion_sort", "halve", "perhaps"
    }  # fmt: skip


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize(
    "fault, text, name, found",
    (
        (AT_ONCE, HALVE, "no stalls", "output out0: token 1 is 0x3e8 where 0x1f4 is expected"),
        (ONE_BIT, PERHAPS, "shy", "output done: 1 tokens where 3 are expected"),
        (FOREVER, HALVE, "no stalls", "output out0: 1 tokens where 3 are expected"),
    ),
    ids=("at once", "one bit", "forever"),
)
def test_a_fault_is_reported(fault: Fault, text: str, name: str, found: str) -> None:
    held = hold_text(text)
    job = Job(held.kernel.netlist, fault.plant(held.kernel.files), held.job.activations)
    (result,) = cosimulate([job], STALLS[name])
    assert f"activation 0: {found}" in held.differences(result)


def test_starts_of_loads_alone_overlap() -> None:
    """Each further activation takes one cycle more."""
    held = hold_text(LOOKUP)
    assert held.timed().cycles == held.timed(count=1).cycles + HELD - 1
