"""Initializers of C: the value of each scalar of a variable, array or struct."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, repeat
from math import prod

from loom.elements import Elements, encode_elements
from loom.errors import LoomError, Place
from loom.frontend.c.library import (
    Cursor,
    encode_float,
    evaluate_node,
    list_children,
    load_libclang,
    locate,
)
from loom.frontend.c.places import Named, Pointer, Struct, select_element
from loom.frontend.c.types import CType, find_array, find_shape, find_sizes, get_kind, is_pointer
from loom.frontend.imperative.tree import Number
from loom.frontend.imperative.types import OFFSET, Float, Type

Given = Cursor | int | None
"""An expression, the byte of a string, or nothing, which is zero."""


def find_constant(cursor: Cursor, type_: Type) -> Number | None:
    """The constant that clang finds the expression to be, in this type; None if it is none."""
    pattern = find_pattern(cursor, type_)
    return None if pattern is None else Number(type_, locate(cursor), pattern)


def find_pattern(cursor: Cursor, type_: Type) -> int | None:
    """The bit pattern of that constant; None if it is none.

    Where it stands is not asked: libclang counts the characters of the line before it.
    """
    found = evaluate_node(cursor)
    if found is None:
        return None
    if isinstance(type_, Float):
        with suppress(OverflowError):
            return encode_float(float(found), type_.width)
        return None
    return None if isinstance(found, float) else found & ((1 << type_.width) - 1)


def find_initializer(cursor: Cursor) -> Cursor | None:
    """The expression that a variable begins with, if there is one."""
    cursors = load_libclang().CursorKind
    expressions = [each for each in list_children(cursor) if each.kind.is_expression()]
    if not expressions:
        return None
    last = expressions[-1]
    if find_array(cursor.type) is None:
        return last
    # The sizes of an array are expressions, too.
    is_value = last.kind in (cursors.INIT_LIST_EXPR, cursors.STRING_LITERAL)
    return last if is_value else None


def find_array_shape(cursor: Cursor) -> tuple[tuple[int, ...], CType]:
    """Sizes and elements of an array; refused if a size is not known."""
    known, inner = find_sizes(cursor.type, locate(cursor))
    if is_pointer(inner):
        what = f"the array of pointers {cursor.spelling}"
        raise LoomError("C_POINTER", locate(cursor), what, "arrays of numbers, and indices")
    return known, inner


def pair_initializers(
    named: Named, queue: deque[Given], place: Place, *, zeros: bool = True
) -> Iterator[tuple[Named, Given]]:
    """Each scalar of the place with its value from the front of the list.

    Braces around a part may be left out; a struct may have another struct as its value. Without
    `zeros` the scalars behind the end of a list are left out.
    """
    first = queue[0] if queue else None
    if isinstance(named, Struct | Pointer) and first is not None and not isinstance(first, int):
        refuse_designator(first)
        size = find_extent(named)
        if first.kind == load_libclang().CursorKind.INIT_LIST_EXPR:
            queue.popleft()
            yield from pair_parts(named, deque(list_children(first)), place, zeros=zeros)
            return
        if is_string(first) and size is not None:
            queue.popleft()
            queue.extendleft(reversed(list_characters(first, size)))
        elif isinstance(named, Struct) and get_kind(first.type) == "RECORD":
            yield named, queue.popleft()
            return
    if isinstance(named, Struct | Pointer):
        yield from pair_parts(named, queue, place, zeros=zeros)
    else:
        given = queue.popleft() if queue else None
        if given is not None and not isinstance(given, int):
            refuse_designator(given)
            if given.kind == load_libclang().CursorKind.INIT_LIST_EXPR:
                given = next(iter(list_children(given)), None)
        yield named, given


def pair_parts(
    named: Named, queue: deque[Given], place: Place, *, zeros: bool
) -> Iterator[tuple[Named, Given]]:
    """The parts of a struct or array, from the front of the list."""
    size = find_extent(named)
    if size is not None:
        if len(queue) == 1 and not isinstance(queue[0], int | None) and is_string(queue[0]):
            queue.extendleft(reversed(list_characters(queue.popleft(), size)))
        for number in range(size):
            if not queue and not zeros:
                return
            part = select_element(named, Number(OFFSET, place, number), place)
            yield from pair_initializers(part, queue, place, zeros=zeros)
    else:
        assert isinstance(named, Struct)
        for field in named.fields.values():
            if not queue and not zeros:
                return
            yield from pair_initializers(field, queue, place, zeros=zeros)


def find_extent(named: Named) -> int | None:
    """The number of elements of an array, of structs too; None for anything else."""
    if isinstance(named, Struct) and not named.rank:
        return None
    while isinstance(named, Struct):
        named = next(iter(named.fields.values()))
    return named.memory.shape[len(named.indices)] if isinstance(named, Pointer) else None


def refuse_designator(cursor: Cursor) -> None:
    """Refuse `.name =` and `[number] =` in a list of values."""
    if cursor.kind == load_libclang().CursorKind.UNEXPOSED_EXPR and get_kind(cursor.type) == "VOID":
        what, accepted = "a designator in a list of values", "the values in order"
        raise LoomError("C_INITIAL", locate(cursor), what, accepted)


def flatten_initializer(initial: Cursor, type_: CType) -> list[Given]:
    """The value of each element in row-major order, None for zero; braces may be left out."""
    sizes, _ = find_shape(type_)
    shape = [size for size in sizes if size]
    found: list[Given] = []
    given = [initial] if is_string(initial) else list_children(initial)
    take_elements(deque(given), shape, found)
    return found


def is_string(cursor: Cursor) -> bool:
    """True for string literals."""
    return bool(cursor.kind == load_libclang().CursorKind.STRING_LITERAL)


def take_elements(given: deque[Cursor], shape: list[int], found: list[Given]) -> None:
    """The elements of one array of this shape are found, from the front of the list."""
    end = len(found) + prod(shape)
    while len(found) < end and given:
        first = given[0]
        refuse_designator(first)
        if is_string(first) and len(shape) == 1:
            found.extend(list_characters(given.popleft(), shape[0]))
        elif first.kind == load_libclang().CursorKind.INIT_LIST_EXPR:
            given.popleft()
            below = list_children(first)
            if len(shape) > 1 or (below and is_string(below[0])):
                take_elements(deque(below), shape[1:] or shape, found)
            else:
                found.extend(below[:1] or [None])
        elif len(shape) > 1:
            take_elements(given, shape[1:], found)
        else:
            found.append(given.popleft())
    found.extend([None] * (end - len(found)))


def find_patterns(given: list[Given], type_: Type) -> Elements | None:
    """The bit patterns of the values, or None if one of them is no constant."""
    patterns: list[int] = []
    end = next((k for k in range(len(given), 0, -1) if given[k - 1] is not None), 0)
    for each in given[:end]:
        if each is None or isinstance(each, int):
            patterns.append(each or 0)
            continue
        pattern = find_pattern(each, type_)
        if pattern is None:
            return None
        patterns.append(pattern)
    return encode_elements(chain(patterns, repeat(0, len(given) - end)))


def list_characters(cursor: Cursor, size: int) -> list[Given]:
    """The bytes of a string literal, with zeros behind them."""
    tokens = [token.spelling for token in cursor.get_tokens()]
    try:
        data = b"".join(ast.literal_eval("b" + token) for token in tokens)
    except (SyntaxError, ValueError):
        what, accepted = f"the string {cursor.spelling}", "plain strings, or a list of numbers"
        raise LoomError("C_INITIAL", locate(cursor), what, accepted) from None
    return [*data, *[0] * size][:size]
