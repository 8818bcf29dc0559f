"""docs/trust.md: every line of a table names tests, and these are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from tests.support.folders import DOCS, TESTS

CITED = re.compile(r"`(test_\w+\.py)?::(test_\w+)`")


def rows_of(page: str) -> list[str]:
    """The rows of the page's tables, without their heads."""
    lines = page.split("\n")
    return [
        line
        for before, line in pairwise(lines)
        if line.startswith("|") and before.startswith("|") and not line.startswith("|---")
    ]


def find_unheld(page: str) -> Iterator[str]:
    """Rows that name no test, and tests that are not there; the file is that of the test before."""
    yield from (row for row in rows_of(page) if not CITED.search(row) and "the same" not in row)
    file = ""
    for named, test in CITED.findall(page):
        file = named or file
        texts = [path.read_text(encoding="utf-8") for path in TESTS.rglob(file)]
        if len(texts) != 1 or f"\ndef {test}(" not in texts[0]:
            yield f"{file}::{test}"


def test_every_line_is_held_by_a_test() -> None:
    page = (DOCS / "trust.md").read_text(encoding="utf-8")
    assert len(rows_of(page)) > 10
    assert list(find_unheld(page)) == []


def test_a_line_without_its_test_is_found() -> None:
    head = "| what | held by |\n|---|---|\n"
    assert list(find_unheld(head + "| all is well | me |\n")) == ["| all is well | me |"]
    missing = "`test_trust_page.py::test_none`"
    assert list(find_unheld(head + f"| a | {missing} |\n")) == ["test_trust_page.py::test_none"]
    assert list(find_unheld(head + "| a | `test_none.py::test_a` |\n")) == ["test_none.py::test_a"]
    held = "`test_trust_page.py::test_every_line_is_held_by_a_test`"
    assert list(find_unheld(head + f"| a | {held} |\n| b | the same |\n")) == []
