"""Kernels with units of chosen latency and form: source reference = token model = RTL, at pace."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.front.api import compile_text
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from tests.dialects.test_choice_of_units import MEANS, POWERS, SWAPS
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs

pytestmark = [pytest.mark.sim, pytest.mark.from_sources]

TRIPS = (0, 1, 2, 8, 8)
WORDS = (7, -9, 100, -128, 5, 0, 77, 1000)
CHOICES: dict[str, tuple[str, Options]] = {
    "powers_1": (POWERS, Options(latencies=(("muli", 1),))),
    "powers_3": (POWERS, Options(latencies=(("muli", 3),))),
    "powers_8": (POWERS, Options(latencies=(("muli", 8),))),
    "means_pipelined": (MEANS, Options()),
    "means_iterative": (MEANS, Options(divider="iterative")),
    "swaps_1": (SWAPS, Options()),
    "swaps_2": (SWAPS, Options(latencies=(("memory", 2),))),
}


def test_kernels_with_chosen_units(deep: Deep) -> None:
    kernels: list[Kernel] = []
    for name, (text, options) in CHOICES.items():
        named = text.replace("@f", f"@{name}").replace("{SAID}", "")
        circuit = compile_text(named, f"{name}.mlir", options=options)
        kernels.append(Kernel(circuit.source, circuit.top, circuit.netlist, circuit.files()))
    words = [word % (1 << 32) for word in WORDS]
    given = [
        [
            Activation({"n": n, "x": 3} if text is SWAPS else {"n": n, "x": 3, "m": words})
            for n in TRIPS
        ]
        for text, _ in CHOICES.values()
    ]
    deep(*RTL_INPUTS, texts=describe_runs(zip(kernels, given, strict=True)))
    cycles: dict[str, Sequence[int]] = {}
    for stalls in (0.0, 0.4):
        reports = cosimulate_kernels(kernels, given, SimOptions(stalls=stalls))
        for report in reports:
            assert report.match, (report.kernel.top, report.differences[:3])
            assert all(run.residual == () for run in report.rtl.runs)
            if not stalls:
                cycles[report.kernel.top] = [run.cycles for run in report.rtl.runs]
    # A trip more costs a cycle a loop, or a whole division where one unit does them one by one.
    paces = {name: (found[3] - found[2]) / 6 for name, found in cycles.items()}
    slow = {"means_iterative": 34, "swaps_1": 2, "swaps_2": 2}
    assert paces == {name: slow.get(name, 1) for name in CHOICES}
