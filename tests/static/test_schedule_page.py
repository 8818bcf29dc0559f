"""The page of a static schedule: steps where the machine runs them, and all that starts in them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from loom.draw.of_schedule import Chart, Reservation, charts_of
from loom.draw.schedule_page import Schedule, bars, schedule_page
from loom.errors import Place
from loom.front.cli import main
from loom.front.static_circuit import StaticCircuit
from loom.frontend.functions import top_function
from loom.model.fsmd.record_spans import MOST_CYCLES, SpanRecorder, SpanRun
from loom.netlist.fsmd.fsmd import Span
from tests.static.test_machines import MOST, NAMES, example
from tests.support.folders import EXAMPLES


def charts(circuit: StaticCircuit) -> list[Chart | None]:
    return list(charts_of(top_function(circuit.module).body.block))


@pytest.mark.parametrize("name", NAMES)
def test_steps_run_inside_each_other_and_iterations_issue_every_ii(name: str) -> None:
    circuit, given = example(name)
    cycles = circuit.cycles(given[:1], MOST)[0]
    found = circuit.spans(given[0], MOST)
    around: list[SpanRun] = []
    for run, chart in zip(found, charts(circuit), strict=True):
        assert (chart is None) == (run.span.kind in ("loop", "branch"))
        del around[run.span.depth :]
        outer = around[-1].runs if around else ((1, cycles),)
        for begin, end in run.runs:
            assert any(first <= begin <= end <= last for first, last in outer)
        around.append(run)
        if run.span.kind == "pipeline":
            assert chart is not None and chart.ii is not None
            later = zip(run.issues, run.issues[1:], strict=False)
            assert all(after - before >= chart.ii for before, after in later)
            assert all(any(b <= cycle <= e for b, e in run.runs) for cycle in run.issues)


def test_a_pipeline_issues_as_often_as_its_loop_turns() -> None:
    circuit, given = example("fir")
    (run,) = circuit.spans(given[0], MOST)
    assert (run.runs, run.issues) == (((1, 105),), tuple(range(1, 101)))
    assert run.busy == 105 and run.span.place.line == 8


def test_runs_of_a_step_are_from_its_start_to_its_end() -> None:
    span = Span("stages", Place("k.mlir", 3), 0, "s", "e")
    recorder = SpanRecorder([span, replace(span, start="i", end="i", issue="i")])
    for cycle, signals in enumerate(["s", "", "es", "e", "", "i", "es", "s"], 1):
        recorder(cycle, {name: int(name in signals) for name in "sei"})
    recorder(MOST_CYCLES + 1, dict.fromkeys("sei", 1))  # is left out
    first, second = recorder.found()
    assert first.runs == ((1, 3), (3, 4), (7, 7), (8, 8)) and first.busy == 6
    assert second.runs == ((6, 6),) and second.issues == (6,)


@pytest.mark.parametrize("name", ["smooth_f16", "dot_f32", "video_filter", "window"])
def test_units_of_a_pipeline_are_those_of_the_machine(name: str) -> None:
    circuit, _ = example(name)
    (chart,) = [each for each in charts(circuit) if each is not None and each.ii is not None]
    units = Counter(unit.operator.name.rpartition(".")[2] for unit in circuit.fsmd.units)
    shown = Counter[str]()
    for each in chart.reservations:
        if "port" not in each.resource:
            shown[each.resource.removesuffix(", shared")] += each.count
    assert shown == units
    memories = {
        each.resource.split(":")[0] for each in chart.reservations if "port" in each.resource
    }
    assert memories <= set(circuit.fsmd.memories)


def test_use_is_the_part_of_the_slots_that_is_taken() -> None:
    assert Reservation("port", ((3,), (), (4,), ()), 1).share == 0.5
    assert Reservation("port", ((3, 5), ()), 1).share == 0.5  # under conditions that exclude
    assert Reservation("mulf", ((3, 5), (6,)), 2).share == 0.75


class Texts(HTMLParser):
    """The texts of a page and the lines that it leads to; it is well-formed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.links: set[str] = set()
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.links |= {found["href"] or ""} if tag == "a" else set()
        self.ids |= {f"#{found['id']}"} if "id" in found else set()
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del tag, attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def read(page: str) -> Texts:
    found = Texts()
    found.feed(page.removeprefix("<!doctype html>"))
    assert not found.open
    return found


def test_the_page_says_all_of_the_schedule(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = EXAMPLES / "smooth_f16.mlir"
    page = tmp_path / "page.html"
    words = ["report", "--style", "static", str(file), "--html", str(page)]
    assert main(words) == 0
    summary = capsys.readouterr().out
    found = read(page.read_text())
    assert summary.strip() in found.texts  # the text of the report
    assert found.links and found.links <= found.ids  # lines lead to the source
    said = " ".join(found.texts)
    for text in (
        "The first activation: 55 cycles", "pipeline at line 10: length 20, II = 1",
        "22: addf sum: cycle 10, latency 5", "samples: read port", "26: store smooth", "60%",
    ):  # fmt: skip
        assert text in said
    assert "<script" not in page.read_text() and "http" not in page.read_text()


def test_names_and_sources_are_texts_of_the_page() -> None:
    circuit, given = example("fir")
    runs = circuit.spans(given[0], MOST)
    hostile = '<script>alert("&")</script>'
    shown = Schedule(hostile, [hostile], hostile, 30_000, runs, charts(circuit))
    page = schedule_page(shown)
    assert "<script" not in page and hostile in "".join(read(page).texts)
    assert "the first 10,000 of 30,000 cycles" in page


def test_bars_that_no_pixel_parts_are_one() -> None:
    runs = [(k, k) for k in range(1, 20_000, 2)]
    assert len(re.findall("M", bars("bar", runs, 0, 4, 0.1))) == 1
    assert len(re.findall("M", bars("bar", runs[:50], 0, 4, 2.0))) == 50
