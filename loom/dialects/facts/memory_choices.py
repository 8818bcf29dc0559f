"""What a user says of the memory of an argument: kind, latency, outstanding requests, packing.

The same text stands behind ``--memory ARRAY:``, in an attribute of MLIR and in a pragma of C:
``ram``, ``ram,latency=2``, ``channel,latency=40,outstanding=64``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from loom.dialects.operators.memories import OUTSIDE_KINDS, MemoryKind

FORMS = "ram, channel, each with ,latency=N, a channel with ,outstanding=N and ,pack=N too"
"""What is accepted, in messages."""
USUAL = "ram"
"""What an argument is of which nothing is said."""
PART = re.compile(r"([a-z]+)=([0-9]{1,9})")


@dataclass(frozen=True)
class MemoryChoice:
    """A kind of memory outside, and what an instance of it says of itself."""

    kind: MemoryKind = OUTSIDE_KINDS[USUAL]
    said: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_usual(self) -> bool:
        """Whether it says what an argument is of which nothing is said."""
        usual = {"latency": self.kind.latencies[0]}
        return self.kind is OUTSIDE_KINDS[USUAL] and self.said.items() <= usual.items()

    def __str__(self) -> str:
        return ",".join([self.kind.word, *(f"{name}={value}" for name, value in self.said.items())])


def parse_memory(text: str) -> MemoryChoice | tuple[str, str]:
    """The choice that the text says, or what is wrong with it and what is accepted."""
    word, *parts = (part.strip() for part in text.split(","))
    kind = OUTSIDE_KINDS.get(word)
    if kind is None:
        return f"the memory {word!r}", FORMS
    said: dict[str, int] = {}
    for part in parts:
        match = PART.fullmatch(part)
        values = kind.options.get(match[1]) if match else None
        if match is None or values is None:
            *known, last = (f"{name}=N" for name in kind.options)
            listed = f"{', '.join(known)} and {last}" if known else last
            return f"{part!r} of the memory {word!r}", f"{listed} there"
        if match[1] in said:
            return f"{match[1]} of a memory a second time", "it once"
        if int(match[2]) not in values:
            dense = isinstance(values, range) or not kind.answers
            accepted = f"{values[0]} to {values[-1]}" if dense else ", ".join(map(str, values))
            if not kind.answers:
                accepted += "; a memory that takes longer, or may, is a channel"
            return f"{match[1]} {int(match[2])} of the memory {word!r}", accepted
        said[match[1]] = int(match[2])
    return MemoryChoice(kind, said)
