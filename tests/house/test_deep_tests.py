"""Deep tests run again when, and only when, what they look at changed since they passed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.deep import (
    ALWAYS,
    RECORD,
    SIMULATION_INPUTS,
    UNIT_INPUTS,
    digest_inputs,
    file_digest,
    read_record,
)
from tests.support.folders import ROOT

PROGRAM = """
def test_deep(deep, request):
    deep(texts=[(request.path.parent / "template.j2").read_text()])
    assert "fault" not in (request.path.parent / "template.j2").read_text()

def test_fast():
    pass
"""


class Project:
    """A folder with a deep test that looks at one template, and a record."""

    def __init__(self, folder: Path) -> None:
        self.template = folder / "template.j2"
        self.record = folder / "record.json"
        self.program = folder / "test_one.py"
        self.template.write_text("a\n")
        self.program.write_text(PROGRAM)

    def run(self, *words: str) -> str:
        """What pytest says."""
        command = [
            sys.executable, "-m", "pytest", "-p", "tests.support.deep", "-p", "no:cacheprovider",
            *(("-p", "xdist.plugin") if "-n" in words else ()),
            "-ra", "-q", f"--rootdir={self.program.parent}", "--record-file", str(self.record),
            *words, str(self.program),
        ]  # fmt: skip
        environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'sim'}"}
        environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment,
            cwd=self.program.parent,
        )  # fmt: skip
        return done.stdout + done.stderr


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_what_passed_is_skipped_until_its_input_changes(project: Project) -> None:
    assert "2 passed" in project.run("--record")
    (digest,) = json.loads(project.record.read_text()).values()
    said = project.run()
    assert "1 passed, 1 skipped" in said
    assert f"unchanged since it passed: {digest}; make nightly runs it" in said
    project.template.write_text("b\n")
    assert "2 passed" in project.run()
    project.template.write_text("a\n")
    assert "1 passed, 1 skipped" in project.run()
    project.program.write_text(PROGRAM + "\n# a changed test\n")
    assert "2 passed" in project.run()


def test_a_fault_in_a_template_is_found_and_never_recorded(project: Project) -> None:
    """The planted fault: an old digest must not hide it, nor a record be made of it."""
    project.run("--record")
    project.template.write_text("a fault\n")
    assert "1 failed, 1 passed" in project.run()
    assert "1 failed, 1 passed" in project.run("--record")
    assert json.loads(project.record.read_text()) == {}
    assert "1 failed, 1 passed" in project.run()


def test_all_and_none_do_as_they_say(project: Project) -> None:
    project.run("--record")
    assert "2 passed" in project.run("--deep", "all")
    assert "1 passed, 1 deselected" in project.run("--deep", "all", "-m", "deep")
    project.template.write_text("a fault\n")
    said = project.run("--deep", "none")
    assert "1 passed, 1 skipped" in said and "would run" in said


def test_a_run_that_skips_keeps_the_record_and_drops_what_is_no_more(project: Project) -> None:
    project.run("--record")
    kept = project.record.read_text()
    project.run("--record", "-m", "deep")
    assert project.record.read_text() == kept
    project.program.write_text(PROGRAM.replace("test_deep", "test_other"))
    project.run("--record")
    (name,) = json.loads(project.record.read_text())
    assert name.endswith("::test_other")


TWO = """
import pytest, os
@pytest.mark.parametrize("n", range(2))
def test_deep(deep, n):
    deep(texts=["a"])
    if n == 1 and os.environ.get("INTERRUPT"):
        raise KeyboardInterrupt
"""


@pytest.mark.parametrize("words", [(), ("-n", "2"), ("-k", "0")])
def test_a_run_of_some_tests_keeps_the_lines_of_the_others(
    words: tuple[str, ...], project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By an interruption, a failure that ends the run, or a choice of tests."""
    project.program.write_text(TWO)
    project.run("--record")
    kept = project.record.read_text()
    assert len(json.loads(kept)) == 2
    if words != ("-k", "0"):
        monkeypatch.setenv("INTERRUPT", "yes")
    project.run("--record", "--deep", "all", *words)
    assert project.record.read_text() == kept


def test_while_no_source_changed_no_input_is_made(project: Project) -> None:
    """The planted fault, a changed source, must have the inputs made, and found changed."""
    source = project.program.parent / "loom" / "source.py"
    source.parent.mkdir()
    source.write_text("")
    made = project.program.parent / "made"
    text = PROGRAM.replace("def test_deep", "@pytest.mark.from_sources\ndef test_deep")
    text = text.replace("    deep(", f"    open({str(made)!r}, 'a').write('x')\n    deep(")
    project.program.write_text("import pytest\n" + text)
    assert "2 passed" in project.run("--record")
    kept = project.record.read_text()
    said = project.run("--record")
    assert "1 passed, 1 skipped" in said and "as all sources" in said
    assert made.read_text() == "x" and project.record.read_text() == kept
    source.write_text("a comment\n")
    said = project.run("--record")
    assert "1 passed, 1 skipped" in said and "as all sources" not in said
    assert made.read_text() == "xx" and project.record.read_text() != kept
    assert "as all sources" in project.run()
    project.template.write_text("a fault\n")
    source.write_text("another comment\n")
    assert "1 failed, 1 passed" in project.run()
    assert "2 passed" not in project.run("--deep", "all")


@pytest.mark.parametrize(("minutes", "passed"), [("0", "1 passed, 1 skipped"), ("9", "2 passed")])
def test_deep_tests_begin_in_time(project: Project, minutes: str, passed: str) -> None:
    said = project.run("-p", "tests.house.deep_minutes", "--deep-minutes", minutes)
    assert passed in said and (minutes == "9" or "the 0 minutes of deep tests are over" in said)


def test_another_fixture_of_that_name_is_refused(project: Project) -> None:
    other = "import pytest\n@pytest.fixture\ndef deep():\n    return print\n"
    project.program.write_text(other + PROGRAM)
    assert "a fixture of its own is called deep" in project.run()


def test_several_processes_make_one_record(project: Project) -> None:
    assert "2 passed" in project.run("--record", "-n", "2")
    assert len(json.loads(project.record.read_text())) == 1


@pytest.mark.parametrize("name", ["", *sorted({*ALWAYS, *UNIT_INPUTS, *SIMULATION_INPUTS})])
def test_a_digest_changes_with_every_input(name: str, tmp_path: Path) -> None:
    """Each input of the tests of units, in a copy where one byte of it is changed."""
    if not name:
        assert digest_inputs(ALWAYS, ["a", "b"]) != digest_inputs(ALWAYS, ["ab"])
        with pytest.raises(ValueError, match="neither a file nor a folder"):
            digest_inputs(["loom/no_such_room"])
        return
    files = sorted(
        file
        for file in (ROOT.glob(name) if "*" in name else [ROOT / name, *(ROOT / name).rglob("*")])
        if file.is_file() and "__pycache__" not in file.parts
    )
    for file in files:
        copy = tmp_path / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
    assert digest_inputs([name], root=tmp_path) == digest_inputs([name])
    changed = tmp_path / files[-1].relative_to(ROOT)
    changed.write_bytes(changed.read_bytes() + b"\n")
    file_digest.cache_clear()
    assert digest_inputs([name], root=tmp_path) != digest_inputs([name])


def test_the_record_names_tests_that_are_there() -> None:
    record = read_record(RECORD)
    assert all((ROOT / name.partition("::")[0]).is_file() for name in record)
    assert all(len(digest) in (16, 16 + 1 + 16) for digest in record.values())
