"""Random nests of counted loops whose accesses of one memory collide, or just do not.

``python -m tests.grow.random_nests`` is a campaign: each program runs in the source reference and
in the token model, which takes units in an order of its own, so that accesses that are not ordered
change places.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from loom.front.circuit import Circuit
from loom.frontend.mlir.read import read_mlir
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from tests.random_programs.periods import compile_at, draw_period

ORDERS = 4
"""Orders of units in which a program runs."""


@dataclass(frozen=True)
class Spot:
    """An access: factors of the variables of the loops around it, and a constant.

    Their sum wraps at `bits`, if not 0, before it is an address; if `signed`, it is above half of
    what these hold.
    """

    stores: bool
    factors: tuple[int, ...]
    constant: int
    in_branch: bool = False
    bits: int = 0
    signed: bool = False


@dataclass(frozen=True)
class Nest:
    """Loops with constant bounds, lowest first number, number not reached and step.

    `spots` stand in the innermost loop, `outer` after it in the outermost one. The second loop of
    a triangular nest starts at the variable of the first.
    """

    loops: tuple[tuple[int, int, int], ...]
    triangular: bool
    spots: tuple[Spot, ...]
    outer: tuple[Spot, ...]
    index_width: int
    words: int

    def text(self, constant: bool) -> str:
        """The program; its bounds are constants, or arguments ``%n0``, ``%n1``, ..."""
        lines = ["%one = arith.constant 1 : i8"]
        for level, (low, high, step) in enumerate(self.loops):
            if constant:
                lines.append(f"%n{level} = arith.constant {high} : index")
            lines += [f"%lo{level} = arith.constant {low} : index",
                      f"%st{level} = arith.constant {step} : index"]  # fmt: skip
        for level in range(len(self.loops)):
            first = "%i0" if self.triangular and level == 1 else f"%lo{level}"
            lines.append(f"scf.for %i{level} = {first} to %n{level} step %st{level} {{")
            if level == 0 or level == len(self.loops) - 1:
                lines.append(f"%w{level} = arith.index_cast %i{level} : index to i8")
        value = f"%w{len(self.loops) - 1}"
        for k, spot in enumerate(self.spots):
            value = self.access(lines, f"{k}", spot, value)
        lines += ["}"] * (len(self.loops) - 1)
        value = "%w0"
        for k, spot in enumerate(self.outer):
            value = self.access(lines, f"o{k}", spot, value)
        text = "\n".join([*lines, "}"])
        given = "".join(f"%n{level}: index, " for level in range(len(self.loops)) if not constant)
        return f"func.func @f({given}%m: memref<{self.words}xi8>) {{\n{text}\nreturn\n}}"

    def access(self, lines: list[str], name: str, spot: Spot, value: str) -> str:
        """Write an access; the value that the next one may store."""
        place = f"%s{name}"
        lines.append(f"{place} = arith.constant {spot.constant} : index")
        for level, factor in enumerate(spot.factors):
            lines += [f"%f{name}_{level} = arith.constant {factor} : index",
                      f"%p{name}_{level} = arith.muli %i{level}, %f{name}_{level} : index",
                      f"%q{name}_{level} = arith.addi {place}, %p{name}_{level} : index"
                      ]  # fmt: skip
            place = f"%q{name}_{level}"
        if spot.bits:
            half, cast = (1 << (spot.bits - 1), "cast") if spot.signed else (0, "castui")
            lines += [f"%t{name} = arith.index_cast {place} : index to i{spot.bits}",
                      f"%u{name} = arith.index_{cast} %t{name} : i{spot.bits} to index",
                      f"%h{name} = arith.constant {half} : index",
                      f"%a{name} = arith.addi %u{name}, %h{name} : index"]  # fmt: skip
            place = f"%a{name}"
        type_ = f"memref<{self.words}xi8>"
        if not spot.stores:
            lines += [f"%x{name} = memref.load %m[{place}] : {type_}",
                      f"%v{name} = arith.addi %x{name}, {value} : i8"]  # fmt: skip
            return f"%v{name}"
        if spot.in_branch:
            lines += [f"%b{name} = arith.trunci {value} : i8 to i1", f"scf.if %b{name} {{",
                      f"memref.store {value}, %m[{place}] : {type_}", "}"]  # fmt: skip
        else:
            lines.append(f"memref.store {value}, %m[{place}] : {type_}")
        lines.append(f"%v{name} = arith.addi {value}, %one : i8")
        return f"%v{name}"

    def turns(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """The numbers of the turns and the loops' variables, turn after turn."""
        found: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((), ())]
        for level, (low, high, step) in enumerate(self.loops):
            found = [
                ((*turns, turn), (*values, value))
                for turns, values in found
                for first in [values[0] if self.triangular and level == 1 else low]
                for turn, value in enumerate(range(first, high, step))
            ]
        return found

    def address(self, spot: Spot, values: tuple[int, ...]) -> int:
        """The address of an access where the loops' variables have these values."""
        total = spot.constant + sum(f * v for f, v in zip(spot.factors, values, strict=False))
        if spot.bits:
            half = 1 << (spot.bits - 1) if spot.signed else 0
            total = (total + half) % (1 << spot.bits)
        return total % (1 << self.index_width)

    def is_legal(self) -> bool:
        """True if all accesses stay in the memory, those of the outermost loop in all its turns."""
        low, high, step = self.loops[0]
        return all(
            self.address(spot, values) < self.words for spot in self.spots
            for _, values in self.turns()
        ) and all(
            self.address(spot, (value,)) < self.words for spot in self.outer
            for value in range(low, high, step)
        )  # fmt: skip


def drawn(random: Random, *, narrow: bool = False) -> Nest:
    """A nest whose accesses stay in the memory; narrow indices wrap.

    With `narrow` most addresses wrap before, at fewer bits.
    """
    while True:
        width = random.choice((64, 64, 64, 6, 5))
        words = random.choice((64, 40)) if width == 64 else (1 << width) - random.choice((0, 0, 9))
        loops = tuple(
            (low, low + random.randrange(7), random.choice((1, 1, 1, 2, 3)))
            for low in (random.randrange(3) for _ in range(random.choice((1, 2, 2, 3))))
        )
        spots: list[Spot] = []
        for _ in range(random.choice((2, 3, 3, 4))):
            stores, in_branch = random.random() < 0.5, random.random() < 0.2
            factors = tuple(random.choice((0, 0, 1, 1, 2, -1, 3, 7, 8, 16)) for _ in loops)
            constant = random.randrange(12)
            if spots and random.random() < 0.5:  # the word of another access, or the next one
                near = random.choice(spots)
                ahead = near.factors[-1] * loops[-1][2] * random.choice((0, 0, 1, -1, 2))
                factors, constant = near.factors, near.constant + ahead
            bits, signed = 0, False
            if narrow and random.random() < 0.8:
                bits, signed = random.choice((2, 3, 4, min(6, width - 1))), random.random() < 0.5
                if spots and random.random() < 0.7:
                    bits, signed = spots[-1].bits, spots[-1].signed
            constant %= 1 << (width - 1)
            spots.append(Spot(stores, factors, constant, in_branch, bits, signed))
        outer = tuple(
            Spot(random.random() < 0.5, (random.choice((0, 1, 2, 8)),), random.randrange(12))
            for _ in range(random.choice((0, 0, 1, 2)))
        )
        stores = [spot.stores for spot in (*spots, *outer)]
        nest = Nest(loops, random.random() < 0.3, tuple(spots), outer, width, words)
        if any(stores) and nest.is_legal():
            return nest


def differences(nest: Nest, seed: int, period: float | None) -> tuple[str, ...]:
    """What the token model does otherwise than the reference, in some order of units.

    The circuit is that of the clock period [ns].
    """
    options = Options(nest.index_width, ("raw", "guard")[seed % 2], clock_period=period)
    constant = seed % 3 == 0
    circuit = compile_at(read_mlir(nest.text(constant), "nest.mlir"), options)
    words = [(7 * k + seed) % 256 for k in range(nest.words)]
    given: list[Activation] = []
    for share in (1.0, 0.0, 0.5):
        bounds = {
            f"n{level}": low + round(share * (high - low))
            for level, (low, high, _) in enumerate(nest.loops)
            if not constant
        }
        given.append(Activation({**bounds, "m": words[:: 1 if share else -1]}))
    return in_any_order(circuit, given, ORDERS)


def in_any_order(circuit: Circuit, given: Sequence[Activation], orders: int) -> tuple[str, ...]:
    """What the token model does otherwise than the reference, in so many orders of units."""
    for order in (None, *range(1, orders)):
        report = compare_models(
            circuit.source, "f", circuit.netlist, given, max_cycles=10_000, seed=order
        )
        if report.differences:
            return report.differences
    return ()


def wrong(
    seeds: range, period: Callable[[int], float | None] = draw_period
) -> dict[int, tuple[str, ...]]:
    """The seeds whose programs differ, each at its clock period [ns], and how."""
    found: dict[int, tuple[str, ...]] = {}
    for seed in seeds:
        found[seed] = differences(drawn(Random(seed)), seed, period(seed))
    return {seed: words for seed, words in found.items() if words}


def main() -> int:
    """0 if no program of the campaign is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.grow.random_nests", description=__doc__)
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    found = wrong(range(given.first, given.first + given.programs))
    for seed, words in found.items():
        print(f"seed {seed}:", *words, drawn(Random(seed)).text(seed % 3 == 0), sep="\n")
    print(f"{given.programs} programs, {len(found)} wrong")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
