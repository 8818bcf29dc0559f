"""How deep and how large a program of statements may be, and where it is refused."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn

FRAMES_A_LEVEL = 12
"""Python's frames for a statement or expression in another, with all passes that follow."""
MOST_LEVELS = 400
"""Statements and expressions in each other, however many frames Python has."""
MOST_CALLS = 2000
"""Calls that are inlined in one circuit [calls]."""


@dataclass
class Nesting:
    """How many statements and expressions are being read, one inside the other."""

    levels: int = 0

    @property
    def most(self) -> int:
        """The most levels that all passes can follow."""
        return min(MOST_LEVELS, sys.getrecursionlimit() // FRAMES_A_LEVEL)

    @contextmanager
    def enter_level(self, refuse: Callable[[], NoReturn]) -> Iterator[None]:
        """One level deeper inside; refused where it nests too deep."""
        if self.levels >= self.most:
            refuse()
        self.levels += 1
        yield
        self.levels -= 1


Refuse = Callable[[str, str], NoReturn]
"""Refuses a call, with what is found and what is accepted."""


@dataclass
class InlinedCalls:
    """How many calls are inlined in one circuit so far [calls]."""

    count: int = 0

    def add_call(
        self,
        name: str,
        callee: object,
        callers: Collection[object],
        refuse_recursion: Refuse,
        refuse_count: Refuse,
    ) -> None:
        """One more call is inlined; refused are recursion and more than `MOST_CALLS`."""
        if callee in callers:
            what = f"a call of {name} from within {name}"
            refuse_recursion(what, "loops, with an array as the stack if needed")
        self.count += 1
        if self.count > MOST_CALLS:
            what = f"more than {MOST_CALLS} calls once each has its own circuit"
            refuse_count(what, "a loop around one call")
