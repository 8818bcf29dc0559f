"""Which function of a C file is the kernel, what it calls, and how large its arrays are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from loom.errors import LoomError, Place
from loom.frontend.c.calls import parameters_of
from loom.frontend.c.library import Cursor, children, inner_of, is_in_file, place_of, walk
from loom.frontend.c.pragmas import FORM, Size
from loom.frontend.c.types import array_of, is_pointer, pointee_of, shape_of


def definitions_of(unit: Any) -> list[Cursor]:
    """The functions with a body, in the order of the file."""
    return [
        each
        for each in unit.cursor.get_children()
        if each.kind.name == "FUNCTION_DECL" and each.is_definition()
    ]


def kernel_of(unit: Any, file: str, top: str | None) -> Cursor:
    """The function to compile: `top`, or the only one that no other function but main calls."""
    found = [each for each in definitions_of(unit) if is_in_file(each, file)]
    names = ", ".join(each.spelling for each in found if each.spelling != "main") or "none"
    if top is not None:
        for each in found:
            if each.spelling == top:
                return each
        accepted = f"a function of the file: {names}"
        raise LoomError("C_NO_TOP", Place(file, 1, 1), f"no function {top} with a body", accepted)
    kernels = [each for each in found if each.spelling != "main"]
    called = {
        node.referenced.spelling
        for each in kernels
        for node in walk(each)
        if node.kind.name == "CALL_EXPR"
        and node.referenced is not None
        and node.referenced.spelling != each.spelling
    }
    uncalled = [each for each in kernels if each.spelling not in called]
    roots = [each for each in uncalled if each.storage_class.name != "STATIC"] or uncalled
    if len(roots) == 1:
        return roots[0]
    if not roots:
        accepted = "a file with a function, and --top"
        raise LoomError("C_NO_TOP", Place(file, 1, 1), "no function but main", accepted)
    what = "several functions: " + ", ".join(each.spelling for each in roots)
    raise LoomError("C_SEVERAL_TOPS", place_of(roots[1]), what, "the kernel's name (--top)")


def callees_of(kernel: Cursor) -> list[Cursor]:
    """The kernel and all functions with a body that it leads to."""
    found = [kernel]
    for function in found:
        for node in walk(function):
            if node.kind.name != "CALL_EXPR" or node.referenced is None:
                continue
            definition = node.referenced.get_definition()
            if definition is not None and not any(definition == one for one in found):
                found.append(definition)
    return found


def shape_of_parameter(
    parameter: Cursor, kernel: Cursor, unit: Any, pragmas: Sequence[Size]
) -> tuple[int, ...]:
    """The sizes of the array that the parameter is.

    A pragma in or before the kernel tells them, or the declaration, or the arrays that the file
    itself hands over, if they all have one size.
    """
    name, place = parameter.spelling, place_of(parameter)
    told = pragma_for(name, kernel, unit, pragmas)
    declared = array_of(parameter.type)
    inner, _ = shape_of(pointee_of(parameter.type))
    known = tuple(size for size in inner if size)
    if len(known) != len(inner):
        what = f"the parameter {name} of type {parameter.type.spelling}"
        raise LoomError("C_SIZE", place, what, "sizes that are constants but for the first one")
    if told is not None:
        shape = told.shape if len(told.shape) > 1 or not known else (*told.shape, *known)
        if shape[1:] != known:
            what = f"{len(shape)} sizes of {name} that are not those of its type"
            raise LoomError("C_PRAGMA", Place(place.file, told.line), what, "the first size")
        return shape
    if declared is not None and declared.size:
        return (declared.size, *known)
    sizes = sorted(sizes_given(parameter, kernel, unit))
    if len(sizes) == 1:
        return (sizes[0], *known)
    what = f"the parameter {name} of type {parameter.type.spelling}, whose size is not known"
    if sizes:
        what = f"the parameter {name}, for which calls give arrays of {sizes}"
    accepted = f"a size in its type ({name}[100]), or {FORM.replace('NAME', name)}"
    raise LoomError("C_SIZE", place, what, accepted)


def pragma_for(name: str, kernel: Cursor, unit: Any, pragmas: Sequence[Size]) -> Size | None:
    """The pragma that tells the sizes of the kernel's parameter."""
    first, last = kernel.extent.start.line, kernel.extent.end.line
    ends = [each.extent.end.line for each in unit.cursor.get_children()
            if each.extent.end.line < first and is_in_file(each, str(unit.spelling))]  # fmt: skip
    before = max(ends, default=0)
    return next((p for p in pragmas if p.name == name and before < p.line <= last), None)


def sizes_given(parameter: Cursor, kernel: Cursor, unit: Any) -> set[int]:
    """The sizes of the arrays that calls in the file hand over."""
    number = [each == parameter for each in parameters_of(kernel)].index(True)
    found: set[int] = set()
    for definition in definitions_of(unit):
        for node in walk(definition):
            if node.kind.name != "CALL_EXPR" or node.referenced is None:
                continue
            if node.referenced.get_usr() != kernel.get_usr():
                continue
            size = size_of(list(node.get_arguments())[number])
            if size:
                found.add(size)
    return found


def size_of(argument: Cursor) -> int | None:
    """The number of elements of the array that an argument is, or 1 for a variable's address."""
    inner = inner_of(argument)
    while inner is not None:
        argument, inner = inner, inner_of(inner)
    if argument.kind.name == "UNARY_OPERATOR" and is_pointer(argument.type):
        inner = children(argument)[0]
        is_variable = inner.kind.name == "DECL_REF_EXPR" and not is_pointer(inner.type)
        return 1 if is_variable else None
    array = array_of(argument.type)
    return array.size if array else None
