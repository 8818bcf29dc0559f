"""RAMs: what there is to choose, and the SystemVerilog that synthesis maps to block RAM.

One of few words is left to the synthesis tool, which has RAM of LUTs for it where the device does:
its word comes 5 ns earlier on an ECP5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from loom.elements import Elements, encode_elements
from loom.errors import LoomError, Place, raise_all
from loom.netlist.names import is_module_name

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
    `small`: not of block RAM alone.
    """

    name: str
    ports: Ports
    latency: int = 1
    byte_width: int = 0
    contents: Sequence[int] | None = None
    word_width: int = 32
    address_width: int = 10
    writes: bool = True
    small: bool = False

    @cached_property
    def table(self) -> Elements | None:
        """The initial words, run-length encoded."""
        return None if self.contents is None else encode_elements(self.contents)


def check_ram(ram: Ram) -> None:
    """Return if there is such a RAM; refused: EMIT_RAM."""
    where = Place(ram.name)
    raise_all([LoomError("EMIT_RAM", where, what, accepted) for what, accepted in problems(ram)])


def problems(ram: Ram) -> Iterator[tuple[str, str]]:
    """What does not fit, and what would."""
    if not is_module_name(ram.name):
        yield f"a RAM called {ram.name!r}", "SystemVerilog identifiers that are no keywords"
    if ram.ports not in TEMPLATES:
        yield f"ports {ram.ports!r}", " ".join(TEMPLATES)
    if ram.latency not in (1, 2):
        yield f"latency {ram.latency}", "1, or 2 with an output register"
    if ram.byte_width < 0:
        yield f"bytes of {ram.byte_width} bits", "1 bit and more, 0 for whole words"
    if not ram.writes and ram.ports != "simple_dual":
        yield f"ports {ram.ports!r} of which none writes", "simple_dual"
    if ram.contents is None or ram.table is None:
        return
    if ram.word_width < 1 or (ram.byte_width > 0 and ram.word_width % ram.byte_width):
        yield f"words of {ram.word_width} bits", "1 bit and more, a multiple of the bytes' bits"
    elif any(word < 0 or word >> ram.word_width for word in ram.table.values):
        yield f"contents beyond {ram.word_width} bits", "words as unsigned bit patterns"
    if not 0 < len(ram.contents) <= 1 << max(ram.address_width, 0):
        what = f"{len(ram.contents)} initial words at addresses of {ram.address_width} bits"
        yield what, "one word at least, and an address for each"
