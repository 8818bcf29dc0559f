"""A mutant: one small wrong in one file, which some test must notice."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


@dataclass(frozen=True)
class Mutant:
    """`old`, which stands once in `file`, becomes `new`; `breaks` says what is then wrong.

    `equal` says why nothing can notice it, for a mutant that means the same.
    """

    file: str
    old: str
    new: str
    breaks: str
    equal: str = ""

    @property
    def key(self) -> str:
        """A name that changes with the mutant."""
        text = "\0".join((self.file, self.old, self.new))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def apply(self, root: Path) -> str:
        """Write the mutated file; its text before. Refused unless `old` stands there once."""
        path = root / self.file
        text = path.read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise ValueError(f"{text.count(self.old)} times in {self.file}: {self.old}")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")
        return text


def in_file(file: str, *rows: tuple[str, str, str] | tuple[str, str, str, str]) -> list[Mutant]:
    """The mutants of one file: old text, new text, what breaks, and why that is equal, if it is."""
    return [Mutant(file, *row) for row in rows]
