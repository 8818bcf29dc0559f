"""Every mutant of the list still stands for a change of the code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutation.listed import PARTS
from tests.mutation.mutant import ROOT, Mutant

MUTANTS = [mutant for part in PARTS for mutant in part.mutants]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.file} {mutant.key}")
def test_the_old_text_stands_once(mutant: Mutant) -> None:
    """Where the code has changed, the mutant in tests/mutation follows it."""
    assert (ROOT / mutant.file).read_text(encoding="utf-8").count(mutant.old) == 1
    assert mutant.old != mutant.new


def test_there_are_many_and_no_two_alike() -> None:
    assert len({mutant.key for mutant in MUTANTS}) == len(MUTANTS) >= 100


def test_a_mutant_is_applied_and_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text("a < b")
    assert Mutant("code.py", "<", "<=", "").apply(tmp_path) == "a < b"
    assert path.read_text() == "a <= b"
    with pytest.raises(ValueError, match="0 times"):
        Mutant("code.py", "none", "", "").apply(tmp_path)
