"""Random inputs that the program accepts."""

from __future__ import annotations

from loom.dialects.facts.layouts import extent
from loom.errors import LoomError
from loom.model.bundles.activation import DRAW_BUDGET, Activation
from loom.model.bundles.signature import Array, Signature, random_activations
from loom.model.reference.reference import Reference

TRIES = 4
"""Draws from each range before a narrower one is tried."""
ENOUGH = 2000
"""A run that takes so many operations says something of other data [operations]."""
LONGER = 2
"""Data of a narrower range are taken where the run has so many times the operations."""


def accepted_activations(
    reference: Reference,
    signature: Signature,
    seed: int,
    count: int,
    budget: int = DRAW_BUDGET,
    cure: str = "inputs of your own: --inputs",
) -> list[Activation]:
    """`count` activations drawn from `seed` that `reference` runs to its end.

    A run may take `budget` [operations], which `cure` raises.

    Data that serve as addresses or trip counts rarely fit when they come from their whole width,
    so after some tries they are drawn from narrower ranges, down to zeros. What the program still
    refuses is raised. The first activation is a draw with a long run, as half of all numbers are
    negative trip counts; the others are the first that the program accepts.
    `reference` must not be used for anything else: globals keep their words. A program that
    writes some is not run more often than needed.
    """
    ranges = ranges_of(signature)
    found: list[Activation] = []
    for number in range(count):
        enough = ENOUGH if number == 0 and not reference.has_state else 0
        best, most = None, 0
        refusal: LoomError | None = None
        for attempt in range(len(ranges) * TRIES):
            below = ranges[attempt // TRIES]
            drawn = random_activations(signature, hash((seed, number, attempt)), 1, below)[0]
            try:
                run = reference.run(signature.in_order(drawn), budget=budget, cure=cure)
            except LoomError as error:
                refusal = error
                continue
            if best is None or run.operations > LONGER * most:
                best, most = drawn, run.operations
            if most >= enough:
                break
        if best is None:
            assert refusal is not None
            raise refusal
        found.append(best)
    return found


def ranges_of(signature: Signature) -> tuple[int | None, ...]:
    """What data are drawn below, one after the other; None: their whole width."""
    arrays = [a for a in signature.arguments if isinstance(a, Array)]
    least = min((extent(a.layout) for a in arrays), default=64)
    size = min((size for a in arrays for size in a.layout.sizes), default=4)
    return (None, 1 << 8, max(2, least), max(2, least // 2), max(2, size + 1), 4, 2, 1)
