"""The page of ``loom report`` in a real browser: what it draws, and what its controls do."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from loom_sim.performance import page as pages

from loom.front.cli import main
from tests.report.graphviz import require_graphviz
from tests.support.folders import EXAMPLES

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
QUIET = "--disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-sync"
KERNELS = {
    "fir": ["fir.mlir", "--inputs", "fir.json"],
    "matmul": ["matmul.mlir", "--inputs", "matmul.json"],
    "kmp": ["kmp.mlir", "--inputs", "kmp.json"],
    "convolve": ["systems/convolve.c"],
}
DESK, PHONE = {"width": 1400, "height": 900}, {"width": 390, "height": 844}
pytestmark = pytest.mark.sim

MIDDLES = """() => [...graph.querySelectorAll(".boxes > g")].map((group) => {
    const box = group.firstChild.getBoundingClientRect();
    return [group.dataset.unit ?? group.dataset.open, box.left, box.top, box.right, box.bottom];
})"""
FRAMES = """() => Object.fromEntries([...graph.querySelectorAll(".frame")].map((group) => {
    const box = group.firstChild.getBoundingClientRect();
    return [group.dataset.frame, [box.left, box.top, box.right, box.bottom]];
}))"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if BROWSER is None:
        pytest.skip("no Chromium on this machine, in which the page would be looked at")
    require_graphviz()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        found = started.chromium.launch(
            executable_path=BROWSER, args=["--no-sandbox", *QUIET.split()]
        )
        yield found
        found.close()


def test_the_page_of_a_static_schedule_fits_a_phone_and_leads_to_lines(
    browser: Any, tmp_path: Path
) -> None:
    page, file = tmp_path / "page.html", EXAMPLES / "smooth_f16.mlir"
    assert main(["report", "--style", "static", str(file), "--html", str(page)]) == 0
    drawn = page.read_text().count('<rect class="bar"')
    for size in (DESK, PHONE):
        found = browser.new_page(viewport=size, color_scheme="dark")
        said: list[str] = []
        found.on("console", lambda message, said=said: said.append(message.text))
        found.goto(page.as_uri())
        assert found.evaluate("document.documentElement.scrollWidth") <= size["width"]
        bars = found.locator("details rect.bar")
        assert bars.count() == drawn > 10 and bars.first.bounding_box()["width"] > 10
        found.locator("td.slot a", has_text="22").click()
        assert found.locator("tr:target").inner_text().startswith("22")
        found.locator("summary").first.click()
        assert not found.locator("details").first.locator("svg").is_visible()
        assert found.evaluate("getComputedStyle(document.body).color") != "rgb(0, 0, 0)"
        assert said == []


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pages of the kernels, each written when it is first asked for."""
    folder = tmp_path_factory.mktemp("pages")

    class Written(dict[str, Path]):
        def __missing__(self, name: str) -> Path:
            words = [w if w.startswith("--") else str(EXAMPLES / w) for w in KERNELS[name]]
            self[name] = folder / f"{name}.html"
            assert main(["report", "--style", "dynamic", *words, "--html", str(self[name])]) == 0
            return self[name]

    return Written()


@contextmanager
def shown(browser: Any, file: Path, size: dict[str, int] = DESK, **look: str) -> Iterator[Any]:
    """The page once it is laid out; it says nothing on the console and asks for nothing else."""
    page = browser.new_page(viewport=size, **look)
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    page.wait_for_selector("body[data-ready]")
    yield page
    assert said == [] and asked == [file.as_uri()]
    page.close()


@pytest.fixture(scope="module")
def matmul(browser: Any, files: dict[str, Path]) -> Iterator[Any]:
    with shown(browser, files["matmul"]) as page:
        yield page


def marked(page: Any) -> list[str]:
    found: list[str] = page.eval_on_selector_all(
        "#graph .boxes g.on", "all => all.map(one => one.dataset.unit ?? one.dataset.open)"
    )
    return found


@pytest.mark.parametrize("name", KERNELS)
def test_units_stand_in_their_loops_and_apart(
    name: str, browser: Any, files: dict[str, Path]
) -> None:
    """Every unit is drawn in the frame of its loop and of those around it, and in no other one."""
    with shown(browser, files[name]) as page:
        page.locator("#open").click()
        boxes, frames = page.evaluate(MIDDLES), page.evaluate(FRAMES)
        nests = page.evaluate(
            "data.units.map((unit) => [unit.name, nest(unit.loop).map(l => l.key)])"
        )
        assert len(boxes) == len(nests) and len(frames) >= 1
        for unit, left, top, right, bottom in boxes:
            around = [
                key
                for key, (west, north, east, south) in frames.items()
                if west <= left and north <= top and right <= east and bottom <= south
            ]
            assert sorted(around) == sorted(dict(nests)[unit]), unit
        for number, (_, left, top, right, bottom) in enumerate(boxes):
            for _, west, north, east, south in boxes[:number]:
                assert right < west or east < left or bottom < north or south < top


@pytest.mark.parametrize("name", KERNELS)
def test_what_leads_back_in_a_loop_stays_in_its_frame(
    name: str, browser: Any, files: dict[str, Path]
) -> None:
    with shown(browser, files[name]) as page:
        page.locator("#open").click()
        out = page.evaluate(
            """() => ways.filter((way) => {
                const [from, to] = [way.from, way.to].map((each) => units.get(each).loop);
                if (from === null || from !== to) return false;
                const frame = layout.frames.find((each) => each.key === from);
                const box = way.node.getBBox();
                return box.x < frame.x || box.x + box.width > frame.x + frame.width
                    || box.y < frame.y || box.y + box.height > frame.y + frame.height;
            }).map((way) => way.channels[0].name)"""
        )
        assert out == []


def test_a_circuit_of_many_units_opens_at_its_longest_loop(
    browser: Any, files: dict[str, Path]
) -> None:
    with shown(browser, files["convolve"]) as page:
        assert page.evaluate("units.size > MANY")
        assert set(page.evaluate(FRAMES)) == {"11:3", "13:5"}
        assert page.evaluate("[...closed].sort()") == ["10:11", "10:31"]


def test_a_loop_closes_and_opens(matmul: Any) -> None:
    """A closed loop is one box; its channels to a unit are one way, of all their tokens."""
    matmul.locator("#open").click()
    whole = matmul.evaluate("boxes.size")
    within = matmul.evaluate("allUnits(loops.get('6:7')).length")
    matmul.locator("#graph [data-close='6:7']").dispatch_event("click")
    assert matmul.evaluate("boxes.size") == whole - within + 1
    box = matmul.locator("#graph [data-open='6:7']")
    assert "II 1.00, min 1.00" in box.inner_html() and f"{within} units" in box.inner_html()
    inner = "((way) => [way.from, way.to].every((end) => units.get(end).loop === '6:7'))"
    drawn = matmul.evaluate("ways.flatMap((way) => way.channels.map((each) => each.name)).sort()")
    assert drawn == matmul.evaluate(
        f"data.channels.filter((each) => !{inner}(each)).map((each) => each.name).sort()"
    )
    bundled = matmul.locator("#graph path[data-channel*=' ']").first
    assert len(bundled.get_attribute("data-channel").split()) >= 2
    box.dispatch_event("click")
    assert matmul.evaluate("boxes.size") == whole
    matmul.locator("#close").click()
    assert matmul.locator("#graph .frame").count() == 0
    matmul.locator("#loops tbody tr").nth(2).click()
    assert set(matmul.evaluate(FRAMES)) == {"4:3", "5:5", "6:7"}
    assert matmul.locator("#source li.on").inner_text().strip().startswith("%sum = affine.for")


def test_a_unit_leads_to_its_line_and_back(matmul: Any) -> None:
    matmul.locator("#open").click()
    matmul.locator("#graph g[data-unit=muli_product]").dispatch_event("click")
    assert matmul.locator("#source li.on").inner_text().strip().startswith("%product = arith.muli")
    matmul.locator("#source li", has_text="affine.load %b").click()
    assert "addi_0_1" in marked(matmul) and "muli_product" not in marked(matmul)


def test_what_is_under_the_pointer_is_told(matmul: Any) -> None:
    matmul.locator("#open").click()
    matmul.locator("#graph path[data-channel=stream_i_cont]").dispatch_event("mouseenter")
    told = matmul.locator("#detail").inner_text()
    assert told.startswith("stream_i_cont: i1\nstream_i.cont to fork_0.in\n16 tokens, moving in ")
    matmul.locator("#graph g[data-unit=muli_product]").dispatch_event("mouseenter")
    told = matmul.locator("#detail").inner_text()
    assert "arith.muli\nlatency 2\nline 9\n" in told and "LUT4" in told and " ns between" in told
    matmul.locator("#graph [data-close='5:5']").dispatch_event("mouseenter")
    assert "loop at line 5: affine.for %j" in matmul.locator("#detail").inner_text()


def test_the_graph_is_zoomed_and_moved(matmul: Any) -> None:
    def view() -> list[float]:
        return [float(word) for word in matmul.locator("#graph").get_attribute("viewBox").split()]

    matmul.locator("#fit").click()
    whole = view()
    matmul.mouse.move(300, 400)
    matmul.mouse.wheel(0, -100)
    matmul.wait_for_function(f"graph.viewBox.baseVal.width < {whole[2]} - 1")
    closer = view()
    matmul.mouse.down()
    matmul.mouse.move(400, 450)
    matmul.mouse.up()
    assert view()[0] < closer[0] and view()[2] == closer[2]
    matmul.locator("#farther").click()
    assert view()[2] > closer[2]


def test_find_opens_the_loop_and_moves_there(matmul: Any) -> None:
    """Enter goes to the next one; each is then in the middle, and large enough to read."""
    matmul.locator("#close").click()
    matmul.locator("#find").fill("muli_pro")
    assert marked(matmul) == ["muli_product"]
    assert matmul.locator("#found").inner_text() == "1 of 1"

    def distance(unit: str) -> float:
        (_, left, top, right, bottom), *_ = [b for b in matmul.evaluate(MIDDLES) if b[0] == unit]
        west, north, width, height = matmul.evaluate(
            "['left', 'top', 'width', 'height'].map((each) => graph.getBoundingClientRect()[each])"
        )
        across, down = (
            (left + right) / 2 - west - width / 2,
            (top + bottom) / 2 - north - height / 2,
        )
        found: float = max(abs(across), abs(down))
        return found

    assert distance("muli_product") < 2
    assert matmul.evaluate("scale()") > 0.59
    matmul.locator("#find").fill("stream_")
    first = matmul.evaluate("search.names[0]")
    assert distance(first) < 2
    matmul.locator("#find").press("Enter")
    assert distance(matmul.evaluate("search.names[1]")) < 2 < distance(first)
    matmul.locator("#find").fill("")
    assert marked(matmul) == []


def part_of(colour: str) -> float:
    """How much of the full colour is in a mixed one [%]."""
    found = re.search(r"var\(--(?:hot|full)\) ([\d.]+)%", colour)
    assert found is not None, colour
    return float(found[1])


def test_colours_follow_stalls_traffic_area_and_delay(matmul: Any) -> None:
    """The largest share or cost has the full colour of the legend, the others less of it."""
    matmul.locator("#open").click()
    for what, most in (("waiting", "100 %"), ("busy", "100 %")):
        matmul.locator("#colour").select_option(what)
        shares = matmul.evaluate(
            f"ways.map((way) => [way.channels[0].{what}, way.node.style.stroke])"
        )
        for share, stroke in shares:
            assert part_of(stroke) == pytest.approx(100 * share, abs=0.06)
        assert matmul.locator("#most").inner_text() == most
    for what in ("luts", "delay"):
        matmul.locator("#colour").select_option(what)
        costs = matmul.evaluate(
            f"data.units.map((unit) => [unit.{what} ?? 0, "
            "boxes.get(unit.name).firstChild.style.fill])"
        )
        largest = max(cost for cost, _ in costs)
        assert largest > 1
        assert matmul.locator("#most").inner_text() == f"{largest:.{0 if what == 'luts' else 1}f}"
        for cost, fill in costs:
            assert part_of(fill) == pytest.approx(100 * cost / largest, abs=0.06)
        assert not matmul.locator("#legend .kinds").first.is_visible()
    matmul.locator("#colour").select_option("waiting")


def test_ways_are_as_wide_as_their_tokens(matmul: Any) -> None:
    matmul.locator("#open").click()
    found = matmul.evaluate(
        "ways.map((way) => [way.channels[0].width, parseFloat(way.node.style.strokeWidth), "
        "way.node.classList.contains('control')])"
    )
    assert {control for width, _, control in found if width} == {False}
    assert {control for width, _, control in found if not width} == {True}
    wide = dict(sorted((width, stroke) for width, stroke, _ in found))
    assert len(wide) > 3 and list(wide.values()) == sorted(wide.values())
    assert not matmul.locator("#graph .width").first.is_visible()
    matmul.locator("#find").fill("muli_product")
    assert matmul.locator("#graph .width").first.is_visible()
    matmul.locator("#find").fill("")


def test_what_limits_the_ii_and_the_clock_is_framed(browser: Any, files: dict[str, Path]) -> None:
    with shown(browser, files["kmp"]) as page:
        stroke = "(one) => getComputedStyle(one.firstChild).stroke"
        edge = page.evaluate("critical.values().next().value")
        on_path = page.evaluate("data.path.find((name) => !critical.has(name))")
        plain = page.evaluate(
            "data.units.find((unit) => !critical.has(unit.name) && !onPath.has(unit.name)).name"
        )
        seen = [
            page.eval_on_selector(f"#graph g[data-unit='{each}']", stroke)
            for each in (edge, on_path, plain)
        ]
        assert seen[0] != seen[1] == seen[2]
        page.locator("#mark-critical").uncheck()
        page.locator("#mark-longest").check()
        again = [
            page.eval_on_selector(f"#graph g[data-unit='{each}']", stroke)
            for each in (edge, on_path, plain)
        ]
        assert again[1] != again[2] == seen[2] and again[1] != seen[0]


def test_the_timeline_has_a_bar_from_test_to_test(browser: Any, files: dict[str, Path]) -> None:
    """A bar ends at the next test, so the last iteration has none; one above the min II is late."""
    with shown(browser, files["matmul"]) as page:
        page.evaluate("span = { from: 0, to: 60 }; drawTimeline()")
        names = page.eval_on_selector_all(
            "#timeline .name", "all => all.map((one) => one.textContent)"
        )
        assert names == ["line 4", "line 5", "line 6"]
        outer, middle, inner = page.evaluate(
            "rows.map(({all}) => all.map(({from, to, late}) => [from, to, late]))"
        )
        assert (len(outer), len(middle), len(inner)) == (7, 56, 448)
        assert {to - start for start, to, _ in inner} == {1}
        assert [late for *_, late in inner] == [False] * 448
        assert outer[0] == [1, 72, True] and outer[1][2] is False
        told = page.locator("#timeline rect").first
        told.dispatch_event("mouseenter")
        assert page.locator("#detail").inner_text() == "loop at line 4\ncycles 1 to 72: II 71"
        drawn = page.evaluate("document.querySelectorAll('#timeline rect').length")
        page.evaluate("span = { from: 0, to: 520 }; drawTimeline()")
        assert page.evaluate("document.querySelectorAll('#timeline rect').length") != drawn
        page.locator("#timeline .name").nth(1).click()
        assert page.locator("#source li.on").inner_text().strip().startswith("affine.for %j")


def test_the_first_cycles_are_played(browser: Any, files: dict[str, Path]) -> None:
    """In each cycle the tokens that move and wait are those of the timed model."""
    with shown(browser, files["fir"]) as page:
        states = page.evaluate("states")
        for cycle in (1, 7, 40):
            page.evaluate(f"setCycle({cycle})")
            for kind, letter in (("moves", "m"), ("waits", "w")):
                seen = page.eval_on_selector_all(
                    f"#graph path.{kind}", "all => all.map((one) => one.dataset.channel).sort()"
                )
                assert seen == sorted(n for n, text in states.items() if text[cycle - 1] == letter)
                assert page.locator(f"#graph circle.{kind}").count() == len(seen)
        assert page.locator("#cycle-text").inner_text().startswith("cycle 40 of ")
        page.locator("#on").click()
        assert page.evaluate("replay.cycle") == 41
        page.locator("#play").click()
        page.wait_for_function("replay.cycle >= 43")
        page.locator("#play").click()
        page.locator("#timeline").click(position={"x": 300, "y": 30})
        assert page.evaluate("replay.cycle") not in (0, 43)
        page.evaluate("setCycle(0)")
        assert page.locator("#graph circle").count() == 0


CONTRAST = """(pairs) => pairs.map(([selector, ink, paper]) => {
    const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const light = (colour) => {
        pen.fillStyle = colour;
        pen.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3).map((each) =>
            (each / 255 <= 0.04045 ? each / 3294.6 : ((each / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const colour = ([found, what]) => light(getComputedStyle(document.querySelector(found))[what]);
    const [one, two] = [colour([selector, ink]), colour(paper)];
    return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
})"""
READ = [
    ["body", "color", ["body", "backgroundColor"]],
    ["#graph .compute text", "fill", ["#graph .compute rect", "fill"]],
    ["#graph .memory text", "fill", ["#graph .memory rect", "fill"]],
    ["#graph .steer text", "fill", ["#graph .steer rect", "fill"]],
    ["#graph .boxes .small", "fill", ["#graph .steer rect", "fill"]],
    ["#timeline .tick", "fill", ["body", "backgroundColor"]],
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_read_in_light_and_dark(scheme: str, browser: Any, files: dict[str, Path]) -> None:
    """The contrast of every text with what is behind it is 4.5 or more, as WCAG 2.2 asks for."""
    with shown(browser, files["matmul"], color_scheme=scheme) as page:
        body = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (body == "rgb(255, 255, 255)") == (scheme == "light")
        assert min(page.evaluate(CONTRAST, READ)) >= 4.5
        page.locator("#colour").select_option("luts")
        page.evaluate(
            "boxes.get(data.units.toSorted((a, b) => b.luts - a.luts)[0].name).id = 'largest'"
        )
        pair = [["#largest text", "fill", ["#largest rect", "fill"]]]
        assert min(page.evaluate(CONTRAST, pair)) >= 4.5


def test_a_phone_shows_all_in_its_width(browser: Any, files: dict[str, Path]) -> None:
    with shown(browser, files["kmp"], PHONE) as page:
        assert page.evaluate("document.scrollingElement.scrollWidth") == PHONE["width"]
        for part in ("#graph", "#timeline", "#cycle", "#loops", "#source", "#find"):
            box = page.locator(part).bounding_box()
            assert box["width"] > 40 and box["x"] >= 0, part
        assert page.locator("#graph").bounding_box()["height"] > 400
        assert not page.evaluate("byId('legend').open")
        wide = page.evaluate("view.width")
        page.evaluate(
            """() => {
                const touch = (name, pointerId, clientX) => graph.dispatchEvent(
                    new PointerEvent(name, { pointerId, clientX, clientY: 300, bubbles: true }));
                touch("pointerdown", 1, 150); touch("pointerdown", 2, 250);
                touch("pointermove", 1, 100); touch("pointermove", 2, 300);
                touch("pointerup", 1, 100); touch("pointerup", 2, 300);
            }"""
        )
        assert page.evaluate("view.width") == pytest.approx(wide / 2, rel=0.01)


def test_a_layout_that_fails_is_said(browser: Any, files: dict[str, Path], tmp_path: Path) -> None:
    """The page without its Graphviz still has its table and source, and says what is wrong."""
    text = files["fir"].read_text(encoding="utf-8")
    start = text.index('<script id="engine"')
    broken = tmp_path / "broken.html"
    broken.write_text(text[:start] + text[start:].replace("H4sI", "AAAA", 1), encoding="utf-8")
    with shown(browser, broken) as page:
        assert page.evaluate("document.body.dataset.ready") == "no"
        assert "could not be laid out" in page.locator("#detail").inner_text()
        assert page.locator("#loops tbody tr").count() == 1


def test_the_scripts_of_the_page_are_its_files() -> None:
    assert sorted(pages.SCRIPTS) == sorted(each.stem for each in pages.FOLDER.glob("*.js"))
