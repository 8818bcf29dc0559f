"""The passes are one table: unique names, stages in order, a reason for each; it prints."""

from __future__ import annotations

from itertools import groupby
from typing import get_args

import pytest
from xdsl.dialects.builtin import ModuleOp

from loom.lower import pipeline
from loom.lower.options import Options
from loom.lower.pipeline import PASSES, list_passes
from loom.lower.run_passes import Pass, Stage


def test_names_are_unique_and_each_pass_has_a_reason() -> None:
    assert len({step.name for step in PASSES}) == len(PASSES)
    assert all(step.reason and step.reason[-1] != "." for step in PASSES)


def test_stages_follow_each_other() -> None:
    assert tuple(stage for stage, _ in groupby(step.stage for step in PASSES)) == get_args(Stage)


def test_the_table_prints_a_pass_a_line() -> None:
    lines = list(list_passes())
    assert len(lines) == len(PASSES)
    for line, step in zip(lines, PASSES, strict=True):
        assert line.split(maxsplit=2) == [step.stage, step.name, step.reason]
    assert max(map(len, lines)) <= 100


def test_passes_run_in_the_order_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def first_step(module: ModuleOp, options: Options) -> None:
        ran.append("first")

    def second_step(module: ModuleOp, options: Options) -> None:
        ran.append("second")

    planted = (Pass("check", first_step, "a"), Pass("normalize", second_step, "b"))
    monkeypatch.setattr(pipeline, "PASSES", planted)
    pipeline.lower(ModuleOp([]), Options())
    assert ran == ["first", "second"]
    pipeline.normalize(ModuleOp([]), Options())
    assert ran == ["first", "second", "second"]
    assert planted[0].name == "first-step"
