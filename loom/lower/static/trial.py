"""What is tried of a static schedule before the fastest one is taken."""

from __future__ import annotations

from dataclasses import dataclass, replace

from loom.analysis.timing.targets import Distances


@dataclass(frozen=True)
class Trial:
    """How a function is scheduled.

    `distances` say how far RAMs and multipliers are; None: as in a small machine. With
    `interleaves` iterations of a loop take turns in the loop in it where that waits for its own
    values (`interleaved_nests`). With `flattens` loops with a `while` in them become one with it
    (`flatten_whiles`). With `product_cycles` multipliers are shared, which may take so many cycles
    more (`find_sharing`).
    """

    distances: Distances | None = None
    interleaves: bool = False
    flattens: bool = False
    product_cycles: int | None = None

    def with_change(self, other: Trial) -> Trial:
        """With what another one does to loops, too."""
        return replace(
            self,
            interleaves=self.interleaves or other.interleaves,
            flattens=self.flattens or other.flattens,
        )


FIRST = Trial()
"""The schedule that the others are compared with."""
