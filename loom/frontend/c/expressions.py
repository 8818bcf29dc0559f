"""Expressions of C: values, conversions as clang finds them, and what changes on the way."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith

from loom.errors import Place
from loom.frontend.c.assignments import Assignments
from loom.frontend.c.initializers import find_constant
from loom.frontend.c.library import (
    Cursor,
    find_wrapped,
    get_binary_operator,
    get_unary_operator,
    list_children,
    load_libclang,
    locate,
)
from loom.frontend.c.lvalues import Lvalues, invert_condition, test_nonzero
from loom.frontend.c.operators import (
    ASSIGN,
    COMMA,
    COMPLEMENT,
    DEREFERENCE,
    EXTENSION,
    LOGICAL,
    LOGICAL_AND,
    MINUS,
    NOT,
    PLUS,
    RELATIONS,
    SHIFTS,
    STEPS,
    find_operation,
)
from loom.frontend.c.places import is_scalar, read_place
from loom.frontend.c.pointers import compare_pointers, share_array, subtract_pointers
from loom.frontend.c.scope import Scope
from loom.frontend.c.types import find_scalar, get_kind, is_pointer
from loom.frontend.imperative.conversions import convert_expression
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
)
from loom.frontend.imperative.types import TRUTH, Float, Int

InlineCall = Callable[[Cursor], tuple[Expression, ...]]
"""Inlines a call, and gives the values that it returns."""
ReadEffect = Callable[[Cursor], object]
"""Reads a call whose value is not needed, or a statement."""


class Expressions:
    """Reads the values of expressions."""

    def __init__(
        self,
        scope: Scope,
        lvalues: Lvalues,
        assignments: Assignments,
        inline_call: InlineCall,
        call_for_effect: ReadEffect,
        read_statement: ReadEffect,
    ) -> None:
        self.scope = scope
        self.lvalues = lvalues
        self.assignments = assignments
        self.inline_call = inline_call
        self.call_for_effect = call_for_effect
        self.read_statement = read_statement

    def evaluate(self, cursor: Cursor) -> Expression:
        """The value of a scalar expression; what it changes stands in the statements."""
        with self.scope.enter_level(cursor):
            return self.read_value(cursor)

    def read_value(self, cursor: Cursor) -> Expression:
        """The value, whatever kind of expression it is."""
        kinds = load_libclang().CursorKind
        kind = cursor.kind
        if kind == kinds.PAREN_EXPR:
            return self.evaluate(list_children(cursor)[0])
        if kind == kinds.CSTYLE_CAST_EXPR or find_wrapped(cursor) is not None:
            return self.read_conversion(cursor)
        if kind in (kinds.INTEGER_LITERAL, kinds.CHARACTER_LITERAL, kinds.FLOATING_LITERAL,
                    kinds.CXX_UNARY_EXPR):  # fmt: skip
            return self.read_literal(cursor)
        if kind in (kinds.DECL_REF_EXPR, kinds.ARRAY_SUBSCRIPT_EXPR, kinds.MEMBER_REF_EXPR,
                    kinds.COMPOUND_LITERAL_EXPR):  # fmt: skip
            return self.read_lvalue(cursor)
        if kind == kinds.UNARY_OPERATOR:
            return self.read_unary(cursor)
        if kind == kinds.BINARY_OPERATOR:
            return self.read_binary(cursor)
        if kind == kinds.COMPOUND_ASSIGNMENT_OPERATOR:
            return self.assignments.read_compound(cursor)
        if kind == kinds.CONDITIONAL_OPERATOR:
            return self.read_conditional(cursor)
        if kind == kinds.StmtExpr:
            *before, last = list_children(list_children(cursor)[0])
            for each in before:
                self.read_statement(each)
            return self.evaluate(last)
        if kind == kinds.CALL_EXPR:
            values = self.inline_call(cursor)
            if len(values) == 1:
                return values[0]
        what = f"an expression of kind {kind.name.lower()}"
        if kind == kinds.UNEXPOSED_EXPR:
            what = "an expression that C's standard does not have"
        accepted = "operators, names, elements, fields, casts, calls and constants"
        return self.scope.refuse(cursor, "C_EXPRESSION", what, accepted)

    def read_effect(self, cursor: Cursor) -> None:
        """What an expression changes stands in the statements; its value is not needed."""
        kinds = load_libclang().CursorKind
        following: list[Cursor] = []
        while is_comma(cursor):
            cursor, right = list_children(cursor)
            following.append(right)
        kind, below = cursor.kind, list_children(cursor)
        if kind == kinds.CSTYLE_CAST_EXPR or find_wrapped(cursor) is not None:
            self.read_effect(below[-1])
        elif kind == kinds.BINARY_OPERATOR and get_binary_operator(cursor) == ASSIGN:
            self.assignments.read_assignment(cursor, needed=False)
        elif kind == kinds.UNARY_OPERATOR and get_unary_operator(cursor) in STEPS:
            self.assignments.read_step(cursor, needed=False)
        elif kind == kinds.COMPOUND_ASSIGNMENT_OPERATOR:
            self.assignments.read_compound(cursor)
        elif kind == kinds.CONDITIONAL_OPERATOR and get_kind(cursor.type) == "VOID":
            condition = self.read_condition(below[0])
            arms = [self.scope.body.write_body(self.read_effect, arm) for arm in below[1:]]
            self.scope.body.append(If(locate(cursor), condition, arms[0], arms[1]))
        elif kind == kinds.CALL_EXPR:
            self.call_for_effect(cursor)
        elif kind == kinds.UNARY_OPERATOR and get_unary_operator(cursor) == EXTENSION:
            self.read_effect(below[0])
        elif kind == kinds.StmtExpr:
            self.read_statement(below[0])
        else:
            self.evaluate(cursor)
        for each in reversed(following):
            self.read_effect(each)

    def read_condition(self, cursor: Cursor) -> Expression:
        """Whether the value of the expression is not zero, a pointer not null."""
        if is_pointer(cursor.type):
            return self.lvalues.read_condition(cursor)
        return test_nonzero(self.evaluate(cursor))

    # Kinds of expressions

    def read_literal(self, cursor: Cursor) -> Number:
        """The constant."""
        found = find_constant(cursor, find_scalar(cursor.type, locate(cursor)))
        if found is None:
            what = f"the constant {cursor.spelling} whose value clang does not tell"
            self.scope.refuse(cursor, "C_EXPRESSION", what, "constants of up to 64 bits")
        return found

    def read_conversion(self, cursor: Cursor) -> Expression:
        """A cast, written or implicit."""
        place, inner = locate(cursor), list_children(cursor)[-1]
        if is_pointer(inner.type) and not is_pointer(cursor.type):
            what = f"a pointer as {cursor.type.spelling}"
            accepted = "comparisons and differences of pointers"
            self.scope.refuse(cursor, "C_POINTER", what, accepted)
        return convert_expression(self.evaluate(inner), find_scalar(cursor.type, place), place)

    def read_lvalue(self, cursor: Cursor) -> Expression:
        """The value of a name, an element or a field."""
        place = locate(cursor)
        declaration = cursor.referenced
        if declaration is not None and (
            declaration.kind == load_libclang().CursorKind.ENUM_CONSTANT_DECL
        ):
            type_ = find_scalar(cursor.type, place)
            assert isinstance(type_, Int)
            return Number(type_, place, declaration.enum_value & ((1 << type_.width) - 1))
        named = self.lvalues.find_place(cursor)
        if not is_scalar(named):
            what = f"{cursor.spelling or 'an array or struct'} of type {cursor.type.spelling}"
            accepted = "values of scalars here"
            self.scope.refuse(cursor, "C_EXPRESSION", f"{what} as a value", accepted)
        return read_place(named, place)

    def read_unary(self, cursor: Cursor) -> Expression:
        """An operator of one operand."""
        operator, place = get_unary_operator(cursor), locate(cursor)
        (below,) = list_children(cursor)
        if operator in STEPS:
            return self.assignments.read_step(cursor)
        if operator == DEREFERENCE:
            return self.read_lvalue(cursor)
        if operator == EXTENSION:
            return self.evaluate(below)
        if operator == NOT:
            return convert_truth(invert_condition(self.read_condition(below)), cursor, place)
        type_ = find_scalar(cursor.type, place)
        if operator not in (PLUS, MINUS, COMPLEMENT):
            what = "an address as a value"
            accepted = "addresses as arguments and in assignments"
            self.scope.refuse(cursor, "C_POINTER", what, accepted)
        value = self.evaluate(below)
        if operator == PLUS:
            return value
        if isinstance(value, Number):
            found = find_constant(cursor, type_)
            if found is not None:
                return found
        if isinstance(type_, Float):
            return Apply(type_, place, arith.NegfOp, (value,))
        if operator == COMPLEMENT:
            return Apply(type_, place, arith.XOrIOp, (value, Number(type_, place, -1)))
        return Apply(type_, place, arith.SubiOp, (Number(type_, place, 0), value))

    def read_binary(self, cursor: Cursor) -> Expression:
        """An operator of two operands; operators one after the other do not nest."""
        outer: list[Cursor] = []
        while True:
            left = list_children(cursor)[0]
            if not has_value_on_left(cursor) or left.kind != cursor.kind:
                break
            outer.append(cursor)
            cursor = left
        place = locate(cursor)
        value = self.read_first_operator(cursor, place)
        for each in reversed(outer):
            value = self.read_next_operator(each, value, place)
        return value

    def read_first_operator(self, cursor: Cursor, place: Place) -> Expression:
        """An operator the left side of which begins with none of two operands."""
        operator = get_binary_operator(cursor)
        left, right = list_children(cursor)
        if operator == ASSIGN:
            return self.assignments.read_assignment(cursor, needed=True)
        if operator == COMMA:
            self.read_effect(left)
            return self.evaluate(right)
        if is_pointer(left.type) and is_pointer(right.type) and operator not in LOGICAL:
            return self.read_pointer_operator(cursor)
        if is_pointer(cursor.type):
            accepted = "elements of arrays"
            self.scope.refuse(cursor, "C_POINTER", "a pointer as a value", accepted)
        read = self.read_condition if operator in LOGICAL else self.evaluate
        return self.read_next_operator(cursor, read(left), place)

    def read_next_operator(self, cursor: Cursor, first: Expression, place: Place) -> Expression:
        """An operator of numbers the left side of which has a known value."""
        operator, body = get_binary_operator(cursor), self.scope.body
        if operator in LOGICAL:
            return self.read_logical(cursor, test_nonzero(first), place)
        mark = body.mark()
        second = self.evaluate(list_children(cursor)[1])
        first = body.hold_at(mark, body.hold_expression, first)
        if operator in RELATIONS:
            return convert_truth(Compare(place, RELATIONS[operator], first, second), cursor, place)
        type_ = find_scalar(cursor.type, place)
        if isinstance(first, Number) and isinstance(second, Number):
            found = find_constant(cursor, type_)
            if found is not None:
                return found
        if operator in SHIFTS:
            second = convert_expression(second, type_, place)
        return Apply(type_, place, find_operation(operator, type_), (first, second))

    def read_pointer_operator(self, cursor: Cursor) -> Expression:
        """The difference of two pointers [elements], or how they compare."""
        operator, place = get_binary_operator(cursor), locate(cursor)
        left, right = (self.lvalues.find_pointer(side) for side in list_children(cursor))
        relation = RELATIONS.get(operator)
        is_equality = relation in (Relation.EQ, Relation.NE)
        if not is_equality and not share_array(left, right):
            what, accepted = "pointers into different arrays", "pointers into one array"
            self.scope.refuse(cursor, "C_POINTER", what, accepted)
        if relation is not None:
            compared = compare_pointers(relation, left, right, place)
            return convert_truth(compared, cursor, place)
        self.lvalues.require_size(list_children(cursor)[0])
        return subtract_pointers(left, right, place)

    def read_logical(self, cursor: Cursor, first: Expression, place: Place) -> Expression:
        """And, or: the second operand counts only if the first one does not decide."""
        is_and, right = get_binary_operator(cursor) == LOGICAL_AND, list_children(cursor)[1]
        second, needed = self.scope.body.capture_body(self.read_condition, right)
        decided = Number(TRUTH, place, int(not is_and))
        if not needed:
            pair = (second, decided) if is_and else (decided, second)
            return convert_truth(Choose(TRUTH, place, first, *pair), cursor, place)
        made = self.scope.body.make_variable("t", TRUTH)
        self.scope.body.append(Assign(place, made, first))
        body = (*needed, Assign(place, made, second))
        chosen = Read(TRUTH, place, made)
        arms = (body,) if is_and else ((), body)
        self.scope.body.append(If(place, chosen, *arms))
        return convert_truth(chosen, cursor, place)

    def read_conditional(self, cursor: Cursor) -> Expression:
        """One of two values, of which only the chosen one is computed."""
        place, below = locate(cursor), list_children(cursor)
        find_scalar(cursor.type, place)
        condition = self.read_condition(below[0])
        arms = [self.scope.body.capture_body(self.evaluate, arm) for arm in below[1:]]
        first, second = ((body, value) for value, body in arms)
        return self.scope.body.choose_value(condition, first, second, place)


def is_comma(cursor: Cursor) -> bool:
    """True for two expressions one after the other."""
    is_operator = cursor.kind == load_libclang().CursorKind.BINARY_OPERATOR
    return is_operator and get_binary_operator(cursor) == COMMA


def has_value_on_left(cursor: Cursor) -> bool:
    """True for an operator whose left side is a number that is computed, whatever the right one."""
    operator = get_binary_operator(cursor)
    if operator in (ASSIGN, COMMA):
        return False
    return not any(is_pointer(each.type) for each in list_children(cursor))


def convert_truth(value: Expression, cursor: Cursor, place: Place) -> Expression:
    """The truth in the type that C gives the expression."""
    return Convert(find_scalar(cursor.type, place), place, value)
