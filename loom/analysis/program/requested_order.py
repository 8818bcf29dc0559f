"""The memory order that a function or the options request."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp

from loom.analysis.program.memory_dependence import MemoryOrder
from loom.dialects.facts.loop_attributes import MEMORY_ORDER


def requested_order(function: FuncOp, otherwise: MemoryOrder) -> MemoryOrder:
    """What the function's attribute requests, else, and for auto, `otherwise`."""
    match MEMORY_ORDER.of(function):
        case "serial" | "tokens" | "comparators" | "queue" as found:
            return found
        case _:
            return otherwise
