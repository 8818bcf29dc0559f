"""What comments and pages cite is in the repository: pages, headings and differences D1 to D10."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.support.folders import DOCS, ROOT

CITED = re.compile(r"docs/spec/([a-z-]+\.md)(?:,\s+\"?([A-Z][A-Za-z -]+[a-z])\"?)?")
DIFFERENCE = re.compile(r"docs/spec\s+((?:D\d+(?:,\s+| and | to )?)+)")
ELSEWHERE = re.compile(
    r"\b[Ee]rrat(?:a|um)\b|design notes?\b|(?:compilation|memory|dialect) spec(?:ification)?\b"
)
"""Texts that a reader of the repository does not have."""
LINK = re.compile(r"\]\(([^)#:]+\.md)(?:#([\w-]+))?\)")


def headings(page: str) -> set[str]:
    text = (DOCS / "spec" / page).read_text()
    return set(re.findall(r"^#+ (.*)$", text, re.MULTILINE))


def differences() -> set[str]:
    return {heading.split()[0] for heading in headings("differences.md") if heading[0] == "D"}


def wrong_citations(text: str) -> Iterator[str]:
    """What a text cites that is not there."""
    for page, heading in CITED.findall(text):
        if not (DOCS / "spec" / page).exists():
            yield page
        elif heading and heading not in headings(page):
            yield f"{page}, {heading}"
    for listed in DIFFERENCE.findall(text):
        yield from (name for name in re.findall(r"D\d+", listed) if name not in differences())
    yield from ELSEWHERE.findall(text)


def test_every_citation_resolves() -> None:
    wrong = {
        (str(file.relative_to(ROOT)), each)
        for folder in ("loom", "sim", "tools", "tests", "rtl_templates", "docs")
        for file in (ROOT / folder).rglob("*")
        if file.suffix in (".py", ".j2", ".sv", ".md")
        and file.name != "test_citations_resolve.py"
        and file.parent.name != "spec"
        for each in wrong_citations(file.read_text(encoding="utf-8"))
    }
    assert not wrong


def test_every_link_between_pages_resolves() -> None:
    pages = [*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CHANGELOG.md"]
    wrong = {
        (str(page.relative_to(ROOT)), link)
        for page in pages
        for link, _ in LINK.findall(page.read_text(encoding="utf-8"))
        if not (page.parent / link).exists()
    }
    assert not wrong


@pytest.mark.parametrize(
    "text",
    [
        "Source: docs/spec/no-such-page.md.",
        'Source: docs/spec/operations.md, "No such heading".',
        "right for no iteration (docs/spec D11)",
        "as docs/spec D1, D12 say",
        "errata E1",
        "the design notes on buffers",
        "Memory is ordered as the memory specification says",
    ],
)
def test_a_wrong_citation_is_found(text: str) -> None:
    assert list(wrong_citations(text))


def test_no_page_has_two_sides_of_a_merge() -> None:
    sides = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)
    pages = [*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CHANGELOG.md"]
    assert not [page.name for page in pages if sides.search(page.read_text(encoding="utf-8"))]
    assert sides.search("a page\n<<<<<<< HEAD\n")


def test_differences_are_numbered_without_a_gap() -> None:
    assert differences() == {f"D{number}" for number in range(1, 11)}
