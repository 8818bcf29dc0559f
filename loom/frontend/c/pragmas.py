"""`#pragma loom ..` of a C file."""

from __future__ import annotations

import re
from dataclasses import dataclass

from loom.errors import LoomError, Place

PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+loom\b[ \t]*(.*)$", re.MULTILINE)
SIZE = re.compile(r"size\s*\(\s*([A-Za-z_]\w*)\s*((?:,\s*\d+\s*)+)\)\s*")
NOT_YET = ("unroll", "partition", "ii", "pipeline", "flatten", "memory")
FORM = "#pragma loom size(NAME, NUMBER, ..)"


@dataclass(frozen=True, slots=True)
class Size:
    """The sizes of the array that a pointer parameter points to."""

    line: int
    name: str
    shape: tuple[int, ...]


def pragmas_of(text: str, file: str) -> list[Size]:
    """The sizes that pragmas tell; other pragmas of LOOM's are refused (C_PRAGMA)."""
    found: list[Size] = []
    for match in PRAGMA.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        column = match.start(1) - (text.rfind("\n", 0, match.start(1)) + 1) + 1
        words, place = match[1].strip(), Place(file, line, column)
        size = SIZE.fullmatch(words)
        if size is None:
            name = re.split(r"\W", words, maxsplit=1)[0]
            what = f"the pragma loom {words}".rstrip()
            if name in NOT_YET:
                what += ", which has no effect yet"
            raise LoomError("C_PRAGMA", place, what, FORM)
        shape = tuple(int(number) for number in re.findall(r"\d+", size[2]))
        if not all(shape):
            raise LoomError("C_PRAGMA", place, "a size of 0", "sizes of 1 and more")
        found.append(Size(line, size[1], shape))
    return found
