"""Block RAMs: what there is to choose, and the SystemVerilog that synthesis maps to block RAM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Ports = Literal["one", "simple_dual", "true_dual"]
TEMPLATES: dict[Ports, str] = {
    "one": "memory/parts/ram_one_port",
    "simple_dual": "memory/parts/ram",
    "true_dual": "memory/parts/ram_true_dual",
}
"""By ports: one that writes or reads, one of each, or two that write or read."""


@dataclass(frozen=True)
class Ram:
    """A block RAM to be; depth and widths are parameters of its module, here their defaults.

    `latency` from address to word is 1, or 2 with an output register [cycles]; `byte_width` that of
    the parts that are written alone, 0 for whole words [bits]. `contents` are initial words of
    `word_width` at addresses of `address_width` [bits]. Only a simple dual RAM has no `writes`.
    """

    name: str
    ports: Ports
    latency: Literal[1, 2] = 1
    byte_width: int = 0
    contents: tuple[int, ...] | None = None
    word_width: int = 32
    address_width: int = 10
    writes: bool = True
