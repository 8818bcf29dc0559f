"""Every mutant of the list still stands for a change of the code, and the page tells its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutation.__main__ import PAGE
from tests.mutation.listed import PARTS
from tests.mutation.mutant import ROOT, Mutant
from tests.mutation.page import figures, row
from tests.mutation.run import Outcome

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


def rows_of_page() -> list[str]:
    """The lines about one mutant each, in their order."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith(("| loom/", "| rtl_templates/"))]


def test_the_page_tells_the_end_of_every_mutant() -> None:
    """`make mutants` was run after the last change of the list, and nothing survived."""
    rows = rows_of_page()
    assert len(rows) == len(MUTANTS)
    for line, mutant in zip(rows, MUTANTS, strict=True):
        if mutant.equal:
            assert line == row(mutant, None)
        else:
            killer = line.partition("`")[2].rpartition("`")[0].replace("\\|", "|")
            assert line == row(mutant, Outcome(killer, 0)), mutant.breaks
            file, _, test = killer.partition("::")
            name = test.partition("[")[0]
            assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), killer


def test_the_page_counts_right() -> None:
    text = PAGE.read_text(encoding="utf-8")
    dead = {mutant.key: Outcome("", 0) for mutant in MUTANTS if not mutant.equal}
    assert "\n".join(figures(dead)) in text
