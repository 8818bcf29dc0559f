"""Tokens that keep a unit busy: what is offered to each input in a run of many firings.

A unit with a meaning takes one token of each input a firing. Units that steer are offered bursts,
as loops of one, two and three iterations and of none give them, so that every boundary between
activations is in the run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice, product

from loom.dialects.operators.dataflow_operators import is_rotated, step_function, tested_function
from loom.dialects.operators.operator import Shape
from tools.library.units import DEPTH, LibraryUnit

UPPER_HALF = DEPTH // 2
"""Where stores go [words]."""
TRIPS = (2, 1, 3, 0)
"""Iterations of the bursts, again and again."""

LONGEST = 3
"""Iterations of the longest stream [cycles]."""

Tokens = dict[str, list[int]]


def conditions(bursts: int) -> list[int]:
    """Raw conditions of `bursts` loops: a true for each iteration, then a false."""
    return [c for k in range(bursts) for c in (*[1] * TRIPS[k % len(TRIPS)], 0)]


def trues(bursts: int) -> int:
    """Iterations of `bursts` loops."""
    return sum(conditions(bursts))


def carry(bursts: int) -> Tokens:
    """A first value a burst, a next one for each true."""
    return {"d": conditions(bursts), "a": words(bursts), "b": words(trues(bursts), 3)}


def repeat(bursts: int) -> Tokens:
    """One value a burst."""
    return {"d": conditions(bursts), "a": words(bursts)}


def accumulate(unit: LibraryUnit, bursts: int) -> Tokens:
    """An initial value a burst, an operand for each true; rotated for each condition."""
    found = conditions(bursts)
    operands = len(found) if is_rotated(unit.shape) else trues(bursts)
    return {"cond": found, "initial": words(bursts), "operand": words(operands, 3)}


def gate(bursts: int) -> Tokens:
    """A value with each raw condition."""
    found = conditions(bursts)
    return {"before_value": words(len(found)), "before_cond": found}


def words(count: int, first: int = 0) -> list[int]:
    """Small numbers that are no zero: a shift, a divisor or an address for every unit."""
    return [1 + (k + first) % 7 for k in range(count)]


STEERING: Mapping[str, Callable[[int], Tokens]] = {
    "dataflow.carry": carry,
    "dataflow.invariant": repeat,
    "dataflow.replicate": repeat,
    "dataflow.gate": gate,
}
"""Inputs by operator, for those that take different numbers of tokens from their inputs."""


def stream(unit: LibraryUnit, bursts: int) -> Tokens:
    """Loops of a few iterations and of none, by turns."""
    most = max(candidates(unit.shape), key=lambda found: found[0])
    least = min(candidates(unit.shape), key=lambda found: found[0])
    chosen = [(most, least)[k % 3 == 2] for k in range(bursts)]
    return {
        name: [loop[k] for loop in chosen] for k, name in enumerate(("start", "step", "bound"), 1)
    }


def candidates(shape: Shape) -> list[tuple[int, int, int, int]]:
    """Tests that go on, start, step and bound of short loops that end by themselves."""
    advance, goes_on = step_function(shape), tested_function(shape)
    found: list[tuple[int, int, int, int]] = []
    for start, step, bound in product(range(1, 7), (1, 2), range(1, 7)):
        index = start
        for trips in range(LONGEST + 1):
            if not goes_on(index, step, bound):
                found.append((trips, start, step, bound))
                break
            index = advance(index, step)
    return found


def steady_tokens(unit: LibraryUnit, bursts: int) -> Tokens:
    """Tokens for every input of the unit, in amount proportional to `bursts`."""
    chosen = STEERING.get(unit.operator.name)
    if chosen is not None:
        return chosen(bursts)
    if "step_op" in unit.shape.attributes:
        return stream(unit, bursts)
    if unit.operator.name == "dataflow.accumulate":
        return accumulate(unit, bursts)
    inputs, _ = unit.operator.signature.ports_of(unit.shape)
    found: Tokens = {}
    for number, (port, width) in enumerate(zip(inputs, unit.shape.inputs, strict=True)):
        if port.type == "i1" or (width and width < 3):
            found[port.name] = list(islice(alternating(), bursts))
        elif port.name.startswith("st_address"):
            # No word is stored and loaded: nothing here says which comes first.
            found[port.name] = [UPPER_HALF + word for word in words(bursts)]
        else:
            found[port.name] = words(bursts, 3 * number) if width else [0] * bursts
    return found | family_tokens(unit, bursts)


def alternating() -> list[int]:
    """Ones and zeros in no short period."""
    return [(k * k + k // 3) & 1 for k in range(1 << 16)]


def family_tokens(unit: LibraryUnit, bursts: int) -> Tokens:
    """For a unit that selects one of its inputs: no more tokens than are selected.

    A unit that takes what comes first gets all from its first input: else the order is open.
    """
    ports, _ = unit.operator.signature.ports_of(unit.shape)
    if (
        unit.operator.semantics.waits_for_any
        and unit.operator.signature.inputs[0].many
        and not unit.operator.semantics.error
    ):
        return {port.name: [] for port in ports[1:]}
    if unit.operator.semantics.meaning is not None or ports[0].type != "S":
        return {}
    chosen = list(islice(alternating(), bursts))
    return {port.name: words(chosen.count(k)) for k, port in enumerate(ports[1:])} | {
        ports[0].name: chosen
    }
