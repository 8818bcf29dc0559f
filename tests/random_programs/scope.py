"""What a growing program may use at a place, and what it should look like."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from tests.random_programs.operators import OPERATIONS, TYPES
from tests.random_programs.tree import Function, Memory, Type

COUNTERS = ("index", "index", "i5", "i8", "i17", "i32")
"""Types of loop variables; wider ones where an index is as wide."""
SIZES = (1, 2, 2, 3, 4, 4, 5, 8, 16)


@dataclass(frozen=True)
class Profile:
    """The character of one program; probabilities where nothing else is said."""

    statements: int
    """About so many of them [statements]."""
    depth: int
    nested: float
    """A statement is a loop or a branch."""
    touching: float
    """A plain statement is a load or a store."""
    loads: float
    """An operand is a load."""
    empty: float
    """A loop runs zero times by its constants."""
    types: tuple[Type, ...]
    operators: tuple[str, ...]
    turns: int
    """The most turns of all loops around a statement together."""
    counters: tuple[Type, ...]


def index_width_of(seed: int) -> int:
    """Bits of an index where the program of this seed is compiled [bits]."""
    return (64, 64, 32)[seed % 3]


def draw_profile(random: Random, index_width: int) -> Profile:
    """A character: many programs are small, some are deep, each has its own types."""
    depth = random.choice((1, 2, 2, 3, 3, 4, 5))
    types = random.sample(TYPES, random.choice((1, 2, 2, 3, 4)))
    count = random.choice((2, 4, 8, len(OPERATIONS)))
    return Profile(
        statements=random.choice((2, 3, 4, 5, 6, 8, 8, 12, 16, 24)) + depth,
        depth=depth,
        nested=random.choice((0.3, 0.5, 0.7)),
        touching=random.choice((0.0, 0.4, 0.6, 0.8)),
        loads=random.choice((0.0, 0.0, 0.1, 0.3)),
        empty=random.choice((0.0, 0.1, 0.4)),
        types=(*types, "i1", "index"),
        operators=tuple(random.sample(list(OPERATIONS), count)),
        turns=random.choice((8, 16, 64)),
        counters=(*COUNTERS, "i64") if index_width == 64 else COUNTERS,
    )


@dataclass
class Scope:
    """Names of values and memories at one place; a copy is the scope of a region."""

    values: list[tuple[str, Type]] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)

    def inside(self) -> Scope:
        """A scope that may grow without this one."""
        return Scope(list(self.values), list(self.memories))


@dataclass
class Growth:
    """The state of one growing program: dice, names, what is left to spend, functions."""

    random: Random
    profile: Profile
    left: int
    names: int = 0
    functions: list[Function] = field(default_factory=list)

    def name(self, letter: str = "v") -> str:
        """A name that nothing else has."""
        self.names += 1
        return f"{letter}{self.names}"

    def type(self) -> Type:
        """One of the program's types."""
        return self.random.choice(self.profile.types)

    def types(self) -> list[Type]:
        """The types of what a region carries or gives."""
        return [self.type() for _ in range(self.random.choice((0, 0, 1, 1, 2, 3)))]

    def likely(self, probability: float) -> bool:
        """True with this probability."""
        return self.random.random() < probability

    def shape(self) -> tuple[int, ...]:
        """A small shape of rank 0 to 3."""
        rank = self.random.choice((0, 1, 1, 1, 1, 1, 2, 2, 3))
        if rank == 1:
            return (self.random.choice(SIZES),)
        return tuple(self.random.choice((1, 2, 2, 3, 4)) for _ in range(rank))
