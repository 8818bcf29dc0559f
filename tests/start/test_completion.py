"""`loom completion`: the shells themselves offer the verbs, the options and the words of values."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from loom.front.cli import main, parser
from loom.start.completion import SHELLS, offers_of, script

VERBS = parser().verbs
OFFERED = [
    ("loom comp", {"compile", "completion"}),
    ("loom compile k.c --sty", {"--style"}),
    ("loom compile k.c --style sta", {"static"}),
    ("loom graph --format ", {"dot", "graphml", "mermaid", "svg"}),
    ("loom wrap wish", {"wishbone"}),
    ("loom lower --verify-e", {"--verify-each"}),
]


@pytest.mark.parametrize("shell", SHELLS)
def test_every_verb_and_option_is_in_the_script(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", shell]) == 0
    text = capsys.readouterr().out
    assert text == script(shell, VERBS)
    for name, verb in VERBS.items():
        assert name in text
        for offer in offers_of(verb):
            for option in offer.names:
                assert option in text or f"-l {option[2:]} " in text or f" {option[1:]} " in text


def run_bash(folder: Path, command: str) -> set[str]:
    """What bash offers for the words so far; the last may be empty."""
    (folder / "loom.bash").write_text(script("bash", VERBS))
    words = " ".join(f"'{word}'" for word in command.split(" "))
    program = (
        f"source loom.bash; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _loom; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    return run(["bash", "--norc", "-u", "-c", program], folder)


def run_fish(folder: Path, command: str) -> set[str]:
    """What fish offers."""
    (folder / "loom.fish").write_text(script("fish", VERBS))
    program = f"source loom.fish; complete -C '{command}'"
    return {line.split("\t")[0] for line in run(["fish", "--no-config", "-c", program], folder)}


def run(command: list[str], folder: Path) -> set[str]:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return {line for line in done.stdout.split("\n") if line}


@pytest.mark.parametrize(("command", "offered"), OFFERED)
def test_bash_offers_them(command: str, offered: set[str], tmp_path: Path) -> None:
    assert run_bash(tmp_path, command) == offered


def test_bash_offers_files(tmp_path: Path) -> None:
    (tmp_path / "kernel.c").write_text("")
    assert run_bash(tmp_path, "loom sim ker") == {"kernel.c"}
    assert run_bash(tmp_path, "loom sim --inputs ker") == {"kernel.c"}


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize(("command", "offered"), OFFERED)
def test_fish_offers_them(command: str, offered: set[str], tmp_path: Path) -> None:
    assert run_fish(tmp_path, command) == offered


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_reads_the_script(tmp_path: Path) -> None:
    (tmp_path / "_loom").write_text(script("zsh", VERBS))
    program = "source ./_loom 2>&1 && whence -w _loom && print -r -- ${_comps[loom]}"
    assert run(["zsh", "-f", "-c", program], tmp_path) == {
        "_loom: function", "_bash_complete -F _loom"
    }  # fmt: skip


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "tcsh"]) == 2
    assert (
        "error[CLI_VALUE]: found 'tcsh'; LOOM accepts bash, zsh or fish" in capsys.readouterr().err
    )
