"""Intervals of signed numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Range:
    """All numbers from `low` to `high`, both included."""

    low: int
    high: int

    @property
    def bits(self) -> int:
        """Bits of the shortest signed number that can be any of them [bits]."""
        return max(max(self.high, ~self.high), max(self.low, ~self.low)).bit_length() + 1

    @property
    def is_natural(self) -> bool:
        """True if none is negative."""
        return self.low >= 0

    @property
    def magnitude(self) -> int:
        """The largest distance from zero."""
        return max(abs(self.low), abs(self.high))

    def fits(self, width: int) -> bool:
        """True if `width` [bits] hold every one."""
        return self.bits <= width

    def __or__(self, other: Range) -> Range:
        """The least range that holds both."""
        return Range(min(self.low, other.low), max(self.high, other.high))

    def __and__(self, other: Range) -> Range | None:
        """What two ranges have in common, or None."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Range(low, high) if low <= high else None


def whole(width: int) -> Range:
    """All signed numbers of `width` [bits]; of something that is no integer, zero."""
    half = 1 << width >> 1
    return Range(-half, max(half - 1, 0))
