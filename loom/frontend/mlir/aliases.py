"""Aliases of attributes and types, which a text may pile up to more than it could ever write out.

An alias that names another twice stands for twice its text: thirty lines of that are a gigabyte
when the graph is printed, and a chain of them nests deeper than any bracket.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Attribute

from loom.errors import LoomError, Place
from loom.nesting import MOST_NESTED, deepest, too_deep

MOST_EXPANDED = 1 << 24
"""What the aliases of a text may stand for, written out at every use [characters]."""


class Aliases(dict[str, Attribute]):
    """The aliases of a text; every look-up of one counts what it stands for.

    `here` tells the place of the parser.
    """

    def __init__(self, here: Callable[[], Place]) -> None:
        super().__init__()
        self.here = here
        self.sizes: dict[str, tuple[int, int]] = {}
        self.expanded = 0
        self.deepest_use = 0

    def __getitem__(self, name: str) -> Attribute:
        characters, nested = self.sizes[name]
        self.deepest_use = max(self.deepest_use, nested)
        self.expanded += characters
        if self.expanded > MOST_EXPANDED:
            what = f"aliases that stand for more than {MOST_EXPANDED} characters"
            raise LoomError("MLIR_TOO_LARGE", self.here(), what, "fewer uses of smaller aliases")
        return super().__getitem__(name)

    def define(self, name: str, place: Place, parse: Callable[[], str]) -> None:
        """`parse` reads the definition of `name` at `place` and returns its text."""
        before, self.deepest_use = self.expanded, 0
        text = parse()
        nested = self.deepest_use + 1 + deepest(text)
        if nested > MOST_NESTED:
            raise too_deep(place)
        self.sizes[name] = (self.expanded - before + len(text), nested)
