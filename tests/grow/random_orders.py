"""Random programs whose accesses collide, and what is made of loaded data goes everywhere.

``python -m tests.grow.random_orders`` is a campaign: in no order of units does the token model
change an access to an element with a store to it. What counts is not the values but the accesses:
for each element, how many loads lie between one store and the next.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from random import Random
from typing import Any
from unittest.mock import patch

from loom.front.api import compile_module
from loom.front.circuit import Circuit
from loom.frontend.mlir.read import read_mlir
from loom.lower.dataflow import compare_addresses
from loom.lower.memory import thread_memory_order
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.tokens import token_simulator
from loom.netlist.netlist import Memory

ORDERS = 6
"""Orders of units in which a program runs."""
TYPE = "memref<8xi8>"
HEAD = f"""func.func @f(%a: {TYPE}, %b: {TYPE}, %n: index, %k: i8) {{
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %8 = arith.constant 8 : index
  %none = arith.constant 0 : i8
  %one = arith.constant 1 : i8
  %two = arith.constant 2 : i8
  %three = arith.constant 3 : i8
  %five = arith.constant 5 : i8
  %seven = arith.constant 7 : i8
  scf.for %i = %0 to %8 step %1 iter_args(%c = %k) -> (i8) {{
  %w = arith.index_cast %i : index to i8
"""
ELEMENT_COUNTS = dict[tuple[str, int], list[int]]
"""By array and index: loads before the first store, between stores, and after the last."""


class Grower:
    """Writes the statements of one program; `values` are those of type i8 that are in sight."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.count = 0

    def text(self) -> str:
        """The program."""
        values = self.block(["%w", "%k", "%c"], 2)
        return (
            HEAD
            + "\n".join([*self.lines, f"scf.yield {self.pick(values)} : i8", "}"])
            + ("\nreturn\n}")
        )

    def block(self, values: list[str], depth: int) -> list[str]:
        """Some statements; the values after them."""
        values = list(values)
        for _ in range(self.random.randrange(2, 6) if depth == 2 else self.random.randrange(1, 4)):
            kinds = [self.load, self.load, self.store, self.store, self.operate]
            if depth:
                kinds += [self.branch, self.loop, self.while_loop]
            self.random.choice(kinds)(values, depth)
        return values

    def write(self, line: str) -> None:
        """One more line."""
        self.lines.append(line)

    def new(self) -> str:
        """A name that is free."""
        self.count += 1
        return f"%v{self.count}"

    def pick(self, values: list[str]) -> str:
        """A value, the last ones more often."""
        return self.random.choice(values[-3:] if self.random.random() < 0.6 else values)

    def index(self, values: list[str]) -> str:
        """An index in the arrays."""
        if self.random.random() < 0.6:
            return "%i"
        low, place = self.new(), self.new()
        self.write(f"{low} = arith.andi {self.pick(values)}, %seven : i8")
        self.write(f"{place} = arith.index_castui {low} : i8 to index")
        return place

    def load(self, values: list[str], depth: int) -> None:
        """A load."""
        place, value = self.index(values), self.new()
        self.write(
            f"{value} = memref.load {self.random.choice('%a %a %a %b'.split())}[{place}] : {TYPE}"
        )
        values.append(value)

    def store(self, values: list[str], depth: int) -> None:
        """A store."""
        place, value = self.index(values), self.pick(values)
        self.write(
            f"memref.store {value}, {self.random.choice('%a %a %a %b'.split())}[{place}] : {TYPE}"
        )

    def operate(self, values: list[str], depth: int) -> None:
        """A sum, or a number that is 0 whatever its operand is."""
        value, first = self.new(), self.pick(values)
        if self.random.random() < 0.3:
            middle = self.new()
            self.write(f"{middle} = arith.shrui {first}, %three : i8")
            self.write(f"{value} = arith.shrui {middle}, %five : i8")
        else:
            self.write(f"{value} = arith.addi {first}, {self.pick(values)} : i8")
        values.append(value)

    def branch(self, values: list[str], depth: int) -> None:
        """A branch that gives a value."""
        test, value = self.new(), self.new()
        self.write(f"{test} = arith.cmpi ult, {self.pick(values)}, %five : i8")
        self.write(f"{value} = scf.if {test} -> (i8) {{")
        self.write(f"scf.yield {self.pick(self.block(values, depth - 1))} : i8")
        self.write("} else {")
        self.write(f"scf.yield {self.pick(self.block(values, depth - 1))} : i8")
        self.write("}")
        values.append(value)

    def loop(self, values: list[str], depth: int) -> None:
        """A counted loop that carries a value."""
        value, carried, number = self.new(), self.new(), self.new()
        self.write(
            f"{value} = scf.for {number} = %0 to %n step %1 "
            f"iter_args({carried} = {self.pick(values)}) -> (i8) {{"
        )
        inside = self.block([*values, carried], depth - 1)
        self.write(f"scf.yield {self.pick([*inside, carried])} : i8")
        self.write("}")
        values.append(value)

    def while_loop(self, values: list[str], depth: int) -> None:
        """A loop of at most two iterations."""
        value, left, carried, turn, test, more = (self.new() for _ in range(6))
        taken, now = self.new(), self.new()
        self.write(
            f"{value}, {left} = scf.while ({carried} = {self.pick(values)}, {turn} = %none)"
            " : (i8, i8) -> (i8, i8) {"
        )
        inside = self.block([*values, carried], 0)
        self.write(f"{test} = arith.cmpi ult, {turn}, %two : i8")
        given = self.pick([*inside, carried])
        self.write(f"scf.condition({test}) {given}, {turn} : i8, i8")
        self.write(f"}} do {{\n^bb0({taken}: i8, {now}: i8):")
        inside = self.block([*values, taken], 0)
        self.write(f"{more} = arith.addi {now}, %one : i8")
        self.write(f"scf.yield {self.pick([*inside, taken])}, {more} : i8, i8\n}}")
        values.append(value)


class Logged(list[int]):
    """The words of a memory, and how often each was read between its writes."""

    def __init__(self, name: str, words: list[int], counts: ELEMENT_COUNTS) -> None:
        super().__init__(words)
        self.name, self.counts = name, counts

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, int):
            self.counts[self.name, place][-1] += 1
        return super().__getitem__(place)

    def __setitem__(self, place: Any, value: Any) -> None:
        if isinstance(place, int):
            self.counts[self.name, place].append(0)
        super().__setitem__(place, value)


def accesses(circuit: Circuit, given: Activation, seed: int | None) -> ELEMENT_COUNTS:
    """How often each element was loaded between its stores, in one order of units."""
    counts: ELEMENT_COUNTS = defaultdict(lambda: [0])
    plain = token_simulator.initial_words

    def logged(memory: Memory) -> list[int]:
        return Logged(memory.name, plain(memory), counts)

    with patch.object(token_simulator, "initial_words", logged):
        (run,) = token_simulator.simulate(circuit.netlist, [given], seed=seed).activations
    assert run.clean, run
    return counts


def reordered(text: str, seed: int) -> Iterator[str]:
    """The elements of which an access took place on the wrong side of a store, in which order.

    Right is the circuit of the same accesses in which each waits for all before it. A load that
    takes the value of a store asks the memory at any time, and drops what it gets: loads wait here.
    """
    random = Random(seed)
    module = read_mlir(text, "order.mlir")
    words = [random.randrange(256) for _ in range(16)]
    given = {"n": seed % 3, "k": random.randrange(256), "a": words[:8], "b": words[8:]}
    with patch.object(thread_memory_order, "requested_order", lambda *_: "serial"):
        serial = compile_module(module, options=Options(lean="off", clock_period=None))
    wanted = accesses(serial, Activation(given), None)
    with patch.object(compare_addresses, "forward_values", lambda *_: ""):
        circuit = compile_module(module, options=Options(clock_period=None))
    for order in (None, *range(1, ORDERS)):
        found = accesses(circuit, Activation(given), order)
        for name, index in sorted({*wanted, *found}):
            if found[name, index] != wanted[name, index]:
                yield f"seed {seed}, order {order}: {name}[{index}]"


def wrong(seeds: range) -> dict[int, str]:
    """The seeds of programs with an access that was reordered, and the first one."""
    found = {seed: next(reordered(Grower(Random(seed)).text(), seed), "") for seed in seeds}
    return {seed: text for seed, text in found.items() if text}


def main() -> int:
    """0 if no access of the campaign was reordered."""
    parser = argparse.ArgumentParser(prog="python -m tests.grow.random_orders", description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    found = wrong(range(given.first, given.first + given.programs))
    for seed, text in found.items():
        print(text, Grower(Random(seed)).text(), sep="\n")
    print(f"{given.programs} programs, {len(found)} wrong")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
