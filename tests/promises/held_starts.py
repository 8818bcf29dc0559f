"""Circuits whose start is held high: each activation finds the memories as the last left them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import cycle, islice

from loom_sim import Activation, Job, JobResult
from loom_sim.kernel import Kernel
from loom_sim.suite import load

import loom
from loom.model.bundles.activation import Activation as Given
from loom.model.comparison import compare_models
from loom.model.timed.simulate import TimedRun, TimedSimulation
from loom.netlist.names import port_names
from tests.support.folders import EXAMPLES
from tests.support.kernels_in_rtl import describe_runs

HELD = 3
"""So many starts are offered without a pause [tokens]."""
MOST = 100_000
"""No run here takes longer [cycles]."""
FILES = ("fir.mlir", "matmul.mlir", "bfs.mlir", "kmp.mlir", "gcd.mlir", "histogram.mlir",
         "reverse.mlir", "crc32.mlir", "insertion_sort.mlir", "c/dot_banks.c")  # fmt: skip
"""Loads alone; loads and stores; a queue in a RAM inside; while loops; no memory; an element that
the activation before has stored; a RAM inside; a ROM; stores in place; banks."""

HALVE = """
func.func @halve(%m: memref<4xi32>, %i: index, %j: index, %d: i32) -> i32 {
  %old = memref.load %m[%i] : memref<4xi32>
  %new = arith.divsi %old, %d : i32
  memref.store %new, %m[%j] : memref<4xi32>
  return %old : i32
}
"""
"""Stores long after it has loaded: a second load that comes too early finds the old element."""
PERHAPS = """
func.func @perhaps(%m: memref<4xi32>, %c: i1, %v: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %seven = arith.constant 7 : i32
  scf.if %c {
    memref.store %v, %m[%c0] : memref<4xi32>
  }
  return %seven : i32
}
"""
"""Done may be taken before start, which waits for the result's reader too."""
LOOKUP = """
func.func @lookup(%m: memref<4xi32>, %i: index) -> i32 {
  %x = memref.load %m[%i] : memref<4xi32>
  return %x : i32
}
"""
"""A start a cycle: nothing is stored."""
TEXTS: Mapping[str, Sequence[Mapping[str, int | list[int]]]] = {
    HALVE: [
        {"m": [6, 1000, 2, 3], "i": 1, "j": 1, "d": 2},
        {"m": [], "i": 1, "j": 2, "d": 0xFFFFFFFB},
        {"m": [], "i": 2, "j": 2, "d": 10},
    ],
    LOOKUP: [{"m": [4, 5, 6, 7], "i": 2}, {"m": [], "i": 0}],
    PERHAPS: [{"m": [9, 8, 7, 6], "c": 0, "v": 5}, {"m": [], "c": 0, "v": 4}],
}
"""Kernels, and what their activations get; arrays are what the activation before has left."""


@dataclass(frozen=True)
class Held:
    """A circuit, `HELD` tokens for each input, and what has come of them at the end.

    `words` are those of the outside memories before, `memories` after; `tokens` by channel.
    """

    kernel: Kernel
    inputs: Mapping[str, Sequence[int]]
    words: Mapping[str, Sequence[int]]
    outputs: Mapping[str, Sequence[int]]
    memories: Mapping[str, tuple[int, ...]]
    tokens: Mapping[str, int]

    @property
    def job(self) -> Job:
        """For the simulator."""
        activation = Activation(self.inputs, self.words, expected=self.outputs)
        return Job(self.kernel.netlist, self.kernel.files, (activation,))

    def differences(self, result: JobResult) -> list[str]:
        """Where the RTL does otherwise, in words."""
        found = [*result.problems]
        for run in result.runs:
            found += [
                f"memory {name} is not what the activations in order leave"
                for name, words in run.memories.items()
                if words != self.memories[name]
            ]
            found += [
                f"channel {name} carried {run.tokens[name]} tokens, {count} expected"
                for name, count in self.tokens.items()
                if run.tokens[name] != count
            ]
        return found

    def timed(self, count: int = HELD) -> TimedRun:
        """What the timed model makes of the first `count` tokens of each input."""
        simulation = TimedSimulation(self.kernel.netlist, MOST)
        inputs = {name: tokens[:count] for name, tokens in self.inputs.items()}
        return simulation.activate(inputs, self.words)


def hold_example(file: str) -> Held:
    """The kernel of an example, with the activations of its bundle or program."""
    return hold(*load(EXAMPLES / file))


def hold_text(text: str) -> Held:
    """One of `TEXTS`."""
    made = loom.compile_text(text)
    kernel = Kernel(made.source, made.top, made.netlist, made.files())
    return hold(kernel, [Given(inputs) for inputs in TEXTS[text]])


def hold(kernel: Kernel, given: Sequence[Given]) -> Held:
    """What the kernel gives is that of the program, run `HELD` times."""
    assert kernel.source is not None
    netlist = kernel.netlist
    ports = port_names(given[0].inputs)
    memories = {name: v for name, v in given[0].inputs.items() if isinstance(v, list)}
    first = {ports[name]: words for name, words in memories.items()}
    inputs: dict[str, list[int]] = {p.name: [] for p in netlist.ports if p.direction == "input"}
    outputs: dict[str, list[int]] = {p.name: [] for p in netlist.ports if p.direction == "output"}
    tokens: dict[str, int] = {}
    for each in islice(cycle(given), HELD):
        activation = Given({**each.inputs, **memories})
        report = compare_models(kernel.source, kernel.top, netlist, [activation], max_cycles=MOST)
        assert not report.differences, (kernel.top, report.differences)
        (run,), (outcome,) = report.tokens.activations, report.outcomes
        memories = {name: list(words) for name, words in outcome.memories.items()}
        for name, stream in inputs.items():
            word = {ports[k]: v for k, v in each.inputs.items()}.get(name, 0)
            assert isinstance(word, int)
            stream.append(word)
        for name, stream in outputs.items():
            stream += run.outputs[name]
        for name, count in run.tokens.items():
            tokens[name] = tokens.get(name, 0) + count
    last = {ports[name]: tuple(words) for name, words in memories.items()}
    return Held(kernel, inputs, first, outputs, last, tokens)


@cache
def held_circuits() -> tuple[Held, ...]:
    """One for each of `FILES` and `TEXTS`."""
    return (*map(hold_example, FILES), *map(hold_text, TEXTS))


def describe_held(circuits: Sequence[Held]) -> list[str]:
    """What runs of the circuits depend on: programs, circuits, tokens, what is expected of them."""
    texts = describe_runs((held.kernel, ()) for held in circuits)
    return texts + [
        repr((held.inputs, held.words, held.outputs, held.memories, held.tokens))
        for held in circuits
    ]
