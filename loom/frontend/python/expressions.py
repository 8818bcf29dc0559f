"""Expressions of Python: values in the order in which Python finds them."""

from __future__ import annotations

import ast
from abc import abstractmethod
from dataclasses import dataclass
from math import prod

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
from loom.frontend.python.operators import UNARY
from loom.frontend.python.state import opposite
from loom.frontend.python.types import BOOL, PY_BOOL, Scalar, join
from loom.frontend.python.values import Array, Value, adapt, constant, truth

CURES: dict[type[ast.expr], tuple[str, str]] = {
    ast.ListComp: ("a list comprehension", "a loop that fills an array"),
    ast.SetComp: ("a set comprehension", "arrays"),
    ast.DictComp: ("a dict comprehension", "arrays"),
    ast.GeneratorExp: ("a generator", "a loop"),
    ast.Lambda: ("a lambda", "a function of the file"),
    ast.JoinedStr: ("a string", "numbers"),
    ast.Dict: ("a dict", "arrays"),
    ast.Set: ("a set", "arrays"),
    ast.List: ("a list", "np.zeros, np.array"),
    ast.Tuple: ("a tuple as a value", "a tuple that is assigned at once, returned or looped over"),
    ast.Await: ("await", "functions without it"),
    ast.Yield: ("yield", "an array that the kernel fills"),
    ast.YieldFrom: ("yield", "an array that the kernel fills"),
    ast.Slice: ("a slice", "a loop over the elements"),
    ast.Starred: ("a starred expression", "each value by its name"),
}


@dataclass
class Expressions(Arithmetic):
    """Reads the values of expressions."""

    def value(self, node: ast.expr) -> Value:
        """The value of a scalar expression; what it changes stands in the statements."""
        with self.level(node):
            found = self.value_of(node)
        self.typing.scalars[node] = found.scalar
        return found

    def value_of(self, node: ast.expr) -> Value:
        """The value, whatever kind of expression it is."""
        match node:
            case ast.Constant(value=bool() | int() | float() as known):
                return constant(known, self.place(node))
            case ast.Constant():
                what = f"the constant {ast.unparse(node)}"
                return self.refuse(node, "PY_EXPRESSION", what, "numbers, True and False")
            case ast.Name() | ast.Subscript() | ast.Attribute():
                return self.read(node)
            case ast.UnaryOp(op=ast.Not()):
                return self.negation(node)
            case ast.UnaryOp():
                return self.of_one(node)
            case ast.BinOp():
                left, right = self.in_order(node.left, node.right)
                return self.binary(type(node.op), left, right, node)
            case ast.Compare():
                return self.chain(node)
            case ast.BoolOp():
                return self.logical(node)
            case ast.IfExp():
                return self.conditional(node)
            case ast.NamedExpr():
                value = self.value(node.value)
                self.assign_name(node.target.id, value, node)
                return self.kept(self.read_name(node.target.id, node))
            case ast.Call():
                values = self.call(node)
                if len(values) == 1:
                    return values[0]
                what = f"a call that gives {len(values)} values"
                return self.refuse(node, "PY_EXPRESSION", what, "calls that give one value here")
        what, accepted = CURES.get(type(node), (f"the expression {ast.unparse(node)}", "numbers"))
        return self.refuse(node, "PY_EXPRESSION", what, accepted)

    def read(self, node: ast.Name | ast.Subscript | ast.Attribute) -> Value:
        """The value of a variable, a constant or an element."""
        size = self.size(node)
        if size is not None:
            return constant(size, self.place(node))
        found = self.array(node)
        if found is None:
            return self.named(node)
        if found.shape:
            what = f"the array {ast.unparse(node)} as a value"
            accepted = "elements of arrays; a loop over them"
            self.refuse(node, "PY_EXPRESSION", what, accepted)
        return found.load(self.place(node))

    def size(self, node: ast.expr) -> int | None:
        """What a.size and a.shape[k] are, or None for other expressions."""
        match node:
            case ast.Attribute(value=inner, attr="size"):
                found = self.array(inner)
                return None if found is None else prod(found.shape)
            case ast.Subscript(value=ast.Attribute(value=inner, attr="shape")):
                found = self.array(inner)
                number = self.value(node.slice).known
                if found is None or not isinstance(number, int):
                    return None
                if not -len(found.shape) <= number < len(found.shape):
                    what = f"size {number} of an array of {len(found.shape)} dimensions"
                    self.refuse(node, "PY_INDEX", what, "sizes that it has")
                return found.shape[number]
            case _:
                return None

    def named(self, node: ast.expr) -> Value:
        """The value of a name that is no array."""
        if not isinstance(node, ast.Name):
            what = f"the expression {ast.unparse(node)}"
            accepted = "numbers, and elements of arrays"
            if isinstance(node, ast.Attribute) and node.attr == "shape":
                accepted = "a.shape[0], len(a)"
            self.refuse(node, "PY_EXPRESSION", what, accepted)
        found = self.names.get(node.id)
        if isinstance(found, Value):
            return found
        if node.id in self.locals:
            return self.read_name(node.id, node)
        value = self.program.constants.named(node.id, node)
        assert isinstance(value, Value)
        if value.known is not None:
            return constant(value.known, self.place(node))
        return value

    @property
    @abstractmethod
    def locals(self) -> frozenset[str]:
        """The names that the function assigns."""

    def array(self, node: ast.expr) -> Array | None:
        """The array, row or element that the expression is, or None if it is no part of one."""
        if isinstance(node, ast.Name):
            found = self.names.get(node.id)
            if found is None and node.id not in self.locals and node.id in self.source.constants:
                found = self.program.constants.named(node.id, node)
            return found if isinstance(found, Array) else None
        if not isinstance(node, ast.Subscript):
            return None
        base = self.array(node.value)
        if base is None:
            what = f"an index of {ast.unparse(node.value)}"
            self.refuse(node, "PY_EXPRESSION", what, "indices of arrays")
        nodes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(nodes) > len(base.shape):
            what = f"{len(nodes)} indices of an array of {len(base.shape)} dimensions"
            self.refuse(node, "PY_INDEX", what, "an index for each dimension")
        before = base.indices
        count = len(self.out)
        values = self.in_order(*nodes)
        if len(self.out) > count:
            rest, self.out[count:] = self.out[count:], []
            before = tuple(map(self.kept_expression, before))
            self.out += rest
        indices = [self.index(v, n, size) for v, n, size in
                   zip(values, nodes, base.shape, strict=False)]  # fmt: skip
        return Array(base.memory, base.scalar, (*before, *indices))

    def index(self, value: Value, node: ast.expr, size: int) -> Expression:
        """The value as an index of a dimension; known ones count from the end, too."""
        if value.scalar.rank != 1:
            accepted = "indices that are integers"
            self.refuse(node, "PY_INDEX", f"an index of type {value.scalar.name}", accepted)
        known = value.known
        if known is None:
            return value.expression
        assert isinstance(known, int)
        if not -size <= known < size:
            what = f"index {known} of a dimension of size {size}"
            self.refuse(node, "PY_INDEX", what, f"indices from {-size} to {size - 1}")
        return adapt(constant(known % size, self.place(node)), value.scalar).expression

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

    def of_one(self, node: ast.UnaryOp) -> Value:
        """An operator of one operand."""
        value = self.value(node.operand)
        if value.known is not None and not (
            isinstance(node.op, ast.Invert) and isinstance(value.known, float)
        ):
            return constant(UNARY[type(node.op)](value.known), self.place(node))
        return self.unary(type(node.op), value, node)

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
