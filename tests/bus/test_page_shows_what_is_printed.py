"""docs/integration.md: what it shows of `loom wrap` is what the command prints."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from loom.front.cli import main
from tests.support.folders import DOCS, EXAMPLES, TESTS

SHOWN = re.compile(r"^\$ loom (wrap .+)\n((?:(?!```).+\n)+)```$", re.MULTILINE)
"""A command, and the lines below it; `...` stands for others."""
COMMANDS = dict(SHOWN.findall((DOCS / "integration.md").read_text(encoding="utf-8")))


def missing(shown: str, printed: str) -> list[str]:
    """The lines that are shown but not printed, or in another order."""
    rest = iter(printed.splitlines())
    return [line for line in shown.splitlines() if line != "..." and line not in rest]


def test_the_page_shows_commands() -> None:
    assert len(COMMANDS) == 4


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_shown_is_printed(
    command: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(EXAMPLES / "c" / "fir.c", "fir.c")
    Path("examples").symlink_to(EXAMPLES)
    Path("tests").symlink_to(TESTS)
    refused = "error[" in COMMANDS[command]
    assert main(shlex.split(command)) == (2 if refused else 0)
    said = capsys.readouterr()
    printed = said.err if refused else said.out
    assert missing(COMMANDS[command], printed) == []
    last = printed.splitlines()[-1]
    assert missing(f"{COMMANDS[command]}and more\n", f"{printed}and less\n") == ["and more"]
    assert missing(f"{last}\n{last}\n", printed) == [last]
