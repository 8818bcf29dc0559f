"""The elements of an array, in which millions of equal ones cost as much as one."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, groupby, islice, repeat
from typing import Literal, overload

CHUNK = 4096
"""Elements of which it is seen at once that they are equal [elements]."""
RUN = 16
"""Length on the average of the runs that are worth a text of their own [elements]."""
Fill = Literal["refuse", "0", "random"]
"""What a new array holds: nothing that may be read, zeros, or numbers by chance."""
Block = tuple[int, tuple[int, ...]]
"""How many elements [elements]; each of them, or the one that they all are."""
Run = tuple[int, int]
"""How many elements in a row are equal [elements], and which one they are."""


@dataclass(frozen=True)
class Elements(Sequence[int]):
    """Integers in row-major order. Equal lists of them are equal.

    A block is a chunk with different elements, or all the chunks in a row with one element. The
    functions below make them.
    """

    blocks: tuple[Block, ...]

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """The position behind each block [elements]."""
        return tuple(accumulate(count for count, _ in self.blocks))

    def __len__(self) -> int:
        return self.ends[-1] if self.blocks else 0

    def __iter__(self) -> Iterator[int]:
        return chain.from_iterable(map(iterate_block, self.blocks))

    @overload
    def __getitem__(self, position: int) -> int: ...
    @overload
    def __getitem__(self, position: slice) -> Elements: ...
    def __getitem__(self, position: int | slice) -> int | Elements:
        if isinstance(position, slice):
            return encode_elements(self[at] for at in range(len(self))[position])
        at = range(len(self))[position]
        number = bisect_right(self.ends, at)
        count, values = self.blocks[number]
        return values[at - self.ends[number] + count] if len(values) > 1 else values[0]

    def __repr__(self) -> str:
        return f"<Elements: {len(self)}, {len(self.blocks)} blocks>"

    @property
    def values(self) -> Iterator[int]:
        """All integers that occur, each once or more."""
        return chain.from_iterable(values for _, values in self.blocks)

    @property
    def runs(self) -> Iterator[Run]:
        """The elements, equal ones in a row together."""
        pieces = chain.from_iterable(map(runs_of_block, self.blocks))
        for value, run in groupby(pieces, key=lambda piece: piece[1]):
            yield sum(count for count, _ in run), value

    @property
    def spans(self) -> Iterator[tuple[int, int, int]]:
        """The runs, each as its first position, the one behind it, and the element."""
        end = 0
        for count, value in self.runs:
            end += count
            yield end - count, end, value

    @cached_property
    def has_few_runs(self) -> bool:
        """True of a large table that is shorter as a list of runs."""
        most = len(self) // RUN
        return len(self) > CHUNK and next(islice(self.runs, most, None), None) is None

    @cached_property
    def is_splat(self) -> bool:
        """True if all elements are equal."""
        return len(self.blocks) == 1 and len(self.blocks[0][1]) == 1

    def map(self, function: Callable[[int], int]) -> Elements:
        """The function of every element; it is called once where many are equal."""
        return join_blocks((count, tuple(map(function, values))) for count, values in self.blocks)


def repeat_element(value: int, count: int) -> Elements:
    """So many times the same integer."""
    return Elements(((count, (value,)),) if count else ())


def draw_elements(seed: str, width: int, count: int) -> Elements:
    """Unsigned integers of so many bits by chance, the same ones for the same seed."""
    chance = random.Random(seed)
    return encode_elements(chance.getrandbits(width) for _ in range(count))


def encode_elements(given: Iterable[int]) -> Elements:
    """A list that is given element by element."""
    if isinstance(given, Elements):
        return given
    return join_blocks((len(chunk), chunk) for chunk in split_chunks(given))


def expand_runs(runs: Sequence[Run]) -> Elements:
    """A list that is given by its runs."""
    if len(runs) == 1:
        return repeat_element(runs[0][1], runs[0][0])
    return encode_elements(chain.from_iterable(repeat(value, count) for count, value in runs))


def split_chunks(given: Iterable[int]) -> Iterator[tuple[int, ...]]:
    """The elements in chunks, of which the last one may be shorter."""
    rest = iter(given)
    while chunk := tuple(islice(rest, CHUNK)):
        yield chunk


def join_blocks(blocks: Iterable[Block]) -> Elements:
    """Blocks in order, each of whole chunks but for the last one."""
    found: list[Block] = []
    for count, values in blocks:
        same = values[:1] if values.count(values[0]) == len(values) else values
        if len(same) == 1 and found and found[-1][1] == same:
            found[-1] = (found[-1][0] + count, same)
        else:
            found.append((count, same))
    return Elements(tuple(found))


def iterate_block(block: Block) -> Iterable[int]:
    """The elements of a block."""
    count, values = block
    return values if len(values) > 1 else repeat(values[0], count)


def runs_of_block(block: Block) -> Iterable[Run]:
    """The runs of a block."""
    count, values = block
    return zip(repeat(1), values) if len(values) > 1 else (block_as_run(count, values),)


def block_as_run(count: int, values: tuple[int, ...]) -> Run:
    """The one run of a block of equal elements."""
    return count, values[0]
