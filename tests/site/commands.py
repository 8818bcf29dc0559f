"""The commands that a page shows: each runs beside its files, and its output is compared."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r'^```(\w*)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
ANY = "..."
"""A line of it stands for any lines, in a line for any text."""
DRAWN = "%% "
"""Begins a drawing in Mermaid; behind it stands the command that prints it."""


@dataclass(frozen=True)
class Shown:
    """A command of a page, and what it prints there."""

    command: str
    output: str


def files_of(page: str) -> dict[str, str]:
    """The files that a page shows, by name: blocks with a title."""
    return {title: text for _, title, text in BLOCK.findall(page) if title}


def commands_of(page: str) -> Iterator[Shown]:
    """The commands of a page, in their order."""
    for language, title, text in BLOCK.findall(page):
        if language == "mermaid":
            first, _, rest = text.partition("\n")
            assert first.startswith(DRAWN), "a drawing says its command"
            yield Shown(first.removeprefix(DRAWN), rest)
        elif not title:
            for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                if command.startswith("loom "):
                    yield Shown(command, output)


def matches(output: str, shown: str) -> bool:
    """True if the output is what the page shows."""
    lines = [re.escape(line) if line != ANY else None for line in shown.rstrip("\n").split("\n")]
    parts = [r"(?:.*\n)*?" if line is None else line.replace(re.escape(ANY), ".*") + r"\n"
             for line in lines]  # fmt: skip
    return (
        re.fullmatch("".join(parts) if shown.strip() else r"\s*", f"{output.rstrip()}\n")
        is not None
    )


def wrong_commands(page: str, folder: Path, run: Callable[[list[str]], str]) -> Iterator[str]:
    """Each command in the folder whose output is another than the page says."""
    for name, text in files_of(page).items():
        (folder / name).write_text(text)
    for shown in commands_of(page):
        output = run(shlex.split(shown.command)[1:])
        if not matches(output, shown.output):
            yield f"$ {shown.command}\n{output}"
