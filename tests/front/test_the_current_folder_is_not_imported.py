"""Files beside a kernel that are called as modules are: LOOM imports none of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

MODULES = sorted({*sys.stdlib_module_names, "jinja2", "xdsl", "numpy", "clang", "markupsafe"})
PLANTED = 'import sys\nsys.stderr.write("imported {name}\\n")\nraise SystemExit(9)\n'
C = "int f(int a) { return a + 1; }\nint main(void) { return f(1) - 2; }\n"
PYTHON = (
    "import numpy as np\nimport loom\n@loom.kernel\n"
    "def f(a: np.int32) -> np.int32:\n    return a + np.int32(1)\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two kernels, and a file for every module."""
    for name in MODULES:
        (tmp_path / f"{name}.py").write_text(PLANTED.format(name=name))
    (tmp_path / "k.c").write_text(C)
    (tmp_path / "kernel.py").write_text(PYTHON)
    return tmp_path


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command], cwd=folder, capture_output=True, text=True, check=False, timeout=600
    )


LOOM = str(Path(sys.executable).with_name("loom"))


@pytest.mark.parametrize(
    "words",
    [("check", "kernel.py"), ("compile", "k.c", "-o", "out", "--style", "dynamic")],
    ids=lambda words: words[0],
)
def test_the_command(words: tuple[str, ...], folder: Path) -> None:
    done = run(folder, LOOM, *words)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_command_that_runs_a_program(folder: Path) -> None:
    done = run(folder, LOOM, "model", "k.c")
    assert (done.returncode, done.stderr) == (0, "")


def test_python_m_with_a_safe_path(folder: Path) -> None:
    done = run(folder, sys.executable, "-P", "-m", "loom", "check", "k.c")
    assert (done.returncode, done.stderr) == (0, "")


def test_python_m_imports_what_python_itself_begins_with(folder: Path) -> None:
    """The fault of `python -m`: LOOM cannot mend what happens before its first line."""
    done = run(folder, sys.executable, "-m", "loom", "check", "k.c")
    assert "imported " in done.stderr


def test_python_m_imports_nothing_else(folder: Path) -> None:
    begin = "import runpy, sys; print(*{name.split('.')[0] for name in sys.modules})"
    for name in run(folder, sys.executable, "-P", "-c", begin).stdout.split():
        (folder / f"{name}.py").unlink(missing_ok=True)
    assert {"json.py", "dataclasses.py", "jinja2.py"} <= {each.name for each in folder.iterdir()}
    done = run(folder, sys.executable, "-m", "loom", "check", "k.c")
    assert (done.returncode, done.stderr) == (0, "")
