"""Numbers of tokens as sums of unknowns: what a channel carries, for every input at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class TokenCount:
    """A whole number and a multiple of each unknown, by name [tokens]."""

    number: int = 0
    unknowns: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: TokenCount) -> TokenCount:
        return self.plus(other, 1)

    def __sub__(self, other: TokenCount) -> TokenCount:
        return self.plus(other, -1)

    def plus(self, other: TokenCount, times: int) -> TokenCount:
        """This count and `times` the other."""
        sums = dict(self.unknowns)
        for name, factor in other.unknowns.items():
            sums[name] = sums.get(name, 0) + times * factor
        kept = {name: factor for name, factor in sums.items() if factor}
        return TokenCount(self.number + times * other.number, kept)

    def value(self, unknowns: Mapping[str, int]) -> int:
        """The count where the unknowns have these values [tokens]."""
        return self.number + sum(f * unknowns[name] for name, f in self.unknowns.items())

    def __str__(self) -> str:
        parts = [(factor, name) for name, factor in self.unknowns.items()]
        if self.number or not parts:
            parts.append((self.number, ""))
        parts.sort(key=lambda part: part[0] < 0)
        text = ""
        for factor, name in parts:
            sign = ("-" if factor < 0 else "") if not text else " - " if factor < 0 else " + "
            times = "" if name and abs(factor) == 1 else str(abs(factor))
            text += sign + " ".join(filter(None, (times, name)))
        return text


def unknown(name: str) -> TokenCount:
    """One time the unknown `name`."""
    return TokenCount(0, {name: 1})
