"""Dynamically scheduled high-level synthesis: MLIR, C or Python in, SystemVerilog out.

The easy functions are `compile_file` and `compile_text`; every other function takes a `Request`.
They are those of `loom.front.api`, and load when they are first used.
"""

import sys

if sys.argv[:1] == ["-m"] and {"loom", "-mloom"} & set(sys.orig_argv) and not sys.flags.safe_path:
    # `python -m loom` finds modules in the current folder first: a json.py there is not ours. No
    # import stands before this, that of __future__ neither.
    del sys.path[0]

from importlib import import_module
from typing import TYPE_CHECKING

from loom.errors import LoomError, LoomErrors, Place

if TYPE_CHECKING:
    from loom.dialects.ops.added_dialect import AddedDialect
    from loom.front.api import (
        check_request,
        compile_file,
        compile_request,
        compile_text,
        netlist_from_text,
        require_graph,
    )
    from loom.front.circuit import Circuit
    from loom.front.graphs import Graph
    from loom.front.kernels import (
        Kernel,
        flatten,
        ii,
        interchange,
        interleave,
        kernel,
        partial_sums,
        pipeline,
        unroll,
    )
    from loom.front.request import COptions, Request
    from loom.front.styles.choose import compile_in_style
    from loom.front.styles.styled import Styled
    from loom.lower.options import Options
    from loom.netlist.netlist import Netlist

__all__ = [
    "AddedDialect",
    "COptions",
    "Circuit",
    "Graph",
    "Kernel",
    "LoomError",
    "LoomErrors",
    "Netlist",
    "Options",
    "Place",
    "Request",
    "Styled",
    "check_request",
    "compile_file",
    "compile_in_style",
    "compile_request",
    "compile_text",
    "flatten",
    "ii",
    "interchange",
    "interleave",
    "kernel",
    "netlist_from_text",
    "partial_sums",
    "pipeline",
    "require_graph",
    "unroll",
]

HOMES = {
    "AddedDialect": "loom.dialects.ops.added_dialect",
    "COptions": "loom.front.request",
    "Circuit": "loom.front.circuit",
    "Graph": "loom.front.graphs",
    "Kernel": "loom.front.kernels",
    "Netlist": "loom.netlist.netlist",
    "Options": "loom.lower.options",
    "Request": "loom.front.request",
    "Styled": "loom.front.styles.styled",
    "compile_in_style": "loom.front.styles.choose",
    "flatten": "loom.front.kernels",
    "ii": "loom.front.kernels",
    "interchange": "loom.front.kernels",
    "interleave": "loom.front.kernels",
    "kernel": "loom.front.kernels",
    "partial_sums": "loom.front.kernels",
    "pipeline": "loom.front.kernels",
    "unroll": "loom.front.kernels",
}
"""The modules of public names; those of the others is `loom.front.api`."""


def __getattr__(name: str) -> object:
    """A public name, whose module is imported now."""
    if name in __all__:
        return getattr(import_module(HOMES.get(name, "loom.front.api")), name)
    raise AttributeError(f"module 'loom' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
