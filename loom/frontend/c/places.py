"""What a name or an expression of C stands for: a variable, an element, an array, a struct.

An array of structs is a struct of arrays: every field has a memory of its own. What only the run
tells, such as the array that a pointer points into, is one of two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import zip_longest
from math import prod

from xdsl.dialects import arith

from loom.elements import Elements
from loom.errors import Place
from loom.frontend.c.types import CType, find_fields, find_scalar, find_sizes, is_pointer
from loom.frontend.imperative.tree import (
    Apply,
    Choose,
    Compare,
    Convert,
    Expression,
    Kind,
    Load,
    Memory,
    Number,
    Read,
    Variable,
    list_operands,
    walk_expression,
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


@dataclass(frozen=True, eq=False, slots=True)
class Null:
    """A pointer that points nowhere."""


@dataclass(eq=False, slots=True)
class PointerVariable:
    """A variable that points into a memory, which its assignments tell.

    A pointer to structs has a memory for each field, in which it stands at the same element;
    `element` counts elements. Of several places that it may point into, `number` tells which.
    """

    name: str
    element: Variable
    number: Variable
    bases: list[Base] = field(default_factory=list["Base"])


@dataclass(frozen=True, eq=False, slots=True)
class Reference:
    """The address of a pointer variable."""

    variable: PointerVariable


@dataclass(frozen=True, eq=False, slots=True)
class Struct:
    """The fields of a struct, or of the elements of an array of structs of `rank` dimensions."""

    fields: dict[str, Named]
    rank: int = 0


@dataclass(frozen=True, eq=False, slots=True)
class Either:
    """One of two places, or of two pointers."""

    condition: Expression
    first: Named
    second: Named


Base = Pointer | Struct | Null | Reference
Pointed = Base | Either
Named = Variable | Element | Pointed | PointerVariable | Number


def map_arms(named: Named, change: Callable[[Named], Named]) -> Named:
    """The place, or each of those that it may be, changed."""
    if not isinstance(named, Either):
        return change(named)
    first, second = (map_arms(each, change) for each in (named.first, named.second))
    return Either(named.condition, first, second)


def drop_null(pointer: Named) -> Named:
    """The pointer where it is followed, so points somewhere."""
    if not isinstance(pointer, Either):
        return pointer
    first, second = (drop_null(each) for each in (pointer.first, pointer.second))
    if isinstance(first, Null):
        return second
    return first if isinstance(second, Null) else Either(pointer.condition, first, second)


def list_fields(named: Named) -> dict[str, Named]:
    """The fields of a struct, or of one of two."""
    if isinstance(named, Struct):
        return named.fields
    assert isinstance(named, Either)
    first, second = list_fields(named.first), list_fields(named.second)
    return {name: Either(named.condition, first[name], second[name]) for name in first}


def select_element(base: Named, index: Expression, place: Place) -> Named:
    """The element at the index, an array again if it is one."""
    base = drop_null(base)
    if isinstance(base, Either):
        return map_arms(base, lambda each: select_element(each, index, place))
    if isinstance(base, Struct):
        fields = {name: select_element(field, index, place) for name, field in base.fields.items()}
        return Struct(fields, base.rank - 1)
    if isinstance(base, Reference):
        return base.variable
    if isinstance(base, PointerVariable):
        return base  # the only element of its array
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


def move_pointer(base: Named, index: Expression, place: Place) -> Named:
    """The pointer so many elements further on."""
    if isinstance(base, Either):
        return map_arms(base, lambda each: move_pointer(each, index, place))
    if isinstance(base, Struct):
        fields = {name: move_pointer(each, index, place) for name, each in base.fields.items()}
        return Struct(fields, base.rank)
    if not isinstance(base, Pointer):
        return base
    position = add_offsets(
        find_position(base, place), scale_index(index, prod(base.rest), place), place
    )
    return Pointer(base.memory, (), position, base.rest)


def find_position(pointer: Pointer, place: Place) -> Expression:
    """Where the pointer stands [elements]."""
    if pointer.position is not None:
        return pointer.position
    return linearize_indices(pointer.memory, pointer.indices, place)


def flatten_pointer(pointer: Named, place: Place) -> Pointer:
    """A pointer to the first scalar of what the pointer points to."""
    assert isinstance(pointer, Pointer)
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
    return [each for each in list_owners(named) if isinstance(each, Memory)]


def list_owners(named: Named) -> list[Memory | PointerVariable]:
    """What a pointer points into: memories, and variables that are pointers."""
    match named:
        case Struct():
            return [owner for each in named.fields.values() for owner in list_owners(each)]
        case Either():
            return [*list_owners(named.first), *list_owners(named.second)]
        case Reference():
            return [named.variable]
        case PointerVariable():
            return [named]
        case Pointer() | Element():
            return [named.memory]
        case _:
            return []


def list_variables(named: Named) -> list[Variable]:
    """The variables of a scalar or struct."""
    if isinstance(named, Struct):
        return [each for field in named.fields.values() for each in list_variables(field)]
    return [named] if isinstance(named, Variable) else []


def find_array_start(to: Named) -> Named:
    """A pointer to the beginning of the arrays that one points into."""
    if isinstance(to, Struct):
        return Struct({name: find_array_start(e) for name, e in to.fields.items()}, to.rank)
    if not isinstance(to, Pointer):
        return to
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


def read_place(named: Named, place: Place) -> Expression:
    """The value of a scalar place."""
    if isinstance(named, Either):
        first, second = (read_place(each, place) for each in (named.first, named.second))
        return choose(named.condition, first, second, place)
    if isinstance(named, Number):
        return Number(named.type, place, named.pattern)
    if isinstance(named, Variable):
        return Read(named.type, place, named)
    assert isinstance(named, Element)
    return Load(named.memory.type, place, named.memory, named.indices)


def is_scalar(named: Named) -> bool:
    """True for a place that holds one number."""
    if isinstance(named, Either):
        return is_scalar(named.first) and is_scalar(named.second)
    return isinstance(named, Variable | Element | Number)


def choose(
    condition: Expression, first: Expression, second: Expression, place: Place
) -> Expression:
    """One of two values of one type."""
    if isinstance(condition, Number):
        return first if condition.pattern else second
    if is_same(first, second):
        return first
    return Choose(first.type, place, condition, first, second)


def is_same(left: Expression, right: Expression) -> bool:
    """True if both expressions are written alike, so have one value in one place."""
    pairs = zip_longest(walk_expression(left), walk_expression(right))
    return all(one and other and describe_node(one) == describe_node(other) for one, other in pairs)


def describe_node(node: Expression) -> tuple[object, ...]:
    """What a node of an expression is beside its operands."""
    kind = (type(node), node.type, len(list_operands(node)))
    match node:
        case Number():
            return (*kind, node.pattern)
        case Read():
            return (*kind, node.variable)
        case Apply():
            return (*kind, node.operation)
        case Load():
            return (*kind, node.memory)
        case Compare():
            return (*kind, node.relation)
        case _:
            return kind


def make_arrays(
    name: str, type_: CType, shape: tuple[int, ...], place: Place, kind: Kind,
    make_pointer: Callable[[str], PointerVariable] | None = None,
    initial: Elements | None = None,
) -> Pointer | Struct:  # fmt: skip
    """An array of this shape, with a memory for each field if its elements are structs.

    Fields that are pointers are made by `make_pointer`, where there is one struct. `initial` are
    the elements of an array of scalars.
    """
    fields = find_fields(type_, place)
    if fields is None:
        memory = Memory(name, find_scalar(type_, place), shape, place, kind, initial)
        return Pointer(memory, (), None, shape[1:])
    arrays: dict[str, Named] = {}
    for each, inner in fields:
        sizes, element_type = find_sizes(inner, place)
        part = f"{name}_{each}"
        if make_pointer is not None and shape == (1,) and not sizes and is_pointer(element_type):
            arrays[each] = make_pointer(part)
        else:
            made = (*shape, *sizes)
            arrays[each] = make_arrays(part, element_type, made, place, kind, make_pointer)
    return Struct(arrays, len(shape))
