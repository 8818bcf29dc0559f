"""The memory order that a function asks for."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp

from loom.analysis.program.memory_dependence import MemoryOrder
from loom.dialects.facts.loop_attributes import MEMORY_ORDER


def requested_order(function: FuncOp, otherwise: MemoryOrder) -> MemoryOrder:
    """Serial if the function asks for it, or whoever compiles it."""
    said = function.attributes.get(MEMORY_ORDER)
    return "serial" if isinstance(said, StringAttr) and said.data == "serial" else otherwise
