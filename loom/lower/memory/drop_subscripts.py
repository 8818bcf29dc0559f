"""Subscripts are dropped: the dependence test has used them."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from loom.dialects.ops.order import PlaceOp
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import replace
from loom.lower.scalar.simplify import remove_dead


def drop_subscripts(module: ModuleOp, options: Options) -> None:
    """Every place is its address; what only subscripts needed is gone."""
    for function in list(module.ops):
        places = [op for op in function.walk() if isinstance(op, PlaceOp)]
        for op in places:
            replace(op, op.address)
        if places and isinstance(function, FuncOp):
            remove_dead(function)
