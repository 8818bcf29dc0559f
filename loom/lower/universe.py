"""LOOM's dialects and passes for xDSL's own tools: ``xdsl-opt -p loom-unroll-loops``.

xDSL reads the entry points ``xdsl.universe``. A dialect that xDSL has is left to it, and each pass
has the prefix ``loom-`` and LOOM's default options: two of one name are an error in every tool.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.universe import Universe

from loom.dialects.ops.context import LOADERS
from loom.lower.options import Options, Rewrite
from loom.lower.pipeline import PASSES, lower

PREFIX = "loom-"


def module_pass(title: str, rewrite: Rewrite, reason: str) -> Callable[[], type[ModulePass]]:
    """A pass of LOOM as a pass of xDSL, made when it is wanted."""

    def make() -> type[ModulePass]:
        def apply(self: ModulePass, ctx: Context, op: ModuleOp) -> None:
            rewrite(op, Options())

        body = {"name": title, "apply": apply, "__doc__": f"{reason[0].upper()}{reason[1:]}."}
        return dataclass(frozen=True)(type(title, (ModulePass,), body))

    return make


UNIVERSE = Universe(
    all_dialects={
        name: load for name, load in LOADERS.items() if name not in get_all_dialects()
    },
    all_passes={
        **{
            f"{PREFIX}{step.name}": module_pass(f"{PREFIX}{step.name}", step.rewrite, step.reason)
            for step in PASSES
        },
        f"{PREFIX}lower": module_pass(f"{PREFIX}lower", lower, "all passes, in their order"),
    },
)  # fmt: skip
