"""Operators and assignments on whole arrays: loops over their elements.

NumPy computes an expression whole before it is assigned. Here each element is computed and stored
by itself, and only where an element that is still to be read may be overwritten, all of them are
computed into an array of their own first.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from xdsl.dialects import arith

from loom.errors import Place
from loom.frontend.imperative.tree import (
    Apply,
    Assign,
    Compare,
    Expression,
    Kind,
    Loop,
    Memory,
    Number,
    Read,
    Relation,
    Store,
    Variable,
)
from loom.frontend.imperative.types import OFFSET
from loom.frontend.python.arithmetic import Arithmetic
from loom.frontend.python.places import Places
from loom.frontend.python.scope import Scope, ValueReader
from loom.frontend.python.types import PY_INT, Scalar, promote_types
from loom.frontend.python.values import Array, Value, adapt_value

Indices = Sequence[Expression]
OPERATORS = (
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.BitAnd, ast.BitOr, ast.BitXor,
    ast.LShift, ast.RShift,
)  # fmt: skip
"""Operators on arrays, element by element."""
REDUCTIONS = frozenset({"sum", "min", "max"})
"""Functions of Python's on the elements of an array."""
SIGNS = "+, -, *, @, /, //, %, &, |, ^, << and >>"


@dataclass(frozen=True)
class Whole:
    """The elements of an expression, each by its indices; `arrays` are those that it reads."""

    shape: tuple[int, ...]
    find_element: Callable[[Indices], Value]
    arrays: tuple[Array, ...] = ()


@dataclass
class WholeArrays:
    """Reads expressions of arrays and writes the loops that compute their elements."""

    scope: Scope
    arithmetic: Arithmetic
    places: Places
    values: ValueReader
    cast: Callable[[Value, Scalar, ast.AST], Value]
    """Converts a value as NumPy does where it is stored."""

    # Expressions

    def is_whole(self, node: ast.expr) -> bool:
        """True for an operator whose result is an array."""
        is_operator = isinstance(node, ast.BinOp | ast.UnaryOp)
        return is_operator and self.places.count_dimensions(node) > 0

    def read_whole(self, node: ast.expr) -> Whole:
        """The elements of an expression; a number, which is computed here, has no dimension."""
        if self.places.count_dimensions(node) == 0:
            self.refuse_calls(node)
            value = self.scope.hold_value(self.values.read_value(node))
            return Whole((), lambda _: value)
        match node:
            case ast.Name() | ast.Subscript():
                array = self.places.find_array(node)
                assert array is not None
                return self.find_elements(self.scope.hold_array(array), node)
            case ast.UnaryOp():
                inner, kind = self.read_whole(node.operand), type(node.op)
                self.refuse_numbers(inner, node)
                return replace(
                    inner,
                    find_element=lambda indices: self.arithmetic.apply_unary(
                        kind, inner.find_element(indices), node
                    ),
                )
            case ast.BinOp(op=ast.MatMult()):
                return self.multiply_matrices(node)
            case ast.BinOp() if isinstance(node.op, OPERATORS):
                return self.combine_elements(node)
        what, accepted = f"{ast.unparse(node)}, of whole arrays", f"{SIGNS}; a loop"
        self.scope.refuse(node, "PY_EXPRESSION", what, accepted)

    def refuse_calls(self, node: ast.expr) -> None:
        """Return if the expression calls no function of the file, which might change arrays."""
        functions = self.scope.program.source.functions
        for each in ast.walk(node):
            if isinstance(each, ast.Call) and ast.unparse(each.func) in functions:
                what = f"the call {ast.unparse(each)} beside whole arrays"
                accepted = "the call in a statement of its own before it"
                self.scope.refuse(each, "PY_EXPRESSION", what, accepted)

    def refuse_numbers(self, operand: Whole, node: ast.AST) -> None:
        """Return unless the operand has numbers of Python's, in a tuple: that is no array."""
        if any(array.scalar.is_weak for array in operand.arrays):
            what = "a tuple of numbers in an operator on arrays"
            self.scope.refuse(node, "PY_EXPRESSION", what, "np.array(.., dtype=..)")

    def find_elements(self, array: Array, node: ast.AST) -> Whole:
        """The elements of an array."""
        place = self.scope.locate(node)
        return Whole(array.shape, lambda indices: array.select(*indices).load(place), (array,))

    def combine_elements(self, node: ast.BinOp) -> Whole:
        """The results of an operator on each two elements."""
        kind = type(node.op)
        left, right = self.read_whole(node.left), self.read_whole(node.right)
        self.refuse_numbers(left, node.left)
        self.refuse_numbers(right, node.right)
        shape = self.broadcast_shapes(left.shape, right.shape, node)

        def find_element(indices: Indices) -> Value:
            first = self.scope.hold_value(left.find_element(pick_indices(indices, left.shape)))
            second = right.find_element(pick_indices(indices, right.shape))
            return self.arithmetic.apply_binary(kind, first, second, node)

        return Whole(shape, find_element, (*left.arrays, *right.arrays))

    def broadcast_shapes(
        self, left: tuple[int, ...], right: tuple[int, ...], node: ast.AST
    ) -> tuple[int, ...]:
        """The shape of the result; a dimension of size 1 stands for any (PY_SIZE)."""
        count = max(len(left), len(right))
        sides = [(1,) * (count - len(each)) + each for each in (left, right)]
        for one, other in zip(*sides, strict=True):
            if one != other and 1 not in (one, other):
                self.refuse_shapes(left, right, node)
        return tuple(max(pair) for pair in zip(*sides, strict=True))

    def refuse_shapes(
        self, left: tuple[int, ...], right: tuple[int, ...], node: ast.AST
    ) -> NoReturn:
        """The sizes do not go together."""
        shown = [" x ".join(map(str, each)) or "one" for each in (left, right)]
        what = f"arrays of {shown[0]} and {shown[1]} elements"
        self.scope.refuse(node, "PY_SIZE", what, "sizes that go together in NumPy")

    # Products of matrices

    def multiply_matrices(self, node: ast.BinOp) -> Whole:
        """The elements of a product, which stands in an array of its own."""
        left, right = self.read_factors(node)
        rows, columns = left.shape[:-1], right.shape[1:]

        def find_element(indices: Indices) -> Value:
            split = len(rows)
            return self.sum_products(
                lambda at: left.find_element((*indices[:split], at)),
                lambda at: right.find_element((at, *indices[split:])),
                right.shape[0], node,
            )  # fmt: skip

        product = Whole((*rows, *columns), find_element)
        return self.find_elements(self.make_array("product", product, node), node)

    def multiply_vectors(self, node: ast.BinOp) -> Value:
        """The product of two arrays of one dimension, a number."""
        left, right = self.read_factors(node)
        return self.sum_products(
            lambda at: left.find_element((at,)), lambda at: right.find_element((at,)),
            right.shape[0], node,
        )  # fmt: skip

    def read_factors(self, node: ast.BinOp) -> tuple[Whole, Whole]:
        """The two factors; refused if a float is among them, whose sum has no order of its own."""
        factors = self.read_whole(node.left), self.read_whole(node.right)
        left, right = (each.shape for each in factors)
        if not left or not right or max(len(left), len(right)) > 2:
            accepted = "factors of 1 or 2 dimensions"
            self.scope.refuse(node, "PY_SIZE", f"the product {ast.unparse(node)}", accepted)
        if left[-1] != right[0]:
            self.refuse_shapes(left, right, node)
        for each in factors:
            self.refuse_numbers(each, node)
        types = [self.find_type(each, node) for each in factors]
        if any(each.rank != 1 for each in (*types, promote_types(*types))):
            what = f"{types[0].name} @ {types[1].name}"
            accepted = "@ of integers; a loop, whose sum has an order"
            self.scope.refuse(node, "PY_TYPE", what, accepted)
        return factors

    def sum_products(
        self,
        find_left: Callable[[Expression], Value],
        find_right: Callable[[Expression], Value],
        size: int,
        node: ast.AST,
    ) -> Value:
        """The sum of the products of elements."""

        def find_product(at: Expression) -> Value:
            first = self.scope.hold_value(find_left(at))
            return self.arithmetic.apply_binary(ast.Mult, first, find_right(at), node)

        return self.sum_values(find_product, size, node)

    # Loops

    def write_loops(
        self, shape: tuple[int, ...], node: ast.AST, write: Callable[[Indices], None]
    ) -> None:
        """A loop for each dimension; `write` writes what the innermost does at its indices."""
        self.write_dimension(shape, (), self.scope.locate(node), write)

    def write_dimension(
        self,
        sizes: tuple[int, ...],
        outer: tuple[Expression, ...],
        place: Place,
        write: Callable[[Indices], None],
    ) -> None:
        """The loop over the next dimension; inner ones stand a column further, to be told apart."""
        if not sizes:
            write(outer)
            return
        inner = Place(place.file, place.line, place.column + 1)
        self.write_loop(
            sizes[0], place, lambda at: self.write_dimension(sizes[1:], (*outer, at), inner, write)
        )

    def write_loop(self, size: int, place: Place, write: Callable[[Expression], None]) -> None:
        """A loop over so many indices."""
        body = self.scope.body
        counter = body.make_variable("k", OFFSET)
        at = Read(OFFSET, place, counter)
        body.append(Assign(place, counter, Number(OFFSET, place, 0)))
        iteration = body.write_body(write, at)
        test = Compare(place, Relation.LT, at, Number(OFFSET, place, size))
        following = Apply(OFFSET, place, arith.AddiOp, (at, Number(OFFSET, place, 1)))
        body.append(Loop(place, (), test, iteration, (Assign(place, counter, following),)))

    def find_type(self, whole: Whole, node: ast.AST) -> Scalar:
        """The type of the elements."""
        zero = Number(OFFSET, self.scope.locate(node), 0)
        indices = [zero] * len(whole.shape)
        value, _ = self.scope.body.capture_body(whole.find_element, indices)
        return value.scalar

    def make_array(self, name: str, whole: Whole, node: ast.AST) -> Array:
        """A new array of the elements."""
        scalar = Scalar(self.find_type(whole, node).type)
        memory = Memory(name, scalar.type, whole.shape, self.scope.locate(node), Kind.LOCAL)
        array = Array(memory, scalar)
        self.store_elements(array, whole, node)
        return array

    def store_elements(self, target: Array, whole: Whole, node: ast.AST) -> None:
        """The elements of the target have those of the expression, as its type has them."""

        def store(indices: Indices) -> None:
            value = whole.find_element(pick_indices(indices, whole.shape))
            element, place = target.select(*indices), self.scope.locate(node)
            expression = self.cast(value, Scalar(target.scalar.type), node).expression
            self.scope.body.append(Store(place, element.memory, element.address, expression))

        self.write_loops(target.shape, node, store)

    # Assignments

    def assign_elements(self, target: Array, whole: Whole, node: ast.AST) -> None:
        """The whole target has the elements of the expression."""
        if self.broadcast_shapes(target.shape, whole.shape, node) != target.shape:
            self.refuse_shapes(target.shape, whole.shape, node)
        if any(may_be_overwritten(each, target, whole.shape) for each in whole.arrays):
            kept = self.make_array("before", whole, node)
            whole = self.find_elements(kept, node)
        self.store_elements(target, whole, node)

    def augment_elements(self, target: Array, node: ast.AugAssign) -> None:
        """Each element of the target has the result of the operator on it and the value."""
        kind, right = type(node.op), self.read_whole(node.value)
        if kind not in OPERATORS:
            what = f"{ast.unparse(node)}, of a whole array"
            self.scope.refuse(node, "PY_EXPRESSION", what, "element by element; a loop")
        left = self.find_elements(target, node.target)

        def find_element(indices: Indices) -> Value:
            first = self.scope.hold_value(left.find_element(indices))
            second = right.find_element(pick_indices(indices, right.shape))
            return self.arithmetic.apply_binary(kind, first, second, node)

        result = Whole(target.shape, find_element, (target, *right.arrays))
        scalar = self.find_type(result, node)
        if scalar.type != target.scalar.type:
            what = f"a result of {scalar.name} in an array of {target.scalar.name}"
            self.scope.refuse(node, "PY_TYPE", what, "operands of the array's type")
        self.broadcast_shapes(target.shape, right.shape, node)
        self.assign_elements(target, result, node)

    # Reductions

    def sum_values(
        self, find_value: Callable[[Expression], Value], size: int, node: ast.AST
    ) -> Value:
        """0 and then each value added, in order."""
        place, first = self.scope.locate(node), Number(OFFSET, self.scope.locate(node), 0)
        value, _ = self.scope.body.capture_body(find_value, first)
        scalar = promote_types(PY_INT, value.scalar)
        total = self.begin_variable("total", adapt_value(Value(first, PY_INT, 0), scalar))

        def add(at: Expression) -> None:
            before = Value(Read(scalar.type, place, total), scalar)
            after = self.arithmetic.apply_binary(ast.Add, before, find_value(at), node)
            self.scope.body.append(Assign(place, total, after.expression))

        self.write_loop(size, place, add)
        return Value(Read(scalar.type, place, total), scalar)

    def reduce_array(
        self, node: ast.Call, choose: Callable[[list[Value]], Value] | None
    ) -> Value | None:
        """The sum of an array's elements, or the one that `choose` chooses; None of other values.

        Refused: arrays of several dimensions, and Python's own floats, which `sum` adds as no
        circuit does (PY_CALL).
        """
        dimensions = self.places.count_dimensions(node.args[0]) if len(node.args) == 1 else 0
        if not dimensions:
            return None
        whole, place = self.read_whole(node.args[0]), self.scope.locate(node)
        scalar, size = self.find_type(whole, node), whole.shape[0]
        is_exact = choose is not None or not (scalar.is_weak and scalar.rank == 2)
        if dimensions > 1 or not is_exact:
            accepted = "arrays of NumPy's numbers, of one dimension; a loop"
            self.scope.refuse(node, "PY_CALL", ast.unparse(node), accepted)
        if choose is None:
            return self.sum_values(lambda at: whole.find_element((at,)), size, node)
        best = self.begin_variable("best", whole.find_element((Number(OFFSET, place, 0),)))
        kept = Value(Read(scalar.type, place, best), scalar)

        def compare(at: Expression) -> None:
            chosen = choose([kept, whole.find_element((at,))])
            self.scope.body.append(Assign(place, best, chosen.expression))

        self.write_loop(size, place, compare)
        return kept

    def begin_variable(self, name: str, value: Value) -> Variable:
        """A variable that has the value."""
        variable = self.scope.body.make_variable(name, value.scalar.type)
        self.scope.body.append(Assign(value.place, variable, value.expression))
        return variable


def pick_indices(indices: Indices, shape: tuple[int, ...]) -> Indices:
    """The indices of an operand with this shape among those of the result."""
    own = indices[len(indices) - len(shape) :]
    return [
        Number(OFFSET, index.place, 0) if size == 1 else index
        for index, size in zip(own, shape, strict=True)
    ]


def may_be_overwritten(array: Array, target: Array, shape: tuple[int, ...]) -> bool:
    """True if an assignment to the target may change an element of the array before it is read.

    It does not where both are the same elements in the same order.
    """
    if array.memory is not target.memory:
        return False
    is_same = array.dimensions == target.dimensions and array.shape == shape == target.shape
    return not is_same
