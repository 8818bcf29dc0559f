"""Random programs as static schedules: the machine does what the source reference does."""

from __future__ import annotations

from random import Random

import pytest

from tests.random_programs.grow_program import grow_program
from tests.random_programs.print_program import text_of
from tests.random_programs.statically import STATICALLY, judge_statically
from tests.random_programs.verdict import Choice

FIRST, PROGRAMS, TOGETHER = 5100, 60, 20


@pytest.mark.parametrize("first", range(FIRST, FIRST + PROGRAMS, TOGETHER))
def test_no_finding(first: int) -> None:
    for seed in range(first, first + TOGETHER):
        verdict = judge_statically(text_of(grow_program(seed)), Choice(3, False).setting(seed))
        assert verdict.finding is None, (seed, verdict.finding)


def test_most_programs_are_run() -> None:
    seeds = Random(1).sample(range(1000), 20)
    verdicts = [
        STATICALLY.judge(text_of(STATICALLY.program(seed)), Choice(1, False).setting(seed))
        for seed in seeds
    ]
    assert sum(bool(verdict.tokens) for verdict in verdicts) >= 15
