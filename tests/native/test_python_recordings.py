"""A Python file is run as a program: its calls are activations, its errors have their places."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loom
from loom.errors import LoomError
from loom.front.cli import main
from loom.native.python import child, record
from loom.native.python.record import record_python
from loom.native.recording import Recording
from loom.native.run_options import RunOptions
from tests.support.python_texts import kernel
from tests.support.refusals import refusal

STATES = ("argv", "path")


@pytest.fixture(autouse=True)
def same_system(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in STATES:
        monkeypatch.setattr(sys, name, [*getattr(sys, name)])


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Runs in this process, which is faster, but for the process's start all the same."""

    def run(given: Any, most: int, options: RunOptions) -> dict[str, Any]:
        text = tmp_path / "text.py"
        text.write_text(given.source.text)
        return child.run_file(given.source.file, given.name, str(text), most, options.elements)

    monkeypatch.setattr(record, "run_kernel", run)


def calls_in(text: str, most: int | None = None) -> Recording:
    found = record_python(text, "k.py", None, most)
    assert found is not None
    return found


EVERYTHING = kernel(
    "a[0] += x\na[1] = a[0] * 3\nflag = x > 2\nr = np.float32(x) / 2\nreturn flag, r, u",
    "x: np.int16, a: A4, u: np.uint64",
)


def test_all_that_a_call_takes_and_gives_is_recorded(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(
        EVERYTHING
        + "if __name__ == '__main__':\n    b = np.arange(4, dtype=np.int32)\n"
        + "    assert f(-3, b, 2**63) == (False, -1.5, 2**63)\n    f(x=7, a=b, u=1)\n"
    )
    found = record_python(file.read_text(), str(file), None)
    assert found is not None
    first, second = found.activations
    assert first.inputs == {"x": 0xFFFD, "a": [0, 1, 2, 3], "u": 1 << 63}
    assert first.expected.results == (0, 0xBFC00000, 1 << 63)
    assert first.expected.memories == {"a": [0xFFFFFFFD, 0xFFFFFFF7, 2, 3]}
    assert second.inputs == {"x": 7, "a": [0xFFFFFFFD, 0xFFFFFFF7, 2, 3], "u": 1}
    assert second.expected.memories == {"a": [4, 12, 2, 3]}
    assert main(["model", str(file)]) == 0


def test_a_main_is_called_where_nothing_else_calls(here: None) -> None:
    text = kernel("return x", "x: np.int32") + "def main():\n    for i in range(9): f(i)\n"
    found = calls_in(text, most=4)
    assert [given.inputs["x"] for given in found.activations] == [0, 1, 2, 3]
    assert found.notes == ("the first 4 of 9 calls are replayed",)


def test_a_file_that_only_defines_is_not_run() -> None:
    assert record_python(kernel("return x"), "k.py", None) is None


RUNS = "x: np.int32, a: A4"
REFUSED = {
    "no call": (
        "return x", "def main(): pass",
        "k.py: error[PY_NO_CALLS]: found a program that never calls f; LOOM accepts programs that "
        "call the kernel; or --inputs BUNDLE.json",
    ),
    "an index out of range": (
        "return a[x]", "f(4, B)",
        "k.py:4:12: error[PY_RAISED]: found a run that raises IndexError: index 4 is out of bounds "
        "for axis 0 with size 4; LOOM accepts runs that do not",
    ),
    "an index from the end": (
        "return a[x - 1]", "f(0, B)",
        "k.py:4:14: error[PY_INDEX]: found the index x - 1, which is -1; LOOM accepts indices from "
        "0 on; negative ones only as constants",
    ),
    "a division by zero": (
        "return 8 // x", "f(0, B)",
        "k.py:4:12: error[PY_UNDEFINED]: found 8 // x, a division by zero; LOOM accepts divisors "
        "that are not 0",
    ),
    "a quotient that does not fit": (
        "return x % -1", "f(-2**31, B)",
        "k.py:4:12: error[PY_UNDEFINED]: found x % -1, whose quotient does not fit np.int32; LOOM "
        "accepts quotients that fit the type",
    ),
    "an integer of more than 64 bits": (
        "n = 1\nfor i in range(x):\n    n *= 10\nreturn n > 5", "f(20, B)",
        "k.py:6:9: error[PY_OVERFLOW]: found n * 10, which is 10000000000000000000; LOOM accepts "
        "numbers that fit 64 bits; a wider type, or a cast of each value",
    ),
    "an integer that becomes narrow": (
        "n = 70000\nif x < 0:\n    n = x\nreturn n * n", "f(5, B)",
        "k.py:7:12: error[PY_OVERFLOW]: found n * n, which is 4900000000 for Python's own numbers "
        "and 605032704 for np.int32 and np.int32; LOOM accepts variables that begin as "
        "np.int32(..)",
    ),
    "a number that does not fit a variable": (
        "n = x\nfor i in range(40):\n    n = 1 << i\nreturn n", "f(5, B)",
        "k.py:6:13: error[PY_OVERFLOW]: found 1 << i, which is 2147483648; LOOM accepts numbers "
        "that fit np.int32; a wider type, or a cast of each value",
    ),
    "a float that does not fit a variable": (
        "n = np.float32(x)\nif x > 2:\n    n = 0.1\nreturn n", "f(5, B)",
        "k.py:6:13: error[PY_OVERFLOW]: found 0.1, which is 0.1; LOOM accepts numbers that "
        "fit np.float32; np.float32(..) around them",
    ),
    "a float that fits no integer": (
        "return np.int8(np.float32(x))", "f(1000, B)",
        "k.py:4:12: error[PY_UNDEFINED]: found np.int8(np.float32(x)), which is 1000.0; LOOM "
        "accepts floats that fit np.int8 once they are truncated",
    ),
    "a float in an array of integers": (
        "a[0] = np.float64(x) * 1e9\nreturn x", "f(1000, B)",
        "k.py:4:12: error[PY_UNDEFINED]: found np.float64(x) * 1000000000.0, which is "
        "1000000000000.0; LOOM accepts floats that fit np.int32 once they are truncated",
    ),
    "an integer without an exact float": (
        "n = (1 << 60) + int(x)\nreturn n / 3", "f(1, B)",
        "k.py:5:12: error[PY_OVERFLOW]: found n / 3, in which 1152921504606846977 has no exact "
        "float; LOOM accepts integers of up to 53 bits beside floats",
    ),
    "nothing returned": (
        "if x > 0:\n    return x", "f(0, B)",
        "k.py:3:1: error[PY_UNDEFINED]: found a call that returns None; LOOM accepts a return at "
        "each end of the kernel",
    ),
    "an assert that fails": (
        "assert x > 0\nreturn x", "f(0, B)",
        "k.py:4:12: error[PY_RAISED]: found a run that raises AssertionError; LOOM accepts runs "
        "that do not",
    ),
    "an array of another type": (
        "return x", "f(0, np.zeros(4))",
        "k.py:6:1: error[PY_ARGUMENT]: found an array of np.float64 of the sizes (4,) for a; LOOM "
        "accepts arrays of np.int32 of the sizes (4,)",
    ),
    "a number that is too large": (
        "return x", "f(1 << 31, B)",
        "k.py:6:1: error[PY_ARGUMENT]: found the number 2147483648 for x; LOOM accepts numbers "
        "that fit np.int32",
    ),
    "a float for an integer": (
        "return x", "f(1.5, B)",
        "k.py:6:1: error[PY_ARGUMENT]: found a value of type float for x; LOOM accepts values of "
        "np.int32",
    ),
    "a program that raises": (
        "return x", "f(0, B); [][1]",
        "k.py:6:10: error[PY_CRASHED]: found a run that raises IndexError: list index out of "
        "range; LOOM accepts runs that do not",
    ),
    "an error that the program catches": (
        "return a[x]", "\ntry:\n    f(4, B)\nexcept Exception:\n    pass\n",
        "k.py:4:12: error[PY_RAISED]: found a run that raises IndexError: index 4 is out of bounds "
        "for axis 0 with size 4; LOOM accepts runs that do not",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusal(name: str, here: None) -> None:
    body, program, message = REFUSED[name]
    text = kernel(body, RUNS) + "B = np.zeros(4, np.int32)\n" + program + "  # f\n"
    assert refusal(calls_in, text) == message


def test_a_program_that_calls_nothing() -> None:
    with pytest.raises(LoomError, match="PY_NO_CALLS"):
        calls_in(kernel("return x") + "def main(): pass\n")


def test_an_error_of_the_kernel_in_a_process_of_its_own() -> None:
    with pytest.raises(LoomError) as caught:
        calls_in(kernel("return a[x]") + "f(4, np.zeros(4, np.int32))\n")
    assert str(caught.value).startswith("k.py:4:12: error[PY_RAISED]")


def test_arrays_that_share_elements(here: None) -> None:
    text = kernel("a[0] = b[0]\nreturn 0", "a: A4, b: A4")
    text += "c = np.arange(8, dtype=np.int32)\nf(c[:4], c[3:7])\n"
    assert refusal(calls_in, text) == (
        "k.py:3:1: error[PY_OVERLAP]: found a call of f, in which a and b share elements; LOOM "
        "accepts arrays that do not overlap where the kernel writes; a copy of one"
    )


def test_arrays_that_are_only_read_may_share_elements(here: None) -> None:
    text = kernel("return a[0] + b[0]", "a: A4, b: A4")
    assert calls_in(text + "c = np.arange(8, dtype=np.int32)\nf(c[:4], c[3:7])\n").calls == 1


def test_a_program_that_does_not_end() -> None:
    with pytest.raises(LoomError) as caught:
        text = kernel("return x") + "while f.__name__: pass\n"
        record_python(text, "k.py", None, None, RunOptions(seconds=0.5))
    assert caught.value.code == "PY_TIMEOUT"


def test_a_program_that_kills_itself() -> None:
    assert refusal(calls_in, kernel("return x") + "import os\nf and os._exit(3)\n") == (
        "k.py: error[PY_CRASHED]: found a program that ended with status 3: ; LOOM accepts "
        "programs that end by themselves"
    )


def test_a_program_that_exits(here: None) -> None:
    found = calls_in(kernel("return x") + "f(1, np.zeros(4, np.int32))\nraise SystemExit(4)\n")
    assert found.calls == 1 and found.notes == ("the program ended with 4",)


def test_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert refusal(calls_in, kernel("return x") + "f(1)\n") == (
        "loom: error[PY_NO_NUMPY]: found no module numpy; LOOM accepts an installation with the "
        "extra `python`: pip install 'loom-hls[python]'"
    )


def test_a_kernel_is_its_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "loom_kernel_here.py").write_text(EVERYTHING)
    monkeypatch.syspath_prepend(str(tmp_path))
    found = importlib.import_module("loom_kernel_here").f
    a = np.arange(4, dtype=np.int32)
    flag, half, same = found(5, a, u=3)
    assert (flag, half, same) == (True, 2.5, 3)
    assert [*a] == [5, 15, 2, 3]
    assert [type(value) for value in (flag, half, same)] == [np.bool_, np.float32, np.uint64]
    assert found.compile(tmp_path / "out").top == "f"
    assert (tmp_path / "out" / "f.sv").exists() or [*(tmp_path / "out").iterdir()]
    with pytest.raises(LoomError, match="PY_ARGUMENT"):
        found(70000, a, 3)


def test_a_kernel_without_a_file() -> None:
    names: dict[str, Any] = {"loom": loom}
    exec("@loom.kernel\ndef f(x):\n    return x\n", names)
    with pytest.raises(LoomError) as caught:
        names["f"](3)
    assert caught.value.code == "PY_NO_SOURCE"
