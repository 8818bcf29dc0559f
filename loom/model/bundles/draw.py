"""Random inputs that the program accepts."""

from __future__ import annotations

from loom.dialects.facts.layouts import extent
from loom.errors import LoomError
from loom.model.bundles.activation import DRAW_BUDGET, Activation
from loom.model.bundles.signature import Array, Signature, random_activations
from loom.model.reference.reference import Reference

TRIES = 4
"""Draws from each range before a narrower one is tried."""


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
    refuses is raised. `reference` must not be used for anything else: globals keep their words.
    """
    extents = [extent(a.layout) for a in signature.arguments if isinstance(a, Array)]
    least = min(extents, default=64)
    ranges = (None, 1 << 8, max(2, least), max(2, least // 2), 4, 2, 1)
    found: list[Activation] = []
    for number in range(count):
        refusal: LoomError | None = None
        for attempt in range(len(ranges) * TRIES):
            below = ranges[attempt // TRIES]
            drawn = random_activations(signature, hash((seed, number, attempt)), 1, below)[0]
            try:
                reference.run(signature.in_order(drawn), budget=budget, cure=cure)
            except LoomError as error:
                refusal = error
            else:
                found.append(drawn)
                break
        else:
            assert refusal is not None
            raise refusal
    return found
