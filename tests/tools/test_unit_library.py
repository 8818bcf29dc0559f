"""Every unit has the latency and rate of its row; the pages of docs/units/ say what a run says."""

from __future__ import annotations

import pytest
from loom_sim import cosimulate

from loom.dialects.operators.catalogue import CATALOGUE
from tests.support.folders import DOCS
from tools.library.pages import WIDTH, pages
from tools.library.rates import job_of, measure
from tools.library.units import is_measured, library_units

UNITS = {unit.title: unit for unit in library_units(WIDTH)}


@pytest.mark.sim
def test_every_unit_has_the_latency_and_rate_of_its_row() -> None:
    found = measure(list(UNITS.values()))
    measured = {name for name, row in CATALOGUE.items() if is_measured(row)}
    assert {row.operator for row in found} == measured
    for row in found:
        unit = UNITS[row.title]
        shared = unit.shape.attributes.get("stores", 1), unit.shape.attributes.get("loads", 1)
        turns = max(shared) - 1  # the ports of a memory are served in turn
        assert row.latency == row.declared + turns, row
        assert row.rate == pytest.approx(1 / row.interval, abs=0.01), row


@pytest.mark.sim
def test_an_activation_may_offer_more_tokens_than_the_one_before() -> None:
    """The source must not begin with the next activation's tokens before it starts."""
    unit = UNITS["dataflow.carry"]
    runs = [
        {"d": [1, 0], "a": [1], "b": [2]},
        {"d": [1, 0, 0], "a": [3, 4], "b": [5]},
        {"d": [0], "a": [6], "b": []},
    ]
    (result,) = cosimulate([job_of(unit.netlist, runs)])
    assert result.problems == ()
    assert [run.outputs["o"] for run in result.runs] == [(1, 2), (3, 5, 4), (6,)]


@pytest.mark.sim
def test_the_pages_are_up_to_date() -> None:
    made = pages((DOCS / "proofs.md").read_text(encoding="utf-8"))
    folder = DOCS / "units"
    stored = {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}
    stale = [name for name in made.keys() | stored.keys() if made.get(name) != stored.get(name)]
    assert stale == [], "`make units` writes them"
