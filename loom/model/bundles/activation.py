"""One activation of a circuit or a program: what goes in and what must come out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Words = list[int]
"""The elements of a whole flat buffer as unsigned bit patterns; position 0 first."""
DRAW_BUDGET = 2_000_000
"""Operations that a run on random inputs may take [operations]."""


@dataclass(frozen=True)
class Expected:
    """What must come out; None, and memories or words (None) not named, may be anything.

    `by` names who says so. If `any_nan`, a NaN stands for every NaN of its format.
    """

    results: tuple[int, ...] | None = None
    memories: Mapping[str, list[int | None]] = field(default_factory=dict)
    by: str = "bundle"
    any_nan: bool = False

    @property
    def by_run(self) -> bool:
        """True of what a run of the program by its language gave: NaNs have no set bits there."""
        return self.any_nan


@dataclass(frozen=True)
class Activation:
    """A bit pattern for each scalar argument and the buffer for each memref, in argument order."""

    inputs: Mapping[str, int | Words]
    expected: Expected = Expected()
