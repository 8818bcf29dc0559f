"""Streams of tokens through a circuit in RTL, held against the token model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from loom_sim import Activation, Job, JobResult

from loom.dialects.operators.runtime_errors import RUNTIME_ERRORS
from loom.emit import emit
from loom.model.tokens.token_run import ActivationRun
from loom.model.tokens.token_simulator import run_streams
from loom.netlist.netlist import Netlist


@dataclass(frozen=True)
class Streams:
    """A circuit, the tokens for its inputs, the words of its external memories, the model's run."""

    netlist: Netlist
    tokens: Mapping[str, Sequence[int]]
    words: Mapping[str, Sequence[int]]
    model: ActivationRun

    def job(self) -> Job:
        """The same for the simulator."""
        activation = Activation(self.tokens, self.words, expected=self.model.outputs)
        return Job(self.netlist, emit(self.netlist), (activation,))

    def held(self) -> frozenset[str]:
        """Channels into units that the model leaves in the middle of something.

        A process has taken a token that it works with; its module may leave it on the channel.
        """
        return frozenset(
            channel.name
            for channel in self.netlist.channels
            if channel.target.unit in self.model.not_at_rest
        )

    def differences(self, result: JobResult) -> Iterator[str]:
        """Where RTL and model differ, in words; tokens that the model leaves are left in RTL."""
        (run,) = result.runs
        yield from result.assertions
        yield from run.mismatches
        yield from (f"{v.channel}: {v.law}" for v in run.violations)
        if run.timed_out:
            yield "it still moves"
        left = set(self.model.residual) - self.held()
        if set(run.residual) - self.held() != left:
            yield f"tokens left on {sorted(run.residual)}, not on {sorted(left)}"
        for name, count in self.model.tokens.items():
            wanted = count - self.model.residual.get(name, 0)
            if run.tokens[name] != wanted and name not in self.held():
                yield f"{name} carried {run.tokens[name]} tokens, not {wanted}"
        for name, words in self.model.memories.items():
            if run.memories[name] != tuple(words):
                yield f"memory {name} holds {run.memories[name]}, not {words}"
        errors = (RUNTIME_ERRORS[run.error_code],) if run.error_code else ()
        if errors != self.model.errors:
            yield f"raises {errors}, not {self.model.errors}"


def streams(
    netlist: Netlist,
    tokens: Mapping[str, Sequence[int]],
    words: Mapping[str, Sequence[int]] | None = None,
) -> Streams:
    """The streams with what the model makes of them."""
    words = words or {}
    model = run_streams(netlist, tokens, {name: list(each) for name, each in words.items()})
    return Streams(netlist, tokens, words, model)
