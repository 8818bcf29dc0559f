"""Which kernels of a regression are run: by an expression over names and tags, and by a shard."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from loom.errors import LoomError, Place, nearest
from loom.regress.case import Case

PLACE = "-k"
GRAMMAR = "words with `and`, `or`, `not` and parentheses: fir or (fast and not slow)"
TOKEN = re.compile(r"\s*([()]|[^\s()]+)")
DEEPEST = 100
"""Parentheses and `not` in each other."""
Choice = Callable[[Case], bool]


def select(cases: Sequence[Case], expression: str | None) -> list[Case]:
    """The cases that the expression is true of; a word is a part of a name, or a tag.

    Refused (REGRESS_SELECTION): another syntax, and a word of which there is neither.
    """
    if expression is None:
        return list(cases)
    chosen = Expression(expression, cases).read()
    return [case for case in cases if chosen(case)]


def shard(cases: Sequence[Case], number: int, count: int) -> list[Case]:
    """Every `count`th case, from that of the `number` on, which counts from 1."""
    return list(cases[number - 1 :: count])


class Expression:
    """The words of an expression, read from left to right: or of and of not."""

    def __init__(self, text: str, cases: Sequence[Case]) -> None:
        self.cases = cases
        self.words = [(found[1], found.start(1) + 1) for found in TOKEN.finditer(text)]
        self.words.append(("", len(text) + 1))
        self.next = 0
        self.depth = 0

    def read(self) -> Choice:
        """The whole expression."""
        chosen = self.read_or()
        if self.words[self.next][0]:
            raise self.refusal(GRAMMAR)
        return chosen

    def take(self, word: str) -> bool:
        """The next word was this one, and is read."""
        found = self.words[self.next][0] == word
        self.next += found
        return found

    def read_or(self) -> Choice:
        """Alternatives."""
        choices = [self.read_and()]
        while self.take("or"):
            choices.append(self.read_and())
        return lambda case: any(choice(case) for choice in choices)

    def read_and(self) -> Choice:
        """What holds together."""
        choices = [self.read_not()]
        while self.take("and"):
            choices.append(self.read_not())
        return lambda case: all(choice(case) for choice in choices)

    def read_not(self) -> Choice:
        """A word, what is in parentheses, or the opposite of one."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.refusal(f"{GRAMMAR}; {DEEPEST} in each other")
        chosen = self.read_one()
        self.depth -= 1
        return chosen

    def read_one(self) -> Choice:
        """The same, of a depth that is counted."""
        if self.take("not"):
            other = self.read_not()
            return lambda case: not other(case)
        if self.take("("):
            inner = self.read_or()
            if not self.take(")"):
                raise self.refusal(GRAMMAR)
            return inner
        word = self.words[self.next][0]
        if word in ("", ")", "and", "or"):
            raise self.refusal(GRAMMAR)

        def is_named(case: Case) -> bool:
            return word in case.name or word in case.tags

        if not any(map(is_named, self.cases)):
            raise self.refusal(self.known(word))
        self.next += 1
        return is_named

    def known(self, word: str) -> str:
        """The tags, and the word nearest to one that there is not."""
        tags = sorted({tag for case in self.cases for tag in case.tags})
        near = nearest(word, [*tags, *(case.name for case in self.cases)])
        listed = f"parts of names of kernels, or a tag: {', '.join(tags) or 'there is none'}"
        return f"{listed}; {near}" if near else listed

    def refusal(self, accepted: str) -> LoomError:
        """The next word is refused."""
        word, column = self.words[self.next]
        what = repr(word) if word else "the end of the expression"
        return LoomError("REGRESS_SELECTION", Place(PLACE, 1, column), what, accepted)
