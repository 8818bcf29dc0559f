"""Advice of a report: what is tried, and what is named with the numbers of the models."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import pytest

from loom.explore.advice import Advice, advise, settings_of
from loom.explore.axes import Point
from loom.explore.front import Result
from loom.front.api import read_program
from loom.front.cli import main, parser
from loom.front.request import Request
from loom.front.verbs import read_request
from loom.regress import workers
from loom.regress.row import MATCH, Row
from loom.regress.settings import option_parser
from tests.regress.judged_here import judge_here
from tests.support.refusals import refusal

DOT = """int dot(const int x[32], const int y[32]) {
  int s = 0;
  for (int i = 0; i < 32; i++)
    s += x[i] * y[i];
  return s;
}
"""
TABLE = """static const int t[8] = {1, 2, 3, 4, 5, 6, 7, 8};
int look(const int k[8]) {
  int s = 0;
  for (int i = 0; i < 8; i++) s += t[i] ^ k[i];
  return s;
}
"""


def tried(text: str, *words: str) -> list[str]:
    """The settings, each as the words of its options."""
    options = option_parser().parse_args(words)
    found = settings_of(read_program(Request(text, "k.c")), options)
    return [
        " ".join(f"{axis.option} {axis.setting(value)}" for axis, value in each) for each in found
    ]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOOM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(workers, "judge_all", judge_here)


def test_loops_are_unrolled_with_their_arrays() -> None:
    assert tried(DOT, "--style", "dynamic") == [
        "unroll 3=2", "unroll 3=2 partition x:cyclic:2 partition y:cyclic:2",
        "unroll 3=4", "unroll 3=4 partition x:cyclic:4 partition y:cyclic:4",
        "clock-period 8", "clock-period 12.5", "memory-order comparators", "style static",
    ]  # fmt: skip
    static = tried(DOT, "--style", "static", "--clock-period", "8")
    assert static[1] == "unroll 3=2 partition x:cyclic:2 partition y:cyclic:2 style dynamic"
    assert static[4:6] == ["clock-period 6.4", "clock-period 10"] and static[-1] == "style dynamic"
    assert "unroll 4=full partition t:cyclic:8 partition k:cyclic:8" in tried(TABLE)
    assert not any("unroll" in each for each in tried("int f(int a) { return a; }\n"))


def test_what_is_faster_is_named_with_its_numbers() -> None:
    Path("dot.c").write_text(DOT)
    options = parser().parse_args(["report", "dot.c", "--style", "dynamic", "--advice"])
    advice = advise(options, read_request(options))
    words = ["--unroll", "3=4", "--partition", "x:cyclic:4", "--partition", "y:cyclic:4"]
    best = next(each for each in advice.better if [*each.point.words] == words)
    assert best.cycles is not None and advice.now.cycles is not None
    assert best.cycles < advice.now.cycles / 2
    assert advice.now.time is not None
    assert all(each.time is not None and each.time <= 0.95 * advice.now.time
               for each in advice.better)  # fmt: skip


@pytest.mark.usefixtures("deep_on_sources")
def test_the_report_of_a_static_schedule_has_it(capsys: pytest.CaptureFixture[str]) -> None:
    Path("dot.c").write_text(DOT)
    command = ["report", "dot.c", "--style", "static", "--advice"]
    assert main([*command, "--json"]) == 0
    advice = json.loads(capsys.readouterr().out)["advice"]
    assert advice["now"]["status"] == MATCH and advice["now"]["arguments"] == []
    (first, *_) = advice["better"]
    assert first["time"] < advice["now"]["time"]
    assert main(command) == 0
    text = capsys.readouterr().out
    assert f"instead of {advice['now']['predicted']} cycles, " in text
    assert f": {first['predicted']} cycles, {first['time']:.3f} us (" in text
    assert main(command[:-1]) == 0
    assert "advice" not in capsys.readouterr().out


def result(cycles: int | None) -> Result:
    row = Row("k", "k.c", MATCH, predicted=cycles, luts=5, flip_flops=1, period=10.0)
    return Result(Point((), ("--unroll", "3=2"), Namespace()), row)


def test_where_nothing_helps_that_is_said() -> None:
    assert [*Advice(result(100), ()).lines()][1:] == [
        "advice: nothing that was tried takes 5 % less time than 100 cycles, 1.000 us, 5 LUT4"
    ]
    assert [*Advice(result(None), ()).lines()][1].startswith("advice: none")
    assert [*Advice(result(100), (result(50),)).lines()][2] == (
        "  --unroll 3=2: 50 cycles, 0.500 us (-50 %), 5 LUT4"
    )


def test_a_graph_has_no_options_that_help() -> None:
    text = "handshake.func @g(%s: none) -> none {\n  handshake.return %s : none\n}\n"
    assert "error[INPUT_KIND]" in refusal(advise, Namespace(), Request(text, "g.mlir"))
