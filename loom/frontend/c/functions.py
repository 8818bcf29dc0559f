"""The functions of a C file: the kernel, what it calls, its arrays' sizes, what each assigns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from loom.errors import LoomError, Place
from loom.frontend.c.library import (
    Cursor,
    find_wrapped,
    get_binary_operator,
    get_file,
    get_unary_operator,
    list_children,
    load_libclang,
    locate,
    walk_nodes,
)
from loom.frontend.c.operators import ADDRESS, ASSIGN, COMPOUND, STEPS
from loom.frontend.c.pragmas.function_pragmas import SIZE_FORM, Size
from loom.frontend.c.types import find_array, find_shape, get_pointee_type, is_pointer


def list_definitions(unit: Any) -> list[Cursor]:
    """The functions with a body, in the order of the file."""
    return [
        each
        for each in unit.cursor.get_children()
        if each.kind.name == "FUNCTION_DECL" and each.is_definition()
    ]


def find_parameter_shape(
    parameter: Cursor, kernel: Cursor, definitions: Sequence[Cursor], pragmas: Sequence[Size]
) -> tuple[int, ...]:
    """The sizes of the array that the parameter is.

    They come from a pragma in or before the kernel, else from the declaration, else from the arrays
    that calls in the file pass, if these all have one size.
    """
    name, place = parameter.spelling, locate(parameter)
    stated = find_size_pragma(name, kernel, pragmas)
    declared = find_array(parameter.type)
    inner, _ = find_shape(get_pointee_type(parameter.type))
    known = tuple(size for size in inner if size)
    if len(known) != len(inner):
        what = f"the parameter {name} of type {parameter.type.spelling}"
        raise LoomError("C_SIZE", place, what, "sizes that are constants but for the first one")
    if stated is not None:
        shape = stated.shape if len(stated.shape) > 1 or not known else (*stated.shape, *known)
        if shape[1:] != known:
            what = f"{len(shape)} sizes of {name} that are not those of its type"
            where = Place(stated.place.file, stated.place.line)
            raise LoomError("C_PRAGMA", where, what, "the first size")
        return shape
    if declared is not None and declared.size:
        return (declared.size, *known)
    sizes = sorted(find_argument_sizes(parameter, kernel, definitions))
    if len(sizes) == 1:
        return (sizes[0], *known)
    what = f"the parameter {name} of type {parameter.type.spelling}, whose size is not known"
    if sizes:
        what = f"the parameter {name}, for which calls give arrays of {sizes}"
    accepted = f"a size in its type ({name}[100]), or {SIZE_FORM.replace('NAME', name)}"
    raise LoomError("C_SIZE", place, what, accepted)


def find_size_pragma(name: str, kernel: Cursor, pragmas: Sequence[Size]) -> Size | None:
    """The pragma with the sizes of the kernel's parameter."""
    file, first, last = get_file(kernel), kernel.extent.start.line, kernel.extent.end.line
    siblings = [each for each in kernel.translation_unit.cursor.get_children()
                if get_file(each) == file]  # fmt: skip
    before = max((s.extent.end.line for s in siblings if s.extent.end.line < first), default=0)
    return next(
        (p for p in pragmas if p.name == name and p.place.file == file
         and before < p.place.line <= last),
        None,
    )  # fmt: skip


def find_argument_sizes(
    parameter: Cursor, kernel: Cursor, definitions: Sequence[Cursor]
) -> set[int]:
    """The sizes of the arrays that calls in the files pass."""
    number = [each == parameter for each in list_parameters(kernel)].index(True)
    found: set[int] = set()
    for definition in definitions:
        for node in walk_nodes(definition):
            if node.kind.name != "CALL_EXPR" or node.referenced is None:
                continue
            if node.referenced.get_usr() != kernel.get_usr():
                continue
            size = find_argument_size(list(node.get_arguments())[number])
            if size:
                found.add(size)
    return found


def find_argument_size(argument: Cursor) -> int | None:
    """The number of elements of the array that an argument is, or 1 for a variable's address."""
    inner = find_wrapped(argument)
    while inner is not None:
        argument, inner = inner, find_wrapped(inner)
    if argument.kind.name == "UNARY_OPERATOR" and is_pointer(argument.type):
        inner = list_children(argument)[0]
        is_variable = inner.kind.name == "DECL_REF_EXPR" and not is_pointer(inner.type)
        return 1 if is_variable else None
    array = find_array(argument.type)
    return array.size if array else None


@dataclass(frozen=True, slots=True)
class Targets:
    """Declarations that a function assigns, and those whose address it takes, by hash."""

    assigned: frozenset[int] = frozenset()
    addressed: frozenset[int] = frozenset()


def list_parameters(definition: Cursor) -> list[Cursor]:
    """The function's parameters."""
    kinds = load_libclang().CursorKind
    return [each for each in list_children(definition) if each.kind == kinds.PARM_DECL]


def find_targets(definition: Cursor) -> Targets:
    """What the statements of the function assign, and what they take the address of."""
    kinds = load_libclang().CursorKind
    assigned: set[int] = set()
    addressed: set[int] = set()
    for node in walk_nodes(definition):
        below = list_children(node)
        if node.kind == kinds.UNARY_OPERATOR and get_unary_operator(node) in STEPS:
            assigned |= find_owner(below[0], fields=False)
        elif node.kind == kinds.UNARY_OPERATOR and get_unary_operator(node) == ADDRESS:
            addressed |= find_owner(below[0], fields=True)
        elif node.kind in (kinds.BINARY_OPERATOR, kinds.COMPOUND_ASSIGNMENT_OPERATOR) and (
            get_binary_operator(node) == ASSIGN or get_binary_operator(node) in COMPOUND
        ):
            assigned |= find_owner(below[0], fields=False)
    return Targets(frozenset(assigned), frozenset(addressed))


def find_owner(cursor: Cursor, fields: bool) -> set[int]:
    """The declaration of the variable that the expression names, or whose field it is."""
    kinds = load_libclang().CursorKind
    while find_wrapped(cursor) is not None or (
        fields
        and cursor.kind == kinds.MEMBER_REF_EXPR
        and not is_pointer(list_children(cursor)[0].type)
    ):
        cursor = list_children(cursor)[0]
    if cursor.kind == kinds.DECL_REF_EXPR and cursor.referenced is not None:
        return {cursor.referenced.hash}
    return set()
