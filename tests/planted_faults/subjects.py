"""What is simulated: kernels, streams of tokens, streams against the timed model; and their judges.

Every judge is the one that users and the other tests have: `loom_sim.kernel` for kernels,
`loom_sim.cosimulate` with the token model's counts for streams, the timed model for cycles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from loom_sim import Activation, Job, SimOptions, cosimulate
from loom_sim.kernel import Kernel, cosimulate_kernels, sim_activation, token_differences

from loom.emit import emit
from loom.front.api import compile_text
from loom.model.bundles.activation import Activation as Bundle
from loom.model.tokens.token_simulator import run_streams
from loom.netlist.netlist import Netlist
from tests.support.streams_in_rtl import Streams
from tests.support.timed_streams import timing_differences

Files = Mapping[str, str]


class Subject(Protocol):
    """A circuit with what it is given, and who judges it."""

    @property
    def files(self) -> Files:
        """The circuit's files."""

    def with_files(self, files: Files) -> Subject:
        """The same with other files."""

    def job(self) -> Job:
        """What is simulated."""

    def judge(self, options: SimOptions) -> tuple[str, ...]:
        """What is reported, in words."""


@dataclass(frozen=True)
class KernelSubject:
    """A program, judged as `loom sim` judges it."""

    kernel: Kernel
    activations: tuple[Bundle, ...]

    @property
    def files(self) -> Files:
        return self.kernel.files

    def with_files(self, files: Files) -> KernelSubject:
        return replace(self, kernel=replace(self.kernel, files=files))

    def job(self) -> Job:
        netlist = self.kernel.netlist
        given = tuple(sim_activation(netlist, each) for each in self.activations)
        return Job(netlist, self.kernel.files, given, self.kernel.black_box)

    def judge(self, options: SimOptions) -> tuple[str, ...]:
        (report,) = cosimulate_kernels([self.kernel], [self.activations], options)
        return report.differences


@dataclass(frozen=True)
class StreamSubject:
    """Streams of tokens into a circuit, the same in each activation.

    `expected` tokens are given by hand, or only `wanted` numbers of them. With `counted` the tokens
    on every channel are held against the token model; with `timed` cycles and waits against the
    timed model, without stalls.
    """

    netlist: Netlist
    files: Files
    tokens: Mapping[str, Sequence[int]]
    expected: Mapping[str, Sequence[int]]
    words: Mapping[str, Sequence[int]]
    wanted: Mapping[str, int]
    activations: int
    counted: bool
    timed: bool

    def with_files(self, files: Files) -> StreamSubject:
        return replace(self, files=files)

    def job(self) -> Job:
        given = Activation(self.tokens, self.words, self.expected, self.wanted)
        return Job(self.netlist, self.files, (given,) * self.activations)

    def judge(self, options: SimOptions) -> tuple[str, ...]:
        (result,) = cosimulate([self.job()], options)
        found = list(result.problems)
        words = {name: list(each) for name, each in self.words.items()}
        for number, run in enumerate(result.runs):
            texts: list[str] = []
            model = run_streams(self.netlist, self.tokens, words)
            if self.counted:
                texts += token_differences(run, model, model.tokens)
            if self.timed:
                one = Streams(self.netlist, self.tokens, self.words, model)
                texts += timing_differences(one, run)
            found += [f"activation {number}: {text}" for text in texts]
        return tuple(found)


def kernel(text: str, *activations: Mapping[str, int | list[int]] | Bundle) -> KernelSubject:
    """A program in MLIR with its only function."""
    circuit = compile_text(text, "k.mlir")
    compiled = Kernel(circuit.source, circuit.top, circuit.netlist, circuit.files())
    given = (each if isinstance(each, Bundle) else Bundle(each) for each in activations)
    return KernelSubject(compiled, tuple(given))


def graph(netlist: Netlist, *activations: Mapping[str, int | list[int]]) -> KernelSubject:
    """A circuit without a source program, of which each activation gives every input a token."""
    compiled = Kernel(None, netlist.name, netlist, emit(netlist))
    return KernelSubject(compiled, tuple(map(Bundle, activations)))


def streams(
    netlist: Netlist,
    tokens: Mapping[str, Sequence[int]],
    expected: Mapping[str, Sequence[int]],
    words: Mapping[str, Sequence[int]] | None = None,
    *,
    wanted: Mapping[str, int] | None = None,
    activations: int = 1,
    counted: bool = True,
    timed: bool = False,
) -> StreamSubject:
    """Streams into a circuit made by hand."""
    return StreamSubject(
        netlist, emit(netlist), tokens, expected, words or {}, wanted or {}, activations, counted,
        timed,
    )  # fmt: skip
