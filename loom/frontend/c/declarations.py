"""Declarations of C: variables, arrays and structs, and what they begin with."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod

from loom.errors import LoomError, Place
from loom.frontend.c.expressions import Expressions
from loom.frontend.c.library import Cursor, binding, children, place_of
from loom.frontend.c.places import Element, Named, Pointer, PointerVariable, Struct, element_of
from loom.frontend.c.state import memories
from loom.frontend.c.types import (
    CType,
    array_of,
    fields_of,
    is_const,
    is_pointer,
    kind_of,
    known_sizes,
    scalar_type,
    shape_of,
)
from loom.frontend.imperative.tree import Copy, Kind, Memory, Number, Variable
from loom.frontend.imperative.types import OFFSET, Type


@dataclass
class Declarations(Expressions):
    """Reads declarations in functions."""

    def declare(self, cursor: Cursor) -> None:
        """The variables of a declaration are known, and have their first values."""
        kinds = binding().CursorKind
        for each in children(cursor):
            if each.kind == kinds.VAR_DECL:
                self.declare_variable(each)

    def declare_variable(self, cursor: Cursor) -> None:
        """The variable is known, and has its first value."""
        place, type_ = place_of(cursor), cursor.type
        storage = cursor.storage_class.name
        if storage in ("STATIC", "EXTERN"):
            self.names[cursor.hash] = self.program.globals(cursor)
            return
        initial = initial_of(cursor)
        if is_pointer(type_) and array_of(type_) is None:
            named = PointerVariable(cursor.spelling, self.variable(cursor.spelling, OFFSET))
            self.names[cursor.hash] = named
            if initial is not None:
                self.point(named, self.pointer(initial), cursor)
            return
        if array_of(type_) is not None:
            self.declare_array(cursor, initial)
            return
        made = self.room(cursor, place)
        if initial is not None:
            self.begin(made, initial, cursor)
        if isinstance(made, Variable) and type_.is_const_qualified() and initial is not None:
            known = self.constant(initial, made.type)
            made = known if known is not None else made
        self.names[cursor.hash] = made

    def room(self, cursor: Cursor, place: Place) -> Named:
        """A scalar or struct: variables, or words of memories where an address is taken."""
        if cursor.hash in self.addressed:
            made = memories(cursor.spelling, cursor.type, (1,), place, Kind.LOCAL)
            return element(made, place)
        return self.new(cursor.spelling, cursor.type, place)

    def begin(self, named: Named, initial: Cursor, cursor: Cursor) -> None:
        """The scalar, struct or array has the value."""
        place = place_of(cursor)
        for target, given in spread(named, [initial], place):
            if isinstance(target, Struct):
                assert given is not None and not isinstance(given, int)
                self.copy_struct(target, self.designated(given), cursor)
                continue
            assert isinstance(target, Variable | Element)
            type_ = target.type if isinstance(target, Variable) else target.memory.type
            if given is None or isinstance(given, int):
                self.assign(target, Number(type_, place, given or 0), place, cursor)
            else:
                self.assign(target, self.value(given), place, cursor)

    def declare_array(self, cursor: Cursor, initial: Cursor | None) -> None:
        """The array is known, and has its first values."""
        place, name = place_of(cursor), cursor.spelling
        sizes, inner = known_shape(cursor)
        if initial is None or fields_of(inner, place) is not None:
            made = memories(name, inner, sizes, place, Kind.LOCAL)
            self.names[cursor.hash] = made
            if initial is not None:
                self.begin(made, initial, cursor)
            return
        type_ = scalar_type(inner, place)
        given = list_of(initial, cursor.type, place)
        words = known_words(given, type_, self.constant)
        first = Memory(name, type_, sizes, place, Kind.CONSTANT, words)
        if words is not None and is_const(cursor.type):
            self.names[cursor.hash] = Pointer(first, (), None, sizes[1:])
            return
        memory = Memory(name, type_, sizes, place, Kind.LOCAL)
        self.names[cursor.hash] = Pointer(memory, (), None, sizes[1:])
        if words is not None:
            self.out.append(Copy(place, first, memory))
            return
        self.begin(self.names[cursor.hash], initial, cursor)


def initial_of(cursor: Cursor) -> Cursor | None:
    """The expression that a variable begins with, if there is one."""
    cursors = binding().CursorKind
    expressions = [each for each in children(cursor) if each.kind.is_expression()]
    if not expressions:
        return None
    last = expressions[-1]
    if array_of(cursor.type) is None:
        return last
    # The sizes of an array are expressions, too.
    is_value = last.kind in (cursors.INIT_LIST_EXPR, cursors.STRING_LITERAL)
    return last if is_value else None


def known_shape(cursor: Cursor) -> tuple[tuple[int, ...], CType]:
    """Sizes and elements of an array; refused if a size is not known."""
    known, inner = known_sizes(cursor.type, place_of(cursor))
    if is_pointer(inner):
        what = f"the array of pointers {cursor.spelling}"
        raise LoomError("C_POINTER", place_of(cursor), what, "arrays of numbers, and indices")
    return known, inner


def element(named: Named, place: Place) -> Named:
    """The only element of an array."""
    return element_of(named, Number(OFFSET, place, 0), place)


Given = Cursor | int | None
"""An expression, the byte of a string, or nothing, which is zero."""


def spread(named: Named, queue: list[Given], place: Place) -> Iterator[tuple[Named, Given]]:
    """Each scalar of the place with its value from the front of the list.

    Braces around a part may be left out; a struct may have another struct as its value.
    """
    first = queue[0] if queue else None
    if isinstance(named, Struct | Pointer) and first is not None and not isinstance(first, int):
        refuse_designator(first)
        size = extent_of(named)
        if first.kind == binding().CursorKind.INIT_LIST_EXPR:
            queue.pop(0)
            yield from spread_inside(named, [*children(first)], place)
            return
        if is_text(first) and size is not None:
            queue[:1] = characters(first, size)
        elif isinstance(named, Struct) and kind_of(first.type) == "RECORD":
            yield named, queue.pop(0)
            return
    if isinstance(named, Struct | Pointer):
        yield from spread_inside(named, queue, place)
    else:
        given = queue.pop(0) if queue else None
        if given is not None and not isinstance(given, int):
            refuse_designator(given)
            if given.kind == binding().CursorKind.INIT_LIST_EXPR:
                given = next(iter(children(given)), None)
        yield named, given


def spread_inside(named: Named, queue: list[Given], place: Place) -> Iterator[tuple[Named, Given]]:
    """The parts of a struct or array, from the front of the list."""
    size = extent_of(named)
    if size is not None:
        if len(queue) == 1 and not isinstance(queue[0], int | None) and is_text(queue[0]):
            queue[:1] = characters(queue[0], size)
        for number in range(size):
            yield from spread(element_of(named, Number(OFFSET, place, number), place), queue, place)
    else:
        assert isinstance(named, Struct)
        for field in named.fields.values():
            yield from spread(field, queue, place)


def extent_of(named: Named) -> int | None:
    """The number of elements of an array, of structs too; None for anything else."""
    if isinstance(named, Struct) and not named.rank:
        return None
    while isinstance(named, Struct):
        named = next(iter(named.fields.values()))
    return named.memory.shape[len(named.indices)] if isinstance(named, Pointer) else None


def refuse_designator(cursor: Cursor) -> None:
    """Refuse `.name =` and `[number] =` in a list of values."""
    if cursor.kind == binding().CursorKind.UNEXPOSED_EXPR and kind_of(cursor.type) == "VOID":
        what, accepted = "a designator in a list of values", "the values in order"
        raise LoomError("C_INITIAL", place_of(cursor), what, accepted)


def list_of(initial: Cursor, type_: CType, place: Place) -> list[Cursor | int | None]:
    """The value of each word in row-major order, None for zero; braces may be left out."""
    sizes, _ = shape_of(type_)
    shape = [size for size in sizes if size]
    found: list[Cursor | int | None] = []
    take([initial] if is_text(initial) else children(initial), shape, found)
    return found


def is_text(cursor: Cursor) -> bool:
    """True for string literals."""
    return bool(cursor.kind == binding().CursorKind.STRING_LITERAL)


def take(given: list[Cursor], shape: list[int], found: list[Cursor | int | None]) -> None:
    """The words of one array of this shape are found, from the front of the list."""
    end = len(found) + prod(shape)
    while len(found) < end and given:
        first = given[0]
        refuse_designator(first)
        if is_text(first) and len(shape) == 1:
            found.extend(characters(given.pop(0), shape[0]))
        elif first.kind == binding().CursorKind.INIT_LIST_EXPR:
            given.pop(0)
            if len(shape) > 1 or (children(first) and is_text(children(first)[0])):
                take(children(first), shape[1:] or shape, found)
            else:
                found.extend(children(first)[:1] or [None])
        elif len(shape) > 1:
            take(given, shape[1:], found)
        else:
            found.append(given.pop(0))
    found.extend([None] * (end - len(found)))


def known_words(
    given: list[Cursor | int | None], type_: Type, find: Callable[[Cursor, Type], Number | None]
) -> tuple[int, ...] | None:
    """The bit patterns of the values, or None if one of them is no constant."""
    patterns: list[int] = []
    for each in given:
        if each is None or isinstance(each, int):
            patterns.append(each or 0)
            continue
        number = find(each, type_)
        if number is None:
            return None
        patterns.append(number.pattern)
    return tuple(patterns)


def characters(cursor: Cursor, words: int) -> list[Cursor | int | None]:
    """The bytes of a string literal, with zeros behind them."""
    tokens = [token.spelling for token in cursor.get_tokens()]
    try:
        data = b"".join(ast.literal_eval("b" + token) for token in tokens)
    except (SyntaxError, ValueError):
        what, accepted = f"the string {cursor.spelling}", "plain strings, or a list of numbers"
        raise LoomError("C_INITIAL", place_of(cursor), what, accepted) from None
    return [*data, *[0] * words][:words]
