"""What a name or an expression of C stands for: a variable, an element, an array, a struct.

An array of structs is a struct of arrays: every field has a memory of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith

from loom.errors import Place
from loom.frontend.c.types import CType, find_fields, find_scalar, find_sizes
from loom.frontend.imperative.tree import (
    Apply,
    Convert,
    Expression,
    Kind,
    Load,
    Memory,
    Number,
    Read,
    Variable,
)
from loom.frontend.imperative.types import OFFSET, Int


@dataclass(frozen=True, eq=False, slots=True)
class Element:
    """An element of a memory."""

    memory: Memory
    indices: tuple[Expression, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Pointer:
    """The first of the elements that stand in a row in a memory, each of shape `rest`.

    They begin under `indices`, or at `position` [elements] if that is known.
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


def select_element(base: Named, index: Expression, place: Place) -> Named:
    """The element at the index, an array again if it is one."""
    if isinstance(base, Struct):
        fields = {name: select_element(field, index, place) for name, field in base.fields.items()}
        return Struct(fields, base.rank - 1)
    assert isinstance(base, Pointer)
    if base.position is None:
        indices = (*base.indices, index)
        if not base.rest:
            return Element(base.memory, indices)
        return Pointer(base.memory, indices, None, base.rest[1:])
    position = add_offsets(base.position, scale_index(index, prod(base.rest), place), place)
    if not base.rest:
        return Element(base.memory, (position,))
    return Pointer(base.memory, (), position, base.rest[1:])


def select_only(base: Named, place: Place) -> Named:
    """The only element of an array."""
    return select_element(base, Number(OFFSET, place, 0), place)


def move_pointer(base: Pointed, index: Expression, place: Place) -> Pointed:
    """The pointer so many elements further on."""
    if isinstance(base, Struct):
        fields: dict[str, Named] = {}
        for name, field in base.fields.items():
            assert isinstance(field, Pointer | Struct)
            fields[name] = move_pointer(field, index, place)
        return Struct(fields, base.rank)
    position = add_offsets(
        find_position(base, place), scale_index(index, prod(base.rest), place), place
    )
    return Pointer(base.memory, (), position, base.rest)


def find_position(pointer: Pointer, place: Place) -> Expression:
    """Where the pointer stands [elements]."""
    if pointer.position is not None:
        return pointer.position
    return linearize_indices(pointer.memory, pointer.indices, place)


def flatten_pointer(pointer: Pointer, place: Place) -> Pointer:
    """A pointer to the first scalar of what the pointer points to."""
    return Pointer(pointer.memory, (), find_position(pointer, place), ())


def linearize_indices(memory: Memory, indices: tuple[Expression, ...], place: Place) -> Expression:
    """The position of the first element under these indices [elements]."""
    found: Expression = Number(OFFSET, place, 0)
    for number, index in enumerate(indices):
        found = add_offsets(
            found, scale_index(index, prod(memory.shape[number + 1 :]), place), place
        )
    return found


def find_first_pointer(named: Named) -> Pointer | None:
    """A pointer of those that a pointer stands for."""
    while isinstance(named, Struct):
        named = next(iter(named.fields.values()))
    return named if isinstance(named, Pointer) else None


def list_memories(named: Named) -> list[Memory]:
    """The memories that a pointer points into."""
    if isinstance(named, Struct):
        return [memory for field in named.fields.values() for memory in list_memories(field)]
    return [named.memory] if isinstance(named, Pointer | Element) else []


def list_variables(named: Named) -> list[Variable]:
    """The variables of a scalar or struct."""
    if isinstance(named, Struct):
        return [each for field in named.fields.values() for each in list_variables(field)]
    return [named] if isinstance(named, Variable) else []


def find_array_start(to: Pointed) -> Pointed:
    """A pointer to the beginning of the arrays that one points into."""
    if isinstance(to, Struct):
        fields: dict[str, Named] = {}
        for name, field in to.fields.items():
            assert isinstance(field, Pointer | Struct)
            fields[name] = find_array_start(field)
        return Struct(fields, to.rank)
    return Pointer(to.memory, (), Number(OFFSET, to.memory.place, 0), to.rest)


def convert_to_offset(value: Expression, place: Place) -> Expression:
    """The integer as a distance."""
    if value.type == OFFSET:
        return value
    if isinstance(value, Number):
        assert isinstance(value.type, Int)
        return Number(OFFSET, place, value.type.decode(value.pattern))
    return Convert(OFFSET, place, value)


def scale_index(index: Expression, size: int, place: Place) -> Expression:
    """The distance of so many elements of a size [elements]."""
    index = convert_to_offset(index, place)
    if isinstance(index, Number):
        return Number(OFFSET, place, OFFSET.decode(index.pattern) * size)
    if size == 1:
        return index
    return Apply(OFFSET, place, arith.MuliOp, (index, Number(OFFSET, place, size)))


def add_offsets(left: Expression, right: Expression, place: Place) -> Expression:
    """The sum of two distances."""
    if isinstance(left, Number) and isinstance(right, Number):
        return Number(OFFSET, place, OFFSET.decode(left.pattern) + OFFSET.decode(right.pattern))
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Number) and OFFSET.decode(one.pattern) == 0:
            return other
    return Apply(OFFSET, place, arith.AddiOp, (left, right))


def subtract_offsets(left: Expression, right: Expression, place: Place) -> Expression:
    """The difference of two distances."""
    return Apply(OFFSET, place, arith.SubiOp, (left, right))


def read_place(named: Variable | Element | Number, place: Place) -> Expression:
    """The value of a variable or an element."""
    if isinstance(named, Number):
        return Number(named.type, place, named.pattern)
    if isinstance(named, Variable):
        return Read(named.type, place, named)
    return Load(named.memory.type, place, named.memory, named.indices)


def make_arrays(
    name: str, type_: CType, shape: tuple[int, ...], place: Place, kind: Kind
) -> Pointer | Struct:
    """An array of this shape, with a memory for each field if its elements are structs."""
    fields = find_fields(type_, place)
    if fields is None:
        memory = Memory(name, find_scalar(type_, place), shape, place, kind)
        return Pointer(memory, (), None, shape[1:])
    arrays: dict[str, Named] = {}
    for each, inner in fields:
        sizes, element_type = find_sizes(inner, place)
        arrays[each] = make_arrays(f"{name}_{each}", element_type, (*shape, *sizes), place, kind)
    return Struct(arrays, len(shape))
