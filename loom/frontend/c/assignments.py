"""Assignments, compound ones and steps: what expressions of C change."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from xdsl.dialects import arith

from loom.errors import Place
from loom.frontend.c.library import (
    Cursor,
    encode_float,
    get_binary_operator,
    get_unary_operator,
    list_children,
    locate,
)
from loom.frontend.c.lvalues import Evaluate, Lvalues, negate
from loom.frontend.c.operators import (
    ADD,
    COMPOUND,
    POST_DECREMENT,
    POST_INCREMENT,
    PRE_DECREMENT,
    SHIFTS,
    SUBTRACT,
    find_operation,
)
from loom.frontend.c.places import (
    Either,
    Element,
    Named,
    Pointed,
    Pointer,
    PointerVariable,
    choose,
    find_array_start,
    flatten_pointer,
    list_fields,
    list_owners,
    read_place,
    select_element,
)
from loom.frontend.c.pointers import MOST_TARGETS, WHICH, as_base, find_element_number
from loom.frontend.c.scope import Scope
from loom.frontend.c.types import (
    CType,
    find_array,
    find_common_type,
    find_fields,
    find_sizes,
    get_kind,
    is_pointer,
    promote_type,
)
from loom.frontend.imperative.conversions import convert_expression
from loom.frontend.imperative.tree import (
    Apply,
    Assign,
    Compare,
    Expression,
    If,
    Kind,
    Loop,
    Number,
    Read,
    Relation,
    Store,
    Variable,
)
from loom.frontend.imperative.types import OFFSET, Float, Int, Type


class Assignments:
    """Reads what expressions change."""

    def __init__(self, scope: Scope, lvalues: Lvalues, evaluate: Evaluate) -> None:
        self.scope = scope
        self.lvalues = lvalues
        self.evaluate = evaluate

    def assign_place(self, named: Named, value: Expression, place: Place, cursor: Cursor) -> None:
        """The variable or element has the value."""
        if isinstance(named, Variable):
            self.scope.body.append(Assign(place, named, value))
        elif isinstance(named, Element):
            if named.memory.kind is Kind.CONSTANT:
                what = f"an assignment to the constant {named.memory.name}"
                accepted = "assignments to what is not const"
                self.scope.refuse(cursor, "C_CONSTANT", what, accepted)
            self.scope.body.append(Store(place, named.memory, named.indices, value))
        elif isinstance(named, Either):
            body, value = self.scope.body, self.scope.body.hold_expression(value, place)
            arms = [
                body.write_body(self.assign_place, each, value, place, cursor)
                for each in (named.first, named.second)
            ]
            body.append(If(place, named.condition, *arms))
        else:
            raise AssertionError("clang lets no other place be assigned")

    def read_assignment(self, cursor: Cursor, needed: bool) -> Expression:
        """The value after an assignment."""
        place, body = locate(cursor), self.scope.body
        left, right = list_children(cursor)
        if is_pointer(left.type):
            named = self.lvalues.find_pointer_variable(left)
            self.set_pointer(named, self.lvalues.find_pointer(right), cursor)
            return Number(OFFSET, place, 0)
        if get_kind(left.type) == "RECORD":
            target = self.lvalues.find_place(left)
            self.copy_struct(target, self.lvalues.find_place(right), left.type, cursor)
            return Number(OFFSET, place, 0)
        start = body.mark()
        target = self.lvalues.find_place(left)
        middle = body.mark()
        value = self.evaluate(right)
        if middle > start:
            target = body.hold_at(middle, lambda to: self.scope.hold_place(to, place), target)
        if needed and not isinstance(target, Variable):
            value = body.hold_expression(value, place)
        self.assign_place(target, value, place, cursor)
        if isinstance(target, Variable):
            return Read(target.type, place, target)
        return value

    def set_pointer(self, named: PointerVariable, to: Pointed, cursor: Cursor) -> None:
        """The pointer variable points to this place from here on."""
        place = locate(cursor)
        element, *number = self.encode_pointer(named, to, cursor)
        held = self.scope.body.hold_expression
        if number:
            which = held(number[0], place)
            self.assign_place(named.element, element, place, cursor)
            self.assign_place(named.number, which, place, cursor)
        else:
            self.assign_place(named.element, element, place, cursor)

    def encode_pointer(
        self, named: PointerVariable, to: Pointed, cursor: Cursor
    ) -> tuple[Expression, ...]:
        """What the variable holds where it points there: an element, and of which place.

        A place that it is not known to point into makes the kernel be read again, if it is not the
        first one.
        """
        place, bases = locate(cursor), named.bases

        def find_number(to: Named) -> Expression:
            if isinstance(to, Either):
                first, second = find_number(to.first), find_number(to.second)
                return choose(to.condition, first, second, place)
            owners = list_owners(to)
            known = (n for n, base in enumerate(bases) if list_owners(base) == owners)
            found = next(known, len(bases))
            if found == len(bases):
                if found == MOST_TARGETS:
                    what = f"more than {MOST_TARGETS} arrays that {named.name} points into"
                    self.scope.refuse(cursor, "C_POINTER", what, "an array of rows")
                self.scope.program.kept.is_grown |= found > 0
                bases.append(as_base(find_array_start(to)))
            return Number(WHICH, place, found)

        number = find_number(to)
        element = find_element_number(to, place)
        return (element, number) if len(bases) > 1 else (element,)

    def copy_struct(self, target: Named, source: Named, type_: CType, cursor: Cursor) -> None:
        """Every scalar in the target, which is of this type, has the value of the source's."""
        place = locate(cursor)
        if is_pointer(type_) and find_array(type_) is None:
            assert isinstance(target, PointerVariable)
            self.set_pointer(target, self.lvalues.use_as_pointer(source, cursor), cursor)
            return
        array = find_array(type_)
        if array is None:
            fields = find_fields(type_, place)
            if fields is None:
                self.assign_place(target, read_place(source, place), place, cursor)
                return
            parts = list_fields(target), list_fields(source)
            for name, inner in fields:
                self.copy_struct(parts[0][name], parts[1][name], inner, cursor)
            return
        sizes, inner = find_sizes(type_, place)
        if isinstance(target, Pointer) and isinstance(source, Pointer):
            # Its elements stand in a row, whatever its dimensions.
            target, source = flatten_pointer(target, place), flatten_pointer(source, place)
            count, element = prod(sizes), inner
        else:
            count, element = sizes[0], array.element

        def copy_element(index: Expression) -> None:
            pair = [select_element(each, index, place) for each in (target, source)]
            self.copy_struct(pair[0], pair[1], element, cursor)

        self.repeat(Number(OFFSET, place, count), copy_element, place)

    def repeat(
        self, count: Expression, write: Callable[[Expression], None], place: Place,
        *, backward: bool = False,
    ) -> None:  # fmt: skip
        """What `write` appends for each index below the count stands in a loop, or alone."""
        if isinstance(count, Number) and OFFSET.decode(count.pattern) <= 1:
            if count.pattern == 1:
                write(Number(OFFSET, place, 0))
            return
        body = self.scope.body
        index, one = body.make_variable("k", OFFSET), Number(OFFSET, place, 1)
        value = Read(OFFSET, place, index)
        last = Apply(OFFSET, place, arith.SubiOp, (count, one))
        chosen = Apply(OFFSET, place, arith.SubiOp, (last, value)) if backward else value
        inner = body.write_body(write, chosen)
        step = Assign(place, index, Apply(OFFSET, place, arith.AddiOp, (value, one)))
        body.append(Assign(place, index, Number(OFFSET, place, 0)))
        body.append(Loop(place, (), Compare(place, Relation.LT, value, count), inner, (step,)))

    def read_compound(self, cursor: Cursor) -> Expression:
        """The value after an operator and an assignment in one."""
        place = locate(cursor)
        left, right = list_children(cursor)
        operator = COMPOUND[get_binary_operator(cursor)]
        if is_pointer(left.type):
            distance = convert_expression(self.evaluate(right), OFFSET, place)
            if operator == SUBTRACT:
                distance = negate(distance)
            named = self.lvalues.find_pointer_variable(left)
            self.lvalues.advance_pointer(named, distance, cursor)
            return Number(OFFSET, place, 0)
        target = self.scope.hold_place(self.lvalues.find_place(left), place)
        amount = self.evaluate(right)
        old = read_place(target, place)
        is_shift = operator in SHIFTS
        type_ = promote_type(old.type) if is_shift else find_common_type(old.type, amount.type)
        if is_exact_in(old.type, operator):
            # The low bits of a sum depend on the low bits of its operands alone.
            type_ = old.type
        sides = (
            convert_expression(old, type_, place), convert_expression(amount, type_, place)
        )  # fmt: skip
        value = Apply(type_, place, find_operation(operator, type_), sides)
        return self.update_place(target, convert_expression(value, old.type, place), cursor)

    def read_step(self, cursor: Cursor, needed: bool = True) -> Expression:
        """The value before or after a step by one."""
        place, operator = locate(cursor), get_unary_operator(cursor)
        (below,) = list_children(cursor)
        is_after = needed and operator in (POST_INCREMENT, POST_DECREMENT)
        is_down = operator in (PRE_DECREMENT, POST_DECREMENT)
        if is_pointer(below.type):
            step = Number(OFFSET, place, -1 if is_down else 1)
            named = self.lvalues.find_pointer_variable(below)
            self.lvalues.advance_pointer(named, step, cursor)
            return step
        target = self.scope.hold_place(self.lvalues.find_place(below), place)
        before = read_place(target, place)
        if is_after:
            before = self.scope.body.hold_expression(before, place)
        value = add_one(read_place(target, place), is_down)
        after = self.update_place(target, value, cursor)
        return before if is_after else after

    def update_place(self, target: Named, value: Expression, cursor: Cursor) -> Expression:
        """The value that the target has from here on."""
        place = locate(cursor)
        if isinstance(target, Variable):
            self.assign_place(target, value, place, cursor)
            return Read(target.type, place, target)
        value = self.scope.body.hold_expression(value, place)
        self.assign_place(target, value, place, cursor)
        return value


def add_one(value: Expression, is_down: bool) -> Expression:
    """One more or less, in the value's type, or where that has no 1 in the one C computes in."""
    type_, place = value.type, value.place
    operator = SUBTRACT if is_down else ADD
    if isinstance(type_, Int) and not type_.is_truth:
        one = Number(type_, place, 1)
        return Apply(type_, place, find_operation(operator, type_), (value, one))
    wide: Type = promote_type(type_)
    pattern = encode_float(1.0, wide.width) if isinstance(wide, Float) else 1
    sides = (convert_expression(value, wide, place), Number(wide, place, pattern))
    result = Apply(wide, place, find_operation(operator, wide), sides)
    return convert_expression(result, type_, place)


def is_exact_in(type_: Type, operator: int) -> bool:
    """True if the operator on a small integer gives the same in the integer's own width."""
    return (
        isinstance(type_, Int) and not type_.is_truth and type_.width < 32
        and operator in (ADD, SUBTRACT)
    )  # fmt: skip
