"""Conditions and choices: what counts only if something before it holds."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from loom.frontend.imperative.tree import (
    Assign,
    Body,
    Choose,
    Expression,
    If,
    Number,
    Read,
)
from loom.frontend.imperative.types import TRUTH
from loom.frontend.python.arithmetic import Arithmetic
from loom.frontend.python.state import opposite
from loom.frontend.python.types import BOOL, PY_BOOL, Scalar, join
from loom.frontend.python.values import Value, adapt, constant, truth


@dataclass
class Choices(Arithmetic):
    """Reads conditions and choices."""

    def condition(self, node: ast.expr) -> Expression:
        """Whether the value of the expression is not zero."""
        if isinstance(node, ast.BoolOp):
            self.typing.scalars.pop(node, None)
            return self.all_or_any(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return inverted(self.condition(node.operand))
        return truth(self.value(node))

    def negation(self, node: ast.UnaryOp) -> Value:
        """Not: a truth of Python's own."""
        condition = self.condition(node.operand)
        if isinstance(condition, Number):
            return constant(not condition.pattern, self.place(node))
        return Value(inverted(condition), PY_BOOL)

    def chain(self, node: ast.Compare) -> Value:
        """A comparison, or several in a row of which each counts if those before it hold."""
        sides = [node.left, *node.comparators]
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
            return self.member(node)
        left, right = self.in_order(sides[0], sides[1])
        if len(node.ops) == 1:
            return self.compare(type(node.ops[0]), left, right, node)
        right = self.kept(right)
        first = self.compare(type(node.ops[0]), left, right, node)
        return self.rest_of_chain(node, 1, first, right)

    def rest_of_chain(self, node: ast.Compare, number: int, first: Value, left: Value) -> Value:
        """The comparison from the operator of this number on, if `first` holds."""
        if number == len(node.ops):
            return first
        found: list[Value] = []

        def write() -> None:
            right = self.value(node.comparators[number])
            if number + 1 < len(node.ops):
                right = self.kept(right)
            here = self.compare(type(node.ops[number]), left, right, node)
            found.append(self.rest_of_chain(node, number + 1, here, right))

        writes = self.body(write)
        scalar = BOOL if BOOL in (first.scalar, found[0].scalar) else PY_BOOL
        place = self.place(node)
        no = Value(Number(TRUTH, place, 0), scalar)
        return self.chosen(truth(first), (writes, found[0]), ((), no), scalar, node)

    def member(self, node: ast.Compare) -> Value:
        """Whether a number is among some that stand in brackets."""
        listed = node.comparators[0]
        if not isinstance(listed, ast.Tuple | ast.List | ast.Set) or not listed.elts:
            accepted = "`in` with numbers in brackets; a loop over the array"
            self.refuse(node, "PY_EXPRESSION", f"the membership {ast.unparse(node)}", accepted)
        value, *others = self.in_order(node.left, *listed.elts)
        value = self.kept(value)
        each = [truth(self.compare(ast.Eq, other, value, node)) for other in others]
        found = each[0]
        for other in each[1:]:
            found = Choose(TRUTH, self.place(node), found, Number(TRUTH, found.place, 1), other)
        if isinstance(node.ops[0], ast.NotIn):
            found = inverted(found)
        return Value(found, PY_BOOL)

    def all_or_any(self, node: ast.BoolOp) -> Expression:
        """Whether all, or any, hold; the later ones count only if the first do not decide."""
        is_and = isinstance(node.op, ast.And)
        place = self.place(node)
        result = self.condition(node.values[0])
        for each in node.values[1:]:
            second: list[Expression] = []

            def write(each: ast.expr = each, second: list[Expression] = second) -> None:
                second.append(self.condition(each))

            writes = self.body(write)
            decided = Value(Number(TRUTH, place, int(not is_and)), PY_BOOL)
            other = (writes, Value(second[0], PY_BOOL))
            arms = (other, ((), decided)) if is_and else (((), decided), other)
            result = self.chosen(result, arms[0], arms[1], PY_BOOL, node).expression
        return result

    def logical(self, node: ast.BoolOp) -> Value:
        """The operand of and, or that decides."""
        result = self.value(node.values[0])
        for each in node.values[1:]:
            result = self.kept(result)
            found: list[Value] = []

            def write(each: ast.expr = each, found: list[Value] = found) -> None:
                found.append(self.value(each))

            writes = self.body(write)
            scalar = self.joined(result.scalar, found[0].scalar, each)
            other, first = (writes, found[0]), ((), result)
            arms = (other, first) if isinstance(node.op, ast.And) else (first, other)
            result = self.chosen(truth(result), arms[0], arms[1], scalar, node)
        return result

    def conditional(self, node: ast.IfExp) -> Value:
        """One of two values, of which only the chosen one is computed."""
        condition = self.condition(node.test)
        if isinstance(condition, Number):
            return self.value(node.body if condition.pattern else node.orelse)
        values: list[Value] = []

        def keep(side: ast.expr) -> None:
            values.append(self.value(side))

        writes = [self.body(keep, side) for side in (node.body, node.orelse)]
        scalar = self.joined(values[0].scalar, values[1].scalar, node)
        return self.chosen(condition, (writes[0], values[0]), (writes[1], values[1]), scalar, node)

    def joined(self, first: Scalar, second: Scalar, node: ast.AST) -> Scalar:
        """The type of either of two values."""
        found = join(first, second)
        if found is None:
            what = f"either a value of {first.name} or one of {second.name}"
            accepted = f"two values of one type; {second.name}(..) around the first"
            self.refuse(node, "PY_TYPE", what, accepted)
        return found

    def chosen(
        self,
        condition: Expression,
        first: tuple[Body, Value],
        second: tuple[Body, Value],
        scalar: Scalar,
        node: ast.AST,
    ) -> Value:
        """One of two values, each with the statements that it needs."""
        place, type_ = self.place(node), scalar.type
        values = [adapt(value, scalar).expression for _, value in (first, second)]
        if isinstance(condition, Number):
            writes = (first if condition.pattern else second)[0]
            self.out += writes
            return Value(values[0] if condition.pattern else values[1], scalar)
        if not first[0] and not second[0]:
            if type_ == TRUTH and all(isinstance(each, Number) for each in values):
                one, other = (each.pattern for each in values if isinstance(each, Number))
                if one != other:
                    return Value(condition if one else inverted(condition), scalar)
            return Value(Choose(type_, place, condition, values[0], values[1]), scalar)
        made = self.fresh("t", type_)
        arms = [(*writes, Assign(place, made, value))
                for (writes, _), value in zip((first, second), values, strict=True)]  # fmt: skip
        self.out.append(If(place, condition, arms[0], arms[1]))
        return Value(Read(type_, place, made), scalar)


def inverted(condition: Expression) -> Expression:
    """Whether the condition does not hold."""
    if isinstance(condition, Number):
        return Number(TRUTH, condition.place, int(not condition.pattern))
    return opposite(condition)
