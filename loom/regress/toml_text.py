"""TOML with places: where a text is wrong, and where each key of a right one stands."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from loom.errors import LoomError, Place

Path = tuple[str, ...]
AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
HEADER = re.compile(r"\s*\[{1,2}[^\[\]]+\]{1,2}\s*(#.*)?$")
KEY = re.compile(r"""\s*((?:"[^"]*"|'[^']*'|[\w.\s-])+?)\s*=""")


def read_toml(text: str, file: str) -> dict[str, Any]:
    """The document; a text that is none is refused by its line and column (REGRESS_TOML)."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        found = AT.search(message)
        lines = text.split("\n")
        line, column = len(lines), len(lines[-1]) + 1
        if found and found[1]:
            line, column = int(found[1]), int(found[2])
        detail = message[: found.start()] if found else message
        what = f"a text that is no TOML ({detail})"
    except RecursionError:
        what, line, column = "values that nest too deep", 1, 1
    raise LoomError("REGRESS_TOML", Place(file, line, column), what, "the TOML of docs/regress.md")


class Places:
    """Where the keys of a document stand: lines that are headers of tables, or begin with a key."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.found: dict[Path, tuple[int, int]] = {}
        table: Path = ()
        for number, line in enumerate(text.split("\n"), start=1):
            column = len(line) - len(line.lstrip()) + 1
            if HEADER.match(line):
                table = path_of(line)
                self.found.setdefault(table, (number, column))
            elif key := KEY.match(line):
                self.found.setdefault((*table, *path_of(f"{key[1]} = 0")), (number, column))

    def place(self, *path: str) -> Place:
        """The place of a key, or of the nearest table around it that has one."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.found:
                return Place(self.file, *self.found[path[:length]])
        return Place(self.file)


def path_of(line: str) -> Path:
    """The names in one header or key; none of a line inside of a text of several lines."""
    try:
        found: Any = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return ()
    names: list[str] = []
    while isinstance(found, list | Mapping) and found:
        if isinstance(found, list):
            found = found[0]
        else:
            name, found = next(iter(found.items()))
            names.append(name)
    return tuple(names)
