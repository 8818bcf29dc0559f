"""`#pragma loom memory_order(..)`: which accesses of a kernel wait for each other."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

from loom.dialects.facts.loop_attributes import MEMORY_ORDER
from loom.errors import LoomError
from loom.frontend.c.library import Cursor
from loom.frontend.c.pragma_lines import Pragma, pragmas_in

ORDER = re.compile(r"memory_order\s*\(\s*(serial|auto)\s*\)\s*")
FORMS = "#pragma loom memory_order(serial) or memory_order(auto)"


def is_of_order(pragma: Pragma) -> bool:
    """True for a pragma of LOOM's about memory order, by its first word."""
    return pragma.own is not None and re.split(r"\W", pragma.own, maxsplit=1)[0] == "memory_order"


def order_accesses(
    module: ModuleOp, text: str, file: str, functions: Sequence[Cursor], used: Sequence[Cursor]
) -> None:
    """The kernel says what the pragma in or before it says.

    `functions` are those of the file, in order, `used` the kernel and then what it calls. Refused
    (C_PRAGMA): other words, and a pragma of a function that the kernel calls.
    """
    kernel, *called = used
    for pragma in filter(is_of_order, pragmas_in(text, file)):
        match = ORDER.fullmatch(pragma.own or "")
        if match is None:
            raise LoomError("C_PRAGMA", pragma.place, f"the pragma {pragma.words}", FORMS)
        owner = next((f for f in functions if f.extent.end.line >= pragma.place.line), None)
        if any(owner == each for each in called):
            what = f"the pragma {pragma.words} of a function that stands in place of its calls"
            raise LoomError("C_PRAGMA", pragma.place, what, f"it in {kernel.spelling}")
        if owner == kernel:
            for function in module.ops:
                if isinstance(function, FuncOp):
                    function.attributes[MEMORY_ORDER] = StringAttr(match[1])
