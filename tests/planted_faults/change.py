"""One exact change of one text: what a planted fault is made of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.support.folders import ROOT

HARNESS = "sim/loom_sim/harness/"
TEMPLATES = "rtl_templates/"
EMITTED = "rtl/"


class FaultNotFoundError(AssertionError):
    """A text in which a fault is to be planted has changed."""


@dataclass(frozen=True)
class Change:
    """`old`, which stands exactly once in `file`, becomes `new`.

    `file` is one of the tree, or of a circuit's files where it begins with ``rtl/``.
    """

    file: str
    old: str
    new: str

    def apply(self, text: str) -> str:
        """The text with the change; refused unless `old` stands there exactly once."""
        found = text.count(self.old)
        if found != 1 or self.old == self.new:
            raise FaultNotFoundError(
                f"a planted fault has lost its place: {self.file} has {found} times (not once)\n"
                f"    {self.old}\n"
                "Find the text that does the same now, and write it and the same fault into the "
                "table in tests/planted_faults/. If nothing does the same any more, the check that "
                "the fault shows needs another fault: do not just delete the row."
            )
        return text.replace(self.old, self.new)

    def text(self, root: Path = ROOT) -> str:
        """The file of the tree, with the change."""
        return self.apply((root / self.file).read_text(encoding="utf-8"))
