"""Mutated inputs of every kind end in a refusal or in a circuit that does what it should.

`python -m tests.fuzz --minutes N --seed S` runs more of them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.campaign import Tally, inputs, run_one
from tests.fuzz.corpus import KINDS, Seed, seeds
from tests.fuzz.giants import GIANTS, KERNEL
from tests.fuzz.judge import judge, problems_of

pytestmark = pytest.mark.usefixtures("no_clock_period")
"""These are about programs, not registers: placement for a period has tests of its own."""

COUNT = 300
"""Inputs of a kind."""
COUNTS = {"c": 80, "python": 60, "options": 100, "core": 60}
"""Of kinds whose inputs take longer."""
CODES = {"core": 2, "bundle": 5, "python": 3}
"""Least codes of refusals, of others more than five."""


@pytest.fixture
def deep_recursion() -> Iterator[None]:
    """As many frames as the command has."""
    frames = sys.getrecursionlimit()
    sys.setrecursionlimit(8000)
    yield
    sys.setrecursionlimit(frames)


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("kind", KINDS)
def test_no_mutated_input_crashes(kind: str, tmp_path: Path, deep_recursion: None) -> None:
    tally, count = Tally(), COUNTS.get(kind, COUNT)
    for number, seed, data in islice(inputs(0, (kind,)), count):
        tally.count(str(number), data, run_one(number, seed, data, tmp_path, every=25))
    assert not tally.crashes
    assert tally.codes["accepted"] > count // 30
    assert len(tally.codes) >= CODES.get(kind, 6)


@pytest.mark.parametrize("kind", GIANTS)
def test_no_giant_takes_long(kind: str, deep_recursion: None) -> None:
    """What grows with the square of the text is seen at this size."""
    for name, giant in GIANTS[kind].items():
        text = giant(20_000)
        verdict = judge(Seed(kind, name, text, KERNEL), text, Random(0), seconds=20.0)
        assert verdict.code != "crash", (name, verdict)


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("kind", KINDS)
def test_every_seed_is_judged(kind: str) -> None:
    for seed in seeds(kind)[:: 5 if kind == "c" else 1]:  # whose examples are tested elsewhere
        verdict = judge(seed, seed.text, Random(1))
        assert verdict.code != "crash", (seed.name, verdict)


def test_a_crash_is_seen() -> None:
    """A model that differs, an exception and a text that takes too long are crashes."""
    assert judge(Seed("unheard of", "x", ""), "", Random(0)).code == "crash"
    tried = (judge(seed, seed.text, Random(0), seconds=1e-3) for seed in seeds("program"))
    assert any("TooSlow" in verdict.text for verdict in tried)


def test_notes_are_no_problems_and_a_traceback_is_one() -> None:
    note = "fir: note: the clock period is 11 ns (Fmax 90 MHz) instead of 10 ns"
    error = "k.mlir:1:2: error[MLIR_SYNTAX]: found x; LOOM accepts y"
    assert problems_of(f"{note}\n{error}\n 1 | x\n") == [error]
    assert problems_of(f"{note}\nTraceback (most recent call last):\n") == [
        "Traceback (most recent call last):"
    ]
