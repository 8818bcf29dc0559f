"""`#pragma loom ..` of a C file."""

from __future__ import annotations

import re
from dataclasses import dataclass

from loom.errors import LoomError
from loom.frontend.c.array_pragmas import is_of_array
from loom.frontend.c.loop_pragmas import OF_LOOPS, is_of_loop
from loom.frontend.c.order_pragma import is_of_order
from loom.frontend.c.pragma_lines import pragmas_in

SIZE = re.compile(r"size\s*\(\s*([A-Za-z_]\w*)\s*((?:,\s*\d+\s*)+)\)\s*")
FORM = "#pragma loom size(NAME, NUMBER, ..)"
KNOWN = "#pragma loom size, partition, ports, memory_order, " + ", ".join(OF_LOOPS)


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
        if pragma.own is None or is_of_loop(pragma) or is_of_array(pragma) or is_of_order(pragma):
            continue
        size = SIZE.fullmatch(pragma.own)
        if size is None:
            is_size = re.match(r"size\b", pragma.own) is not None
            what, accepted = f"the pragma {pragma.words}", FORM if is_size else KNOWN
            raise LoomError("C_PRAGMA", pragma.place, what, accepted)
        shape = tuple(int(number) for number in re.findall(r"\d+", size[2]))
        if not all(shape):
            raise LoomError("C_PRAGMA", pragma.place, "a size of 0", "sizes of 1 and more")
        found.append(Size(pragma.place.line, size[1], shape))
    return found
