"""Every state that a machine can reach from reset, breadth first, with all inputs in each.

The states of one depth are cases of the same bit-parallel evaluation, so that a step of the
search costs one Python operation a gate and choice of inputs, whatever the number of states.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tools.deadlock.aiger import Machine, Vector

DIGITS = tuple(bytes(48 + (byte >> bit & 1) for byte in range(256)) for bit in range(8))
"""For each bit of a byte the table that makes it a digit."""


@dataclass(frozen=True)
class Exploration:
    """What was found.

    `depth` is the length of the longest shortest way to a state, or of the way to the first bad one
    [cycles]; `complete` says that no state is left; `reached` are the outputs that can be 1, each
    with the cycle in which it first is; `bad` those that were 1 in the bad state, none if there is
    no such state.
    """

    states: int
    depth: int
    complete: bool
    reached: Mapping[str, int]
    bad: tuple[str, ...]


def explore(machine: Machine, never: Sequence[str], limit: int) -> Exploration:
    """Visit states until an output of `never` is 1, none is new, or there are over `limit`."""
    size = -(-machine.latches // 8)
    front = [bytes(size)]
    seen = set(front)
    reached: dict[str, int] = {}
    forbidden = [machine.outputs.index(name) for name in never]
    for depth in itertools.count():
        found: set[bytes] = set()
        for following, outputs in choices(machine, front):
            for name, cases in zip(machine.outputs, outputs, strict=True):
                if cases and name not in reached:
                    reached[name] = depth
            wrong = next((outputs[place] for place in forbidden if outputs[place]), 0)
            if wrong:
                case = wrong & -wrong
                bad = [n for n, v in zip(machine.outputs, outputs, strict=True) if v & case]
                return Exploration(len(seen), depth, False, reached, tuple(bad))
            found.update(states_of(following, len(front), size))
        front = [state for state in found if state not in seen]
        seen.update(front)
        if not front or len(seen) > limit:
            return Exploration(len(seen), depth, not front, reached, ())
    raise AssertionError


def choices(
    machine: Machine, states: Sequence[bytes]
) -> Iterator[tuple[list[Vector], list[Vector]]]:
    """Next states and outputs of all `states`, for each choice of the inputs."""
    mask = (1 << len(states)) - 1
    latches = vectors_of(states, machine.latches)
    for bits in itertools.product((0, mask), repeat=len(machine.inputs)):
        yield machine.step(mask, bits, latches)


def vectors_of(states: Sequence[bytes], latches: int) -> list[Vector]:
    """Bit k of every state as vector k."""
    size, data = len(states[0]), b"".join(states)
    # The first state is the lowest bit, so the digits are read backwards.
    return [int(data[k // 8 :: size].translate(DIGITS[k % 8])[::-1], 2) for k in range(latches)]


def states_of(vectors: Sequence[Vector], count: int, size: int) -> Iterator[bytes]:
    """The states whose bits the vectors are: the inverse of `vectors_of`."""
    zeros = int.from_bytes(b"0" * count, "little")
    buffer = bytearray(count * size)
    for place in range(size):
        byte = 0
        for bit, vector in enumerate(vectors[8 * place : 8 * place + 8]):
            if vector:
                digits = format(vector, f"0{count}b").encode()
                byte |= (int.from_bytes(digits, "big") ^ zeros) << bit
        buffer[place::size] = byte.to_bytes(count, "little")
    data = bytes(buffer)
    return (data[at : at + size] for at in range(0, len(data), size))
