"""`#pragma loom ..` of a C file."""

from __future__ import annotations

import re
from dataclasses import dataclass

from loom.errors import LoomError
from loom.frontend.c.array_pragmas import is_of_array
from loom.frontend.c.loop_pragmas import is_of_loop
from loom.frontend.c.pragma_lines import pragmas_in

SIZE = re.compile(r"size\s*\(\s*([A-Za-z_]\w*)\s*((?:,\s*\d+\s*)+)\)\s*")
NOT_YET = ("ii", "pipeline", "memory")
FORM = "#pragma loom size(NAME, NUMBER, ..)"


@dataclass(frozen=True, slots=True)
class Size:
    """The sizes of the array that a pointer parameter points to."""

    line: int
    name: str
    shape: tuple[int, ...]


def pragmas_of(text: str, file: str) -> list[Size]:
    """The sizes that pragmas tell; LOOM's that nobody knows are refused (C_PRAGMA)."""
    found: list[Size] = []
    for pragma in pragmas_in(text, file):
        if pragma.own is None or is_of_loop(pragma) or is_of_array(pragma):
            continue
        size = SIZE.fullmatch(pragma.own)
        if size is None:
            name = re.split(r"\W", pragma.own, maxsplit=1)[0]
            what = f"the pragma {pragma.words}"
            if name in NOT_YET:
                what += ", which has no effect yet"
            raise LoomError("C_PRAGMA", pragma.place, what, FORM)
        shape = tuple(int(number) for number in re.findall(r"\d+", size[2]))
        if not all(shape):
            raise LoomError("C_PRAGMA", pragma.place, "a size of 0", "sizes of 1 and more")
        found.append(Size(pragma.place.line, size[1], shape))
    return found
