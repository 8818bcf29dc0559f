"""The fields of a wrapper's registers, in the words of IP-XACT."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from loom.bus.register_map import Register, RegisterMap

WORD_BITS = 32


@dataclass(frozen=True, slots=True)
class Field:
    """Bits of a register word; `on_read` and `on_write`: what an access does besides."""

    name: str
    bit: int
    width: int
    access: str
    reset: int
    text: str = ""
    on_read: str = ""
    on_write: str = ""


@dataclass(frozen=True, slots=True)
class RegisterWord:
    """A word of a register at a byte `offset`."""

    name: str
    offset: int
    text: str
    access: str
    fields: tuple[Field, ...]


ACCESS = {"r": "read-only", "rw": "read-write"}


def register_words(found: RegisterMap) -> Iterator[RegisterWord]:
    """The words of all registers, in order."""
    for register in found.registers:
        for k in range(register.words):
            ends = ("",) if register.words == 1 else ("_low", "_high")
            text = f"{register.text}, bits 63 to 32" if k else register.text
            fields = tuple(list_fields(found, register, k))
            yield RegisterWord(f"{register.name}{ends[k]}", register.offset + 4 * k, text,
                               ACCESS[register.access], fields)  # fmt: skip


def list_fields(found: RegisterMap, register: Register, k: int) -> Iterator[Field]:
    """The fields of word `k` of a register."""
    if register.kind == "control":
        for name, bit, access, text in found.control_bits:
            on_read = "clear" if name in ("done", "ready") else ""
            yield Field(name, bit, 1, ACCESS[access], int(name == "idle"), text, on_read)
    elif register.kind in ("enable", "status"):
        on_write = "oneToToggle" if register.kind == "status" else ""
        for name, bit, text in found.event_bits:
            yield Field(name, bit, 1, "read-write", 0, text, on_write=on_write)
    elif register.kind == "global":
        yield Field("on", 0, 1, "read-write", 0)
    elif register.kind == "valid":
        yield Field("valid", 0, 1, "read-only", 0, on_read="clear")
    elif register.kind == "error":
        yield Field("code", 0, 8, "read-write", 0, on_write="clear")
    else:
        width = min(register.width - WORD_BITS * k, WORD_BITS)
        reset = found.build if register.kind == "build" else 0
        yield Field("value", 0, width, ACCESS[register.access], reset)
