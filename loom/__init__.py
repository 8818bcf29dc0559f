"""Dynamically scheduled high-level synthesis: MLIR, C or Python in, SystemVerilog out.

The library's functions are those of `loom.front.api`; they load when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loom.errors import LoomError, LoomErrors, Place

if TYPE_CHECKING:
    from loom.front.api import (
        Circuit,
        check_text,
        compile_text,
        emit_text,
        lower_text,
        netlist_from_text,
    )
    from loom.front.kernels import Kernel, kernel

__all__ = [
    "Circuit",
    "Kernel",
    "LoomError",
    "LoomErrors",
    "Place",
    "check_text",
    "compile_text",
    "emit_text",
    "kernel",
    "lower_text",
    "netlist_from_text",
]


def __getattr__(name: str) -> object:
    """A function of `loom.front.api` or `loom.front.kernels`, imported now."""
    if name in ("Kernel", "kernel"):
        from loom.front import kernels

        return getattr(kernels, name)
    if name in __all__:
        from loom.front import api

        return getattr(api, name)
    raise AttributeError(f"module 'loom' has no attribute {name!r}")
