"""The pins of a memory outside that is reached through channels, as the circuit sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class MemoryPin:
    """A pin of the circuit, behind the name of the array.

    `width` says of what it is as wide: T of an element, A of an address, S of the byte strobes;
    empty for one bit.
    """

    name: str
    direction: Literal["input", "output"]
    width: Literal["T", "A", "S", ""] = ""

    @property
    def role(self) -> str:
        """What the pin is for: ``read request valid``, ``write response error``."""
        channel, word, _ = self.name.split("_")
        side = {"ar": "read request", "r": "read response", "aw": "write request"}
        return f"{side.get(channel, 'write response')} {ROLES.get(word, word)}"


ROLES = {"addr": "address", "strb": "byte strobes"}
"""Words of pins' names that are short."""


READ_PINS = (
    MemoryPin("ar_valid_o", "output"),
    MemoryPin("ar_ready_i", "input"),
    MemoryPin("ar_addr_o", "output", "A"),
    MemoryPin("r_valid_i", "input"),
    MemoryPin("r_ready_o", "output"),
    MemoryPin("r_data_i", "input", "T"),
    MemoryPin("r_error_i", "input"),
)
"""Requests and responses of loads."""
WRITE_PINS = (
    MemoryPin("aw_valid_o", "output"),
    MemoryPin("aw_ready_i", "input"),
    MemoryPin("aw_addr_o", "output", "A"),
    MemoryPin("aw_data_o", "output", "T"),
    MemoryPin("aw_strb_o", "output", "S"),
    MemoryPin("b_valid_i", "input"),
    MemoryPin("b_ready_o", "output"),
    MemoryPin("b_error_i", "input"),
)
"""Requests and responses of stores."""


def channel_pins(*, loads: bool, stores: bool) -> tuple[MemoryPin, ...]:
    """The pins of a memory with loads, with stores, or with both."""
    return (READ_PINS if loads else ()) + (WRITE_PINS if stores else ())


def strobe_width(width: int) -> int:
    """The byte strobes of elements of `width` [bits]: one for each byte, also one in part."""
    return -(-width // 8)
