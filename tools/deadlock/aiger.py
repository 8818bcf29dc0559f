"""A circuit as gates: what Yosys writes as ASCII AIGER, compiled to a Python function.

Source: Biere, "The AIGER And-Inverter Graph (AIG) Format", FMV report 07/1; the file is version 1
with every latch zero at first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Vector = int
"""One bit of each of many cases, as one number."""
Step = Callable[[Vector, Sequence[Vector], Sequence[Vector]], tuple[list[Vector], list[Vector]]]
"""From a mask of all cases, their inputs and their state: their next state and their outputs."""


@dataclass(frozen=True)
class Machine:
    """A sequential circuit: the inputs that matter, the outputs by name, and one step of it."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    latches: int
    gates: int
    step: Step


def read_aiger(text: str) -> Machine:
    """The machine of an ``aag`` file with symbols; inputs that nothing reads are left out."""
    lines = text.split("\n")
    _, inputs, latches, outputs, gates = map(int, lines[0].split()[1:6])
    rows = [[int(word) for word in line.split()] for line in lines[1 : 1 + inputs]]
    at = 1 + inputs
    registers = [[int(word) for word in line.split()] for line in lines[at : at + latches]]
    at += latches
    results = [int(line) for line in lines[at : at + outputs]]
    at += outputs
    ands = [[int(word) for word in line.split()] for line in lines[at : at + gates]]
    names = dict(line.split(" ", 1) for line in lines[at + gates :] if line[:1] in ("i", "o"))
    read = {literal >> 1 for _, *sides in ands for literal in sides}
    read |= {row[1] >> 1 for row in registers} | {literal >> 1 for literal in results}
    kept = {number: row[0] for number, row in enumerate(rows) if row[0] >> 1 in read}
    return Machine(
        tuple(names[f"i{number}"] for number in kept),
        tuple(names[f"o{number}"] for number in range(outputs)),
        latches,
        gates,
        compiled(list(kept.values()), registers, results, ands),
    )


def compiled(
    inputs: Sequence[int],
    registers: Sequence[Sequence[int]],
    results: Sequence[int],
    ands: Sequence[Sequence[int]],
) -> Step:
    """The function that all gates are, for as many cases at once as a number has bits."""
    lines = ["def step(M, I, L):"]
    lines += [f" v{literal >> 1} = I[{place}]" for place, literal in enumerate(inputs)]
    lines += [f" v{row[0] >> 1} = L[{place}]" for place, row in enumerate(registers)]
    lines += [f" v{out >> 1} = {value(lhs)} & {value(rhs)}" for out, lhs, rhs in ands]
    following = ", ".join(value(row[1]) for row in registers)
    lines.append(f" return [{following}], [{', '.join(map(value, results))}]")
    namespace: dict[str, Step] = {}
    exec(compile("\n".join(lines), "<gates>", "exec"), {}, namespace)
    return namespace["step"]


def value(literal: int) -> str:
    """A literal in Python: constants are 0 and the mask, odd ones are inverted."""
    if literal < 2:
        return "M" if literal else "0"
    return f"(M ^ v{literal >> 1})" if literal & 1 else f"v{literal >> 1}"
