"""A load-store queue before a memory: the SystemVerilog gives what a program in order gives.

Without stalls each circuit takes the cycles of the timed model.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from loom_sim import Job, SimOptions, cosimulate

from tests.support.deep import SIMULATION_INPUTS, UNIT_INPUTS, Deep
from tests.support.planted_faults import Fault
from tests.support.queue_traffic import CASES, Traffic, traffic
from tests.support.streams_in_rtl import Streams, streams
from tests.support.timed_streams import timing_differences

pytestmark = pytest.mark.sim

COUNT = 150
"""Groups in each circuit."""
WAYS = (
    SimOptions(profile=True),
    SimOptions(shy=True, seed=2),
    SimOptions(stalls=0.25, shy=False, seed=3),
    SimOptions(stalls=0.5, shy=True, seed=4),
)
FILE = "rtl/loom_load_store_queue_ls_l.sv"
FAULTS = {
    "nothing is forwarded": {"{OUTSTANDING{|same_q}}": "{OUTSTANDING{&same_q & ~|same_q}}"},
    "no store is compared with": {"assign same[k] = ": "assign same[k] = 1'b0 & "},
    "a datum is not waited for": {"~|(same & lacks)": "~|(same & ~same & lacks)"},
    "the younger of two stores is not taken": {
        "if (same_q[k]) place": "if (same_q == DEPTH'(1'b1) << k) place"
    },
    "an address is not waited for": {"~|(ahead_q[0+:DEPTH] & ~placed_q)": "1'b1"},
    "stores overtake loads": {"valued_q & older": "valued_q & (older | ~older)"},
}
"""Changes of the text."""


def given() -> list[tuple[Traffic, Streams]]:
    """Each queue with random accesses, and sums that are stored."""
    made = [
        traffic(text, COUNT, 7, name=f"traffic_{number}", **said)
        for number, (text, said) in enumerate(CASES.items())
    ]
    made.append(traffic("ls", COUNT, 7, addresses=3, chained=True, name="traffic_chained"))
    return [(each, streams(each.netlist, each.tokens, {"array": each.words})) for each in made]


def test_traffic_without_and_with_stalls(deep: Deep) -> None:
    deep(*UNIT_INPUTS, *SIMULATION_INPUTS, "tests/support/queue_traffic.py")
    found = given()
    for each, one in found:
        assert one.model.outputs == each.outputs
        assert one.model.memories["array"] == each.after
    for options in WAYS:
        for (each, one), result in zip(
            found, cosimulate([one.job() for _, one in found], options), strict=True
        ):
            assert list(one.differences(result)) == [], (each.netlist.name, options)
            if options is WAYS[0]:
                assert list(timing_differences(one, result.runs[0])) == []


def test_a_planted_fault_is_found(deep: Deep) -> None:
    deep(*UNIT_INPUTS, *SIMULATION_INPUTS, "tests/support/queue_traffic.py")
    ones, jobs = list[Streams](), list[Job]()
    for number, changes in enumerate(FAULTS.values()):
        each = traffic("ls,l", COUNT, 7, addresses=2, name=f"fault_{number}")
        one = streams(each.netlist, each.tokens, {"array": each.words})
        job = one.job()
        ones.append(one)
        jobs.append(replace(job, files=Fault(FILE, changes).plant(job.files)))
    silent = [
        name
        for name, one, result in zip(
            FAULTS, ones, cosimulate(jobs, SimOptions(stalls=0.4, seed=5)), strict=True
        )
        if not list(one.differences(result))
    ]
    assert silent == []
