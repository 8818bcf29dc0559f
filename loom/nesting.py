"""A text nests no deeper than the compiler can follow: a bracket too many has its place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loom.errors import LoomError, Place

MOST_NESTED = 400
"""Brackets that may be open at a time: regions, lists, types and expressions alike."""

PIECE = re.compile(
    r"""(?P<open>[(\[{<]) | (?P<close>[)\]}]) | (?P<angle>(?<!-)>(?!=))
    | //[^\n]*+ | "(?:[^"\\\n]++|\\.)*+"?""",
    re.VERBOSE,
)
PARTNER = {")": "(", "]": "[", "}": "{", ">": "<"}


def openings(text: str) -> Iterator[tuple[int, int]]:
    """Every opening bracket of the text: its position, and how many are open with it.

    An angle may also be a sign of comparison: one that is open ends with the bracket around it.
    """
    opened: list[str] = []
    for piece in PIECE.finditer(text):
        kind = piece.lastgroup
        if kind == "open":
            opened.append(piece[0])
            yield piece.start(), len(opened)
        elif kind == "angle":
            if opened and opened[-1] == "<":
                opened.pop()
        elif kind == "close" and PARTNER[piece[0]] in opened:
            while opened.pop() != PARTNER[piece[0]]:
                pass


def place_in(text: str, file: str, position: int) -> Place:
    """The line and column of a position in the text."""
    line = text.count("\n", 0, position) + 1
    return Place(file, line, position - text.rfind("\n", 0, position))


def deepest(text: str) -> int:
    """How many brackets are open at most."""
    return max((depth for _, depth in openings(text)), default=0)


def first_too_deep(text: str) -> int | None:
    """The position of the first bracket that is nested too deep, or None."""
    return next((position for position, depth in openings(text) if depth > MOST_NESTED), None)


def too_deep(place: Place) -> LoomError:
    """The refusal of a text that nests deeper than LOOM, or Python's recursion, can follow."""
    accepted = f"nests of up to {MOST_NESTED} brackets, as deep as Python's recursion limit lets it"
    return LoomError("MLIR_TOO_DEEP", place, "regions, lists or types nested too deep", accepted)
