"""The recorded calls of a kernel, whatever language its program is in."""

from __future__ import annotations

from dataclasses import dataclass

from loom.model.bundles.activation import Activation, Expected

MOST_CALLS = 1000
"""Calls that are kept unless another number is given [calls]."""


@dataclass(frozen=True)
class Recording:
    """The first calls of the kernel, the number of all, and notes about the run."""

    kernel: str
    activations: tuple[Activation, ...]
    calls: int
    notes: tuple[str, ...] = ()


def make_activation(
    before: dict[str, list[int]],
    after: dict[str, list[int]],
    results: tuple[int, ...],
    program: str,
) -> Activation:
    """A call as an activation of the circuit; `program` names the source of what it expects.

    `before` has the bit patterns of all arguments, `after` those of arrays alone.
    """
    inputs: dict[str, int | list[int]] = {
        name: elements if name in after else elements[0] for name, elements in before.items()
    }
    memories: dict[str, list[int | None]] = {name: [*elements] for name, elements in after.items()}
    return Activation(inputs, Expected(results, memories, program, any_nan=True))


def note_omitted_calls(kept: int, calls: int) -> list[str]:
    """A note that not all calls are kept, if that is so."""
    return [f"the first {kept} of {calls} calls are replayed"] if calls > kept else []
