"""Pragmas of loops: LOOM's own, and those of other tools that mean the same.

LOOM's stand before the loop. Those of other tools only hint at something, so that what cannot be
done is left: GCC's and clang's before the loop, those of HLS in its body.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute

from loom.dialects.facts.loop_attributes import (
    FLATTEN,
    FULL,
    HINT,
    INTERCHANGE,
    INTERVAL,
    PIPELINE,
    UNROLL,
)
from loom.errors import LoomError, Place
from loom.frontend.c.library import Cursor, binding, children, is_in_file, walk
from loom.frontend.c.pragma_lines import Pragma, pragmas_in

Attributes = Sequence[tuple[str, Attribute]]
Meaning = Callable[[re.Match[str]], Attributes]
"""From the words of a pragma to attributes of its loop."""
Rows = Sequence[tuple[str, Meaning]]


def turns(match: re.Match[str]) -> Attributes:
    """Unrolling by the number in the words, by all turns if there is none."""
    number = next((group for group in match.groups() if group), None)
    if number is None:
        return [(UNROLL, StringAttr(FULL))]
    return [(UNROLL, IntegerAttr(max(1, int(number)), 64))]  # GCC says 0 and 1 for "not"


def never(match: re.Match[str]) -> Attributes:
    """No unrolling."""
    return [(UNROLL, IntegerAttr(1, 64))]


def asks(name: str) -> Meaning:
    """An attribute without a value."""
    return lambda match: [(name, UnitAttr())]


def interval(match: re.Match[str]) -> Attributes:
    """The most cycles an iteration."""
    return [(INTERVAL, IntegerAttr(int(match[1]), 64))]


OWN: Rows = (
    (r"unroll", turns),
    (r"unroll\s*\(\s*([1-9]\d{0,8})\s*\)", turns),
    (r"flatten", asks(FLATTEN)),
    (r"pipeline", asks(PIPELINE)),
    (r"ii\s*\(\s*([1-9]\d{0,8})\s*\)", interval),
    (r"interchange", asks(INTERCHANGE)),
)
"""What follows ``#pragma loom``."""
OF_LOOPS = ("unroll", "flatten", "interchange", "pipeline", "ii")
"""Words with which LOOM's own pragmas of loops begin."""
FORMS = "#pragma loom unroll, unroll(NUMBER), flatten, interchange, ii(NUMBER) or pipeline"
BEFORE: Rows = (
    (r"unroll", turns),
    (r"unroll\s*\(?\s*(\d{1,9})\s*\)?", turns),
    (r"nounroll", never),
    (r"GCC\s+unroll\s*\(?\s*(\d{1,9})\s*\)?", turns),
    (r"clang\s+loop\s+unroll_count\s*\(\s*(\d{1,9})\s*\)", turns),
    (r"clang\s+loop\s+unroll\s*\(\s*(?:full|enable)\s*\)", turns),
    (r"clang\s+loop\s+unroll\s*\(\s*disable\s*\)", never),
)
"""Other tools' pragmas that stand before a loop."""
INSIDE: Rows = (
    (r"(?i:HLS\s+unroll)", turns),
    (r"(?i:HLS\s+unroll\s+off\s*=\s*true)", never),
    (r"(?i:HLS\s+unroll(?:\s+skip_exit_check)?\s+factor\s*=\s*(\d{1,9})(?:\s+skip_exit_check)?)",
     turns),
)  # fmt: skip
"""Other tools' pragmas that stand in a loop's body."""
AROUND: Rows = ((r"(?i:HLS\s+loop_flatten)", asks(FLATTEN)),)
"""Other tools' pragmas that stand in a loop's body and are about the loops around it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Attributes of a loop; `place` of a pragma that must be followed, None if all are hints."""

    attributes: tuple[tuple[str, Attribute], ...] = ()
    place: Place | None = None


class LoopPragmas:
    """The pragmas of a file; refused are those of LOOM's that no loop follows (C_PRAGMA)."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.pragmas = pragmas_in(text, file)
        for pragma in self.pragmas:
            if not is_of_loop(pragma):
                continue
            what = f"the pragma {pragma.words}"
            if meant(pragma.own or "", OWN) is None:
                raise LoomError("C_PRAGMA", pragma.place, what, FORMS)
            if not pragma.before_loop:
                what, accepted = f"{what}, which no loop follows", "it directly before a loop"
                raise LoomError("C_PRAGMA", pragma.place, what, accepted)

    def of(self, loop: Cursor) -> Asked:
        """What is asked of the loop."""
        if not is_in_file(loop, self.file):
            return Asked()
        before = [p for p in self.pragmas if p.target == loop.extent.start.offset]
        hints = [*(meant(p.words, BEFORE) for p in before if p.own is None)]
        hints += [meant(p.words, INSIDE) for p in self.pragmas if is_inside(p, loop)]
        flat = [p for p in self.pragmas if meant(p.words, AROUND) is not None]
        below = walk(loop) if flat else ()
        inner = [each for each in below if each.kind in loop_kinds() and each != loop]
        hints += [meant(p.words, AROUND) for p in flat if any(is_inside(p, each) for each in inner)]
        own = [p for p in before if is_of_loop(p)]
        found = [each for some in hints for each in some or ()]
        for pragma in own:
            found += meant(pragma.own or "", OWN) or ()
        if not own and found:
            found.append((HINT, UnitAttr()))
        return Asked(tuple(found), own[-1].place if own else None)


def is_of_loop(pragma: Pragma) -> bool:
    """True for a pragma of LOOM's that is one of loops, by its first word."""
    return pragma.own is not None and re.split(r"\W", pragma.own, maxsplit=1)[0] in OF_LOOPS


def meant(words: str, rows: Rows) -> Attributes | None:
    """What the words ask for by these rows; None if by none of them."""
    for pattern, meaning in rows:
        match = re.fullmatch(pattern, words)
        if match is not None:
            return meaning(match)
    return None


def loop_kinds() -> tuple[object, ...]:
    """The kinds of node that loops are."""
    kinds = binding().CursorKind
    return kinds.FOR_STMT, kinds.WHILE_STMT, kinds.DO_STMT


def is_inside(pragma: Pragma, loop: Cursor) -> bool:
    """True if the pragma stands among the statements of the loop's body, in none of them."""
    kinds = binding().CursorKind
    bodies = [each for each in children(loop) if each.kind == kinds.COMPOUND_STMT]
    if not bodies:
        return False
    body = bodies[0] if loop.kind == kinds.DO_STMT else bodies[-1]

    def holds(node: Cursor) -> bool:
        return bool(node.extent.start.offset < pragma.begin < node.extent.end.offset)

    return holds(body) and not any(holds(statement) for statement in children(body))
