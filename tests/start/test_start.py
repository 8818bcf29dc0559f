"""The first minutes: `loom new` makes what works, `loom doctor` says what is there."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path

import pytest

from loom.front.cli import main, parser
from loom.regress import workers
from loom.start import doctor
from loom.start.doctor import GIVES, Package, Program, lines, missing_of, packages_of
from tests.regress.judged_here import judge_here
from tests.support.folders import ROOT

OURS = {"docs", "lint", "formal", "judge", "mutants", "dev", "ice40"}
"""Extras for work on LOOM itself."""


@pytest.mark.parametrize("language", ["c", "python"])
def test_a_new_kernel_is_as_its_readme_says(
    language: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(workers, "judge_all", judge_here)
    assert main(["new", "dot", "--language", language]) == 0
    (file,) = [path.name for path in Path("dot").iterdir() if path.stem == "dot"]
    assert capsys.readouterr().out == f"a kernel in dot: cd dot, then loom sim {file}\n"
    monkeypatch.chdir(tmp_path / "dot")
    commands = [line.partition("#")[0] for line in Path("README.md").read_text().split("\n")
                if line.startswith("    loom ")]  # fmt: skip
    assert len(commands) == 6
    for command in commands:
        parser().parse_args(shlex.split(command)[1:])
    assert main(["regress", ".", "--model-only", "--cache", str(tmp_path / "rows")]) == 0
    assert "1 of 1 kernels as expected" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["Dot", "3x", "int", "lambda", "module", "a-b", "a/b", ""])
def test_names_that_no_function_has_are_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", name]) == 2
    assert capsys.readouterr().err == (
        f"NAME: error[CLI_VALUE]: found {name!r}; LOOM accepts a small letter, then small letters, "
        "digits and _: no keyword\n"
    )
    assert not [*tmp_path.iterdir()]


def test_every_extra_for_users_is_explained() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {*GIVES} - {""} == {*project["optional-dependencies"]} - OURS
    named = [f"{text}; extra == '{extra}'" for extra in GIVES if extra
             for text in project["optional-dependencies"][extra]]  # fmt: skip
    found = [*packages_of([*project["dependencies"], *named])]
    assert {each.extra for each in found} == {*GIVES}
    assert not missing_of(found, "")


def test_what_is_missing_is_said_with_its_cure(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [Package("", "xdsl", "", "0.74.0"), Package("sim", "cocotb", "<3,>=2.1", None)]
    text = [*lines(found, [Program("make", "packages", None)])]
    assert text[1:4] == [
        "ok      base       compile, lower, emit, wrap, check, and model of programs in MLIR",
        "                   xdsl 0.74.0",
        "missing sim        sim, regress, and report: circuits in Verilator",
    ]
    assert text[4] == "                   cocotb not installed, <3,>=2.1 wanted"
    assert text[-2:] == [
        "missing make: not on PATH, for packages", "all of it: pip install 'loom-hls[sim]'",
    ]  # fmt: skip
    assert main(["doctor", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [extra["extra"] for extra in report["extras"]] == [*GIVES]
    monkeypatch.setattr(doctor, "installed", lambda name: None)
    assert main(["doctor"]) == 1
    assert "pip install --force-reinstall loom-hls" in capsys.readouterr().out
