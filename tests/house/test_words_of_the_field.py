"""Names and pages use the terms of the glossary, not the words that they have replaced."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator

import pytest

from tests.support.folders import DOCS, ROOT

RETIRED_NAMES = re.compile(
    r"turns?|turns?_\w+|\w+_turns?"  # iteration, trip count
    r"|paces?|quickest|slowest_round"  # token rate, shortest iteration, critical cycle
    r"|told|asked|asked_\w+|\w+_asked|awaited"  # a verb with its object; done before return
    r"|meets?|meets_any"  # alias, conflict
    r"|(keep|kept|carry|forward)_words"  # scalar replacement, promotion, forwarding
    r"|cut_arrays|(clock|ready|valid)_cuts|cut_long_paths"  # partition an array, register a path
    r"|Turn|Pace|LoopInterval"
)
"""Identifiers of `loom` and `sim`, as a whole."""

RETIRED_PHRASES = re.compile(
    r"turns (?:of|at a time|in a row)\b|\b(?:a|each|every|one|per|the next|last) turn\b"
    r"|\bturn (?:after|before)\b|quick turns|may meet\b|never meet\b|LOWER_INTERVAL"
    r"|cycles? an iteration|iteration a cycle|what binds|narrower than their types"
    r"|keeps? words|words stay in|cut into banks",
    re.IGNORECASE,
)
"""Parts of sentences of README.md and the pages of docs/; decisions keep the words of their day."""


def retired_names(source: str) -> Iterator[str]:
    """The identifiers of a Python source that a term of the glossary has replaced."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME and RETIRED_NAMES.fullmatch(token.string):
            yield token.string


def retired_phrases(page: str) -> list[str]:
    """The phrases of a page that a term of the glossary has replaced; lines do not matter."""
    return [found.group() for found in RETIRED_PHRASES.finditer(" ".join(page.split()))]


def test_names_are_the_fields() -> None:
    found = {
        f"{file.relative_to(ROOT)}: {name}"
        for folder in ("loom", "sim")
        for file in (ROOT / folder).rglob("*.py")
        for name in retired_names(file.read_text(encoding="utf-8"))
    }
    assert found == set()


def test_pages_use_the_terms_of_the_field() -> None:
    pages = [ROOT / "README.md", *DOCS.glob("*.md")]
    found = {page.name: retired_phrases(page.read_text(encoding="utf-8")) for page in pages}
    assert {name: phrases for name, phrases in found.items() if phrases} == {}


PLANTED_NAMES = ("turns = 3", "def keep_words(): ...", "x.meet(y)", "class Turn: ...", "f(asked=1)")
PLANTED_PAGES = (
    "II is 4 cycles an\niteration.", "Accesses that may meet wait.", "It is done once a turn.",
    "Four turns at a time", "what binds the loop",
)  # fmt: skip


@pytest.mark.parametrize("source", PLANTED_NAMES)
def test_a_retired_name_is_found(source: str) -> None:
    assert list(retired_names(source))


@pytest.mark.parametrize("page", PLANTED_PAGES)
def test_a_retired_phrase_is_found(page: str) -> None:
    assert retired_phrases(page)


def test_terms_of_the_field_are_not_found() -> None:
    source = "def return_to_sender(iterations, trip_count): ...  # a turn in a comment\n"
    assert not list(retired_names(source))
    assert not retired_phrases("It turns out that II = 1. See decisions/0034-a-loop-of-n-turns.md.")


def test_the_glossary_is_linked() -> None:
    assert "docs/glossary.md" in (ROOT / "README.md").read_text(encoding="utf-8")
