"""Campaigns of random programs as static schedules: what all of them do."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from loom_sim.kernel import Kernel

from loom.errors import LoomError
from loom.front.static_circuit import StaticCircuit
from loom.model.bundles.activation import Activation
from tests.random_programs.in_rtl import simulated

MOST = 20_000
"""Cycles of an activation at most."""


@dataclass(frozen=True)
class Campaign:
    """Programs by their seeds: text, schedule, inputs, and how often it has what is looked for."""

    name: str
    what: str
    text: Callable[[int], str]
    circuit: Callable[[int], StaticCircuit]
    activations: Callable[[StaticCircuit, int], Sequence[Activation]]
    count: Callable[[StaticCircuit], int]

    def run(self, seeds: Iterable[int]) -> Iterator[tuple[int, int, list[str]]]:
        """Each seed with its count and what is wrong in the machine; LoomError is wrong too."""
        for seed in seeds:
            try:
                found = self.circuit(seed)
                wrong = [*found.differences(self.activations(found, seed), MOST)]
                yield seed, self.count(found), wrong
            except LoomError as error:
                yield seed, 0, [str(error)]

    def in_rtl(self, seeds: Iterable[int], size: int = 20) -> Iterator[tuple[int, int, list[str]]]:
        """Those with a count, in Verilator under three rates of stalls, `size` in one build."""
        found = ((seed, self.circuit(seed)) for seed in seeds)
        chosen = ((seed, made) for seed, made in found if self.count(made))
        while batch := [*islice(chosen, size)]:
            pairs = [(kernel_of(made), [*self.activations(made, seed)]) for seed, made in batch]
            for (seed, made), finding in zip(batch, simulated(pairs, batch[0][0]), strict=True):
                yield seed, self.count(made), [finding.words] if finding else []

    def main(self) -> int:
        """0 if every program of the campaign gives what it should."""
        about = sys.modules["__main__"].__doc__
        parser = argparse.ArgumentParser(prog=f"python -m {self.name}", description=about)
        parser.add_argument("--programs", type=int, default=1000)
        parser.add_argument("--first", type=int, default=0)
        parser.add_argument("--rtl", action="store_true", help=f"in Verilator, those {self.what}")
        given = parser.parse_args()
        failed = chosen = 0
        run = self.in_rtl if given.rtl else self.run
        for seed, count, wrong in run(range(given.first, given.first + given.programs)):
            chosen += count > 0
            if wrong:
                failed += 1
                print(seed, *wrong[:3], self.text(seed), sep="\n", flush=True)
        print(f"{given.programs} programs, {chosen} {self.what}, {failed} wrong")
        return 1 if failed else 0


def kernel_of(made: StaticCircuit) -> Kernel:
    """The schedule as its co-simulation takes it."""
    return Kernel(made.dynamic.source, made.top, made.dynamic.netlist, made.rtl, True, made.cycles)
