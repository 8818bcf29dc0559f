"""Random structured programs as MLIR text: every one ends, and every address is in range.

A program is a tree (`tree`), grown from a seed (`grow_program`), printed so that it is well typed
whatever the tree is (`print_program`), judged (`verdict`) and made smaller (`shrink`).
"""

from __future__ import annotations

from tests.random_programs.grow_program import grow_program
from tests.random_programs.print_program import text_of


def random_program(seed: int) -> str:
    """The text of one program; the same for the same seed."""
    return text_of(grow_program(seed))
