"""What a search came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["proved", "bounded", "failed"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome for one shape.

    `proved`: every reachable state was visited, none is bad, and an activation ends in some.
    `bounded`: the same of the states within `depth` cycles of reset. `failed`: `reasons` say what
    is bad `depth` cycles after reset, and which channels wait there.
    """

    shape: str
    policy: str
    outcome: Outcome
    units: int
    latches: int
    states: int
    depth: int
    """Cycles from reset to the last new state, or to the first bad one [cycles]."""
    reasons: tuple[str, ...]
    silent: tuple[str, ...]
    """Channels that carry no token in any state visited."""
    seconds: float

    @property
    def proved(self) -> bool:
        """Whether no deadlock is left to look for."""
        return self.outcome == "proved"
