"""What a token simulation finds out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from loom.model.bundles.activation import Words


@dataclass(frozen=True)
class ActivationRun:
    """What one activation did to the circuit, when nothing moved any more.

    `outputs` are the tokens on each output port, `memories` the words of each external memory,
    `tokens` how many each channel carried, `residual` how many were left on it (only those with
    some), `not_at_rest` the units in the middle of something, `errors` the run-time errors raised,
    `missing` the output ports without a token, `blocked` the channels that a deadlock holds up,
    `ones` how many tokens were 1 on each channel of which that was asked.
    """

    outputs: Mapping[str, tuple[int, ...]]
    results: tuple[int, ...]
    done: bool
    memories: Mapping[str, Words]
    tokens: Mapping[str, int]
    residual: Mapping[str, int]
    not_at_rest: tuple[str, ...]
    errors: tuple[str, ...]
    missing: tuple[str, ...]
    blocked: tuple[str, ...]
    ones: Mapping[str, int] = field(default_factory=dict)

    @property
    def clean(self) -> bool:
        """True if each output has one token and the circuit is as it was before."""
        one_each = all(len(tokens) == 1 for tokens in self.outputs.values())
        return one_each and not (self.residual or self.not_at_rest or self.errors)


@dataclass(frozen=True)
class TokenRun:
    """The activations of one simulation, in order; it ends early after one that is not clean."""

    activations: tuple[ActivationRun, ...]

    @property
    def clean(self) -> bool:
        """True if every activation is clean."""
        return all(activation.clean for activation in self.activations)

    @property
    def total(self) -> int:
        """Tokens that all channels carried [tokens]."""
        return sum(sum(activation.tokens.values()) for activation in self.activations)
