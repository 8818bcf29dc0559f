"""What a proof came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["proved", "bounded", "failed"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome for one unit.

    `proved`: base case, induction step and every cover hold. `bounded`: only the first `depth`
    cycles after reset hold. `failed`: `reasons` name the assertions, covers or checks.
    """

    unit: str
    operator: str
    outcome: Outcome
    depth: int
    """Cycles after reset in which no assertion fails [cycles]."""
    assertions: int
    covers: int
    """All of them reached, unless the unit failed."""
    reasons: tuple[str, ...]
    seconds: float

    @property
    def proved(self) -> bool:
        """Whether all that the unit promises holds for ever."""
        return self.outcome == "proved"
