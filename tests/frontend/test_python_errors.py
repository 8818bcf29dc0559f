"""What the Python reader refuses: text, exact message; and what a person sees of it."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from loom.errors import LoomError
from loom.front.cli import main
from loom.frontend.python.library import ACCEPTED
from loom.frontend.python.read import read_python
from loom.frontend.python.source import parse_source
from tests.support.python_texts import PRELUDE, kernel
from tests.support.refusals import refusal
from tests.support.row_files import read_rows

ROWS = read_rows("py_errors.txt")


@pytest.mark.parametrize("name", ROWS)
def test_message(name: str) -> None:
    text, message = ROWS[name]
    assert refusal(read_python, PRELUDE + text, "k.py") == message.replace("...", ACCEPTED)


def test_a_person_sees_the_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "k.py"
    file.write_text(kernel("return a[4]"))
    assert main(["check", str(file)]) == 2
    assert capsys.readouterr().err == (
        f"{file}:4:14: error[PY_INDEX]: found index 4 of a dimension of size 4; LOOM accepts "
        "indices from -4 to 3\n    4 |     return a[4]\n      |              ^\n"
    )


@pytest.mark.parametrize(
    ("top", "message"),
    [
        ("g", "k.py:1:1: error[PY_NO_KERNEL]: found no function g; LOOM accepts a kernel of the "
              "file: f"),
        ("h", "k.py:5:1: error[PY_NO_KERNEL]: found h, which is not under @loom.kernel; LOOM "
              "accepts a kernel of the file: f"),
    ],
)  # fmt: skip
def test_a_top_that_is_no_kernel(top: str, message: str) -> None:
    text = kernel("return x") + "def h(x):\n    return x\n"
    assert refusal(read_python, text, "k.py", top=top) == message


@pytest.mark.parametrize("body", ["return " + "-" * 3000 + "x", "return " + "(" * 90 + "x" +
                                  ")" * 90, "return x" + " + x" * 3000])  # fmt: skip
def test_a_nest_deeper_than_python_can_follow(body: str) -> None:
    if "(" in body:
        read_python(kernel(body), "k.py")
        return
    with pytest.raises(LoomError) as caught:
        read_python(kernel(body), "k.py")
    assert caught.value.code == "PY_TOO_DEEP"


def test_a_warning_of_python_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings(record=True) as shown, pytest.raises(LoomError):
        warnings.simplefilter("always")
        parse_source("x = 1if 2 else 3and", "k.py")
    assert not shown and capsys.readouterr().err == ""
