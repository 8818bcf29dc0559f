"""memcpy, memmove and memset of elements: loops over them."""

from __future__ import annotations

from math import prod

from xdsl.dialects import arith

from loom.errors import Place
from loom.frontend.c.assignments import Assignments
from loom.frontend.c.initializers import find_constant
from loom.frontend.c.library import (
    Cursor,
    find_wrapped,
    get_binary_operator,
    list_children,
    load_libclang,
    locate,
)
from loom.frontend.c.lvalues import Evaluate, Lvalues
from loom.frontend.c.operators import MULTIPLY
from loom.frontend.c.places import (
    Either,
    Element,
    Named,
    Null,
    Pointer,
    Reference,
    Struct,
    drop_null,
    flatten_pointer,
    map_arms,
    select_element,
)
from loom.frontend.c.pointers import compare_pointers, share_array
from loom.frontend.c.scope import Scope
from loom.frontend.c.types import CType, find_shape, get_kind, get_pointee_type, is_pointer
from loom.frontend.imperative.conversions import convert_expression
from loom.frontend.imperative.tree import (
    Apply,
    Expression,
    If,
    Number,
    Relation,
)
from loom.frontend.imperative.types import OFFSET, Int

MEMORY = {
    f"{prefix}{name}": name
    for name in ("memcpy", "memmove", "memset") for prefix in ("", "__builtin_")
}  # fmt: skip
"""The functions on elements in a row."""
SIZES = "a multiple of the elements' size: sizeof a, n * sizeof a[0]"


class MemoryFunctions:
    """Reads calls of these functions."""

    def __init__(
        self, scope: Scope, lvalues: Lvalues, assignments: Assignments, evaluate: Evaluate
    ) -> None:
        self.scope = scope
        self.lvalues = lvalues
        self.assignments = assignments
        self.evaluate = evaluate

    def call(self, name: str, cursor: Cursor) -> None:
        """The elements have the values of others, or all the same bytes."""
        target, source, size = cursor.get_arguments()
        if MEMORY[name] == "memset":
            self.fill_elements(target, source, size, cursor)
        else:
            self.copy_elements(target, source, size, cursor, MEMORY[name] == "memmove")

    def find_elements(self, argument: Cursor) -> tuple[Named, CType]:
        """Where the elements begin, scalars or structs, and their type."""
        place = locate(argument)
        argument = strip_conversions(argument)
        found = self.scope.hold_place(drop_null(self.lvalues.find_pointer(argument)), place)
        pointee = get_pointee_type(argument.type)
        _, element = find_shape(pointee)
        is_struct = get_kind(element) == "RECORD"
        if not is_struct and not isinstance(found, Null | Reference):
            return map_arms(found, lambda each: flatten_pointer(each, place)), element
        if not isinstance(found, Struct | Either) or find_shape(pointee)[0]:
            what = f"elements of type {pointee.spelling} as memory"
            self.scope.refuse(argument, "C_POINTER", what, "arrays of scalars and of structs")
        return found, element

    def copy_elements(
        self, target: Cursor, source: Cursor, size: Cursor, cursor: Cursor, overlaps: bool
    ) -> None:
        """The elements have the values of the source's."""
        place = locate(cursor)
        to, type_ = self.find_elements(target)
        origin, other = self.find_elements(source)
        names = [each.get_canonical().spelling.replace("const ", "") for each in (type_, other)]
        if names[0] != names[1]:
            what = f"a copy of {other.spelling} to {type_.spelling}"
            self.scope.refuse(cursor, "C_POINTER", what, "elements of one type")
        count = self.find_count(size, type_)

        def copy(index: Expression) -> None:
            pair = [select_element(each, index, place) for each in (to, origin)]
            self.assignments.copy_struct(pair[0], pair[1], type_, cursor)

        repeat = self.assignments.repeat
        if overlaps and share_array(to, origin):
            body = self.scope.body
            forward = body.write_body(repeat, count, copy, place)
            backward = body.write_body(repeat, count, copy, place, backward=True)
            condition = compare_pointers(Relation.LE, to, origin, place)
            body.append(If(place, condition, forward, backward))
            return
        repeat(count, copy, place)

    def fill_elements(self, target: Cursor, value: Cursor, size: Cursor, cursor: Cursor) -> None:
        """The bytes of all elements have the value."""
        place, body = locate(cursor), self.scope.body
        to, type_ = self.find_elements(target)
        byte = find_constant(value, Int(8, False))
        given = None if byte is not None else body.hold_expression(self.evaluate(value))
        count = self.find_count(size, type_)

        def fill_place(named: Named) -> None:
            if isinstance(named, Either):
                arms = [body.write_body(fill_place, e) for e in (named.first, named.second)]
                body.append(If(place, named.condition, *arms))
                return
            if isinstance(named, Struct):
                for field in named.fields.values():
                    fill_place(field)
                return
            if isinstance(named, Pointer):
                sizes = named.memory.shape[len(named.indices) :]
                first = flatten_pointer(named, place)
                inner = Number(OFFSET, place, prod(sizes))
                self.assignments.repeat(
                    inner, lambda k: fill_place(select_element(first, k, place)), place
                )
                return
            assert isinstance(named, Element)
            scalar = named.memory.type
            if byte is not None:
                bytes_ = (scalar.width + 7) // 8
                pattern = int.from_bytes(bytes([byte.pattern]) * bytes_, "little")
                filled: Expression = Number(scalar, place, pattern & ((1 << scalar.width) - 1))
            elif isinstance(scalar, Int) and scalar.width == 8:
                assert given is not None
                filled = convert_expression(given, scalar, place)
            else:
                what = "a byte that is no constant, for elements of more than one"
                self.scope.refuse(value, "C_CALL", what, "a constant, or a loop")
            self.assignments.assign_place(named, filled, place, cursor)

        self.assignments.repeat(count, lambda k: fill_place(select_element(to, k, place)), place)

    def find_count(self, size: Cursor, type_: CType) -> Expression:
        """How many elements of the type the size is [elements]; refused if it is no multiple."""
        place, bytes_ = locate(size), int(type_.get_size())
        known = find_constant(size, OFFSET)
        if known is not None:
            if known.pattern % bytes_:
                what = f"{known.pattern} bytes of elements of {bytes_}"
                self.scope.refuse(size, "C_CALL", what, SIZES)
            return Number(OFFSET, place, known.pattern // bytes_)
        if bytes_ == 1:
            return self.hold_count(size)
        inner = strip_conversions(size)
        if inner.kind == load_libclang().CursorKind.BINARY_OPERATOR and (
            get_binary_operator(inner) == MULTIPLY
        ):
            sides = list_children(inner)
            for one, other in (sides, reversed(sides)):
                factor = find_constant(one, OFFSET)
                if factor is not None and factor.pattern % bytes_ == 0:
                    count, scale = self.hold_count(other), factor.pattern // bytes_
                    if scale == 1:
                        return count
                    return Apply(OFFSET, place, arith.MuliOp, (count, Number(OFFSET, place, scale)))
        what = f"a size in bytes of elements of {bytes_}"
        return self.scope.refuse(size, "C_CALL", what, SIZES)

    def hold_count(self, cursor: Cursor) -> Expression:
        """The value of the number as it is before the loop."""
        place: Place = locate(cursor)
        value = convert_expression(self.evaluate(cursor), OFFSET, place)
        return self.scope.body.hold_expression(value, place)


def strip_conversions(cursor: Cursor) -> Cursor:
    """What is converted to void *, or to another width."""
    while True:
        inner = find_wrapped(cursor)
        is_cast = cursor.kind == load_libclang().CursorKind.CSTYLE_CAST_EXPR
        if (
            inner is None
            and is_cast
            and is_pointer(cursor.type)
            and (get_kind(get_pointee_type(cursor.type)) == "VOID")
        ):
            inner = list_children(cursor)[-1]
        if inner is None:
            return cursor
        if (
            is_pointer(cursor.type)
            and get_kind(get_pointee_type(cursor.type)) != "VOID"
            and (
                cursor.type.get_canonical().kind.name == "POINTER"
                and inner.type.get_canonical().kind.name != "POINTER"
                and cursor.kind.name == "UNEXPOSED_EXPR"
            )
        ):
            return cursor  # an array as a pointer to its first element
        cursor = inner
