"""Random programs as static schedules, and in the style that `--style auto` takes."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from loom.front.given_schedules import load_schedule
from loom.front.request import Request
from loom.front.styles import compare as comparing
from tests.random_programs.grow_program import grow_program
from tests.random_programs.print_program import text_of
from tests.random_programs.statically import AUTOMATICALLY, STATICALLY, judge_statically
from tests.random_programs.verdict import Choice, Verdict
from tests.support.static.circuits import compile_static_request

FIRST, PROGRAMS, TOGETHER = 5100, 60, 20


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("first", range(FIRST, FIRST + PROGRAMS, TOGETHER))
def test_no_finding(first: int) -> None:
    for seed in range(first, first + TOGETHER):
        verdict = judge_statically(text_of(grow_program(seed)), Choice(3, False).setting(seed))
        assert verdict.finding is None, (seed, verdict.finding)


@pytest.mark.usefixtures("deep_on_sources")
def test_printed_schedules_give_the_files_of_one_step() -> None:
    """Programs without a stage have no schedule to print.

    A text has the ports of the arrays that it accesses; `compile` has those of the program.
    """
    same = 0
    for seed in range(FIRST, FIRST + TOGETHER):
        request = Request(text_of(grow_program(seed)), "k.mlir")
        circuit = compile_static_request(request)
        given = load_schedule(replace(request, text=circuit.text))
        if given is None:
            assert not list(circuit.pipelines)
            continue
        arrays, told = (
            {memory.name for memory in each.netlist.memories} for each in (circuit, given)
        )
        assert told == {port.memory for port in (*given.fsmd.reads, *given.fsmd.writes)} & arrays
        if told != arrays:
            continue
        files = circuit.files()
        del files[f"{circuit.netlist.name}.static.mlir"]
        assert given.files() == files, seed
        same += 1
    assert same >= TOGETHER * 3 // 4


@pytest.mark.usefixtures("deep_on_sources")
def test_most_programs_are_run() -> None:
    seeds = Random(1).sample(range(1000), 20)
    verdicts = [
        STATICALLY.judge(text_of(STATICALLY.program(seed)), Choice(1, False).setting(seed))
        for seed in seeds
    ]
    assert sum(bool(verdict.tokens) for verdict in verdicts) >= 15


CHOSEN = range(5200, 5215)


def judged(seed: int) -> Verdict:
    """The verdict on the style that is chosen for the program of a seed."""
    return AUTOMATICALLY.judge(text_of(grow_program(seed)), Choice(2, False).setting(seed))


@pytest.mark.usefixtures("deep_on_sources")
def test_the_chosen_style_is_right_and_follows_the_rule() -> None:
    assert [each for each in map(judged, CHOSEN) if each.finding] == []


@pytest.mark.usefixtures("deep_on_sources")
def test_a_choice_that_does_not_follow_the_rule_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault: a static schedule is never said to be slower."""
    monkeypatch.setattr(comparing, "compare_times", lambda *_: None)
    found = [each.finding for each in map(judged, CHOSEN) if each.finding]
    assert found and {each.kind for each in found} == {"choice"}
