"""The pages made from the code are not stale."""

from __future__ import annotations

import pytest

from tests.house.generated_pages import DOCS, PAGES


@pytest.mark.parametrize("name", PAGES)
def test_page_is_what_the_code_says(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "run `make docs`"
