"""Every unit has the latency and rate of its row, and the pages of the units say so."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from loom_sim import cosimulate

from loom.dialects.operators.catalogue import CATALOGUE
from tests.support.deep import SIMULATION_INPUTS, UNIT_INPUTS, Deep
from tests.support.folders import DOCS
from tools.library import synthesis_record
from tools.library.pages import WIDTH, pages
from tools.library.rates import Measured, job_of, measure
from tools.library.units import is_measured, is_timed, library_units

UNITS = {unit.title: unit for unit in library_units(WIDTH)}
MEASURED = {name for name, row in CATALOGUE.items() if is_timed(row)}
LINK = re.compile(r"\]\(([^)#]+)(?:#([^)]+))?\)")


INPUTS = (*UNIT_INPUTS, *SIMULATION_INPUTS, "tools/library")


@cache
def rows() -> list[Measured]:
    """What one run of all units says; deep tests ask for it only if it may have changed."""
    return measure(list(UNITS.values()))


@pytest.mark.sim
def test_every_unit_has_the_latency_and_rate_of_its_row(deep: Deep) -> None:
    deep(*INPUTS)
    assert {row.operator for row in rows()} == MEASURED
    for row in rows():
        unit = UNITS[row.title]
        shared = unit.shape.attributes.get("stores", 1), unit.shape.attributes.get("loads", 1)
        turns = max(shared) - 1  # the ports of a memory are served in turn
        names = {port.name for port in unit.operator.signature.inputs}
        after = int(names >= {"address", "datum"})  # a load's datum comes after its address
        assert row.latency == row.declared + turns + after, row
        assert row.rate == pytest.approx(1 / row.interval, abs=0.01), row


@pytest.mark.usefixtures("deep_on_sources")
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
def test_the_pages_say_what_a_run_says(deep: Deep) -> None:
    headings = [
        line
        for file in sorted(DOCS.glob("*.md"))
        for line in [file.name, *file.read_text(encoding="utf-8").splitlines()]
        if line.startswith("#") or line == file.name
    ]
    deep(*INPUTS, "docs/proofs.md", texts=headings)
    made = pages(list(UNITS.values()), rows(), (DOCS / "proofs.md").read_text(encoding="utf-8"))
    names = {f"{name}.{kind}" for name in MEASURED for kind in ("md", "svg")}
    assert made.keys() == names | {"README.md"}
    assert wrong_figures(made, rows()) == []
    assert dead_links(made) == []
    for name in MEASURED:
        shaded = 'class="t"' in made[f"{name}.svg"]
        assert shaded, f"{name}: no cycle of its diagram takes a token"
    planted = replace(rows()[0], latency=rows()[0].latency + 1)
    assert len(wrong_figures(made, [planted, *rows()[1:]])) == 2
    assert dead_links(made | {"more.md": "[a](none.md) [b](../../docs/costs.md#none)"}) == [
        "none.md", "../../docs/costs.md#none",
    ]  # fmt: skip


def wrong_figures(made: dict[str, str], rows: list[Measured]) -> list[str]:
    """The units whose figures the index or their operator's page lacks."""
    wrong = []
    for row in rows:
        capacity = "endless" if row.endless else row.capacity
        figures = f" | {row.latency} | {capacity} | {row.rate:g} |"
        link = f"[`{row.operator}`]({row.operator}.md)"
        if row.title.replace(row.operator, link, 1) + figures not in made["README.md"]:
            wrong.append(f"{row.title} in the index")
        if f"| {row.title}{figures}" not in made[f"{row.operator}.md"]:
            wrong.append(f"{row.title} on its page")
    return wrong


def dead_links(made: dict[str, str]) -> list[str]:
    """The links of the pages that lead to no page, or to no heading of one in docs/."""
    dead = []
    for path, anchor in LINK.findall("".join(made.values())):
        file = DOCS / Path(path).name
        if not path.startswith("../../docs/"):
            found = path in made
        else:
            found = file.exists() and (
                not anchor or f"### `{anchor}`" in file.read_text(encoding="utf-8").replace(".", "")
            )
        if not found:
            dead.append(f"{path}#{anchor}" if anchor else path)
    return dead


def test_every_unit_with_hardware_is_synthesized() -> None:
    """Those that cannot be timed alone too; the record has a row for each title."""
    titles = [subject.title for subject in synthesis_record.units()]
    assert {title.split(" ")[0] for title in titles} == {
        name for name, row in CATALOGUE.items() if is_measured(row)
    }
    assert set(titles) == set(synthesis_record.read()["units"])
