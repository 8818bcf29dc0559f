"""What the MLIR reader refuses: input text, exact message."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom.errors import LoomError, LoomErrors
from loom.frontend.mlir.read import read_mlir
from loom.lower.options import Options
from loom.lower.pipeline import normalize
from tests.frontend.test_mlir_reader import FORMS
from tests.support.refusals import refusal
from tests.support.row_files import read_rows

CASES = read_rows("mlir_errors.txt", "float_errors.txt", "structured_errors.txt")
"""Input text and message, by what is wrong."""


@pytest.mark.parametrize("name", CASES)
def test_message(name: str) -> None:
    text, message = CASES[name]
    assert refusal(read_mlir, text, "k.mlir") == message


def test_a_name_that_is_no_function_with_a_body() -> None:
    text = "func.func private @g()\nfunc.func @f() {\n  return\n}"
    assert refusal(read_mlir, text, "k.mlir", top="g") == (
        "k.mlir:1:1: error[MLIR_NO_TOP]: found no function @g with a body; "
        "LOOM accepts a name out of: @f"
    )


def test_regions_nested_deeper_than_python_can_follow() -> None:
    text = "func.func @f(%c: i1) {\n" + "scf.if %c {\n" * 2000 + "}\n" * 2001
    assert refusal(read_mlir, text, "k.mlir") == (
        "k.mlir:401:11: error[MLIR_TOO_DEEP]: found regions, lists or types nested too deep; "
        "LOOM accepts nests of up to 400 brackets, as deep as Python's recursion limit lets it"
    )


def test_aliases_that_nest_deeper_than_brackets_may() -> None:
    chain = "".join(f"#a{k + 1} = [#a{k}]\n" for k in range(300))
    with pytest.raises(LoomError) as caught:
        read_mlir("#a0 = 1 : i8\n" + chain + "func.func @f() {\n  return\n}", "k.mlir")
    assert str(caught.value).startswith("k.mlir:201:1: error[MLIR_TOO_DEEP]: found regions, ")


def test_more_arguments_than_a_block_has() -> None:
    arguments = ", ".join(f"%a{k}: i8" for k in range(5000))
    assert refusal(read_mlir, f"func.func @f({arguments}) {{\n  return\n}}", "k.mlir") == (
        "k.mlir:1:48056: error[MLIR_TOO_LARGE]: found a block of more arguments; "
        "LOOM accepts up to 4096 of them"
    )


def test_a_sign_of_comparison_is_no_bracket() -> None:
    sides = ", ".join(["d0 >= 0", "d0 - 3 >= 0"] * 300)
    set_ = f"#set = affine_set<(d0) : ({sides})>\n"
    read_mlir(set_ + "func.func @f() -> () {\n  return\n}")


TOKENS = re.findall(r'%\w+|@\w+|"[^"]*"|[\w.]+|->|\s+|.', "\n".join(FORMS.values()))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_text_ends_in_a_traceback(data: st.DataObject) -> None:
    """A text in which some tokens are others is read or refused."""
    text = FORMS[data.draw(st.sampled_from(sorted(FORMS)))]
    tokens = re.findall(r'%\w+|@\w+|"[^"]*"|[\w.]+|->|\s+|.', text)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(tokens) - 1))
        count = data.draw(st.integers(0, 2))
        tokens[at : at + count] = data.draw(st.lists(st.sampled_from(TOKENS), max_size=2))
    try:
        module = read_mlir("".join(tokens))
        normalize(module, Options())
    except (LoomError, LoomErrors) as error:
        assert "error[MLIR_" in str(error)
