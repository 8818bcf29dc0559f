"""`#pragma loom ..` of a C file: those of parameters' sizes and of functions, and unknown ones."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

from loom.dialects.facts.loop_attributes import MEMORY_ORDER, STYLE
from loom.dialects.facts.program_facts import INTERFACE_NOTE
from loom.errors import LoomError, Place
from loom.frontend.c.library import Cursor
from loom.frontend.c.pragmas.access_pragmas import WORD as ACCESS_WORD
from loom.frontend.c.pragmas.access_pragmas import is_access_pragma
from loom.frontend.c.pragmas.array_pragmas import is_array_pragma
from loom.frontend.c.pragmas.loop_pragmas import OF_LOOPS, is_loop_pragma
from loom.frontend.c.pragmas.pragma_lines import Pragma, find_function

SIZE = re.compile(r"size\s*\(\s*([A-Za-z_]\w*)\s*((?:,\s*\d+\s*)+)\)\s*")
ORDER_FORMS = (
    "#pragma loom memory_order(auto), (tokens), (comparators), (queue) or (serial), "
    "(NAME, ORDER) of one array"
)
STYLE_FORMS = "#pragma loom style(static), style(dynamic) or style(auto)"
OF_FUNCTIONS = {"memory_order": (MEMORY_ORDER, ORDER_FORMS), "style": (STYLE, STYLE_FORMS)}
"""The directives of functions, by the first word of their pragma, and its forms."""
WORD = re.compile(r"\w+\s*(?:\(\s*(\w+)\s*\)|\s(\w+))\s*")
SIZE_FORM = "#pragma loom size(NAME, NUMBER, ..)"
KNOWN = (
    f"#pragma loom size, partition, ports, memory, memory_order, {ACCESS_WORD}, style, "
    f"{', '.join(OF_LOOPS)}"
)


@dataclass(frozen=True, slots=True)
class Size:
    """The sizes of the array that a pointer parameter points to."""

    place: Place
    name: str
    shape: tuple[int, ...]


def read_size_pragmas(pragmas: Sequence[Pragma]) -> list[Size]:
    """The sizes that pragmas tell; LOOM's that nobody knows are refused (C_PRAGMA)."""
    found: list[Size] = []
    for pragma in pragmas:
        if (
            pragma.own is None
            or is_loop_pragma(pragma)
            or is_array_pragma(pragma)
            or is_function_pragma(pragma)
            or is_access_pragma(pragma)
        ):
            continue
        size = SIZE.fullmatch(pragma.own)
        if size is None:
            is_size = re.match(r"size\b", pragma.own) is not None
            what, accepted = f"the pragma {pragma.words}", SIZE_FORM if is_size else KNOWN
            raise LoomError("C_PRAGMA", pragma.place, what, accepted)
        shape = tuple(int(number) for number in re.findall(r"\d+", size[2]))
        if not all(shape):
            raise LoomError("C_PRAGMA", pragma.place, "a size of 0", "sizes of 1 and more")
        found.append(Size(pragma.place, size[1], shape))
    return found


def is_function_pragma(pragma: Pragma) -> bool:
    """True for a pragma of LOOM's about a function, by its first word."""
    if pragma.own is None or is_loop_pragma(pragma) or is_array_pragma(pragma):
        return False
    return first_word(pragma) in OF_FUNCTIONS


def first_word(pragma: Pragma) -> str:
    """The word behind ``loom``."""
    return re.split(r"\W", pragma.own or "", maxsplit=1)[0]


def apply_function_pragmas(
    module: ModuleOp,
    pragmas: Sequence[Pragma],
    functions: Sequence[Cursor],
    used: Sequence[Cursor],
) -> None:
    """The kernel says what the pragmas in or before it say.

    `functions` are those of each file, in order, `used` the kernel and then what it calls. Refused
    (C_PRAGMA): other words, and a pragma of a function that the kernel calls.
    """
    kernel, *called = used
    for pragma in filter(is_function_pragma, pragmas):
        fact, forms = OF_FUNCTIONS[first_word(pragma)]
        match = WORD.fullmatch(pragma.own or "")
        value = match and (match[1] or match[2])
        what = f"the pragma {pragma.words}"
        if not value or not fact.accepts(StringAttr(value)):
            raise LoomError("C_PRAGMA", pragma.place, what, forms)
        owner = find_function(pragma, functions)
        if any(owner == each for each in called):
            what += " of a function that stands in place of its calls"
            raise LoomError("C_PRAGMA", pragma.place, what, f"it in {kernel.spelling}")
        if owner == kernel:
            for function in module.ops:
                if isinstance(function, FuncOp):
                    fact.put(function, value)


INTERFACE = re.compile(r"(?i:HLS\s+interface\b)")
MODE = re.compile(r"(?i:\b(s_axilite|m_axi|axis|ap_\w+|bram)\b)")
INSTEAD = {
    "s_axilite": "`loom wrap axi4lite` puts all arguments and results behind AXI4-Lite",
    "m_axi": "`loom wrap axi4` has an AXI4 master for each array",
    "axis": "`loom wrap axis`, and --stream of other buses, make an array an AXI4-Stream",
}
"""By the mode of a pragma, what LOOM has instead."""
FOLLOWED = re.compile(r"(?i:HLS\s+(unroll|loop_flatten|pipeline|interface)\b)")
"""Pragmas of HLS tools that are read, or mean what LOOM does anyway."""


def note_pragmas(module: ModuleOp, pragmas: Sequence[Pragma], others: Mapping[str, str]) -> None:
    """The module says of each pragma of an interface that it does not change the ports.

    Other pragmas of HLS tools that are not followed are named once each; then come the other notes.
    """
    notes: list[str] = []
    named: set[str] = set()
    for pragma in pragmas:
        if INTERFACE.match(pragma.words):
            mode = MODE.search(pragma.words)
            instead = INSTEAD.get(
                mode[1].lower() if mode else "", "docs/integration.md has the ports"
            )
            what = f"#pragma {pragma.words} does not change the ports"
            notes.append(f"{pragma.place}: {what}: {instead}")
    for pragma in pragmas:
        if re.match(r"(?i:HLS\s+\w)", pragma.words) and not FOLLOWED.match(pragma.words):
            name = " ".join(pragma.words.split()[:2])
            if name.lower() not in named:
                named.add(name.lower())
                notes.append(f"{pragma.place}: #pragma {name} is not followed (docs/loops.md)")
    notes += others.values()
    if notes:
        INTERFACE_NOTE.put(module, "\n".join(notes))
