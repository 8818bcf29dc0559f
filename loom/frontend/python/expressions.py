"""Expressions of Python: values in the order in which Python finds them."""

from __future__ import annotations

import ast
from abc import abstractmethod
from dataclasses import dataclass
from math import prod

from loom.frontend.imperative.tree import (
    Expression,
)
from loom.frontend.python.choices import Choices
from loom.frontend.python.operators import UNARY
from loom.frontend.python.values import Array, Value, adapt, constant

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
class Expressions(Choices):
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

    def of_one(self, node: ast.UnaryOp) -> Value:
        """An operator of one operand."""
        value = self.value(node.operand)
        if value.known is not None and not (
            isinstance(node.op, ast.Invert) and isinstance(value.known, float)
        ):
            return constant(UNARY[type(node.op)](value.known), self.place(node))
        return self.unary(type(node.op), value, node)
