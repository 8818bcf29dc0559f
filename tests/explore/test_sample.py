"""Points that a sampler chooses: as many as asked, different, the same by the same seed."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

import pytest

from loom.explore.axes import Axis, Point, count_of
from loom.explore.front import Result, mark_front
from loom.explore.sample import excess_of, sample
from loom.front.cli import main
from loom.regress import workers
from loom.regress.row import MATCH, REFUSED, Row
from loom.regress.settings import option_parser
from tests.regress.judged_here import judge_here
from tests.support.refusals import refusal

SIDE = 30
AXES = [Axis("dsp", "", tuple(map(str, range(SIDE)))),
        Axis("unroll-below", "", tuple(map(str, range(1, SIDE + 1))))]  # fmt: skip


def options(seed: int = 0) -> Namespace:
    return option_parser().parse_args(["--seed", str(seed)])


def judge(points: Sequence[Point]) -> list[Result]:
    """A plane of points: time falls with one axis, LUT4 with the other; one line is refused."""
    found = []
    for point in points:
        a, b = (int(value) for _, value in point.values)
        row = Row("k", "k.c", MATCH, predicted=100 - a, luts=100 + a + b, flip_flops=1, period=10.0)
        if a == 7:
            row = Row("k", "k.c", REFUSED)
        found.append(Result(point, row))
    return found


def chosen(results: Sequence[Result]) -> list[tuple[str, ...]]:
    return [tuple(value for _, value in each.point.values) for each in results]


def test_points_are_different_and_those_of_their_seed() -> None:
    first = chosen(sample(AXES, options(), 60, {}, judge))
    assert len(first) == len(set(first)) == 60
    assert chosen(sample(AXES, options(), 60, {}, judge)) == first
    assert chosen(sample(AXES, options(5), 60, {}, judge)) != first


def test_the_sampler_learns_from_the_points_before() -> None:
    results = sample(AXES, options(), 100, {}, judge)
    late = [values[1] for values in chosen(results)[-40:]]
    assert late.count("1") >= 5, "it has least LUT4, and costs no time; by chance it were 1 or 2"
    assert any(each.is_on_front for each in mark_front(results, {}))


def test_of_few_points_all_are_found() -> None:
    axes = [Axis("dsp", "", tuple("123456")), Axis("unroll-below", "", tuple("12345"))]
    found = chosen(sample(axes, options(), 29, {}, judge))
    assert len(set(found)) == 29 and count_of(axes) == 30


def test_a_budget_is_what_points_are_over() -> None:
    (result,) = judge([Point((("a", "3"), ("b", "7")), (), Namespace())])
    assert excess_of(result, {}) == 0 and excess_of(result, {"lut4": 220}) == pytest.approx(-0.5)
    assert excess_of(result, {"lut4": 220, "cycles": 48.5}) == pytest.approx(1.0)


def test_without_optuna(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    assert refusal(sample, AXES, options(), 60, {}, judge) == (
        "--points: error[EXPLORE_SAMPLER]: found 900 points, of which 60 are to be chosen, and no "
        "module optuna; LOOM accepts an installation with the extra `explore`: pip install "
        "'loom-hls[explore]'; or --points 900, which tries all"
    )


def test_the_command_chooses_of_many_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(workers, "judge_all", judge_here)
    Path("f.c").write_text("int f(int a, int b) { return a * b + a; }\n")
    command = ["explore", "f.c", "--cache", "rows", "--points", "4"]
    over = ["--over", "clock-period=6,8,10,12", "--over", "dsp=3,4"]
    assert main([*command, *over]) == 0
    first = capsys.readouterr()
    assert first.err.startswith("8 points: ") and "\n4 points, " in first.out
    assert main([*command, *over]) == 0
    second = capsys.readouterr()
    assert second.out == first.out and " are as an earlier run left them" in second.err
    assert "match" not in second.err, "no point was judged again"
