"""What the arguments of a function are called: xDSL's name hints lose `_0` at the end, and dots."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.dialects.func import FuncOp

ATTRIBUTE = "loom.argument_names"


def argument_names(function: FuncOp) -> list[str]:
    """The arguments' names as written, without `%`; the number of one that has no name."""
    written = function.attributes.get(ATTRIBUTE)
    if isinstance(written, ArrayAttr):
        names = [name.data for name in written if isinstance(name, StringAttr)]
    else:
        names = []
    rest = function.args[len(names) :]
    return names + [argument.name_hint or str(argument.index) for argument in rest]


def set_argument_names(function: FuncOp, names: Sequence[str]) -> None:
    """`argument_names` gives these names, through all that happens to the function."""
    function.attributes.pop(ATTRIBUTE, None)
    if argument_names(function) != list(names):
        function.attributes[ATTRIBUTE] = ArrayAttr([StringAttr(name) for name in names])
