"""Expressions over names and tags, and shards."""

from __future__ import annotations

import argparse

import pytest

from loom.regress.case import Case
from loom.regress.selection import DEEPEST, select, shard
from tests.support.refusals import refusal

NONE = argparse.Namespace()
CASES = [
    Case("fir", "fir.c", NONE, tags=frozenset({"fast"})),
    Case("fir_4", "fir.c", NONE, tags=frozenset({"slow"})),
    Case("sub/gcd", "sub/gcd.c", NONE, tags=frozenset({"fast", "sim"})),
]


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        (None, "fir fir_4 sub/gcd"),
        ("fir", "fir fir_4"),
        ("fast", "fir sub/gcd"),
        ("not fast", "fir_4"),
        ("fir and not(slow)", "fir"),
        ("slow or fast and sim", "fir_4 sub/gcd"),
        ("(slow or fast) and fir", "fir fir_4"),
        ("not not sub/", "sub/gcd"),
    ],
)
def test_an_expression_selects(expression: str | None, names: str) -> None:
    assert [case.name for case in select(CASES, expression)] == names.split()


@pytest.mark.parametrize(
    ("expression", "column", "found"),
    [
        ("", 1, "the end of the expression"), ("fir and", 8, "the end of the expression"),
        ("fir gcd", 5, "'gcd'"), ("(fir", 5, "the end of the expression"), ("fir)", 4, "')'"),
        ("or fir", 1, "'or'"), ("(" * (DEEPEST + 1) + "fir", DEEPEST + 1, "'('"),
    ],
)  # fmt: skip
def test_another_syntax_is_refused(expression: str, column: int, found: str) -> None:
    text = refusal(select, CASES, expression)
    assert text.startswith(f"-k:1:{column}: error[REGRESS_SELECTION]: found {found}; LOOM accepts")


def test_a_word_that_no_kernel_knows_is_refused() -> None:
    assert refusal(select, CASES, "fir and not fats") == (
        "-k:1:13: error[REGRESS_SELECTION]: found 'fats'; LOOM accepts parts of names of kernels, "
        "or a tag: fast, sim, slow; fast: did you mean that?"
    )


def test_shards_are_all_kernels_and_each_once() -> None:
    for count in range(1, 5):
        parts = [shard(CASES, number, count) for number in range(1, count + 1)]
        assert sorted(case.name for part in parts for case in part) == [c.name for c in CASES]
