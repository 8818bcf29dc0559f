"""Every rule of the dialects has a text that keeps it and one that breaks it, with its message."""

from __future__ import annotations

import pytest

from loom.errors import LoomError
from loom.front.api import check_request, inspect_request
from loom.front.request import Request
from loom.lower.options import Options
from tests.support.refusals import refusal
from tests.support.row_files import read_rows

ROWS = read_rows("dialect_errors.txt")
"""By code: a text that is accepted, one that is refused, the message."""


def options_of(name: str) -> Options:
    return Options(index_width=32) if name.startswith("LOWER") else Options()


@pytest.mark.parametrize("name", ROWS)
def test_the_rule_is_kept(name: str) -> None:
    # Some are a single operation between ports, which no trip count balances.
    checked = inspect_request(Request(ROWS[name][0], "k.mlir", options=options_of(name)))
    assert checked.kind in ("program", "graph", "netlist")


@pytest.mark.parametrize("name", ROWS)
def test_the_rule_is_broken(name: str) -> None:
    _, red, message = ROWS[name]
    assert refusal(check_request, Request(red, "k.mlir", options=options_of(name))) == message
    assert f"error[{name.split()[0]}]" in message


def test_a_tagged_type_is_checked_where_it_is_written() -> None:
    for type_, what in (
        ("i7, i5", "i7 as the value of a tagged type"),
        ("i8, i17", "i17 as the tag of a tagged type"),
        ("i8, index", "index as the tag of a tagged type"),
        ("vector<2xi8>, i2", "vector<2xi8> as the value of a tagged type"),
    ):
        text = f"handshake.func @f(%a: !dataflow.tagged<{type_}>, ...) -> () {{\n}}"
        with pytest.raises(LoomError, match=f"error.MLIR_SYNTAX.: found a syntax error: {what};"):
            check_request(Request(text, "k.mlir"))
