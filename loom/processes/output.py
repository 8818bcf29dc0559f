"""Output of a program: lines for a listener, and the head and the tail of the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

KEPT = 200_000
"""Of a longer output so much of its head and of its tail is kept, each [bytes]."""
LONGEST_LINE = 65_536
"""A longer line is no line: listeners do not hear of it [bytes]."""
OMITTED = b"\n...\n"

Listener = Callable[[str], bool]
"""Hears a line, and says whether it has dealt with it: such a line is not kept."""


@dataclass
class Output:
    """What a program has written so far; `total` counts all of it [bytes]."""

    listener: Listener | None = None
    total: int = 0
    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)
    omitted: bool = False
    rest: bytes = b""
    """The begin of a line that has not ended."""

    def add(self, data: bytes) -> None:
        """The program has written `data`."""
        self.total += len(data)
        if self.listener is None:
            self._keep(data)
            return
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            if len(line) > LONGEST_LINE or not self.listener(line.decode(errors="replace")):
                self._keep(line + b"\n")
        if len(self.rest) > LONGEST_LINE:
            self._keep(self.rest)
            self.rest = b""

    def _keep(self, data: bytes) -> None:
        room = KEPT - len(self.head)
        self.head += data[:room]
        self.tail += data[room:] if room < len(data) else b""
        if len(self.tail) > 2 * KEPT:
            self.omitted = True
            del self.tail[:-KEPT]

    def text(self) -> str:
        """What is kept, with dots for what is not."""
        tail = bytes(self.tail)
        if self.omitted or len(tail) > KEPT:
            tail = OMITTED + tail[-KEPT:]
        return (bytes(self.head) + tail + self.rest).decode(errors="replace")
