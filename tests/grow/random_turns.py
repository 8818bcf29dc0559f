"""Random nests of two loops, the outer one of which is asked to have its iterations take turns.

Their accesses of one memory collide, or just do not. ``enumerate_pairs`` says by brute force what
the analysis has to find: whether an iteration of the outer loop waits for an earlier one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from random import Random

from tests.grow.random_nests import Nest, Spot, drawn

BEFORE, INSIDE, BEHIND = 0, 1, 2
"""Where an access stands, seen from the inner loop."""


@dataclass(frozen=True)
class Turns:
    """A nest, accesses before its inner loop, and how many iterations take turns."""

    nest: Nest
    before: tuple[Spot, ...]
    lanes: int

    def text(self, asked: str = "loom.interleave = {} : i64") -> str:
        """The program; the outer loop has the directive."""
        lines: list[str] = []
        value = "%w0"
        for k, spot in enumerate(self.before):
            value = self.nest.access(lines, f"b{k}", spot, value)
        inner = "scf.for %i1"
        text = self.nest.text(constant=True).replace(inner, "\n".join([*lines, inner]))
        head, end = text.rsplit("}\nreturn", 1)
        return f"{head}}} {{{asked.format(self.lanes)}}}\nreturn{end}"

    def accesses(self) -> Iterator[tuple[int, int, bool, int]]:
        """Iteration of the outer loop, place, whether it stores, and address of each access."""
        nest = self.nest
        for (outer, _), values in nest.turns():
            for spot in nest.spots:
                yield outer, INSIDE, spot.stores, nest.address(spot, values)
        low, high, step = nest.loops[0]
        for outer, value in enumerate(range(low, high, step)):
            for place, spots in ((BEFORE, self.before), (BEHIND, nest.outer)):
                for spot in spots:
                    yield outer, place, spot.stores, nest.address(spot, (value,))

    def is_independent(self) -> bool:
        """True if no access of an iteration has to come before one of a later iteration.

        Two that are both before the inner loop, or both behind it, stay in order anyway.
        """
        for first, second in combinations(sorted(self.accesses()), 2):
            is_later = first[0] < second[0]
            in_order = first[1] == second[1] != INSIDE or (first[1], second[1]) == (BEFORE, BEHIND)
            if is_later and not in_order and first[3] == second[3] and (first[2] or second[2]):
                return False
        return True


def draw_turns(random: Random) -> Turns:
    """A nest of two loops that run, with constant bounds."""
    while True:
        nest = drawn(random)
        if len(nest.loops) != 2 or nest.triangular or nest.index_width != 64:
            continue
        trips = [len(range(*loop)) for loop in nest.loops]
        before = tuple(
            Spot(random.random() < 0.4, (random.choice((0, 1, 2, 8)),), random.randrange(12))
            for _ in range(random.choice((0, 0, 1)))
        )
        low, high, step = nest.loops[0]
        in_memory = all(
            nest.address(spot, (value,)) < nest.words
            for spot in before
            for value in range(low, high, step)
        )
        if trips[0] > 1 and trips[1] > 0 and in_memory:
            factors = [n for n in range(2, trips[0] + 1) if trips[0] % n == 0]
            return Turns(nest, before, random.choice(factors))
