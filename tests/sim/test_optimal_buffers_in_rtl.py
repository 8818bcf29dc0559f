"""Circuits with a solver's buffers do what their programs say, in the cycles that are predicted."""

from __future__ import annotations

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import cosimulate_kernels

from loom.lower.options import Options
from tests.sim.test_examples_in_rtl import kernel_of
from tests.support.deep import Deep
from tests.support.folders import EXAMPLES
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs

pytestmark = [pytest.mark.sim, pytest.mark.from_sources]
NAMES = ("bfs", "crc32", "digits", "gcd", "kmp", "linear_search", "reverse")
"""Examples whose buffers are others than without a solver."""


def test_examples_match(deep: Deep) -> None:
    best = Options(buffers="optimal", clock_period=None)
    loaded = [kernel_of(EXAMPLES / f"{name}.mlir", best) for name in NAMES]
    loaded.append(kernel_of(EXAMPLES / "fir.mlir", Options(buffers="optimal", clock_period=10.0)))
    deep(*RTL_INPUTS, texts=describe_runs(loaded))
    kernels, given = [kernel for kernel, _ in loaded], [runs for _, runs in loaded]
    for stalls in (0.0, 0.5):
        reports = cosimulate_kernels(kernels, given, SimOptions(stalls=stalls, seed=4))
        wrong = {r.kernel.top: r.differences[:3] for r in reports if not r.match}
        assert not wrong, f"stalls {stalls}"
        assert all(run.residual == () for r in reports for run in r.rtl.runs)
        if not stalls:
            cycles = {r.kernel.top: [run.cycles for run in r.rtl.runs] for r in reports}
            assert cycles == {r.kernel.top: r.predicted for r in reports}
