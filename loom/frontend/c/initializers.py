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
from loom.frontend.c.places import Named, Pointer, PointerVariable, Struct, select_element
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
        size = find_extent(named)
        if first.kind == load_libclang().CursorKind.INIT_LIST_EXPR:
            queue.popleft()
            below = list_children(first)
            pair = pair_designated if any(map(read_designator, below)) else pair_parts
            yield from pair(named, deque(below), place, zeros=zeros)
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
        is_list = (
            given is not None
            and not isinstance(given, int)
            and (given.kind == load_libclang().CursorKind.INIT_LIST_EXPR)
        )
        yield named, next(iter(list_children(given)), None) if is_list else given


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
    if isinstance(named, PointerVariable):
        return None
    while isinstance(named, Struct):
        named = next(iter(named.fields.values()))
    if isinstance(named, PointerVariable):
        return 1  # that of an array of one struct
    return named.memory.shape[len(named.indices)] if isinstance(named, Pointer) else None


Path = list[int | str]
"""What a designator says: the numbers of elements and names of fields, from the outside in."""


def read_designator(given: Given) -> tuple[Path, Cursor] | None:
    """What `.name[number] =` in a list of values says, and the value; None for a plain value."""
    kinds = load_libclang().CursorKind
    if given is None or isinstance(given, int) or given.kind != kinds.UNEXPOSED_EXPR:
        return None
    if get_kind(given.type) != "VOID":
        return None
    *names, value = list_children(given)
    path: Path = []
    for each in names:
        index = None if each.kind == kinds.MEMBER_REF else evaluate_node(each)
        path.append(str(each.spelling) if index is None else int(index))
    is_range = any(token.spelling == "..." for token in given.get_tokens())
    if is_range or not path:
        what, accepted = "a designator of a range", "a designator for each element, or a loop"
        raise LoomError("C_INITIAL", locate(given), what, accepted)
    return path, value


def pair_designated(
    named: Named, queue: deque[Given], place: Place, *, zeros: bool
) -> Iterator[tuple[Named, Given]]:
    """The parts of a struct or array of which the list designates some."""
    size = find_extent(named)
    assert isinstance(named, Struct | Pointer)
    fields = [*named.fields] if isinstance(named, Struct) and size is None else []

    def select(part: Named, key: int | str) -> Named:
        if isinstance(key, str):
            assert isinstance(part, Struct)
            return part.fields[key]
        return select_element(part, Number(OFFSET, place, key), place)

    keys: list[int | str] = [*fields] if size is None else [*range(size)]
    found: dict[int | str, list[tuple[Named, Given]]] = {}
    position = 0
    while queue:
        designated = read_designator(queue[0])
        if designated is not None:
            path, value = designated
            position = keys.index(path[0])
            queue[0] = value
        elif position == len(keys):
            break
        else:
            path = [keys[position]]
        part = select(named, path[0])
        before: list[tuple[Named, Given]] = []
        if len(path) > 1:
            before = found.get(path[0], [])
            if not before and zeros:
                before = [*pair_initializers(part, deque(), place)]
        for key in path[1:]:
            part = select(part, key)
        own = deque([queue.popleft()])
        while queue and read_designator(queue[0]) is None:
            own.append(queue.popleft())
        found[path[0]] = [*before, *pair_initializers(part, own, place, zeros=zeros)]
        queue.extendleft(reversed(own))
        position += 1
    for key in keys:
        if key in found:
            yield from found[key]
        elif zeros:
            yield from pair_initializers(select(named, key), deque(), place)


def flatten_initializer(initial: Cursor, type_: CType) -> list[Given]:
    """The value of each element in row-major order, None for zero; braces may be left out."""
    sizes, _ = find_shape(type_)
    shape = [size for size in sizes if size]
    found: list[Given] = []
    given = [initial] if is_string(initial) else list_children(initial)
    if any(read_designator(node) for node in walk_lists(initial)):
        designated: dict[int, Given] = {}
        place_designated(given, shape, 0, designated)
        return [designated.get(number) for number in range(prod(shape))]
    take_elements(deque(given), shape, found)
    return found


def walk_lists(initial: Cursor) -> Iterator[Cursor]:
    """The values of a list, and those of the lists in it."""
    work = [initial]
    while work:
        for each in list_children(work.pop()):
            yield each
            if each.kind == load_libclang().CursorKind.INIT_LIST_EXPR:
                work.append(each)


def place_designated(
    given: list[Cursor], shape: list[int], base: int, found: dict[int, Given]
) -> None:
    """The elements of an array that begins at `base` are found by their positions."""
    queue, number = deque(given), 0
    while queue:
        path: Path = [number]
        value: Cursor = queue.popleft()
        designated = read_designator(value)
        if designated is not None:
            path, value = designated
        begin, inner = base, shape
        for index in path:
            assert isinstance(index, int)
            inner = inner[1:]
            begin += index * prod(inner)
        if value.kind == load_libclang().CursorKind.INIT_LIST_EXPR:
            below = list_children(value)
            if inner:
                place_designated(below, inner, begin, found)
            else:
                found[begin] = below[0] if below else None
        elif is_string(value) and len(inner) == 1:
            found |= dict(enumerate(list_characters(value, inner[0]), begin))
        else:
            for position in range(begin, begin + prod(inner)):
                found[position] = value
                if position + 1 < begin + prod(inner):
                    if not queue or read_designator(queue[0]) is not None:
                        break
                    value = queue.popleft()
        first = path[0]
        assert isinstance(first, int)
        number = first + 1


def is_string(cursor: Cursor) -> bool:
    """True for string literals."""
    return bool(cursor.kind == load_libclang().CursorKind.STRING_LITERAL)


def take_elements(given: deque[Cursor], shape: list[int], found: list[Given]) -> None:
    """The elements of one array of this shape are found, from the front of the list."""
    end = len(found) + prod(shape)
    while len(found) < end and given:
        first = given[0]
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
