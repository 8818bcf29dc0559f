"""What cannot be written is reported in one line with status 2; files are there all or none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.folders import ROOT

KERNEL = """func.func @f(%a: i32) -> i32 {
  %c = arith.constant 1 : i32
  %b = arith.addi %a, %c : i32
  return %b : i32
}
"""
LOOM = [sys.executable, "-m", "loom"]


def run_loom(
    *arguments: str | bytes, shell: str = '"$@"', folder: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """The command has run in the folder, in which k.mlir is; `shell` redirects what ``"$@"`` is."""
    (folder / "k.mlir").write_text(KERNEL)
    return subprocess.run(
        ["bash", "-c", shell, "-", *LOOM, *arguments],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        errors="surrogateescape",
        check=False,
    )


def require_line(done: subprocess.CompletedProcess[str], code: str) -> None:
    """The command ended with status 2 and one line with the code."""
    assert done.returncode == 2, done
    (line,) = done.stderr.splitlines()
    assert f"error[{code}]: found " in line


@pytest.mark.parametrize(
    "arguments",
    ["check k.mlir", "check --json k.mlir", "lower k.mlir", "ops", "model k.mlir"],
)
def test_a_full_device_is_reported(arguments: str, tmp_path: Path) -> None:
    done = run_loom(*arguments.split(), shell='"$@" > /dev/full', folder=tmp_path)
    require_line(done, "EMIT_UNWRITABLE")
    assert done.stderr.startswith("<stdout>: ") and "No space left" in done.stderr


@pytest.mark.parametrize("buffering", ["env -u PYTHONUNBUFFERED", "env PYTHONUNBUFFERED=1"])
@pytest.mark.parametrize("arguments", ["check none.mlir", "check k.mlir"])
def test_a_full_standard_error_changes_no_status(
    arguments: str, buffering: str, tmp_path: Path
) -> None:
    shell = f'{buffering} "$@" 2> /dev/full'
    done = run_loom(*arguments.split(), shell=shell, folder=tmp_path)
    assert done.returncode == (2 if "none" in arguments else 0)


def test_closed_streams(tmp_path: Path) -> None:
    done = run_loom("lower", "k.mlir", shell='"$@" >&-', folder=tmp_path)
    require_line(done, "EMIT_UNWRITABLE")
    done = run_loom("check", "-", shell='"$@" <&-', folder=tmp_path)
    require_line(done, "INPUT_UNREADABLE")
    assert run_loom("check", "k.mlir", shell='"$@" >&- 2>&-', folder=tmp_path).returncode == 0


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    shell = 'set -o pipefail; "$@" | head -c 1'
    done = run_loom("ops", "--json", shell=shell, folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[", "")


def test_a_name_that_is_not_encoded_is_escaped(tmp_path: Path) -> None:
    done = run_loom(
        "compile",
        "--style",
        "dynamic",
        "k.mlir",
        "-o",
        "\u00e9",
        folder=tmp_path,
        PYTHONIOENCODING="ascii",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "channels in \\xe9" in done.stdout and (tmp_path / "\u00e9" / "rtl" / "f.sv").exists()


def test_a_graph_on_standard_output_is_utf8(tmp_path: Path) -> None:
    done = run_loom("lower", "k.mlir", folder=tmp_path, PYTHONIOENCODING="utf-16")
    assert done.returncode == 0 and done.stdout.startswith("builtin.module")


TEXTS = {
    ".mlir": KERNEL,
    ".py": "import numpy as np\nimport loom\n@loom.kernel\n"
    "def f(a: np.int32) -> np.int32:\n    return a + 1\n",
    ".c": "int f(int a) { return a + 1; }\n",
}


@pytest.mark.parametrize("end", TEXTS)
def test_a_name_that_is_no_unicode(end: str, tmp_path: Path) -> None:
    name = b"k\xff" + end.encode()
    (tmp_path / os.fsdecode(name)).write_text(TEXTS[end])
    done = run_loom("compile", "--style", "dynamic", name, "-o", "out", folder=tmp_path)
    if end == ".c":
        require_line(done, "INPUT_UNREADABLE")
        return
    assert done.returncode == 0, done.stderr
    assert f"k\\udcff{end}" in (tmp_path / "out" / "f.netlist.json").read_text()


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in ("file", "file/x", "x" * 300, "/proc/none"):
        done = run_loom("compile", "--style", "dynamic", "k.mlir", "-o", place, folder=tmp_path)
        require_line(done, "EMIT_UNWRITABLE")
    assert run_loom("lower", "k.mlir", "-o", "x" * 250, folder=tmp_path).returncode == 0
    done = run_loom("lower", "k.mlir", "-o", "y" * 300, folder=tmp_path)
    require_line(done, "EMIT_UNWRITABLE")
    assert sorted(os.listdir(tmp_path)) == ["file", "k.mlir", "x" * 250]


def test_no_room_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    shell = 'ulimit -f 1; "$@"'
    done = run_loom(
        "compile", "--style", "dynamic", "k.mlir", "-o", "out", shell=shell, folder=tmp_path
    )
    require_line(done, "EMIT_UNWRITABLE")
    assert "too large" in done.stderr and not (tmp_path / "out").exists()


def test_as_a_process() -> None:
    """The installed command: its status, and a reader that goes away."""
    command = [sys.executable, "-m", "loom"]
    run = {"capture_output": True, "text": True, "cwd": ROOT}
    done = subprocess.run([*command, "check", "nope.mlir"], **run)  # type: ignore[call-overload]
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("nope.mlir: error[INPUT_UNREADABLE]")
    reader, writer = os.pipe()
    os.close(reader)
    gone = subprocess.run([*command, "ops"], stdout=writer, stderr=subprocess.PIPE, cwd=ROOT)
    os.close(writer)
    assert b"Traceback" not in gone.stderr
