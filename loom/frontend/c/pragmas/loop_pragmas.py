"""Pragmas of loops: LOOM's own, and those of other tools that mean the same.

LOOM's stand before the loop. Those of other tools only hint at something, so that what cannot be
done is left: GCC's and clang's before the loop, those of HLS in its body.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Attribute

from loom.dialects.facts.fact import Fact
from loom.dialects.facts.loop_attributes import (
    FLATTEN,
    FULL,
    HINT,
    II,
    INTERCHANGE,
    INTERLEAVE,
    PARTIAL_SUMS,
    PIPELINE,
    STYLE,
    UNROLL,
)
from loom.errors import LoomError, Place
from loom.frontend.c.library import Cursor, get_file, list_children, load_libclang, walk_nodes
from loom.frontend.c.pragmas.pragma_lines import Pragma, find_pragmas

Attributes = Sequence[tuple[str, Attribute]]
Parse = Callable[[re.Match[str]], Attributes]
"""From the words of a pragma to attributes of its loop."""
Rows = Sequence[tuple[str, Parse]]


def parse_unroll(match: re.Match[str]) -> Attributes:
    """Unrolling by the number in the words, fully if there is none."""
    number = next((group for group in match.groups() if group), None)
    if number is None:
        return [UNROLL.attribute(FULL)]
    return [UNROLL.attribute(max(1, int(number)))]  # GCC says 0 and 1 for "not"


def parse_no_unroll(match: re.Match[str]) -> Attributes:
    """No unrolling."""
    return [UNROLL.attribute(1)]


def make_flag_parser(directive: Fact[bool]) -> Parse:
    """A directive without a value."""
    return lambda match: [directive.attribute(True)]


def parse_ii(match: re.Match[str]) -> Attributes:
    """The initiation interval [cycles]."""
    return [II.attribute(int(match[1]))]


def parse_interleave(match: re.Match[str]) -> Attributes:
    """The iterations of the loop that take turns in the loop in it."""
    return [INTERLEAVE.attribute(int(match[1]))]


def parse_partial_sums(match: re.Match[str]) -> Attributes:
    """How many partial sums the float sums of the loop are."""
    return [PARTIAL_SUMS.attribute(int(match[1]))]


def parse_style(match: re.Match[str]) -> Attributes:
    """The style of a loop."""
    return [STYLE.attribute(match[1] or match[2])]


OWN: Rows = (
    (r"unroll", parse_unroll),
    (r"unroll\s*\(\s*([1-9]\d{0,8})\s*\)", parse_unroll),
    (r"flatten", make_flag_parser(FLATTEN)),
    (r"pipeline", make_flag_parser(PIPELINE)),
    (r"ii\s*\(\s*([1-9]\d{0,8})\s*\)", parse_ii),
    (r"interchange", make_flag_parser(INTERCHANGE)),
    (r"interleave\s*\(\s*([1-9]\d{0,8})\s*\)", parse_interleave),
    (r"partial_sums\s*\(\s*([1-9]\d{0,8})\s*\)", parse_partial_sums),
    (r"style\s*(?:\(\s*(static|dynamic)\s*\)|\s(static|dynamic))", parse_style),
)
"""What follows ``#pragma loom``."""
OF_LOOPS = (
    "unroll", "flatten", "interchange", "interleave", "partial_sums", "pipeline", "ii",
)  # fmt: skip
"""Words with which LOOM's own pragmas of loops begin."""
FORMS = (
    "#pragma loom unroll, unroll(NUMBER), flatten, interchange, interleave(NUMBER), "
    "partial_sums(NUMBER), ii(NUMBER), pipeline, style(static) or style(dynamic)"
)
BEFORE: Rows = (
    (r"unroll", parse_unroll),
    (r"unroll\s*\(?\s*(\d{1,9})\s*\)?", parse_unroll),
    (r"nounroll", parse_no_unroll),
    (r"GCC\s+unroll\s*\(?\s*(\d{1,9})\s*\)?", parse_unroll),
    (r"clang\s+loop\s+unroll_count\s*\(\s*(\d{1,9})\s*\)", parse_unroll),
    (r"clang\s+loop\s+unroll\s*\(\s*(?:full|enable)\s*\)", parse_unroll),
    (r"clang\s+loop\s+unroll\s*\(\s*disable\s*\)", parse_no_unroll),
)
"""Other tools' pragmas that stand before a loop."""
INSIDE: Rows = (
    (r"(?i:HLS\s+unroll)", parse_unroll),
    (r"(?i:HLS\s+unroll\s+off\s*=\s*true)", parse_no_unroll),
    (r"(?i:HLS\s+unroll(?:\s+skip_exit_check)?\s+factor\s*=\s*(\d{1,9})(?:\s+skip_exit_check)?)",
     parse_unroll),
)  # fmt: skip
"""Other tools' pragmas that stand in a loop's body."""
AROUND: Rows = ((r"(?i:HLS\s+loop_flatten)", make_flag_parser(FLATTEN)),)
"""Other tools' pragmas that stand in a loop's body and are about the loops around it."""


@dataclass(frozen=True, slots=True)
class LoopDirectives:
    """Attributes of a loop; `required` is the place of a pragma that must be followed, if any."""

    attributes: tuple[tuple[str, Attribute], ...] = ()
    required: Place | None = None


class LoopPragmas:
    """The pragmas of files, whose texts are given by their names.

    Refused are those of LOOM's that no loop follows (C_PRAGMA).
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.by_file = {file: find_pragmas(text, file) for file, text in texts.items()}
        for pragma in (each for found in self.by_file.values() for each in found):
            if not is_loop_pragma(pragma):
                continue
            what = f"the pragma {pragma.words}"
            if match_pragma(pragma.own or "", OWN) is None:
                raise LoomError("C_PRAGMA", pragma.place, what, FORMS)
            if not pragma.before_loop:
                what, accepted = f"{what}, which no loop follows", "it directly before a loop"
                raise LoomError("C_PRAGMA", pragma.place, what, accepted)

    def find_directives(self, loop: Cursor) -> LoopDirectives:
        """The directives of the loop."""
        pragmas = self.by_file.get(get_file(loop) or "", [])
        before = [p for p in pragmas if p.target == loop.extent.start.offset]
        hints = [*(match_pragma(p.words, BEFORE) for p in before if p.own is None)]
        hints += [match_pragma(p.words, INSIDE) for p in pragmas if is_inside(p, loop)]
        flat = [p for p in pragmas if match_pragma(p.words, AROUND) is not None]
        below = walk_nodes(loop) if flat else ()
        inner = [each for each in below if each.kind in list_loop_kinds() and each != loop]
        hints += [
            match_pragma(p.words, AROUND) for p in flat if any(is_inside(p, each) for each in inner)
        ]
        own = [p for p in before if is_loop_pragma(p)]
        found = [each for some in hints for each in some or ()]
        for pragma in own:
            found += match_pragma(pragma.own or "", OWN) or ()
        if not own and found:
            found.append(HINT.attribute(True))
        return LoopDirectives(tuple(found), own[-1].place if own else None)


def is_loop_pragma(pragma: Pragma) -> bool:
    """True for a pragma of LOOM's that is one of loops, by its first word."""
    if pragma.own is None:
        return False
    word = re.split(r"\W", pragma.own, maxsplit=1)[0]
    return word in OF_LOOPS or (word == "style" and pragma.before_loop)


def match_pragma(words: str, rows: Rows) -> Attributes | None:
    """The attributes that the words stand for by these rows; None if by none of them."""
    for pattern, parse in rows:
        match = re.fullmatch(pattern, words)
        if match is not None:
            return parse(match)
    return None


def list_loop_kinds() -> tuple[object, ...]:
    """The kinds of node that loops are."""
    kinds = load_libclang().CursorKind
    return kinds.FOR_STMT, kinds.WHILE_STMT, kinds.DO_STMT


def is_inside(pragma: Pragma, loop: Cursor) -> bool:
    """True if the pragma stands among the statements of the loop's body, in none of them."""
    kinds = load_libclang().CursorKind
    bodies = [each for each in list_children(loop) if each.kind == kinds.COMPOUND_STMT]
    if not bodies:
        return False
    body = bodies[0] if loop.kind == kinds.DO_STMT else bodies[-1]

    def contains(node: Cursor) -> bool:
        return bool(node.extent.start.offset < pragma.begin < node.extent.end.offset)

    return contains(body) and not any(contains(statement) for statement in list_children(body))
