"""Dynamically scheduled high-level synthesis: MLIR in, elastic circuits in SystemVerilog out.

The library's functions are those of `loom.api`; they load when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loom.errors import LoomError, LoomErrors, Place

if TYPE_CHECKING:
    from loom.api import (
        Circuit,
        check_text,
        compile_text,
        emit_text,
        lower_text,
        netlist_from_text,
    )

__all__ = [
    "Circuit",
    "LoomError",
    "LoomErrors",
    "Place",
    "check_text",
    "compile_text",
    "emit_text",
    "lower_text",
    "netlist_from_text",
]


def __getattr__(name: str) -> object:
    """A function of `loom.api`, imported now."""
    if name in __all__:
        from loom import api

        return getattr(api, name)
    raise AttributeError(f"module 'loom' has no attribute {name!r}")
