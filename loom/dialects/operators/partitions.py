"""Arrays in banks: which bank holds the word at an address, and where in it.

A partition is said as a text of the array's sizes, each with how its dimension is cut: ``16%4``
puts index i into bank i mod 4, ``10/3`` into bank i div 3, and ``8x16%4`` cuts the second dimension
of an array of 8 times 16 words. The product of the sizes is the number of words; the last index
counts fastest in an address.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from typing import Literal

AXIS = re.compile(r"(\d{1,10})(?:([%/])(\d{1,10}))?")
MOST_BANKS = 1024
"""Each has ports and an arbiter of its own [banks]."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A dimension of `size`: whole, or an index cut into index div `step` and index mod `step`.

    The bank is the remainder with ``%`` and the quotient with ``/``; the other one is the place.
    """

    size: int
    cut: Literal["", "%", "/"] = ""
    step: int = 1

    @property
    def rows(self) -> int:
        """How many quotients there are."""
        return -(-self.size // self.step)

    @property
    def banks(self) -> int:
        """Banks that the dimension makes [banks]."""
        return {"": 1, "%": self.step, "/": self.rows}[self.cut]

    @property
    def places(self) -> int:
        """Places of a bank that the dimension makes [words]."""
        return {"": self.size, "%": self.rows, "/": self.step}[self.cut]

    def split(self, index: int) -> tuple[int, int]:
        """The index's part of the bank, and of the place."""
        quotient, rest = divmod(index, self.step)
        return {"": (0, index), "%": (rest, quotient), "/": (quotient, rest)}[self.cut]

    def __str__(self) -> str:
        return f"{self.size}{self.cut}{self.step}" if self.cut else str(self.size)


@dataclass(frozen=True)
class Partition:
    """The banks of an array; the first dimension counts slowest in bank and place too."""

    axes: tuple[Axis, ...]

    def __str__(self) -> str:
        return "x".join(map(str, self.axes))

    @property
    def depth(self) -> int:
        """Words of the array [words]."""
        return prod(axis.size for axis in self.axes)

    @property
    def banks(self) -> int:
        """Banks, those that hold no word among them [banks]."""
        return prod(axis.banks for axis in self.axes)

    @property
    def words(self) -> int:
        """Places of each bank; where sizes do not divide, some have no word [words]."""
        return prod(axis.places for axis in self.axes)

    def split(self, address: int) -> tuple[int, int]:
        """The bank of the word at an address inside, and its place there."""
        bank = place = 0
        weight, step = 1, 1
        for axis in reversed(self.axes):
            address, index = divmod(address, axis.size)
            own_bank, own_place = axis.split(index)
            bank, place = bank + weight * own_bank, place + step * own_place
            weight, step = weight * axis.banks, step * axis.places
        return bank, place

    @cached_property
    def positions(self) -> tuple[tuple[int | None, ...], ...]:
        """For each bank the address of the word at each of its places, None where none is."""
        found: list[list[int | None]] = [[None] * self.words for _ in range(self.banks)]
        for address in range(self.depth):
            bank, place = self.split(address)
            found[bank][place] = address
        return tuple(map(tuple, found))

    def simplified(self) -> Partition:
        """The same banks, with dimensions that lie whole beside others taken together."""
        axes: list[Axis] = []
        for axis in self.axes:
            if axis.size == 1 and axis.banks == 1:
                continue
            before = axes[-1] if axes else None
            if before is not None and (joined := join(before, axis)):
                axes[-1] = joined
            else:
                axes.append(axis)
        return Partition(tuple(axes) or (Axis(1),))


def join(outer: Axis, inner: Axis) -> Axis | None:
    """One dimension that stands for two, if one does."""
    size = outer.size * inner.size
    if not outer.cut and not inner.cut:
        return Axis(size)
    if not outer.cut and inner.cut == "%" and inner.size % inner.step == 0:
        return Axis(size, "%", inner.step)
    if outer.cut == "/" and not inner.cut:
        return Axis(size, "/", outer.step * inner.size)
    return None


@lru_cache(maxsize=1024)
def partition_of(text: str) -> Partition | None:
    """The partition that a text says; None if it says none."""
    axes = tuple(axes_of(text))
    if not all(axes):
        return None
    found = Partition(tuple(axis for axis in axes if axis is not None))
    return found if 1 <= found.banks <= MOST_BANKS else None


def axes_of(text: str) -> Iterator[Axis | None]:
    """The dimensions of a text, None for what is none."""
    for part in text.split("x"):
        match = AXIS.fullmatch(part)
        size, step = (int(match[1]), int(match[3] or 1)) if match else (0, 0)
        if match is None or not 1 <= step <= size:
            yield None
        elif match[2] == "%":
            yield Axis(size, "%", step)
        else:
            yield Axis(size, "/", step) if match[2] else Axis(size)
