"""What LOOM says about input it cannot take: one form, one exit status, no traceback.

Every message reads ``file:line:col: error[CODE]: found X; LOOM accepts Y``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

LONGEST = 500
"""Characters of a line of what was found that are shown: a text may hold names of millions."""
MOST_BITS = 4096
"""Bits of an integer that a message shows [bits]."""
MOST_SHOWN = 100
"""Problems that are shown of one input."""


def shown(text: str) -> str:
    """The text with its lines, control characters escaped, the middle of a long line left out."""
    return "\n".join(map(shown_line, text.split("\n")))


def shown_line(line: str) -> str:
    """One line of `shown`."""
    if len(line) > LONGEST:
        half = LONGEST // 2 - 3
        line = f"{line[:half]} ... {line[-half:]}"
    if line.isprintable():
        return line
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in line
    )


def format_integer(value: int) -> str:
    """The integer in decimal, or its length: Python refuses to print one of 4301 digits."""
    bits = value.bit_length()
    return str(value) if bits <= MOST_BITS else f"(an integer of {bits} bits)"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The closest known word, as a question; None if none is near."""
    found = get_close_matches(word, list(known), n=1)
    return f"{found[0]}: did you mean that?" if found else None


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a text the user gave; `line` and `column` count from 1, 0 means unknown."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        if self.line == 0:
            return self.file
        return f"{self.file}:{self.line}:{self.column}"


class LoomError(Exception):
    """The user's input is not accepted: `code`, `where`, `what` was found, what is `accepted`."""

    def __init__(self, code: str, where: Place, what: str, accepted: str) -> None:
        what = shown(what)
        super().__init__(code, where, what, accepted)
        self.code = code
        self.where = where
        self.what = what
        self.accepted = accepted

    def __str__(self) -> str:
        where = shown_line(str(self.where))
        return f"{where}: error[{self.code}]: found {self.what}; LOOM accepts {self.accepted}"


class LoomErrors(Exception):
    """Several problems of one input, in the order of their places."""

    def __init__(self, problems: Sequence[LoomError]) -> None:
        super().__init__(*problems)
        self.problems = tuple(problems)

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems[:MOST_SHOWN]]
        if len(self.problems) > MOST_SHOWN:
            lines.append(f"... and {len(self.problems) - MOST_SHOWN} more")
        return "\n".join(lines)


def raise_all(problems: Sequence[LoomError]) -> None:
    """Return if there are no problems; raise the one as it is, several as `LoomErrors`."""
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise LoomErrors(problems)
