"""Refuse programs that write to a constant global."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp

from loom.dialects.facts.places import place_of
from loom.errors import LoomError, raise_all
from loom.lower.options import Options


def check_const_globals(module: ModuleOp, options: Options) -> None:
    """No store goes to a memref.global that says it is constant.

    Views are folded and calls inlined, so that every store shows the memory it goes to.
    """
    constants = {
        op.sym_name.data
        for op in module.body.block.ops
        if isinstance(op, memref.GlobalOp) and op.constant is not None
    }
    raise_all(
        [
            LoomError(
                "LOWER_CONSTANT",
                place_of(op),
                f"a write to the constant global @{op.memref.owner.name_.string_value()}",
                "writes to memories that are not constant",
            )
            for op in module.walk()
            if isinstance(op, memref.StoreOp)
            and isinstance(op.memref.owner, memref.GetGlobalOp)
            and op.memref.owner.name_.string_value() in constants
        ]
    )
