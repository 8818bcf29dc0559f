"""LOOM's dialects and passes for xDSL's own tools: ``xdsl-opt -p loom-unroll-loops``.

xDSL reads the entry points ``xdsl.universe``. A dialect that xDSL has is left to it, and each pass
has the prefix ``loom-`` and LOOM's default options: two of one name are an error in every tool.
What other packages add to LOOM is among them, and imported when it is named.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe

from loom.dialects.ops.added_dialect import AddedDialect
from loom.dialects.ops.context import LOADERS
from loom.entry_points import DIALECTS, Addition, list_additions
from loom.entry_points import PASSES as GROUP
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


def added_pass(addition: Addition) -> Callable[[], type[ModulePass]]:
    """A pass of another package as a pass of xDSL."""

    def make() -> type[ModulePass]:
        found = addition.load()
        if isinstance(found, type) and issubclass(found, ModulePass):
            return found
        title = f"{PREFIX}{addition.name}"
        return module_pass(title, found, f"the {addition}")()

    return make


def load_dialect(addition: Addition) -> AddedDialect:
    """A dialect of another package. Refused: EXTEND_BROKEN for what is none."""
    found = addition.load()
    if not isinstance(found, AddedDialect):
        raise addition.broken(f"it is {found!r}", "a loom.AddedDialect")
    return found


def added_dialect(addition: Addition) -> Callable[[], Dialect]:
    """The dialect alone, made when it is wanted."""
    return lambda: load_dialect(addition).dialect


def lower_expanded(module: ModuleOp, options: Options) -> None:
    """All passes, in their order, of a module without operations of added dialects."""
    used = {op.name.partition(".")[0] for op in module.walk()}
    for name, addition in list_additions(DIALECTS).items():
        if name in used:
            load_dialect(addition).expand(module)
    lower(module, options)


UNIVERSE = Universe(
    all_dialects={
        **{
            name: added_dialect(each)
            for name, each in list_additions(DIALECTS).items()
            if name not in get_all_dialects() and name not in LOADERS
        },
        **{name: load for name, load in LOADERS.items() if name not in get_all_dialects()},
    },
    all_passes={
        **{f"{PREFIX}{name}": added_pass(each) for name, each in list_additions(GROUP).items()},
        **{
            f"{PREFIX}{step.name}": module_pass(f"{PREFIX}{step.name}", step.rewrite, step.reason)
            for step in PASSES
        },
        f"{PREFIX}lower": module_pass(
            f"{PREFIX}lower", lower_expanded, "all passes, in their order"
        ),
    },
)  # fmt: skip
