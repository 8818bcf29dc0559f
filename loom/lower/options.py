"""What the user may choose about lowering."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Options:
    """Choices that every pass sees; the defaults are what `loom compile` uses."""

    index_width: int = 64
    """Bits of `index` in hardware [bits]."""

    zero_trip: Literal["raw", "guard"] = "raw"
    """How a loop that may run zero times is made right (specs/ERRATA.md E1)."""
