"""The C examples in RTL: every call of their main() gives what C gave, under stalls."""

from __future__ import annotations

from pathlib import Path

import pytest
from loom_sim import SimOptions
from loom_sim.suite import run_suite

EXAMPLES = Path(__file__).parent.parent / "examples" / "c"


@pytest.mark.sim
def test_examples_match() -> None:
    reports = run_suite(EXAMPLES, SimOptions(stalls=0.3, seed=7))
    assert len(reports) == len([*EXAMPLES.glob("*.c")]) >= 10
    assert {report.kernel.netlist.name: report.differences for report in reports} == {
        report.kernel.netlist.name: () for report in reports
    }
