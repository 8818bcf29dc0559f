"""The pages made from the code are not stale."""

from __future__ import annotations

import pytest

from tests.house.generated_pages import DOCS, PAGES

MEASURED = ("buffers.md", "prediction.md")
"""Pages that compile examples to be made, and look at no source as a text."""


@pytest.mark.parametrize("name", sorted(PAGES.keys() - set(MEASURED)))
def test_page_is_what_the_code_says(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "run `make docs`"


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("name", MEASURED)
def test_measured_page_is_what_the_code_does(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "run `make docs`"
