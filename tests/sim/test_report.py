"""``loom report``: measured figures, bounds below them, and the page in a real browser."""

from __future__ import annotations

import builtins
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from loom_sim import SimOptions, cosimulate
from loom_sim.performance.drawing import draw, require_layout
from loom_sim.performance.netlist_loops import loops_of

from loom.front.api import compile_text
from loom.front.cli import main
from loom.input_files import read_text
from tests.golden.designs import sum_of_array
from tests.support.folders import EXAMPLES
from tests.support.planted_faults import adder_job, sum_job
from tests.support.refusals import refusal

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")


def reported(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["report", *words]) == 0
    return capsys.readouterr().out


def example(name: str, *words: str) -> list[str]:
    return [str(EXAMPLES / f"{name}.mlir"), "--inputs", str(EXAMPLES / f"{name}.json"), *words]


def test_the_loops_of_a_netlist() -> None:
    """A loop that counts is known by its stream, another by the test its carries wait for."""
    file = EXAMPLES / "kmp.mlir"
    netlist = compile_text(read_text(str(file)), str(file)).netlist
    counted, tested = loops_of(netlist)
    assert (counted.place.line, tested.place.line) == (10, 13)
    assert counted.conditions == ("stream_i_cont",)
    assert tested.conditions == ("andi_again",)
    assert {"stream_i", "carry_matched"} <= set(counted.units) and "carry_q" in tested.units


def test_a_drawing_has_no_boxes_on_each_other() -> None:
    netlist = sum_of_array()
    drawing = draw(netlist)
    assert set(drawing.paths) == {channel.name for channel in netlist.channels}
    boxes = list(drawing.boxes.values())
    assert len(boxes) == len(netlist.units) + len(netlist.ports)
    for number, one in enumerate(boxes):
        for other in boxes[:number]:
            apart = abs(one.x - other.x) >= (one.width + other.width) / 2
            assert apart or abs(one.y - other.y) > 50


def test_a_page_of_a_hostile_source_is_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    file, output = tmp_path / f"{hostile[:8]}.mlir", tmp_path / "page.html"
    file.write_text(f"// {hostile}\n" + (EXAMPLES / "add.mlir").read_text())
    reported(capsys, str(file), "--html", str(output))
    text = output.read_text()
    assert "&lt;img src=x onerror" in text
    assert "<img" not in text and text.count("<script") == 2 == text.count("</script>")


def test_a_page_without_igraph(monkeypatch: pytest.MonkeyPatch) -> None:
    require_layout()
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "igraph":
            raise ModuleNotFoundError(name=name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    assert refusal(require_layout) == (
        "loom: error[REPORT_NO_LAYOUT]: found no module igraph; LOOM accepts an installation with "
        "the extra `report`: pip install 'loom-hls[report]'"
    )


@pytest.mark.sim
def test_a_profile_counts_tokens_waits_and_intervals() -> None:
    """Without pauses an adder's tokens pass one a cycle; with pauses some of them wait."""
    job = adder_job()
    quick, slow = (
        cosimulate([job], SimOptions(profile=True, stalls=stalls))[0].runs[0]
        for stalls in (0.0, 0.5)
    )
    for run in (quick, slow):
        assert run.profile.keys() == run.tokens.keys()
        for name, tokens in run.tokens.items():
            one = run.profile[name]
            assert one.last - one.first + 1 >= tokens
    assert all(p.last - p.first + 1 == quick.tokens[n] for n, p in quick.profile.items())
    assert sum(p.waits for p in quick.profile.values()) == 0
    assert sum(p.waits for p in slow.profile.values()) > 0
    assert cosimulate([job], SimOptions())[0].runs[0].profile == {}


@pytest.mark.sim
def test_intervals_are_those_after_a_true_token() -> None:
    """The sum of an array goes on once a cycle: its condition is true five times, then false."""
    run = cosimulate([sum_job(5)], SimOptions(profile=True))[0].runs[0]
    (loop,) = loops_of(sum_of_array())
    (condition,) = loop.conditions
    assert loop.place.file == condition
    profile = run.profile[condition]
    assert (run.tokens[condition], profile.intervals, profile.between) == (6, 5, 5)


@pytest.mark.sim
def test_the_report_of_a_nest(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = json.loads(reported(capsys, *example("matvec", "--json")))
    bounds = found["bounds"]
    assert found["match"] and (bounds["cycles"], bounds["limited_by"]) == (800, "loads of m")
    assert bounds["cycles"] <= found["cycles"] == sum(found["runs"])
    outer, inner = found["loops"]
    assert (outer["line"], outer["depth"], outer["iterations"]) == (7, 0, 40)
    assert (inner["line"], inner["depth"], inner["iterations"]) == (8, 1, 800)
    assert (inner["ii"], inner["min_ii"], inner["lost_cycles"]) == (1.0, 1.0, 0.0)
    assert outer["limited_by"] == "20 loads of m per iteration" and outer["min_ii"] == 20.0
    assert found["channels"]["stream_i_cont"]["tokens"] == 40
    assert {(row["array"], len(row["waits"])) for row in found["order"]} >= {("m", 0)}


@pytest.mark.sim
@pytest.mark.parametrize(
    "name", ["memory_patterns", "polynomial_f64", "kmp", "digits", "triangular"]
)
def test_no_circuit_is_below_its_bound(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Words that stay in registers, inner loops that overlap, tests first, long units, tables."""
    found = json.loads(reported(capsys, *example(name, "--json")))
    assert 0 < found["bounds"]["cycles"] <= found["cycles"]


@pytest.mark.sim
def test_the_units_that_set_the_pace_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    """A sum of floats waits for the addition before, which comes back through a carry."""
    found = json.loads(reported(capsys, *example("dot_f32", "--json")))
    assert any(name.startswith("addf") for name in found["critical"])
    assert any(name.startswith("carry") for name in found["critical"])
    assert not any(name.startswith("mulf") for name in found["critical"])


@pytest.mark.sim
def test_a_graph_has_no_bounds(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, inputs = tmp_path / "gcd.dfg.mlir", str(EXAMPLES / "gcd.json")
    lower = ["lower", str(EXAMPLES / "gcd.mlir"), "--clock-period", "none", "-o", str(file)]
    assert main(lower) == 0
    text = reported(capsys, str(file), "--inputs", inputs, "--activations", "1")
    assert "no program behind the circuit: no bounds" in text
    row = next(line for line in text.splitlines() if line.startswith("line"))
    assert row.split()[3:] == ["11", "1.00", "-", "-"]


@pytest.mark.sim
def test_a_page_that_cannot_be_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["report", *example("gcd", "--html", str(tmp_path))]) == 2
    assert "EMIT_UNWRITABLE" in capsys.readouterr().err


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The page of a kernel in a browser; console messages and requests must stay empty."""
    if BROWSER is None:
        pytest.skip("no Chromium on this machine, in which the page would be looked at")
    from playwright.sync_api import sync_playwright

    file = tmp_path_factory.mktemp("page") / "matvec.html"
    assert main(["report", *example("matvec", "--html", str(file))]) == 0
    quiet = "--disable-gpu --disable-quic --no-first-run --disable-background-networking"
    with sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=BROWSER, args=["--no-sandbox", *quiet.split(), "--disable-sync"]
        )
        shown = browser.new_page(viewport={"width": 1400, "height": 900})
        said: list[str] = []
        asked: list[str] = []
        shown.on("console", lambda message: said.append(message.text))
        shown.on("pageerror", lambda error: said.append(str(error)))
        shown.on("request", lambda request: asked.append(request.url))
        shown.goto(file.as_uri())
        yield shown
        assert said == [] and asked == [file.as_uri()]
        browser.close()


@pytest.mark.sim
def test_a_unit_leads_to_its_line_and_back(page: Any) -> None:
    page.locator("#graph g[data-unit=muli_product]").dispatch_event("click")
    assert page.locator("#source li.on").inner_text().strip().startswith("%product = arith.muli")
    page.locator("#source li", has_text="memref.load %m").click()
    on = page.eval_on_selector_all("#graph g.on", "all => all.map(one => one.dataset.unit)")
    assert "shli_0" in on and "muli_product" not in on


@pytest.mark.sim
def test_what_is_under_the_pointer_is_told(page: Any) -> None:
    page.locator("#graph path[data-channel=stream_i_cont]").dispatch_event("mouseenter")
    told = page.locator("#detail").inner_text()
    assert told.startswith("stream_i_cont: i1\nstream_i.cont to fork_0.in\n40 tokens, moving in ")
    page.locator("#graph g[data-unit=muli_product]").dispatch_event("mouseenter")
    assert "arith.muli\nlatency 2\nline 11" in page.locator("#detail").inner_text()


@pytest.mark.sim
def test_the_graph_is_zoomed_and_moved(page: Any) -> None:
    def view() -> list[float]:
        return [float(word) for word in page.locator("#graph").get_attribute("viewBox").split()]

    page.locator("#fit").click()
    whole = view()
    page.mouse.move(300, 400)
    page.mouse.wheel(0, -100)
    page.wait_for_function(f"graph.viewBox.baseVal.width < {whole[2]} - 1")
    closer = view()
    page.mouse.down()
    page.mouse.move(400, 450)
    page.mouse.up()
    assert view()[0] < closer[0] and view()[2] == closer[2]
    page.locator("#farther").click()
    assert view()[2] > closer[2]


@pytest.mark.sim
def test_a_loop_and_a_name_are_found(page: Any) -> None:
    assert page.locator("#loops tbody tr").count() == 2
    page.locator("#loops tbody tr").nth(1).click()
    assert page.locator("#source li.on").inner_text().strip().startswith("%sum = scf.for")
    page.locator("#find").fill("muli_product")
    on = page.eval_on_selector_all("#graph g.on", "all => all.map(one => one.dataset.unit)")
    assert on == ["muli_product"]
