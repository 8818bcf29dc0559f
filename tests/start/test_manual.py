"""`loom help`: a manual page for every verb, whose commands the command line takes; colours."""

from __future__ import annotations

import io
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from loom.front.cli import main, parser
from loom.front.standard_streams import GREEN, is_coloured, paint_error, paint_status
from loom.start.manual import EXAMPLES, Section, page_of, roff_lines, text_lines

VERBS = parser().verbs
REFUSAL = "k.c:3:5: error[C_CALL]: found x; LOOM accepts y\n    3 | f(x);\n      |     ^"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_every_verb_has_commands_that_are_accepted() -> None:
    assert {*EXAMPLES} == {*VERBS}
    for name, examples in EXAMPLES.items():
        for command, meaning in examples:
            words = shlex.split(command)
            assert words[:2] == ["loom", name] and meaning
            parser().parse_args(words[1:])


@pytest.mark.parametrize("name", VERBS)
def test_the_page_has_every_option(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", name]) == 0
    text = capsys.readouterr().out
    titles = re.findall(r"^\S.*$", text, re.MULTILINE)
    assert titles[:3] == ["NAME", "SYNOPSIS", "DESCRIPTION"]
    assert titles[-3:] == ["EXAMPLES", "EXIT STATUS", "ENVIRONMENT"]
    terms = re.findall(r"^ {7}(\S.*)$", text, re.MULTILINE)
    for action in VERBS[name]._actions:
        names = ", ".join(action.option_strings) or str(action.metavar)
        assert any(term.startswith(names) for term in terms), names
    assert max(map(len, text.split("\n"))) <= 80


def test_the_command_has_a_page_with_all_verbs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help"]) == 0
    text = capsys.readouterr().out
    assert [line.strip() for line in text.split("\n") if line.strip() in VERBS] == [*VERBS]
    assert main(["help", "simm"]) == 2
    assert capsys.readouterr().err == (
        "loom help: error[CLI_VERB]: found the verb 'simm'; LOOM accepts sim: did you mean that?\n"
    )


def test_roff_hides_what_it_would_read() -> None:
    lines = list(
        roff_lines("loom-x", [Section("A", ".so \\x 'a' --b"), Section("B", "", (("'t", "m"),))])
    )
    assert lines[1:] == ['.SH "A"', r"\&.so \ex 'a' \-\-b", '.SH "B"', ".TP", r"\fB\&'t\fR", "m"]


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed")
@pytest.mark.parametrize("name", ["sim", "graph", "help"])
def test_mandoc_reads_the_page(name: str, tmp_path: Path) -> None:
    page = tmp_path / "loom.1"
    page.write_text("\n".join(roff_lines(f"loom-{name}", page_of(name, VERBS[name]))) + "\n")
    done = subprocess.run(["mandoc", "-T", "ascii", str(page)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    plain = " ".join(re.sub(r".\x08", "", done.stdout).split())
    for line in text_lines(page_of(name, VERBS[name])):
        assert all(word in plain for word in line.split() if word.startswith("--"))


def test_colours_are_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert is_coloured(Terminal()) and not is_coloured(io.StringIO()) and not is_coloured(None)
    painted = paint_error(REFUSAL, Terminal())
    assert painted == (
        "\x1b[1mk.c:3:5\x1b[0m: \x1b[31merror[C_CALL]\x1b[0m: found x; LOOM accepts y\n"
        "    3 | f(x);\n      |     \x1b[32m^\x1b[0m"
    )
    assert paint_error(REFUSAL, io.StringIO()) == REFUSAL
    assert paint_status("ok      a\nokay", {"ok": GREEN}, Terminal()) == (
        "\x1b[32mok\x1b[0m      a\nokay"
    )
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            assert not is_coloured(Terminal())
    monkeypatch.setenv("NO_COLOR", "")
    assert is_coloured(Terminal())


@pytest.mark.parametrize(("value", "coloured"), [("", True), ("1", False)])
def test_the_command_is_coloured_on_a_terminal(value: str, coloured: bool) -> None:
    """A real terminal of the system, at the other end of standard error."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "NO_COLOR": value, "TERM": "xterm"}
    command = [sys.executable, "-m", "loom", "opps"]
    subprocess.run(command, stderr=theirs, env=environment, check=False)
    os.close(theirs)
    text = os.read(ours, 4096).decode()
    os.close(ours)
    assert ("\x1b[31merror[CLI_VERB]\x1b[0m" in text) == coloured
    assert "error[CLI_VERB]" in text
