"""Partitions of arrays: which bank holds the element at an address, and where in it.

A partition prints as the sizes of the array, each with how its dimension is partitioned: ``16%4``
puts index i into bank i mod 4, ``10/3`` into bank i div 3, and ``8x16%4`` partitions the second
dimension of an array of 8 times 16 elements. The product of the sizes is the number of elements;
the last index counts fastest in an address. A program asks for one dimension after the other by
directives: ``cyclic:4``, ``block:4:1``, ``complete``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from typing import Literal

AXIS = re.compile(r"(\d{1,10})(?:([%/])(\d{1,10}))?")
DIRECTIVE = re.compile(r"(cyclic|block|complete)(?::([0-9]{1,10}))?(?::([0-9]{1,3}))?")
Scheme = Literal["cyclic", "block", "complete"]
SCHEMES: Mapping[str, Scheme] = {"cyclic": "cyclic", "block": "block", "complete": "complete"}
DIRECTIVES = "cyclic:BANKS[:DIM], block:BANKS[:DIM], complete[:DIM]"
TEXTS = "sizes, partitioned by % or /: 16%4, 10/3, 8x16%4"
MOST_BANKS = 1024
"""Each has ports and an arbiter of its own [banks]."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A dimension of `size`: whole, or an index split into index div `step` and index mod `step`.

    The bank is the remainder in a cyclic `scheme`, ``%``, and the quotient in one by blocks, ``/``;
    the other one is the place.
    """

    size: int
    scheme: Literal["", "%", "/"] = ""
    step: int = 1

    @property
    def rows(self) -> int:
        """How many quotients there are."""
        return -(-self.size // self.step)

    @property
    def banks(self) -> int:
        """Banks that the dimension makes [banks]."""
        return {"": 1, "%": self.step, "/": self.rows}[self.scheme]

    @property
    def places(self) -> int:
        """Places of a bank that the dimension makes [elements]."""
        return {"": self.size, "%": self.rows, "/": self.step}[self.scheme]

    def split(self, index: int) -> tuple[int, int]:
        """The index's part of the bank, and of the place."""
        quotient, rest = divmod(index, self.step)
        return {"": (0, index), "%": (rest, quotient), "/": (quotient, rest)}[self.scheme]

    def __str__(self) -> str:
        return f"{self.size}{self.scheme}{self.step}" if self.scheme else str(self.size)


@dataclass(frozen=True)
class Partition:
    """The banks of an array; the first dimension counts slowest in bank and place too.

    Without dimensions it says nothing of the array, which lies in one piece.
    """

    axes: tuple[Axis, ...]

    def __str__(self) -> str:
        return "x".join(map(str, self.axes))

    @property
    def depth(self) -> int:
        """Elements of the array [elements]."""
        return prod(axis.size for axis in self.axes)

    @property
    def banks(self) -> int:
        """Banks, those that hold no element among them [banks]."""
        return prod(axis.banks for axis in self.axes)

    @property
    def places(self) -> int:
        """Places of each bank; where sizes do not divide, some hold no element [elements]."""
        return prod(axis.places for axis in self.axes)

    def split(self, address: int) -> tuple[int, int]:
        """The bank of the element at an address inside, and its place there."""
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
        """For each bank the address of the element at each of its places, None where none is."""
        found: list[list[int | None]] = [[None] * self.places for _ in range(self.banks)]
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
    if not outer.scheme and not inner.scheme:
        return Axis(size)
    if not outer.scheme and inner.scheme == "%" and inner.size % inner.step == 0:
        return Axis(size, "%", inner.step)
    if outer.scheme == "/" and not inner.scheme:
        return Axis(size, "/", outer.step * inner.size)
    return None


WHOLE = Partition(())
"""Of an array in one piece, of any size."""


@dataclass(frozen=True, slots=True)
class Directive:
    """What a program asks for one dimension of an array: so many `banks`, 0 for one an element."""

    scheme: Scheme
    banks: int = 0
    dimension: int = 0

    def __str__(self) -> str:
        parts = [self.scheme, *([str(self.banks)] if self.scheme != "complete" else [])]
        return ":".join([*parts, *([str(self.dimension)] if self.dimension else [])])

    def axis_of(self, size: int) -> Axis | None:
        """The dimension of `size` as the directive has it; None if it has too few indices."""
        if self.scheme == "complete":
            return Axis(size, "/", 1)
        if not 1 <= self.banks <= size:
            return None
        if self.scheme == "cyclic":
            return Axis(size, "%", self.banks)
        return Axis(size, "/", -(-size // self.banks))


def parse_directive(text: str) -> Directive | None:
    """The directive of a text such as ``cyclic:4:1``; None if it is none."""
    match = DIRECTIVE.fullmatch(text)
    if match is None:
        return None
    first, second = match[2], match[3]
    if match[1] == "complete":
        return None if second else Directive("complete", 0, int(first or 0))
    return Directive(SCHEMES[match[1]], int(first or 0), int(second or 0))


@lru_cache(maxsize=1024)
def parse_partition(text: str) -> Partition | None:
    """The partition that prints as this text; None if none does."""
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
