"""Conditions, comparisons in a row and choices: parts that count only if others hold."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from xdsl.dialects import arith

from loom.frontend.imperative.tree import (
    Apply,
    Body,
    Choose,
    Expression,
    Number,
)
from loom.frontend.imperative.types import TRUTH
from loom.frontend.python.arithmetic import Arithmetic
from loom.frontend.python.scope import Scope, ValueReader
from loom.frontend.python.types import BOOL, PY_BOOL, Scalar, unify_types
from loom.frontend.python.values import Value, adapt_value, check_nonzero, make_constant


@dataclass(frozen=True)
class Arm:
    """One side of a choice: a value, and the statements that compute it."""

    value: Value
    body: Body = ()


@dataclass
class Conditions:
    """Reads conditions and choices; `values` reads the expressions in them."""

    scope: Scope
    arithmetic: Arithmetic
    values: ValueReader

    def read_condition(self, node: ast.expr) -> Expression:
        """Whether the value of the expression is not zero."""
        if isinstance(node, ast.BoolOp):
            self.scope.specialization.scalars.pop(node, None)
            return self.read_conjunction(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return invert_condition(self.read_condition(node.operand))
        return check_nonzero(self.values.read_value(node))

    def read_negation(self, node: ast.UnaryOp) -> Value:
        """The value of `not x`, a bool of Python's."""
        condition = self.read_condition(node.operand)
        if isinstance(condition, Number):
            return make_constant(not condition.pattern, self.scope.locate(node))
        return Value(invert_condition(condition), PY_BOOL)

    # Comparisons

    def read_comparison(self, node: ast.Compare) -> Value:
        """A comparison, or several in a row: each counts if those before it hold."""
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
            return self.read_membership(node)
        left, right = self.values.read_values(node.left, node.comparators[0])
        if len(node.ops) == 1:
            return self.arithmetic.compare_values(type(node.ops[0]), left, right, node)
        right = self.scope.hold_value(right)
        first = self.arithmetic.compare_values(type(node.ops[0]), left, right, node)
        return self.read_following_comparisons(node, 1, first, right)

    def read_following_comparisons(
        self, node: ast.Compare, number: int, first: Value, left: Value
    ) -> Value:
        """The comparisons from the operator of this number on, if `first` holds."""
        if number == len(node.ops):
            return first

        def read() -> Value:
            right = self.values.read_value(node.comparators[number])
            if number + 1 < len(node.ops):
                right = self.scope.hold_value(right)
            here = self.arithmetic.compare_values(type(node.ops[number]), left, right, node)
            return self.read_following_comparisons(node, number + 1, here, right)

        place = self.scope.locate(node)
        following = Arm(*self.scope.body.capture_body(read))
        scalar = BOOL if BOOL in (first.scalar, following.value.scalar) else PY_BOOL
        no = Arm(Value(Number(TRUTH, place, 0), scalar))
        return self.choose_arm(check_nonzero(first), following, no, scalar, node)

    def read_membership(self, node: ast.Compare) -> Value:
        """Whether a number is among some that stand in brackets."""
        listed = node.comparators[0]
        if not isinstance(listed, ast.Tuple | ast.List | ast.Set) or not listed.elts:
            what = f"the membership {ast.unparse(node)}"
            accepted = "`in` with numbers in brackets; a loop over the array"
            self.scope.refuse(node, "PY_EXPRESSION", what, accepted)
        value, *members = self.values.read_values(node.left, *listed.elts)
        value = self.scope.hold_value(value)
        first, *others = [
            check_nonzero(self.arithmetic.compare_values(ast.Eq, member, value, node))
            for member in members
        ]
        found, place = first, self.scope.locate(node)
        for other in others:
            found = Choose(TRUTH, place, found, Number(TRUTH, found.place, 1), other)
        if isinstance(node.ops[0], ast.NotIn):
            found = invert_condition(found)
        return Value(found, PY_BOOL)

    # Choices

    def read_conjunction(self, node: ast.BoolOp) -> Expression:
        """Whether all, or any, hold; the later ones count only if the first do not decide."""
        is_and = isinstance(node.op, ast.And)
        decided = Arm(Value(Number(TRUTH, self.scope.locate(node), int(not is_and)), PY_BOOL))
        result = self.read_condition(node.values[0])
        for each in node.values[1:]:
            condition, body = self.scope.body.capture_body(self.read_condition, each)
            other = Arm(Value(condition, PY_BOOL), body)
            arms = (other, decided) if is_and else (decided, other)
            result = self.choose_arm(result, *arms, PY_BOOL, node).expression
        return result

    def read_arm(self, node: ast.expr) -> Arm:
        """A value that counts only if a condition holds."""
        return Arm(*self.scope.body.capture_body(self.values.read_value, node))

    def read_deciding_operand(self, node: ast.BoolOp) -> Value:
        """The value of `and` or `or`: the operand that decides."""
        result = self.values.read_value(node.values[0])
        for each in node.values[1:]:
            result = self.scope.hold_value(result)
            first, other = Arm(result), self.read_arm(each)
            scalar = self.find_common_type(result.scalar, other.value.scalar, each)
            arms = (other, first) if isinstance(node.op, ast.And) else (first, other)
            result = self.choose_arm(check_nonzero(result), *arms, scalar, node)
        return result

    def read_conditional(self, node: ast.IfExp) -> Value:
        """One of two values, of which only the chosen one is computed."""
        condition = self.read_condition(node.test)
        if isinstance(condition, Number):
            return self.values.read_value(node.body if condition.pattern else node.orelse)
        first, second = self.read_arm(node.body), self.read_arm(node.orelse)
        scalar = self.find_common_type(first.value.scalar, second.value.scalar, node)
        return self.choose_arm(condition, first, second, scalar, node)

    def find_common_type(self, first: Scalar, second: Scalar, node: ast.AST) -> Scalar:
        """The type of either of two values; refused if they do not mix (PY_TYPE)."""
        unified = unify_types(first, second)
        if unified is None:
            what = f"either a value of {first.name} or one of {second.name}"
            accepted = f"two values of one type; {second.name}(..) around the first"
            self.scope.refuse(node, "PY_TYPE", what, accepted)
        return unified

    def choose_arm(
        self, condition: Expression, first: Arm, second: Arm, scalar: Scalar, node: ast.AST
    ) -> Value:
        """The value of the first arm if the condition holds, else that of the second."""
        place, type_ = self.scope.locate(node), scalar.type
        arms = (first, second)
        values = [adapt_value(arm.value, scalar).expression for arm in arms]
        if isinstance(condition, Number):
            chosen = 0 if condition.pattern else 1
            self.scope.body.append(*arms[chosen].body)
            return Value(values[chosen], scalar)
        if type_ == TRUTH and not first.body and not second.body:
            one, other = values
            if (
                isinstance(one, Number)
                and isinstance(other, Number)
                and one.pattern != other.pattern
            ):
                return Value(condition if one.pattern else invert_condition(condition), scalar)
        sides = [(arm.body, value) for arm, value in zip(arms, values, strict=True)]
        return Value(self.scope.body.choose_value(condition, sides[0], sides[1], place), scalar)


def invert_condition(condition: Expression) -> Expression:
    """Whether the condition does not hold."""
    place = condition.place
    if isinstance(condition, Number):
        return Number(TRUTH, place, int(not condition.pattern))
    return Apply(TRUTH, place, arith.XOrIOp, (condition, Number(TRUTH, place, 1)))
