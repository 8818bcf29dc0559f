"""Every error code of the sources is met red and green: by a pair of inputs, or by two tests."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from loom.errors import LoomError, LoomErrors
from tests.house.generated_pages import codes
from tests.support.code_pairs import WITNESSES, pairs
from tests.support.folders import TESTS

PAIRS = pairs()
RUN_TIME = {code for code in codes() if code.startswith("RT_")}
"""Codes of the circuit itself: rows of the operators raise them, in the model and in RTL."""


@pytest.mark.parametrize("code", PAIRS)
def test_the_neighbour_is_accepted(code: str, tmp_path: Path) -> None:
    PAIRS[code][0](tmp_path)


@pytest.mark.parametrize("code", PAIRS)
def test_the_input_is_refused_with_its_code(code: str, tmp_path: Path) -> None:
    with pytest.raises((LoomError, LoomErrors)) as caught:
        PAIRS[code][1](tmp_path)
    error = caught.value
    found = error.problems if isinstance(error, LoomErrors) else (error,)
    assert code in {problem.code for problem in found}


@pytest.mark.parametrize("code", WITNESSES)
def test_the_test_that_provokes_the_code_is_there(code: str) -> None:
    file, name = WITNESSES[code]
    (path,) = TESTS.rglob(file)
    text = path.read_text()
    body = re.search(rf"^def {name}\(.*?(?=^(?:def|@)|\Z)", text, re.MULTILINE | re.DOTALL)
    assert body is not None
    assert code in body[0]


def test_no_code_is_without_a_red_and_a_green_input() -> None:
    known = set(PAIRS) | set(WITNESSES) | RUN_TIME
    found = set(codes())
    print(f"codes with a red and a green input: {len(found & set(PAIRS))} of {len(found)}, "
          f"by a test of their own {len(found & set(WITNESSES))}", file=sys.stderr)  # fmt: skip
    assert found - known == set(), "add a pair to tests/support/code_pairs.py"
    assert known - found == set(), "no source raises these any more"
