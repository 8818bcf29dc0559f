"""An instance of a module as text has it, and the pins of memories beside a circuit."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from loom.dialects.operators.operator import Shape
from loom.emit.modules import address_width
from loom.errors import LoomError, Place
from loom.netlist.banks import bank_name
from loom.netlist.memory_channels import channel_pins
from loom.netlist.netlist import Memory, Netlist, Unit

Pin = tuple[str, str]
"""A port or parameter of an instance and what is on it."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One unit as the top writes it: parameters and ports in the order of its module.

    The instance is called `name` with ``_inst`` behind it. Nets end in ``_data``, ``_valid``,
    ``_ready``, ``_error`` or ``_refused``, ports in ``_i`` or ``_o``, so no two of them have one
    name. `place` is where the unit comes from in the source; empty if that is not known.
    """

    name: str
    module: str
    parameters: tuple[Pin, ...]
    pins: tuple[Pin, ...]
    place: str = ""


@dataclass(frozen=True, slots=True)
class MemoryPin:
    """A pin of the top for a memory whose ports are channels; `width` [bits]."""

    name: str
    direction: str
    width: int


@dataclass(frozen=True, slots=True)
class MemoryPorts:
    """An external memory as the top's ports show it; `pins` where they are channels."""

    name: str
    width: int
    address_width: int
    stores: bool
    loads: bool
    pins: tuple[MemoryPin, ...] = ()


def memory_of(netlist: Netlist, unit: Unit) -> Memory | None:
    """The array that `unit` serves, or None for a unit that is no memory."""
    if "memory" not in unit.operator.signature.attributes:
        return None
    return netlist.memory_by_name[str(unit.attributes["memory"])]


def memory_facts(memory: Memory, shape: Shape) -> dict[str, int]:
    """The parameters of a controller that its array and the memory behind it say."""
    packed = memory.kind.elements_a_word(shape)
    return {
        "depth": memory.depth,
        "address_width": address_width(memory),
        "outstanding": memory.kind.outstanding_of(shape),
        "elements_a_word": packed,
        "word_address_width": max(1, ((memory.depth - 1) // packed).bit_length()),
    }


def memory_pins(memory: Memory | None, shape: Shape) -> tuple[Pin, ...]:
    """The ports of a controller whose memory lies outside; the top has ports of these names."""
    if memory is None or not memory.kind.is_outside:
        return ()
    lanes = memory.kind.lanes_of(shape)
    found: list[Pin] = []
    if memory.kind.answers:
        pins = channel_pins(loads=bool(lanes.loads), stores=bool(lanes.stores))
        return tuple((pin.name, f"{memory.name}_{pin.name}") for pin in pins)
    for verbs, listed in (
        (("rd_en_o", "rd_addr_o", "rd_data_i"), lanes.loads),
        (("wr_en_o", "wr_addr_o", "wr_data_o"), lanes.stores),
    ):
        for lane in listed:
            own = "" if lanes.plain else f"bank{lane.bank}_"
            outside = memory.name if lanes.plain else bank_name(memory.name, lane.bank)
            found += [(f"{own}{verb}", f"{outside}_{verb}") for verb in verbs]
    return tuple(found)


def require_free_name(name: str, modules: Container[str]) -> None:
    """Return if no module of a circuit is called like the circuit (EMIT_NAME_TAKEN)."""
    if name in modules:
        what = f"a circuit called {name}, which is also one of its modules"
        raise LoomError("EMIT_NAME_TAKEN", Place(name), what, "names that do not begin with loom_")


MOST_DECIMAL = 1 << 31
"""Constants from here on are written in hexadecimal: masks, hashes and seeds."""
LEAST_DECIMAL = -(1 << 16)
"""Negative constants below this are bit patterns as a rule, and hexadecimal too."""


def sized(value: int | tuple[int, ...], width: int, *, decimal: bool) -> str:
    """A number of `width` bits, or several with the first one lowest in one number.

    A single integer of common size is decimal, as programs write it; bit patterns of floats,
    tables and large numbers are hexadecimal.
    """
    words = (value,) if isinstance(value, int) else value
    number = sum((word & ((1 << width) - 1)) << width * k for k, word in enumerate(words))
    if decimal and len(words) == 1:
        signed = number - (1 << width) if width > 1 and number >> (width - 1) else number
        if LEAST_DECIMAL <= signed < MOST_DECIMAL:
            return f"-{width}'d{-signed}" if signed < 0 else f"{width}'d{signed}"
    return f"{len(words) * width}'h{number:x}"
