"""Where in a JSON text a value or a key stands, for messages: read only after something is wrong.

The text is known to be JSON, but for keys that stand twice, numbers and nesting.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from loom.errors import Place

Path = tuple[str | int, ...]
"""Keys and numbers of elements that lead to a value from the outermost one."""

TOKEN = re.compile(r'[ \t\n\r]*("(?:[^"\\]|\\.)*"|[][{},:]|[^][{},:" \t\n\r]+)')


@dataclass(frozen=True, slots=True)
class Spot:
    """A value or a key: its path, its text, its offset, and whether its object had the key."""

    path: Path
    text: str
    offset: int
    is_key: bool = False
    is_twin: bool = False


def spots(text: str) -> Iterator[Spot]:
    """Every key and value in the order of the text, outer ones before what is in them."""
    path: list[str | int] = []
    seen: list[set[str]] = []
    expects_key = False
    for found in TOKEN.finditer(text):
        token, offset = found.group(1), found.start(1)
        if token == ",":
            expects_key = bool(seen[-1]) if seen else False
            if path and isinstance(path[-1], int):
                path[-1] += 1
        elif token in "]}":
            path.pop()
            seen.pop()
            expects_key = False
        elif token == ":":
            expects_key = False
        elif expects_key:
            key = json.loads(token, strict=False)
            path[-1] = key
            yield Spot(tuple(path), token, offset, True, key in seen[-1])
            seen[-1].add(key)
        else:
            yield Spot(tuple(path), token, offset)
            if token in "[{":
                expects_key = token == "{"
                path.append("" if expects_key else 0)
                # An object's set is never empty, so that it tells objects from lists.
                seen.append({"\n"} if expects_key else set())


def place_at(text: str, file: str, offset: int) -> Place:
    """The line and column of an offset."""
    line = text.count("\n", 0, offset) + 1
    return Place(file, line, offset - text.rfind("\n", 0, offset))


def place_of_path(text: str, file: str, path: Path, *, key: bool = False) -> Place:
    """The place of the value that the path leads to, or of its key."""
    found = next(spot for spot in spots(text) if spot.path == path and spot.is_key == key)
    return place_at(text, file, found.offset)
