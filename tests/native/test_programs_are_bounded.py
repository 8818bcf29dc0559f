"""A user's program is run within limits, or not at all; so is the compiler that makes it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loom.errors import LoomError
from loom.front.cli import main
from loom.frontend.c.read import read_c
from loom.native.c.compile import Source, compile_c
from loom.native.c.record import record_c
from loom.native.programs import record_program
from loom.native.python import record as python_record
from loom.native.python.record import parse_record
from loom.native.recording import Recording
from loom.native.run_options import NO_RUN, RunOptions, is_forbidden
from loom.processes.child import Limits
from tests.support.refusals import refusal

C = "{head}\nint f(int a, int b[2]) {{ return b[0] + a; }}\n"
C += "int main(void) {{ int b[2] = {{1, 2}}; f(0, b); {body} return 0; }}\n"
PYTHON = (
    "import loom\nimport numpy as np\nfrom typing import Annotated\n"
    "from numpy.typing import NDArray\n"
    "@loom.kernel\ndef f(a: np.int32, b: Annotated[NDArray[np.int32], 2]) -> np.int32:\n"
    "    return a + b[0]\n"
    "f(np.int32(0), np.zeros(2, np.int32))\n"
)
IN_C = {
    "memory": (
        RunOptions(memory=100), "#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>",
        "char *p = malloc(300 << 20); memset(p, 1, 300 << 20); sleep(300);",
        "C_LIMIT", "a main() that takes more than 100 MiB of memory",
    ),
    "output": (
        RunOptions(output=1), "#include <stdio.h>", "for (;;) fputs(\"out of bounds\\n\", stderr);",
        "C_LIMIT", "a main() that writes more than 1 MiB to standard error",
    ),
    "processes": (
        RunOptions(processes=8), "#include <unistd.h>",
        "for (int k = 0; k < 16; k++) if (!fork()) sleep(300);\nsleep(300);",
        "C_LIMIT", "a main() that starts more than 8 processes",
    ),
    "file": (
        RunOptions(file=1), "#include <stdio.h>",
        "FILE *f = tmpfile(); for (int k = 0; k < 1 << 20; k++) fputs(\"words\\n\", f);",
        "C_LIMIT", "a main() that writes a file of more than 1 MiB",
    ),
    "elements": (
        RunOptions(elements=11), "", "f(1, b);",
        "C_LIMIT", "calls with more elements than a recording holds",
    ),
    "time": (
        RunOptions(seconds=0.5), "#include <unistd.h>", "sleep(300);",
        "C_TIMEOUT", "a main() that still runs after 0.5 s",
    ),
    "an exit without its steps": (
        RunOptions(), "#include <unistd.h>", "_exit(0);",
        "C_CRASHED", "a recording that is not whole: main() ends by _exit(), or has written to it",
    ),
    "a recording of its own": (
        RunOptions(), "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>",
        "FILE *f = fopen(getenv(\"LOOM_RECORD\"), \"w\"); fputs(\"12345678words\", f); fclose(f); "
        "_exit(0);",
        "C_CRASHED", "a recording that is not whole: main() ends by _exit(), or has written to it",
    ),
    "a recording of any size": (
        RunOptions(elements=100), "#include <stdlib.h>\n#include <unistd.h>",
        "truncate(getenv(\"LOOM_RECORD\"), 50 << 20); _exit(0);",
        "C_LIMIT", "a recording of 52428800 bytes",
    ),
    "what sanitizers find, behind a flood": (
        RunOptions(), "#include <stdio.h>",
        "for (int k = 0; k < 1 << 17; k++) fputs(\"some words\\n\", stderr); f(0, b + 2);",
        "C_UNDEFINED", "an array that is shorter than the kernel's parameter says",
    ),
}  # fmt: skip
IN_PYTHON = {
    "memory": (
        RunOptions(memory=200), "import time\nx = b'x' * (400 << 20)\ntime.sleep(300)\n",
        "PY_LIMIT", "a program that takes more than 200 MiB of memory",
    ),
    "output": (
        RunOptions(output=1), "import sys\nwhile True: sys.stderr.write('words' * 100)\n",
        "PY_LIMIT", "a program that writes more than 1 MiB to standard error",
    ),
    "elements": (
        RunOptions(elements=9), "f(np.int32(0), np.zeros(2, np.int32))\n",
        "PY_LIMIT", "calls with more elements than a recording holds",
    ),
    "time": (
        RunOptions(seconds=1), "import time\ntime.sleep(300)\n",
        "PY_TIMEOUT", "a program that still runs after 1 s",
    ),
    "a file": (
        RunOptions(file=1), "open('/dev/null')\nopen(__file__ + 'x', 'wb').write(bytes(2 << 20))\n",
        "PY_CRASHED", "a run that raises OSError: [Errno 27] File too large",
    ),
}  # fmt: skip


def record_c_text(text: str, options: RunOptions, file: str = "k.c") -> Recording:
    return record_c(text, read_c(text, file).interface, None, options)


@pytest.mark.parametrize("name", IN_C)
def test_a_c_program_is_bounded(name: str) -> None:
    """With C_TIMEOUT, C_LIMIT for all other limits, and what is not of limits."""
    options, head, body, code, what = IN_C[name]
    message = refusal(record_c_text, C.format(head=head, body=body), options)
    assert f"error[{code}]: found {what}; LOOM accepts " in message


@pytest.mark.parametrize("name", IN_PYTHON)
def test_a_python_program_is_bounded(name: str, tmp_path: Path) -> None:
    """With PY_TIMEOUT, and PY_LIMIT for all other limits."""
    options, body, code, what = IN_PYTHON[name]
    file = str(tmp_path / "k.py")
    message = refusal(record_program, PYTHON + body, file, options=options)
    assert f"error[{code}]: found {what}; LOOM accepts " in message


def test_programs_within_their_limits_are_recorded(tmp_path: Path) -> None:
    options = RunOptions(seconds=300, memory=1000, output=1, file=1, elements=12)
    body = 'for (int k = 0; k < 1 << 20; k++) puts("shown nowhere"); f(1, b);'
    text = C.format(head="#include <stdio.h>", body=body)
    assert record_c_text(text, options).calls == 2
    options = RunOptions(elements=10)
    text = PYTHON + "f(np.int32(0), np.zeros(2, np.int32))\nprint('x' * 10_000_000)\n"
    found = record_program(text, str(tmp_path / "k.py"), options=options)
    assert found is not None and found.calls == 2


def bomb(levels: int) -> str:
    """C of ten to the power of `levels` terms, in so many lines."""
    lines = [f"#define A{k + 1} {' + '.join([f'A{k}'] * 10)}" for k in range(levels)]
    return "\n".join(["#define A0 x", *lines, f"int f(int x) {{ return A{levels}; }}\n"])


@pytest.mark.parametrize(
    ("text", "limits", "more"),
    [
        (bomb(9), Limits(time=0.5), "0.5 s"),
        (bomb(9), Limits(memory=150 << 20), "150 MiB of memory"),
        ('#include "/dev/zero"\n', Limits(memory=150 << 20), "150 MiB of memory"),
    ],
)
def test_the_c_compiler_is_bounded(text: str, limits: Limits, more: str, tmp_path: Path) -> None:
    assert refusal(compile_c, Source(text, "k.c"), [], tmp_path, limits) == (
        f"k.c: error[C_COMPILE_LIMIT]: found C for which the compiler needs more than {more}; "
        "LOOM accepts C that it compiles within that"
    )


def test_a_program_of_any_size_is_not_written(tmp_path: Path) -> None:
    text = "char a[1 << 24] = {1}; int main(void) { return a[0]; }\n"
    assert "C_COMPILE" in refusal(
        compile_c, Source(text, "k.c"), [], tmp_path, Limits(file=1 << 20)
    )
    assert not [file for file in tmp_path.iterdir() if file.stat().st_size > 1 << 20]


def test_a_record_of_python_may_be_anything() -> None:
    assert parse_record(b"\xff") is parse_record(b"[") is parse_record(b"[]") is None
    assert parse_record(b'{"calls": []}') is None
    whole = {"calls": [], "count": 0, "problem": None, "note": ""}
    assert parse_record(json.dumps(whole).encode()) == whole


RUNNING = [("k.c", C.format(head="", body="")), ("k.py", PYTHON)]


@pytest.mark.parametrize(("name", "text"), RUNNING)
@pytest.mark.parametrize("verb", ["model", "sim", "report"])
@pytest.mark.parametrize("way", ["option", "environment"])
def test_nothing_is_run_where_no_run_is_said(
    name: str, text: str, verb: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    file = tmp_path / name
    file.write_text(text)
    monkeypatch.setenv(NO_RUN, "1" if way == "environment" else "0")
    monkeypatch.setattr(python_record, "run_kernel", None)  # a run would raise
    monkeypatch.setattr("loom.native.c.record.compile_c", None)
    assert main([verb, str(file), *(["--no-run"] if way == "option" else [])]) == 2
    code, what = ("C_NO_RUN", "a main()") if name == "k.c" else ("PY_NO_RUN", "a program")
    assert capsys.readouterr().err == (
        f"{file}: error[{code}]: found {what} to be run, against --no-run or LOOM_NO_RUN; LOOM "
        "accepts --inputs BUNDLE.json, which needs no run; or a run that is allowed\n"
    )


@pytest.mark.parametrize("verb", ["sim", "report"])
def test_no_template_is_simulated_where_no_run_is_said(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "k.mlir"
    file.write_text("func.func @f(%a: i32) -> i32 { return %a : i32 }\n")
    folder = tmp_path / "cores"
    folder.mkdir()
    (folder / "math.exp.sv.j2").write_text("{%- set latency = 1 -%}\n")
    given = [str(file), "--no-run", "--cores", str(folder)]
    assert main([verb, *given]) == 2
    assert capsys.readouterr().err == (
        f"{folder}: error[SIM_NO_RUN]: found templates of your own to be run, against --no-run or "
        "LOOM_NO_RUN; LOOM accepts `loom model`, which has no use for them; or a run that is "
        "allowed\n"
    )
    assert main(["model", *given]) == 0


@pytest.mark.parametrize(("name", "text"), RUNNING)
def test_a_bundle_needs_no_run(
    name: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, bundle = tmp_path / name, tmp_path / "bundle.json"
    file.write_text(text)
    bundle.write_text(json.dumps({"inputs": {"a": 3, "b": [1, 2]}}))
    assert main(["model", str(file), "--no-run", "--inputs", str(bundle)]) == 0
    library = tmp_path / f"library_{name}"
    library.write_text(text.partition("int main" if name == "k.c" else "f(np.int32(0)")[0])
    assert main(["model", str(library), "--no-run"]) == 0


@pytest.mark.parametrize(("value", "forbids"), [("", False), ("0", False), ("1", True),
                                                ("yes", True)])  # fmt: skip
def test_what_the_environment_says(
    value: str, forbids: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NO_RUN, value)
    assert is_forbidden(RunOptions()) is forbids


def test_a_forbidden_run_is_refused_to_the_library_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NO_RUN, "1")
    with pytest.raises(LoomError, match="C_NO_RUN"):
        record_program(RUNNING[0][1], "k.c")
    with pytest.raises(LoomError, match="PY_NO_RUN"):
        record_program(RUNNING[1][1], "k.py")
