"""Rows that are kept by the key of their case, in a folder that machines and users may share.

A row appears by one rename, and says nothing of the folder that its kernel lay in. Who can write
the folder can write what a regression says: it is no place for those that you do not trust.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from loom.cache_folder import cache_folder
from loom.emit.files import write_files
from loom.regress.case import Case
from loom.regress.row import DIFFERS, MATCH, Row, from_text, to_json

KEPT = (MATCH, DIFFERS)
"""What depends on nothing but the case: a refusal may be that of a machine without some program."""


@dataclass(frozen=True)
class RowStore:
    """The rows of a folder, of kernels that are run in one mode."""

    folder: Path

    def read(self, key: str, case: Case) -> Row | None:
        """The row that a run of the same texts, options and LOOM left, in this case's words."""
        try:
            row = from_text((self.folder / place_of(key)).read_text(encoding="utf-8"))
        except (OSError, KeyError, TypeError, ValueError):
            return None
        return row.named(case.name, case.place, case.expect) if row.status in KEPT else None

    def write(self, key: str, row: Row) -> None:
        """The row is kept, if it is such. Refused: a folder that takes none (EMIT_UNWRITABLE)."""
        if row.status in KEPT:
            text = json.dumps(to_json(row), indent=1) + "\n"
            write_files(self.folder, {place_of(key): text})


def place_of(key: str) -> str:
    """The file of a key: no folder holds too many."""
    return f"{key[:2]}/{key[2:40]}.json"


def store_at(folder: str | None) -> RowStore:
    """The rows of the folder, or of the user's own."""
    return RowStore(cache_folder() / "regress" if folder is None else Path(folder))
