"""What pointers are worth: where they stand, how they compare, which of two they are."""

from __future__ import annotations

from math import prod

from xdsl.dialects import arith

from loom.errors import Place
from loom.frontend.c.places import (
    Base,
    Either,
    Element,
    Named,
    Null,
    Pointed,
    Pointer,
    PointerVariable,
    Reference,
    Struct,
    choose,
    find_first_pointer,
    find_position,
    list_owners,
    move_pointer,
    subtract_offsets,
)
from loom.frontend.imperative.tree import Apply, Compare, Expression, Number, Read, Relation
from loom.frontend.imperative.types import OFFSET, TRUTH, Int

WHICH = Int(8, False)
"""The number of one of the places that a pointer variable may point into."""
MOST_TARGETS = 64
"""Arrays that one pointer variable may point into."""


def as_pointed(named: Named) -> Pointed:
    """The pointer that a place is."""
    assert isinstance(named, Pointer | Struct | Null | Reference | Either)
    return named


def as_base(named: Named) -> Base:
    """The pointer, which is not one of two."""
    assert isinstance(named, Pointer | Struct | Null | Reference)
    return named


def make_either(condition: Expression, first: Named, second: Named, place: Place) -> Named:
    """One of two places: one with a chosen index, if they lie in the same array."""
    if isinstance(condition, Number):
        return first if condition.pattern else second
    same = list_owners(first) == list_owners(second)
    match first, second:
        case Pointer(), Pointer() if same and first.rest == second.rest:
            sides = [find_position(each, place) for each in (first, second)]
            position = choose(condition, sides[0], sides[1], place)
            return Pointer(first.memory, (), position, first.rest)
        case Struct(), Struct() if same and first.rank and first.rank == second.rank:
            pairs = zip(first.fields.items(), second.fields.values(), strict=True)
            fields = {name: make_either(condition, a, b, place) for (name, a), b in pairs}
            return Struct(fields, first.rank)
        case Element(), Element() if same and len(first.indices) == len(second.indices):
            both = zip(first.indices, second.indices, strict=True)
            indices = tuple(choose(condition, a, b, place) for a, b in both)
            return Element(first.memory, indices)
        case (PointerVariable(), _) | (_, PointerVariable()) if first is second:
            return first
        case Null(), Null():
            return first
        case _:
            return Either(condition, first, second)


def read_pointer_variable(
    named: PointerVariable, place: Place, element: Expression | None = None
) -> Pointed:
    """What the variable points to, or did while it stood at `element`."""
    element = Read(OFFSET, place, named.element) if element is None else element
    *others, found = [as_pointed(move_pointer(base, element, place)) for base in named.bases]
    for number, each in reversed([*enumerate(others)]):
        which = Read(WHICH, place, named.number)
        condition = Compare(place, Relation.EQ, which, Number(WHICH, place, number))
        found = Either(condition, each, found)
    return found


def find_element_number(to: Named, place: Place) -> Expression:
    """Where the pointer stands, counted in what it points to."""
    if isinstance(to, Either):
        first, second = (find_element_number(each, place) for each in (to.first, to.second))
        return choose(to.condition, first, second, place)
    pointer = find_first_pointer(to)
    if pointer is None:
        return Number(OFFSET, place, 0)
    size, value = prod(pointer.rest), find_position(pointer, place)
    if size > 1:
        value = Apply(OFFSET, place, arith.DivSIOp, (value, Number(OFFSET, place, size)))
    return value


def is_null(pointer: Named, place: Place) -> Expression:
    """Whether the pointer points nowhere."""
    if isinstance(pointer, Either):
        first, second = (is_null(each, place) for each in (pointer.first, pointer.second))
        return choose(pointer.condition, first, second, place)
    return Number(TRUTH, place, int(isinstance(pointer, Null)))


def share_array(left: Named, right: Named) -> bool:
    """True if both pointers may point into one array, or nowhere."""
    if isinstance(left, Either):
        return share_array(left.first, right) or share_array(left.second, right)
    if isinstance(right, Either):
        return share_array(right, left)
    return list_owners(left) == list_owners(right)


def compare_pointers(relation: Relation, left: Named, right: Named, place: Place) -> Expression:
    """Whether the relation holds; of pointers into different arrays only that they differ."""
    for one, is_left in ((left, True), (right, False)):
        if isinstance(one, Either):
            arms = [(arm, right) if is_left else (left, arm) for arm in (one.first, one.second)]
            first, second = (compare_pointers(relation, a, b, place) for a, b in arms)
            return choose(one.condition, first, second, place)
    if list_owners(left) != list_owners(right):
        return Number(TRUTH, place, int(relation is Relation.NE))
    sides = [find_first_pointer(each) for each in (left, right)]
    if sides[0] is None or sides[1] is None:
        return Number(TRUTH, place, int(relation in (Relation.EQ, Relation.LE, Relation.GE)))
    positions = [find_position(each, place) for each in sides if each is not None]
    return Compare(place, relation, positions[0], positions[1])


def subtract_pointers(left: Named, right: Named, place: Place) -> Expression:
    """The difference of two pointers into one array [elements]."""
    for one, is_left in ((left, True), (right, False)):
        if isinstance(one, Either):
            arms = [(arm, right) if is_left else (left, arm) for arm in (one.first, one.second)]
            first, second = (subtract_pointers(a, b, place) for a, b in arms)
            return choose(one.condition, first, second, place)
    start, end = find_first_pointer(right), find_first_pointer(left)
    if list_owners(left) != list_owners(right) or start is None or end is None:
        return Number(OFFSET, place, 0)  # C does not define it
    distance = subtract_offsets(find_position(end, place), find_position(start, place), place)
    size = prod(start.rest)
    if size == 1:
        return distance
    return Apply(OFFSET, place, arith.DivSIOp, (distance, Number(OFFSET, place, size)))
