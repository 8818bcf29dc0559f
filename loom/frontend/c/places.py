"""What a name or an expression of C stands for: a variable, a word, an array, a struct.

An array of structs is a struct of arrays: every field has a memory of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith

from loom.errors import Place
from loom.frontend.imperative.tree import (
    Apply,
    Convert,
    Expression,
    Load,
    Memory,
    Number,
    Read,
    Variable,
)
from loom.frontend.imperative.types import OFFSET, Int


@dataclass(frozen=True, eq=False, slots=True)
class Element:
    """A word of a memory."""

    memory: Memory
    indices: tuple[Expression, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Pointer:
    """The first of the elements that stand in a row in a memory, each of shape `rest`.

    They begin under `indices`, or at `position` [words] if that is known.
    """

    memory: Memory
    indices: tuple[Expression, ...]
    position: Expression | None
    rest: tuple[int, ...]


@dataclass(eq=False, slots=True)
class PointerVariable:
    """A variable that points into a memory, which its first assignment tells.

    A pointer to structs has a memory for each field, in which it stands at the same element;
    `element` counts elements.
    """

    name: str
    element: Variable
    base: Pointed | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Struct:
    """The fields of a struct, or of the elements of an array of structs of `rank` dimensions."""

    fields: dict[str, Named]
    rank: int = 0


Pointed = Pointer | Struct
Named = Variable | Element | Pointer | PointerVariable | Struct | Number


def element_of(base: Named, index: Expression, place: Place) -> Named:
    """The element at the index, an array again if it is one."""
    if isinstance(base, Struct):
        fields = {name: element_of(field, index, place) for name, field in base.fields.items()}
        return Struct(fields, base.rank - 1)
    assert isinstance(base, Pointer)
    if base.position is None:
        indices = (*base.indices, index)
        if not base.rest:
            return Element(base.memory, indices)
        return Pointer(base.memory, indices, None, base.rest[1:])
    position = plus(base.position, scaled(index, prod(base.rest), place), place)
    if not base.rest:
        return Element(base.memory, (position,))
    return Pointer(base.memory, (), position, base.rest[1:])


def moved(base: Pointed, index: Expression, place: Place) -> Pointed:
    """The pointer so many elements further on."""
    if isinstance(base, Struct):
        fields: dict[str, Named] = {}
        for name, field in base.fields.items():
            assert isinstance(field, Pointer | Struct)
            fields[name] = moved(field, index, place)
        return Struct(fields, base.rank)
    position = plus(position_of(base, place), scaled(index, prod(base.rest), place), place)
    return Pointer(base.memory, (), position, base.rest)


def position_of(pointer: Pointer, place: Place) -> Expression:
    """Where the pointer stands [words]."""
    if pointer.position is not None:
        return pointer.position
    return linear(pointer.memory, pointer.indices, place)


def linear(memory: Memory, indices: tuple[Expression, ...], place: Place) -> Expression:
    """The position of the first word under these indices [words]."""
    found: Expression = Number(OFFSET, place, 0)
    for number, index in enumerate(indices):
        found = plus(found, scaled(index, prod(memory.shape[number + 1 :]), place), place)
    return found


def first_words(named: Named) -> Pointer | None:
    """A pointer of those that a pointer stands for."""
    while isinstance(named, Struct):
        named = next(iter(named.fields.values()))
    return named if isinstance(named, Pointer) else None


def memories_of(named: Named) -> list[Memory]:
    """The memories that a pointer points into."""
    if isinstance(named, Struct):
        return [memory for field in named.fields.values() for memory in memories_of(field)]
    return [named.memory] if isinstance(named, Pointer | Element) else []


def offset(value: Expression, place: Place) -> Expression:
    """The integer as a distance."""
    if value.type == OFFSET:
        return value
    if isinstance(value, Number):
        assert isinstance(value.type, Int)
        return Number(OFFSET, place, value.type.number(value.pattern))
    return Convert(OFFSET, place, value)


def scaled(index: Expression, size: int, place: Place) -> Expression:
    """The distance of so many elements of a size [words]."""
    index = offset(index, place)
    if isinstance(index, Number):
        return Number(OFFSET, place, OFFSET.number(index.pattern) * size)
    if size == 1:
        return index
    return Apply(OFFSET, place, arith.MuliOp, (index, Number(OFFSET, place, size)))


def plus(left: Expression, right: Expression, place: Place) -> Expression:
    """The sum of two distances."""
    if isinstance(left, Number) and isinstance(right, Number):
        return Number(OFFSET, place, OFFSET.number(left.pattern) + OFFSET.number(right.pattern))
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Number) and OFFSET.number(one.pattern) == 0:
            return other
    return Apply(OFFSET, place, arith.AddiOp, (left, right))


def minus(left: Expression, right: Expression, place: Place) -> Expression:
    """The difference of two distances."""
    return Apply(OFFSET, place, arith.SubiOp, (left, right))


def value_at(named: Variable | Element | Number, place: Place) -> Expression:
    """The value of a variable or a word."""
    if isinstance(named, Number):
        return Number(named.type, place, named.pattern)
    if isinstance(named, Variable):
        return Read(named.type, place, named)
    return Load(named.memory.type, place, named.memory, named.indices)
