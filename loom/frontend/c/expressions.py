"""Expressions of C: values, conversions as clang finds them, and what changes on the way."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith

from loom.frontend.c.assignments import Assignments
from loom.frontend.c.library import (
    Cursor,
    binary_kind,
    binding,
    children,
    inner_of,
    place_of,
    unary_kind,
)
from loom.frontend.c.operators import (
    ASSIGN,
    COMMA,
    COMPLEMENT,
    DEREFERENCE,
    LOGICAL_AND,
    LOGICAL_OR,
    MINUS,
    NOT,
    PLUS,
    RELATIONS,
    SHIFTS,
    STEPS,
    operation_of,
)
from loom.frontend.c.places import (
    Element,
    first_words,
    memories_of,
    minus,
    position_of,
    value_at,
)
from loom.frontend.c.types import is_pointer, scalar_type
from loom.frontend.imperative.tree import (
    Apply,
    Assign,
    Choose,
    Compare,
    Convert,
    Expression,
    If,
    Number,
    Read,
    Relation,
    Variable,
)
from loom.frontend.imperative.types import OFFSET, TRUTH, Float, Int


@dataclass
class Expressions(Assignments):
    """Reads the values of expressions."""

    def value(self, cursor: Cursor) -> Expression:
        """The value of a scalar expression; what it changes stands in the statements."""
        with self.level(cursor):
            return self.value_of(cursor)

    def value_of(self, cursor: Cursor) -> Expression:
        """The value, whatever kind of expression it is."""
        kinds = binding().CursorKind
        kind = cursor.kind
        if kind == kinds.PAREN_EXPR:
            return self.value(children(cursor)[0])
        if kind == kinds.CSTYLE_CAST_EXPR or inner_of(cursor) is not None:
            return self.converted(cursor)
        if kind in (kinds.INTEGER_LITERAL, kinds.CHARACTER_LITERAL, kinds.FLOATING_LITERAL,
                    kinds.CXX_UNARY_EXPR):  # fmt: skip
            return self.known(cursor)
        if kind in (kinds.DECL_REF_EXPR, kinds.ARRAY_SUBSCRIPT_EXPR, kinds.MEMBER_REF_EXPR):
            return self.read(cursor)
        if kind == kinds.UNARY_OPERATOR:
            return self.unary(cursor)
        if kind == kinds.BINARY_OPERATOR:
            return self.binary(cursor)
        if kind == kinds.COMPOUND_ASSIGNMENT_OPERATOR:
            return self.compound(cursor)
        if kind == kinds.CONDITIONAL_OPERATOR:
            return self.conditional(cursor)
        if kind == kinds.CALL_EXPR:
            values = self.call(cursor)
            if len(values) == 1:
                return values[0]
        what = f"an expression of kind {kind.name.lower()}"
        if kind == kinds.UNEXPOSED_EXPR:
            what = "an expression that C's standard does not have"
        accepted = "operators, names, elements, fields, casts, calls and constants"
        return self.refuse(cursor, "C_EXPRESSION", what, accepted)

    def known(self, cursor: Cursor) -> Number:
        """The constant."""
        place = place_of(cursor)
        found = self.constant(cursor, scalar_type(cursor.type, place))
        if found is None:
            what = f"the constant {cursor.spelling} whose value clang does not tell"
            self.refuse(cursor, "C_EXPRESSION", what, "constants of up to 64 bits")
        return found

    def converted(self, cursor: Cursor) -> Expression:
        """A cast, written or not."""
        place, inner = place_of(cursor), children(cursor)[-1]
        if is_pointer(inner.type) and not is_pointer(cursor.type):
            what = f"a pointer as {cursor.type.spelling}"
            self.refuse(cursor, "C_POINTER", what, "comparisons and differences of pointers")
        return self.convert(self.value(inner), scalar_type(cursor.type, place), place)

    def read(self, cursor: Cursor) -> Expression:
        """The value of a name, an element or a field."""
        place = place_of(cursor)
        declaration = cursor.referenced
        if declaration is not None and (
            declaration.kind == binding().CursorKind.ENUM_CONSTANT_DECL
        ):
            type_ = scalar_type(cursor.type, place)
            assert isinstance(type_, Int)
            return Number(type_, place, declaration.enum_value & ((1 << type_.width) - 1))
        named = self.designated(cursor)
        if not isinstance(named, Variable | Element | Number):
            what = f"{cursor.spelling or 'an array or struct'} of type {cursor.type.spelling}"
            accepted = "values of scalars here"
            self.refuse(cursor, "C_EXPRESSION", f"{what} as a value", accepted)
        return value_at(named, place)

    def condition(self, cursor: Cursor) -> Expression:
        """Whether the value of the expression is not zero."""
        if is_pointer(cursor.type):
            self.refuse(cursor, "C_POINTER", "a pointer as a condition", "comparisons of numbers")
        return truth(self.value(cursor))

    def unary(self, cursor: Cursor) -> Expression:
        """An operator of one operand."""
        operator, place = unary_kind(cursor), place_of(cursor)
        (below,) = children(cursor)
        if operator in STEPS:
            return self.step(cursor)
        if operator == DEREFERENCE:
            return self.read(cursor)
        if operator == NOT:
            return from_truth(opposite(self.condition(below)), cursor)
        type_ = scalar_type(cursor.type, place)
        if operator not in (PLUS, MINUS, COMPLEMENT):
            what = "an address as a value"
            self.refuse(cursor, "C_POINTER", what, "addresses as arguments and in assignments")
        value = self.value(below)
        if operator == PLUS:
            return value
        if isinstance(value, Number):
            found = self.constant(cursor, type_)
            if found is not None:
                return found
        if isinstance(type_, Float):
            return Apply(type_, place, arith.NegfOp, (value,))
        if operator == COMPLEMENT:
            return Apply(type_, place, arith.XOrIOp, (value, Number(type_, place, -1)))
        return Apply(type_, place, arith.SubiOp, (Number(type_, place, 0), value))

    def binary(self, cursor: Cursor) -> Expression:
        """An operator of two operands."""
        operator, place = binary_kind(cursor), place_of(cursor)
        left, right = children(cursor)
        if operator == ASSIGN:
            return self.assignment(cursor, needed=True)
        if operator == COMMA:
            self.effect(left)
            return self.value(right)
        if operator in (LOGICAL_AND, LOGICAL_OR):
            return self.logical(cursor, operator == LOGICAL_AND)
        if is_pointer(left.type) and is_pointer(right.type):
            return self.of_pointers(cursor)
        if is_pointer(cursor.type):
            self.refuse(cursor, "C_POINTER", "a pointer as a value", "elements of arrays")
        first, second = self.in_order(left, right)
        if operator in RELATIONS:
            return from_truth(Compare(place, RELATIONS[operator], first, second), cursor)
        type_ = scalar_type(cursor.type, place)
        if isinstance(first, Number) and isinstance(second, Number):
            found = self.constant(cursor, type_)
            if found is not None:
                return found
        if operator in SHIFTS:
            second = self.convert(second, type_, place)
        return Apply(type_, place, operation_of(operator, type_), (first, second))

    def of_pointers(self, cursor: Cursor) -> Expression:
        """The difference of pointers, or how they compare."""
        operator, place = binary_kind(cursor), place_of(cursor)
        sides = [self.pointer(side) for side in children(cursor)]
        if memories_of(sides[0]) != memories_of(sides[1]):
            what, accepted = "pointers into different arrays", "pointers into one array"
            self.refuse(cursor, "C_POINTER", what, accepted)
        ends = [first_words(side) for side in sides]
        assert ends[0] is not None and ends[1] is not None
        left, right = (position_of(end, place) for end in ends if end is not None)
        if operator in RELATIONS:
            return from_truth(Compare(place, RELATIONS[operator], left, right), cursor)
        size = 1
        for each in ends[0].rest:
            size *= each
        distance = minus(left, right, place)
        if size == 1:
            return distance
        whole = Number(OFFSET, place, size)
        return Apply(OFFSET, place, arith.DivSIOp, (distance, whole))

    def logical(self, cursor: Cursor, is_and: bool) -> Expression:
        """And, or: the second operand counts only if the first one does not decide."""
        place = place_of(cursor)
        left, right = children(cursor)
        first = self.condition(left)
        second: list[Expression] = []
        writes = self.body(lambda: second.append(self.condition(right)))
        decided = Number(TRUTH, place, int(not is_and))
        if not writes:
            pair = (second[0], decided) if is_and else (decided, second[0])
            return from_truth(Choose(TRUTH, place, first, *pair), cursor)
        made = self.variable("t", TRUTH)
        self.out.append(Assign(place, made, first))
        body = (*writes, Assign(place, made, second[0]))
        chosen = Read(TRUTH, place, made)
        self.out.append(If(place, chosen, body) if is_and else If(place, chosen, (), body))
        return from_truth(chosen, cursor)

    def conditional(self, cursor: Cursor) -> Expression:
        """One of two values, of which only the chosen one is computed."""
        place, below = place_of(cursor), children(cursor)
        type_ = scalar_type(cursor.type, place)
        condition = self.condition(below[0])
        values: list[Expression] = []

        def keep(side: Cursor) -> None:
            values.append(self.value(side))

        writes = [self.body(keep, side) for side in below[1:]]
        if not any(writes):
            return Choose(type_, place, condition, values[0], values[1])
        made = self.variable("t", type_)
        arms = [(*w, Assign(place, made, v)) for w, v in zip(writes, values, strict=True)]
        self.out.append(If(place, condition, arms[0], arms[1]))
        return Read(type_, place, made)


def truth(value: Expression) -> Expression:
    """Whether the value is not zero; a comparison says so itself."""
    if isinstance(value, Convert) and value.value.type == TRUTH:
        return value.value
    if isinstance(value, Number) and isinstance(value.type, Int):
        return Number(TRUTH, value.place, int(value.pattern != 0))
    return value if value.type == TRUTH else Convert(TRUTH, value.place, value)


def from_truth(value: Expression, cursor: Cursor) -> Expression:
    """The truth as C's int."""
    place = place_of(cursor)
    return Convert(scalar_type(cursor.type, place), place, value)


def opposite(condition: Expression) -> Expression:
    """Whether the condition does not hold."""
    false = Number(TRUTH, condition.place, 0)
    return Compare(condition.place, Relation.EQ, condition, false)
