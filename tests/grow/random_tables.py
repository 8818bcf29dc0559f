"""Random nests of two loops over a table of rows and columns, whose bounds the caller gives.

Subscripts fill their dimensions, and only that they stay inside tells accesses apart. A program
runs in the source reference and in the token model, in several orders of units.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from loom.frontend.mlir.read import read_mlir
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from tests.grow.random_nests import in_any_order
from tests.random_programs.periods import compile_at, draw_period

ORDERS = 3
"""Orders of units in which a program runs."""
NAMES = ("%i", "%j", "%n", "%k")
"""Variables of the two loops, the bound of the outer one, and a number of the caller's."""


@dataclass(frozen=True)
class Spot:
    """An access: of each subscript the factors of `NAMES` and a constant."""

    stores: bool
    row: tuple[int, ...]
    column: tuple[int, ...]

    def place(self, *values: int) -> tuple[int, int]:
        """Row and column."""
        both = [sum(f * v for f, v in zip(s, (*values, 1), strict=True)) for s in self.subscripts]
        return both[0], both[1]

    @property
    def subscripts(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Both."""
        return self.row, self.column


@dataclass(frozen=True)
class Table:
    """Loops from 0 to `n` and to `inner`, or to the outer variable; accesses in the inner one."""

    n: int
    inner: int
    triangular: bool
    k: int
    spots: tuple[Spot, ...]

    def turns(self) -> list[tuple[int, int, int, int]]:
        """What `NAMES` are, turn after turn."""
        return [
            (i, j, self.n, self.k)
            for i in range(self.n)
            for j in range(i if self.triangular else self.inner)
        ]

    def moved(self) -> tuple[tuple[int, int], tuple[Spot, ...]]:
        """The table's size, and the accesses moved so that they begin at row and column 0."""
        places = [spot.place(*turn) for spot in self.spots for turn in self.turns()]
        low = [min(place[d] for place in places) for d in (0, 1)]
        high = [max(place[d] for place in places) for d in (0, 1)]
        moved = tuple(
            Spot(s.stores, *((*sub[:-1], sub[-1] - low[d]) for d, sub in enumerate(s.subscripts)))
            for s in self.spots
        )
        return (high[0] - low[0] + 1, high[1] - low[1] + 1), moved

    def text(self) -> str:
        """The program."""
        (rows, columns), spots = self.moved()
        type_ = f"memref<{rows}x{columns}xi8>"
        lines = ["%zero = arith.constant 0 : index", "%one = arith.constant 1 : index"]
        lines += [f"%c{c} = arith.constant {c} : index" for c in sorted(self.constants(spots))]
        end = "%i" if self.triangular else "%e"
        lines += [
            "scf.for %i = %zero to %n step %one {",
            f"scf.for %j = %zero to {end} step %one {{",
            "%v = arith.index_cast %j : index to i8",
        ]
        value = "%v"
        for number, spot in enumerate(spots):
            places = [
                self.subscript(lines, f"{number}_{d}", s) for d, s in enumerate(spot.subscripts)
            ]
            where = f"%m[{', '.join(places)}] : {type_}"
            if spot.stores:
                lines.append(f"memref.store {value}, {where}")
            else:
                lines += [f"%x{number} = memref.load {where}",
                          f"%v{number} = arith.addi %x{number}, {value} : i8"]  # fmt: skip
                value = f"%v{number}"
        head = f"func.func @f(%n: index, %e: index, %k: index, %m: {type_}) {{"
        return "\n".join([head, *lines, "}", "}", "return", "}"])

    def constants(self, spots: tuple[Spot, ...]) -> set[int]:
        """Factors and constants of the accesses."""
        return {number for spot in spots for subscript in spot.subscripts for number in subscript}

    def subscript(self, lines: list[str], name: str, subscript: tuple[int, ...]) -> str:
        """Write a subscript; the value it has."""
        place = f"%c{subscript[-1]}"
        for level, factor in enumerate(subscript[:-1]):
            if factor:
                lines += [f"%p{name}_{level} = arith.muli {NAMES[level]}, %c{factor} : index",
                          f"%q{name}_{level} = arith.addi {place}, %p{name}_{level} : index"
                          ]  # fmt: skip
                place = f"%q{name}_{level}"
        return place


def drawn(random: Random) -> Table:
    """A nest that runs at least one turn, with a store."""
    while True:
        spots: list[Spot] = []
        for _ in range(random.choice((2, 2, 3))):
            subscripts = [
                (*(random.choice((0, 0, 1, 1, -1)) for _ in NAMES), random.randrange(-2, 3))
                for _ in range(2)
            ]
            if spots and random.random() < 0.7:  # the word of another access, or one near it
                subscripts = list(random.choice(spots).subscripts)
                change, level = random.randrange(2), random.choice((0, 1, 2, -1, -1, -1))
                moved = list(subscripts[change])
                moved[level] += random.choice((-1, 0, 1))
                subscripts[change] = tuple(moved)
            spots.append(Spot(random.random() < 0.5, *subscripts))
        n, inner, k = (random.randrange(2, 7) for _ in range(3))
        table = Table(n, inner, random.random() < 0.4, k, tuple(spots))
        if any(spot.stores for spot in spots) and table.turns():
            return table


def differences(table: Table, seed: int, period: float | None) -> tuple[str, ...]:
    """What the token model does otherwise than the reference, in some order of units.

    The circuit is that of the clock period [ns].
    """
    circuit = compile_at(read_mlir(table.text(), "table.mlir"), Options(clock_period=period))
    (rows, columns), _ = table.moved()
    words = [(7 * word + seed) % 256 for word in range(rows * columns)]
    given = [Activation({"n": n, "e": table.inner, "k": table.k, "m": words}) for n in (table.n, 0)]
    return in_any_order(circuit, given, ORDERS)


def wrong(
    seeds: range, period: Callable[[int], float | None] = draw_period
) -> dict[int, tuple[str, ...]]:
    """The seeds whose programs differ, each at its clock period [ns], and how."""
    found = {seed: differences(drawn(Random(seed)), seed, period(seed)) for seed in seeds}
    return {seed: words for seed, words in found.items() if words}
