"""C examples in RTL: every call of their main() gives what C gave, under stalls.

`make suite` runs all of them.
"""

from __future__ import annotations

import pytest
from loom_sim import SimOptions
from loom_sim.kernel import cosimulate_kernels
from loom_sim.suite import load

from tests.support.folders import EXAMPLES

FOLDER = EXAMPLES / "c"
NAMES = ("bubble_sort", "cordic", "crc32", "fir", "gcd", "histogram", "linear_search", "saxpy",
         "string_match", "xorshift")  # fmt: skip
"""A loop with break, a struct, globals of both kinds, floats, pointers, calls, bytes."""


@pytest.mark.sim
def test_examples_match() -> None:
    loaded = [load(FOLDER / f"{name}.c") for name in NAMES]
    reports = cosimulate_kernels(
        [kernel for kernel, _ in loaded],
        [given for _, given in loaded],
        SimOptions(stalls=0.3, seed=7),
    )
    found = {report.kernel.netlist.name: report.differences for report in reports}
    assert found == dict.fromkeys(NAMES, ())
