"""Every mutant of the list still stands for a change of the code, and the page tells its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutation.__main__ import PAGE
from tests.mutation.listed import PARTS
from tests.mutation.mutant import ROOT, Mutant
from tests.mutation.page import figures, recorded, row
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


TEXT = PAGE.read_text(encoding="utf-8")


def test_the_page_tells_the_end_of_every_mutant() -> None:
    """If not: `make mutants` runs what is new and writes the page."""
    found = recorded(TEXT)
    lines = [line for line in TEXT.splitlines() if line.startswith(("| loom/", "| rtl_templates/"))]
    assert lines == [row(mutant, found.get(mutant.key)) for mutant in MUTANTS], "run `make mutants`"
    missing = [m.breaks for m in MUTANTS if not m.equal and m.key not in found]
    assert missing == [], "run `make mutants`"


def test_the_tests_that_the_page_names_are_there() -> None:
    """A file stands alone where the mutant does not even let its tests be collected."""
    for by in {outcome.by for outcome in recorded(TEXT).values()}:
        file, _, name = by.partition("[")[0].partition("::")
        text = (ROOT / file).read_text(encoding="utf-8")
        assert not name or f"def {name}(" in text, by


def test_the_page_counts_right() -> None:
    assert "\n".join(figures(recorded(TEXT))) in TEXT


def test_a_page_is_read_back() -> None:
    outcome = Outcome("tests/test_x.py::test_y[a | b]", 7.0)
    assert recorded(row(MUTANTS[0], outcome)) == {MUTANTS[0].key: outcome}
    assert recorded(row(MUTANTS[0], Outcome("survived", 7.0))) == {}
