"""The pragmas of a C file, as they are written, but for those in comments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from loom.errors import LoomError, Place
from loom.frontend.c.library import Cursor, get_file

PRAGMA = re.compile(rb"^[ \t]*#[ \t]*pragma[ \t]+(\w+)((?:[^\n\\]|\\.|\\\n)*)", re.MULTILINE)
COMMENT = re.compile(rb'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
BETWEEN = re.compile(
    rb"(?:\s|/\*.*?\*/|//[^\n]*|#(?:[^\n\\]|\\.|\\\n)*|[A-Za-z_]\w*\s*:)*", re.DOTALL
)
"""What may stand between a pragma and its loop: comments, other pragmas and labels."""
OPERATOR = re.compile(rb'\b_Pragma\s*\(\s*"\s*loom\b')
LOOP = re.compile(rb"(?:for|while|do)\b")


@dataclass(frozen=True, slots=True)
class Pragma:
    """A pragma's words, the first of which stands at `begin`; `target` is where what follows does.

    Both count bytes; `before_loop` says whether that is a loop. `place` is that of the second word.
    """

    begin: int
    target: int
    before_loop: bool
    place: Place
    words: str

    @property
    def own(self) -> str | None:
        """What follows ``loom`` in a pragma of LOOM's."""
        name, _, rest = self.words.partition(" ")
        return rest if name == "loom" else None


def find_pragmas(text: str, file: str) -> list[Pragma]:
    """The pragmas of the text; LOOM's as an operator, in a macro, are refused (C_PRAGMA)."""
    data = text.encode()
    hidden = [found.span() for found in COMMENT.finditer(data)]

    def is_code(match: re.Match[bytes]) -> bool:
        return not any(begin <= match.start() < end for begin, end in hidden)

    for match in filter(is_code, OPERATOR.finditer(data)):
        what, accepted = "LOOM's pragma as an operator", "#pragma on a line of its own"
        raise LoomError("C_PRAGMA", locate_offset(data, file, match.start()), what, accepted)
    return [make_pragma(data, file, match) for match in filter(is_code, PRAGMA.finditer(data))]


def make_pragma(data: bytes, file: str, match: re.Match[bytes]) -> Pragma:
    """The pragma with its place and what it stands before."""
    between = BETWEEN.match(data, match.end())
    assert between is not None
    words = COMMENT.sub(b" ", match[1] + match[2]).replace(b"\\\n", b" ")
    text = " ".join(words.decode(errors="replace").split())
    first = match.end(2) - len(match[2].lstrip())
    target = between.end()
    is_loop = LOOP.match(data, target) is not None
    return Pragma(match.start(1), target, is_loop, locate_offset(data, file, first), text)


def find_function(pragma: Pragma, functions: Sequence[Cursor]) -> Cursor | None:
    """The function that the pragma stands in, or the next one of its file."""
    siblings = (each for each in functions if get_file(each) == pragma.place.file)
    return next((f for f in siblings if f.extent.end.line >= pragma.place.line), None)


def locate_offset(data: bytes, file: str, offset: int) -> Place:
    """The place of an offset [bytes]."""
    column = offset - (data.rfind(b"\n", 0, offset) + 1) + 1
    return Place(file, data.count(b"\n", 0, offset) + 1, column)
