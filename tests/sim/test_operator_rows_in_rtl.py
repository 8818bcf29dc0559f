"""The hand rows of every operator come out of the SystemVerilog too, under stalls and shy sinks.

Without stalls each takes the cycles of the timed model, and moves the same tokens.
"""

from __future__ import annotations

import pytest
from loom_sim import SimOptions, cosimulate

from loom.dialects.operators.catalogue import CATALOGUE
from loom.netlist.checks import problems
from tests.rows import ROWS
from tests.support.deep import SIMULATION_INPUTS, UNIT_INPUTS, Deep
from tests.support.streams_in_rtl import streams
from tests.support.timed_streams import timed

pytestmark = pytest.mark.sim

WAYS = {
    "free": SimOptions(),
    "shy": SimOptions(shy=True, seed=2),
    "stalled": SimOptions(stalls=0.3, shy=False, seed=3),
    "stalled and shy": SimOptions(stalls=0.3, shy=True, seed=4),
}


def test_all_rows_in_one_build(deep: Deep) -> None:
    deep(*UNIT_INPUTS, *SIMULATION_INPUTS)
    # The netlist of a broadcast alone is refused: nothing behind it takes its copies together.
    hardware = [row for row in ROWS if CATALOGUE[row.operator].hardware.template]
    rows = [row for row in hardware if not problems(row.netlist())]
    assert {row.operator for row in hardware if row not in rows} == {"dataflow.broadcast"}
    circuits = [row.netlist(f"row_{number}") for number, row in enumerate(rows)]
    given = [
        streams(
            netlist,
            row.inputs,
            {memory.name: row.before for memory in netlist.memories_outside},
        )
        for row, netlist in zip(rows, circuits, strict=True)
    ]
    for row, one in zip(rows, given, strict=True):
        assert one.model.outputs == row.outputs and one.model.errors == row.errors
    jobs = [one.job() for one in given]
    results = {way: cosimulate(jobs, options) for way, options in WAYS.items()}
    found = {
        f"{row.title}, {way}": list(one.differences(result))
        for way, each in results.items()
        for row, one, result in zip(rows, given, each, strict=True)
    }
    assert {title: texts for title, texts in found.items() if texts} == {}
    for row, one, result in zip(rows, given, results["free"], strict=True):
        run, (seen,) = timed(one), result.runs
        assert (run.outputs, dict(run.tokens)) == (row.outputs, dict(seen.tokens)), row.title
        # Without an input nothing says when it began.
        assert run.cycles == seen.cycles or not row.inputs, row.title
