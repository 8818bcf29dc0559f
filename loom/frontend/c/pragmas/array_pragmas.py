"""`#pragma loom partition(..)`, `ports(..)`, `memory(..)`, `memory_order(NAME, ..)`: of arrays.

A pragma names arrays of the kernel and of what it calls: parameters, local arrays and globals. It
stands in or before a function of those. In a called function it names an array of its own first; a
parameter there is the caller's array, by whose name it goes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr

from loom.dialects.facts.arrays import MEMORY, ORDER, ORDERS, PORTS, Array, arrays_of
from loom.dialects.facts.memory_choices import MemoryChoice, parse_memory
from loom.dialects.operators.partitions import SCHEMES, Directive
from loom.dialects.ops.partition_attribute import PARTITION
from loom.errors import LoomError
from loom.frontend.c.library import Cursor, get_file
from loom.frontend.c.pragmas.pragma_lines import Pragma, find_function

NAME = r"\(\s*([A-Za-z_]\w*)\s*,\s*"
BANKED = re.compile(rf"partition\s*{NAME}(cyclic|block)\s*,\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)\s*")
COMPLETE = re.compile(rf"partition\s*{NAME}(complete)()\s*(?:,\s*(\d+)\s*)?\)\s*")
READS = re.compile(rf"ports\s*{NAME}(\d+)\s*\)\s*")
OUTSIDE = re.compile(rf"memory\s*{NAME}([^()]*?)\s*\)\s*")
ORDERED = re.compile(rf"memory_order\s*{NAME}(\w+)\s*\)\s*")
OF_ARRAYS = ("partition", "ports", "memory")
"""Words with which LOOM's own pragmas of arrays begin."""
FORMS = (
    "#pragma loom partition(NAME, cyclic, BANKS), (NAME, block, BANKS, DIM), (NAME, complete), "
    "#pragma loom ports(NAME, NUMBER), #pragma loom memory(NAME, KIND, latency=N), "
    f"#pragma loom memory_order(NAME, ORDER) with {', '.join(ORDERS)}"
)


def is_array_pragma(pragma: Pragma) -> bool:
    """True for a pragma of LOOM's that is one of arrays, by its first word, or by a name."""
    if pragma.own is None or ORDERED.fullmatch(pragma.own):
        return pragma.own is not None
    return re.split(r"\W", pragma.own, maxsplit=1)[0] in OF_ARRAYS


def apply_array_pragmas(
    module: ModuleOp,
    pragmas: Sequence[Pragma],
    functions: Sequence[Cursor],
    used: Sequence[Cursor],
) -> None:
    """The arrays of the module have the attributes that the pragmas of the file give them.

    `functions` are those of each file, in order, `used` the kernel and what it calls. Refused
    (C_PRAGMA): words that are none of these pragmas, arrays that the kernel does not use, and
    parameters of called functions.
    """
    kernel, *called = used
    arrays = [array for array in arrays_of(module) if array.name]
    for pragma in filter(is_array_pragma, pragmas):
        words = pragma.own or ""
        partition = BANKED.fullmatch(words) or COMPLETE.fullmatch(words)
        reads = READS.fullmatch(words)
        outside = OUTSIDE.fullmatch(words)
        ordered = ORDERED.fullmatch(words)
        match = partition or reads or outside or ordered
        if match is None or (ordered and ordered[2] not in ORDERS):
            raise LoomError("C_PRAGMA", pragma.place, f"the pragma {pragma.words}", FORMS)
        owner = find_function(pragma, functions)
        if owner is not None and not any(owner == each for each in used):
            continue  # of a function that is not compiled
        named = [array for array in arrays if array.name == match[1]]
        if owner is not None and any(owner == each for each in called):
            refuse_parameter(pragma, match[1], owner, kernel)
            named = [array for array in named if is_inside(array, owner)] or named
        if not named:
            known = ", ".join(dict.fromkeys(array.name for array in arrays)) or "none"
            what = f"the pragma {pragma.words}, of an array that the kernel does not use"
            raise LoomError("C_PRAGMA", pragma.place, what, f"its arrays: {known}")
        for array in named:
            if reads:
                array.say(PORTS, IntegerAttr(int(reads[2]), 64))
            elif ordered:
                if array.said(ORDER) is not None:
                    what = f"a second order of {array.name}"
                    raise LoomError("C_PRAGMA", pragma.place, what, "one order an array")
                array.say(ORDER, StringAttr(ordered[2]))
            elif outside:
                array.say(MEMORY, StringAttr(read_memory(array, outside[2], pragma)))
            elif partition:
                said = array.said(PARTITION)
                before = [said.data] if isinstance(said, StringAttr) else []
                directive = Directive(
                    SCHEMES[partition[2]], int(partition[3] or 0), int(partition[4] or 0)
                )
                array.say(PARTITION, StringAttr(" ".join([*before, str(directive)])))


def refuse_parameter(pragma: Pragma, name: str, function: Cursor, kernel: Cursor) -> None:
    """Return unless this is a parameter of a called function, which has no arrays (C_PRAGMA)."""
    if any(each.spelling == name for each in function.get_arguments()):
        what = f"the pragma {pragma.words}, of a parameter of {function.spelling}"
        accepted = f"it in {kernel.spelling}, of the array that is passed"
        raise LoomError("C_PRAGMA", pragma.place, what, accepted)


def is_inside(array: Array, function: Cursor) -> bool:
    """True if the array is declared in the function."""
    lines = range(function.extent.start.line, function.extent.end.line + 1)
    return array.place.file == get_file(function) and array.place.line in lines


def read_memory(array: Array, text: str, pragma: Pragma) -> str:
    """The memory that a pragma gives an array; refused (C_PRAGMA): none, or a second one."""
    found = parse_memory(text)
    if not isinstance(found, MemoryChoice):
        what, accepted = found
        raise LoomError("C_PRAGMA", pragma.place, what, accepted)
    if array.argument is None:
        what = f"the pragma {pragma.words}, of an array that is no parameter"
        raise LoomError("C_PRAGMA", pragma.place, what, "parameters of the kernel")
    if array.said(MEMORY) is not None:
        what = f"a second memory of {array.name}"
        raise LoomError("C_PRAGMA", pragma.place, what, "one memory an array")
    return str(found)
