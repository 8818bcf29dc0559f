"""RAMs outside that answer after two or three cycles: right, predicted, watched in simulation."""

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

pytestmark = [pytest.mark.sim, pytest.mark.from_sources]

NAMES = ("fir", "spmv", "insertion_sort", "bfs", "chase")
IN_BANKS = {
    "matvec": (("m", "cyclic:2:1"), ("v", "cyclic:2")),
    "histogram": (("feature", "block:2"), ("bins", "cyclic:4")),
    "swaps": (("a", "cyclic:2"),),
}


@pytest.mark.parametrize("latency", [2, 3])
def test_slow_rams_in_all_three_ways(deep: Deep, latency: int) -> None:
    found, activations = kernels(f"ram,latency={latency}", NAMES)
    for name, partitions in IN_BANKS.items():
        banked, given = kernels(f"ram,latency={latency}", (name,), partitions)
        found, activations = [*found, *banked], [*activations, *given]
    deep(*RTL_INPUTS, texts=describe_runs(zip(found, activations, strict=True)))
    for stalls in (0.0, 0.4):
        for report in cosimulate_kernels(found, activations, SimOptions(stalls=stalls)):
            assert report.match, (report.kernel.top, report.differences[:3])
            assert report.rtl.assertions == ()
            if not stalls:
                assert [run.cycles for run in report.rtl.runs] == report.predicted


def with_other_rams(
    stated: int, latency: int, name: str = "fir", partitions: tuple[tuple[str, str], ...] = ()
) -> tuple[Kernel, Sequence[Activation]]:
    """The circuit for RAMs of the `stated` latency between RAMs of another [cycles]."""
    (slow,), (given,) = kernels(f"ram,latency={stated}", (name,), partitions)
    (other,), _ = kernels(f"ram,latency={latency}", (name,), partitions)
    return replace(slow, netlist=other.netlist), given


@pytest.mark.parametrize(
    ("stated", "latency", "name"),
    [(1, 2, "fir"), (1, 2, "matmul"), (2, 1, "fir"), (3, 2, "fir"), (2, 3, "swaps")],
)
def test_a_ram_that_answers_at_another_time_is_reported(
    deep: Deep, stated: int, latency: int, name: str
) -> None:
    kernel, given = with_other_rams(stated, latency, name, IN_BANKS.get(name, ()))
    deep(*RTL_INPUTS, texts=describe_runs([(kernel, given)]))
    (report,) = cosimulate_kernels([kernel], [given], SimOptions(stalls=0.3))
    assert not report.match
    assert any("_answers_in_time" in each for each in report.rtl.assertions), report.differences
