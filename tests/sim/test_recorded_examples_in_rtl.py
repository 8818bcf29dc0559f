"""C and Python examples in RTL: each call of their programs gives what C or NumPy gave.

Under stalls; `make suite` runs all of them.
"""

from __future__ import annotations

import pytest
from loom_sim import SimOptions
from loom_sim.kernel import cosimulate_kernels
from loom_sim.suite import load

from tests.support.deep import Deep
from tests.support.folders import EXAMPLES
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs

NAMES = {
    "c": ("bubble_sort", "cordic", "crc32", "fir", "gcd", "histogram", "linear_search", "saxpy",
          "string_match", "xorshift"),
    "c/programs": ("floyd_warshall", "jacobi"),
    "python": ("bubble_sort", "histogram", "string_search"),
}  # fmt: skip
"""C: a loop with break, a struct, globals of both kinds, floats, pointers, calls, bytes.
Whole programs: circuits that loops share. Python: exchanges, two results, an else behind a loop."""
SUFFIXES = {"c": ".c", "c/programs": ".c", "python": ".py"}


@pytest.mark.from_sources
@pytest.mark.sim
@pytest.mark.parametrize("language", NAMES)
def test_examples_match(language: str, deep: Deep) -> None:
    names = NAMES[language]
    loaded = [load(EXAMPLES / language / f"{name}{SUFFIXES[language]}") for name in names]
    deep(*RTL_INPUTS, texts=describe_runs(loaded))
    reports = cosimulate_kernels(
        [kernel for kernel, _ in loaded],
        [given for _, given in loaded],
        SimOptions(stalls=0.3, seed=7),
    )
    found = {report.kernel.netlist.name: report.differences for report in reports}
    assert found == dict.fromkeys(names, ())
