"""Scripts of vendors, run by Python's Tcl: their commands, and the syntax that is documented."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

tkinter = pytest.importorskip("tkinter", reason="this Python has no Tcl to run the scripts with")
TclError = tkinter.TclError
Command = tuple[str, ...]


@dataclass(frozen=True)
class Syntax:
    """How a command is called: how many words besides options, options alone and with a value."""

    least: int
    most: int
    flags: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()


def syntax(least: int, most: int, flags: str = "", values: str = "") -> Syntax:
    """A syntax, whose options stand in words."""
    return Syntax(least, most, frozenset(flags.split()), frozenset(values.split()))


@dataclass(frozen=True)
class Call:
    """A command, its options and its words."""

    name: str
    words: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)


def record(
    script: Path, arguments: Sequence[str] = (), answers: Mapping[str, str] | None = None,
    before: str = "",
) -> list[Command]:  # fmt: skip
    """The commands of the script that are not Tcl's own, in order.

    Each returns its name in < and >, or its answer. `before` is run first.
    """
    found: list[Command] = []

    def note(*words: str) -> str:
        found.append(words)
        return (answers or {}).get(words[0], f"<{words[0]}>")

    tcl = tkinter.Tcl()
    tcl.createcommand("unknown", note)
    tcl.createcommand("package", lambda *words: note("package", *words))
    tcl.setvar("argc", str(len(arguments)))
    tcl.setvar("argv", " ".join(arguments))
    tcl.eval(before)
    tcl.eval(f"source {{{script}}}")
    return found


def parse(command: Command, known: Mapping[str, Syntax]) -> Call:
    """The call, if its syntax is the documented one; AssertionError otherwise."""
    name, *rest = command
    assert name in known, f"no such command: {name}"
    has, words, options = known[name], list[str](), dict[str, str]()
    while rest:
        word = rest.pop(0)
        if word in has.values:
            assert rest, f"{name}: no value of {word}"
            options[word] = rest.pop(0)
        elif word in has.flags:
            options[word] = ""
        else:
            assert not word.startswith("-"), f"{name}: no such option: {word}"
            words.append(word)
    assert has.least <= len(words) <= has.most, f"{name}: {len(words)} words"
    return Call(name, tuple(words), options)
