"""`#pragma loom access_order(ORDER)` and `access_order(NAME, ORDER)`: of a statement's accesses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue

from loom.dialects.facts.arrays import arrays_of
from loom.dialects.facts.loop_attributes import MEMORY_ORDER
from loom.dialects.facts.places import place_of
from loom.errors import LoomError
from loom.frontend.c.library import Cursor, get_file, walk_nodes
from loom.frontend.c.pragmas.pragma_lines import Pragma, find_function

WORD = "access_order"
ORDERED = re.compile(rf"{WORD}\s*\(\s*(?:([A-Za-z_]\w*)\s*,\s*)?(\w+)\s*\)\s*")
FORM = (
    f"#pragma loom {WORD}(ORDER) or {WORD}(NAME, ORDER) directly before a statement, "
    f"with {MEMORY_ORDER.values}"
)
Access = memref.LoadOp | memref.StoreOp


def is_access_pragma(pragma: Pragma) -> bool:
    """True for a pragma of LOOM's that is one of accesses, by its first word."""
    return pragma.own is not None and re.match(rf"{WORD}\b", pragma.own) is not None


def apply_access_pragmas(
    module: ModuleOp,
    pragmas: Sequence[Pragma],
    functions: Sequence[Cursor],
    used: Sequence[Cursor],
) -> None:
    """The loads and stores of statements say what the pragmas before those say.

    Of several pragmas the last one of the text is followed: that of the innermost statement.
    `functions` are those of each file, in order, `used` the kernel and what it calls. Refused
    (C_PRAGMA): other words, pragmas before no statement, and statements without such accesses.
    """
    for pragma in filter(is_access_pragma, pragmas):
        what = f"the pragma {pragma.words}"
        match = ORDERED.fullmatch(pragma.own or "")
        if match is None or not MEMORY_ORDER.accepts(StringAttr(match[2])):
            raise LoomError("C_PRAGMA", pragma.place, what, FORM)
        owner = find_function(pragma, functions)
        if owner is not None and not any(owner == each for each in used):
            continue  # of a function that is not compiled
        nodes = walk_nodes(owner) if owner is not None else iter(())
        statement = next((n for n in nodes if n.extent.start.offset == pragma.target), None)
        if statement is None or statement == owner:
            raise LoomError("C_PRAGMA", pragma.place, f"{what}, which no statement follows", FORM)
        of_array = memories_called(module, match[1]) if match[1] else None
        found = [
            access
            for access in accesses_in(module, statement)
            if of_array is None or memory_of(access) in of_array
        ]
        if not found:
            of_name = f" of {match[1]}" if match[1] else ""
            what += f", before a statement without accesses{of_name}"
            raise LoomError("C_PRAGMA", pragma.place, what, "it before one that has some")
        for access in found:
            MEMORY_ORDER.put(access, match[2])


def accesses_in(module: ModuleOp, statement: Cursor) -> Iterator[Access]:
    """The loads and stores of a statement itself, none of functions that it calls."""
    file, extent = get_file(statement), statement.extent
    begin, end = ((at.line, at.column) for at in (extent.start, extent.end))
    for operation in module.walk():
        if isinstance(operation, Access):
            place = place_of(operation)
            if place.file == file and begin <= (place.line, place.column) < end:
                yield operation


def memories_called(module: ModuleOp, name: str) -> set[SSAValue | str]:
    """The arrays of this name: values, and names of globals."""
    found: set[SSAValue | str] = set()
    for array in arrays_of(module):
        if array.name != name:
            continue
        if array.argument is not None:
            found.add(array.maker.regions[0].blocks[0].args[array.argument])
        elif isinstance(array.maker, memref.GlobalOp):
            found.add(array.maker.sym_name.data)
        else:
            found.add(array.maker.results[0])
    return found


def memory_of(access: Access) -> SSAValue | str:
    """The array behind the views of it that a program makes."""
    memory: SSAValue = access.memref
    while isinstance(memory.owner, Operation) and not isinstance(
        memory.owner, memref.AllocOp | memref.AllocaOp | memref.GetGlobalOp
    ):
        memory = next(v for v in memory.owner.operands if isinstance(v.type, MemRefType))
    owner = memory.owner
    return owner.name_.string_value() if isinstance(owner, memref.GetGlobalOp) else memory
