"""MLIR's own compiler and our reference agree on random programs."""

from __future__ import annotations

import importlib.util
import os

import pytest

from tests.random_programs.natively import NATIVELY, judge_seeds
from tests.random_programs.replay import told
from tests.random_programs.verdict import setting_of

pytestmark = [
    pytest.mark.judge,
    pytest.mark.skipif(
        importlib.util.find_spec("mlir") is None,
        reason="the extra `judge` (MLIR's own tools) is not installed",
    ),
]
PROGRAMS = int(os.environ.get("LOOM_JUDGED_PROGRAMS", "200"))
"""Programs in all; more by the environment variable."""
FIRST = int(os.environ.get("LOOM_JUDGED_FIRST", "0"))
CHUNK = 25
"""Programs of one process [programs]."""
SECONDS = 100.0
"""So long a program that differs is shrunk; each try is a process of its own [s]."""


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("number", range(PROGRAMS // CHUNK))
def test_native_code_and_the_reference_agree(number: int) -> None:
    first = FIRST + number * CHUNK
    verdicts = judge_seeds(range(first, first + CHUNK))
    for seed, verdict in verdicts.items():
        if verdict.finding is not None:
            words = told(seed, setting_of(seed), verdict.finding, SECONDS, NATIVELY)
            raise AssertionError(words)
    assert sum(verdict.dropped for verdict in verdicts.values()) <= CHUNK // 5
