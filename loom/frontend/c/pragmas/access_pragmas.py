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
from loom.frontend.c.pragmas.pragma_lines import Pragma

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
        # A header's function is there once for each file that includes it.
        around = [each for each in functions if is_around(each, pragma)]
        owner = next((each for each in around if each in used), None)
        if owner is None and around:
            continue  # of a function that is not compiled
        nodes = walk_nodes(owner) if owner is not None else iter(())
        statement = next((n for n in nodes if n.extent.start.offset == pragma.target), None)
        if owner is None or statement is None:
            raise LoomError("C_PRAGMA", pragma.place, f"{what}, which no statement follows", FORM)
        found = list(accesses_in(module, statement))
        if not found:
            what += ", before a statement without accesses"
            raise LoomError("C_PRAGMA", pragma.place, what, "it before one that has some")
        if match[1]:
            if owner != used[0] and any(p.spelling == match[1] for p in owner.get_arguments()):
                what += f", of a parameter of {owner.spelling}"
                accepted = f"{WORD}({match[2]}), of all accesses of the statement"
                raise LoomError("C_PRAGMA", pragma.place, what, accepted)
            arrays = names_of_arrays(module)
            names = [arrays[memory_of(access)] for access in found]
            found = [each for each, name in zip(found, names, strict=True) if name == match[1]]
            if not found:
                what += f", before a statement without accesses of {match[1]}"
                accepted = f"its arrays: {', '.join(dict.fromkeys(names))}"
                raise LoomError("C_PRAGMA", pragma.place, what, accepted)
        for access in found:
            MEMORY_ORDER.put(access, match[2])


def is_around(function: Cursor, pragma: Pragma) -> bool:
    """True if the pragma stands in the function."""
    lines = range(function.extent.start.line, function.extent.end.line + 1)
    return get_file(function) == pragma.place.file and pragma.place.line in lines


def accesses_in(module: ModuleOp, statement: Cursor) -> Iterator[Access]:
    """The loads and stores of a statement itself, none of functions that it calls."""
    file, extent = get_file(statement), statement.extent
    begin, end = ((at.line, at.column) for at in (extent.start, extent.end))
    for operation in module.walk():
        if isinstance(operation, Access):
            place = place_of(operation)
            if place.file == file and begin <= (place.line, place.column) < end:
                yield operation


def names_of_arrays(module: ModuleOp) -> dict[SSAValue | str, str]:
    """The names of arrays: of values, and of symbols."""
    found: dict[SSAValue | str, str] = {}
    for array in arrays_of(module):
        if array.argument is not None:
            found[array.maker.regions[0].blocks[0].args[array.argument]] = array.name
        elif isinstance(array.maker, memref.GlobalOp):
            found[array.maker.sym_name.data] = array.name
        else:
            found[array.maker.results[0]] = array.name
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
