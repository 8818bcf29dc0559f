"""Assignments, compound ones and steps: what expressions of C change."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith

from loom.frontend.c.designators import Designators
from loom.frontend.c.library import Cursor, binary_kind, bits_of, children, place_of, unary_kind
from loom.frontend.c.operators import (
    ADD,
    COMPOUND,
    POST_DECREMENT,
    POST_INCREMENT,
    PRE_DECREMENT,
    SHIFTS,
    SUBTRACT,
    operation_of,
)
from loom.frontend.c.places import (
    Element,
    Named,
    Pointed,
    Pointer,
    PointerVariable,
    Struct,
    first_words,
    memories_of,
    position_of,
    value_at,
)
from loom.frontend.c.types import common, is_pointer, kind_of, promoted
from loom.frontend.imperative.tree import Apply, Expression, Number, Read, Variable
from loom.frontend.imperative.types import OFFSET, Float, Int, Type


@dataclass
class Assignments(Designators):
    """Reads what expressions change."""

    def assignment(self, cursor: Cursor, needed: bool) -> Expression:
        """The value after an assignment."""
        place = place_of(cursor)
        left, right = children(cursor)
        if is_pointer(left.type):
            self.assign_pointer(cursor)
            return Number(OFFSET, place, 0)
        if kind_of(left.type) == "RECORD":
            self.copy_struct(self.designated(left), self.designated(right), cursor)
            return Number(OFFSET, place, 0)
        count = len(self.out)
        target = self.designated(left)
        middle = len(self.out)
        value = self.value(right)
        if len(self.out) > middle > count:
            rest, self.out[middle:] = self.out[middle:], []
            target = self.kept_indices(target, place)
            self.out += rest
        if needed and not isinstance(target, Variable):
            value = self.kept(value, place)
        self.assign(target, value, place, cursor)
        if isinstance(target, Variable):
            return Read(target.type, place, target)
        return value

    def assign_pointer(self, cursor: Cursor) -> None:
        """The pointer variable points elsewhere in its array."""
        left, right = children(cursor)
        self.point(self.pointer_variable(left), self.pointer(right), cursor)

    def point(self, named: PointerVariable, to: Pointed, cursor: Cursor) -> None:
        """The pointer variable points to this place; the first one tells the array."""
        place = place_of(cursor)
        first = first_words(to)
        assert first is not None
        if named.base is None:
            named.base = start_of(to)
        elif memories_of(named.base) != memories_of(to):
            names = [found.name for found in (memories_of(named.base) + memories_of(to))]
            what = f"the pointer {named.name} into {names[0]} and into {names[-1]}"
            self.refuse(cursor, "C_POINTER", what, "pointers into one array; an if with two loops")
        size = prod(first.rest)
        value = position_of(first, place)
        if size > 1:
            value = Apply(OFFSET, place, arith.DivSIOp, (value, Number(OFFSET, place, size)))
        self.assign(named.element, value, place, cursor)

    def copy_struct(self, target: Named, source: Named, cursor: Cursor) -> None:
        """Every field has the value of the other struct's."""
        place = place_of(cursor)
        if isinstance(target, Struct) and isinstance(source, Struct):
            for name, field in target.fields.items():
                self.copy_struct(field, source.fields[name], cursor)
            return
        if isinstance(target, Pointer) or isinstance(source, Pointer | PointerVariable | Struct):
            what = "a copy of a struct with an array in it"
            self.refuse(cursor, "C_TYPE", what, "a loop that copies the array's elements")
        self.assign(target, value_at(source, place), place, cursor)

    def compound(self, cursor: Cursor) -> Expression:
        """The value after an operator and an assignment in one."""
        place = place_of(cursor)
        left, right = children(cursor)
        operator = COMPOUND[binary_kind(cursor)]
        if is_pointer(left.type):
            distance = self.convert(self.value(right), OFFSET, place)
            sign = self.negated(distance) if operator == SUBTRACT else distance
            self.advance(self.pointer_variable(left), sign, cursor)
            return Number(OFFSET, place, 0)
        target = self.kept_indices(self.designated(left), place)
        assert isinstance(target, Variable | Element | Number)
        amount = self.value(right)
        old = value_at(target, place)
        type_ = promoted(old.type) if operator in SHIFTS else common(old.type, amount.type)
        if narrow(old.type, operator):
            # What a sum is in fewer bits, its operands tell in as many.
            type_ = old.type
        sides = (self.convert(old, type_, place), self.convert(amount, type_, place))
        made = Apply(type_, place, operation_of(operator, type_), sides)
        return self.change(target, self.convert(made, old.type, place), cursor)

    def step(self, cursor: Cursor, needed: bool = True) -> Expression:
        """The value before or after a step by one."""
        place, operator = place_of(cursor), unary_kind(cursor)
        (below,) = children(cursor)
        is_after = needed and operator in (POST_INCREMENT, POST_DECREMENT)
        if is_pointer(below.type):
            step = Number(OFFSET, place, -1 if operator in (PRE_DECREMENT, POST_DECREMENT) else 1)
            self.advance(self.pointer_variable(below), step, cursor)
            return step
        target = self.kept_indices(self.designated(below), place)
        assert isinstance(target, Variable | Element | Number)
        before = value_at(target, place)
        if is_after:
            before = self.kept(before, place)
        type_, down = before.type, operator in (PRE_DECREMENT, POST_DECREMENT)
        made: Expression
        if isinstance(type_, Int) and not type_.is_truth:
            one = Number(type_, place, 1)
            made = Apply(type_, place, operation_of(SUBTRACT if down else ADD, type_),
                         (value_at(target, place), one))  # fmt: skip
        else:
            made = self.far_step(value_at(target, place), down)
        after = self.change(target, made, cursor)
        return before if is_after else after

    def far_step(self, value: Expression, down: bool) -> Expression:
        """One more or less in a type that has no such number of its own."""
        type_, place = value.type, value.place
        wide: Type = promoted(type_)
        one = Number(wide, place, 1)
        if isinstance(wide, Float):
            one = Number(wide, place, bits_of(1.0, wide.width))
        operation = operation_of(SUBTRACT if down else ADD, wide)
        made = Apply(wide, place, operation, (self.convert(value, wide, place), one))
        return self.convert(made, type_, place)

    def change(self, target: Named, value: Expression, cursor: Cursor) -> Expression:
        """The value that the target has from here on."""
        place = place_of(cursor)
        if isinstance(target, Variable):
            self.assign(target, value, place, cursor)
            return Read(target.type, place, target)
        value = self.kept(value, place)
        self.assign(target, value, place, cursor)
        return value


def narrow(type_: Type, operator: int) -> bool:
    """True if the operator on a small integer gives the same in its own width."""
    return (
        isinstance(type_, Int) and not type_.is_truth and type_.width < 32
        and operator in (ADD, SUBTRACT)
    )  # fmt: skip


def start_of(to: Pointed) -> Pointed:
    """A pointer to the beginning of the arrays that one points into."""
    if isinstance(to, Struct):
        fields: dict[str, Named] = {}
        for name, field in to.fields.items():
            assert isinstance(field, Pointer | Struct)
            fields[name] = start_of(field)
        return Struct(fields, to.rank)
    return Pointer(to.memory, (), Number(OFFSET, to.memory.place, 0), to.rest)
