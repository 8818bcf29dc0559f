"""Comparators of addresses: source reference = token model = RTL, in the predicted cycles."""

from __future__ import annotations

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from tests.lower.loops.test_compare_addresses import (
    BODIES,
    MEMORIES,
    NEST,
    activations,
    circuit,
    depths,
    program,
)
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs

pytestmark = [pytest.mark.sim, pytest.mark.from_sources]

SUBJECTS = [(BODIES["histogram"], memory) for memory in MEMORIES] + [
    (BODIES["scaled"], "ram"),
    (BODIES["two loads"], "channel,latency=9"),
    (BODIES["behind the store"], "ram"),
    (BODIES["from the element"], "channel"),
    (BODIES["another address"], "ram"),
    (BODIES["another address"], "channel,latency=9"),
    (BODIES["under a branch"], "ram,latency=3"),
    (BODIES["a store under a branch"], "ram"),
    (BODIES["a store under a branch"], "channel,latency=9"),
    (BODIES["both under two branches"], "ram"),
    (NEST, "ram"),
    (NEST, "channel,latency=9"),
]


def kernels() -> list[Kernel]:
    """A circuit with a comparator for each subject."""
    found: list[Kernel] = []
    for number, (body, memory) in enumerate(SUBJECTS):
        text = program(body).replace("int f(", f"int f{number}(")
        made = circuit(text, "comparators", memory)
        assert depths(made)
        found.append(Kernel(made.source, made.top, made.netlist, made.files()))
    return found


@pytest.mark.parametrize("stalls", [0.0, 0.4])
def test_colliding_addresses_in_all_three_ways(deep: Deep, stalls: float) -> None:
    found = kernels()
    given = [activations() for _ in found]
    deep(*RTL_INPUTS, texts=describe_runs(zip(found, given, strict=True)))
    for report in cosimulate_kernels(found, given, SimOptions(stalls=stalls)):
        assert report.match, (report.kernel.top, report.differences[:3])
        assert report.rtl.assertions == ()
        if not stalls:
            assert [run.cycles for run in report.rtl.runs] == report.predicted
