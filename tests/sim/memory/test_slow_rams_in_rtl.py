"""RAMs outside that answer after two cycles: right, predicted, and watched in simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.model.bundles.activation import Activation
from tests.sim.memory.test_channels_in_rtl import kernels
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs

pytestmark = pytest.mark.sim

NAMES = ("fir", "matvec", "spmv", "histogram", "insertion_sort", "bfs", "swaps", "chase")


def test_latency_2_in_all_three_ways(deep: Deep) -> None:
    found, activations = kernels("ram,latency=2", NAMES)
    deep(*RTL_INPUTS, texts=describe_runs(zip(found, activations, strict=True)))
    for stalls in (0.0, 0.4):
        for report in cosimulate_kernels(found, activations, SimOptions(stalls=stalls)):
            assert report.match, (report.kernel.top, report.differences[:3])
            if not stalls:
                assert [run.cycles for run in report.rtl.runs] == report.predicted


def with_other_rams(choice: str) -> tuple[Kernel, Sequence[Activation]]:
    """The circuit for RAMs of latency 2 between the RAMs that it would have by this choice."""
    (slow,), (given,) = kernels("ram,latency=2", ("fir",))
    (other,), _ = kernels(choice, ("fir",))
    return replace(slow, netlist=other.netlist), given


def test_a_ram_that_answers_at_another_time_is_reported() -> None:
    kernel, given = with_other_rams("ram,latency=1")
    (report,) = cosimulate_kernels([kernel], [given], SimOptions(stalls=0.3))
    assert not report.match
    assert any("ram_answers_in_time" in each for each in report.rtl.assertions), report.differences


def test_a_ram_that_answers_in_time_is_not_reported() -> None:
    kernel, given = with_other_rams("ram,latency=2")
    (report,) = cosimulate_kernels([kernel], [given], SimOptions(stalls=0.3))
    assert report.match and report.rtl.assertions == ()
