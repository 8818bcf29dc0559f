"""Arrays, rows and elements that expressions designate."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from math import prod

from loom.frontend.imperative.conversions import convert_expression
from loom.frontend.imperative.tree import Expression, Kind
from loom.frontend.imperative.types import OFFSET
from loom.frontend.python.scope import Scope, ValueReader
from loom.frontend.python.values import Array, Span, Value, adapt_value, make_constant

PURE = (
    ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Subscript, ast.Attribute, ast.operator,
    ast.unaryop, ast.expr_context,
)  # fmt: skip
"""What a bound of a slice may be made of, which is written twice and evaluated once."""


@dataclass(frozen=True)
class MovingSlice:
    """A slice of a known size: it starts at `moved`, which the run tells, and a constant more."""

    moved: ast.expr
    start: int
    size: int


@dataclass
class Places:
    """Finds arrays and elements; `values` reads the indices."""

    scope: Scope
    values: ValueReader

    def find_array(self, node: ast.expr) -> Array | None:
        """The array, row or element that the expression designates; None for other expressions."""
        if isinstance(node, ast.Name):
            return self.find_named_array(node)
        if not isinstance(node, ast.Subscript):
            return None
        base = self.find_array(node.value)
        if base is None:
            what = f"an index of {ast.unparse(node.value)}"
            self.scope.refuse(node, "PY_EXPRESSION", what, "indices of arrays")
        nodes = list_indices(node)
        if len(nodes) > len(base.shape):
            what = f"{len(nodes)} indices of an array of {len(base.shape)} dimensions"
            self.scope.refuse(node, "PY_INDEX", what, "an index for each dimension")
        mark = self.scope.body.mark()
        moving = [self.find_moving(each) for each in nodes]
        scalars = [
            each if found is None else found.moved
            for each, found in zip(nodes, moving, strict=True)
            if found is not None or not isinstance(each, ast.Slice)
        ]
        values = iter(self.values.read_values(*scalars))
        base = self.scope.body.hold_at(mark, self.scope.hold_array, base)
        indices: list[Expression | Span] = []
        for each, found, size in zip(nodes, moving, base.shape, strict=False):
            if found is not None:
                indices.append(self.move_slice(found, next(values), each, size))
            elif isinstance(each, ast.Slice):
                indices.append(self.read_slice(each, size))
            else:
                indices.append(self.convert_index(next(values), each, size))
        return base.select(*indices)

    def find_moving(self, node: ast.expr) -> MovingSlice | None:
        """The slice, if both bounds are constants from the same value: a[i:i + 4]."""
        if not isinstance(node, ast.Slice) or node.lower is None or node.upper is None:
            return None
        (low, first), (high, behind) = map(self.split_bound, (node.lower, node.upper))
        is_same = low is not None and high is not None and ast.dump(low) == ast.dump(high)
        if low is None or not is_same or not all(isinstance(e, PURE) for e in ast.walk(low)):
            return None
        step = 1 if node.step is None else self.values.read_value(node.step).known
        return MovingSlice(low, first, behind - first) if step == 1 else None

    def split_bound(self, node: ast.expr) -> tuple[ast.expr | None, int]:
        """A bound as what the run tells, None for nothing, and a constant."""
        known = self.find_known(node)
        if known is not None:
            return None, known
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            known = self.find_known(node.right)
            if known is not None:
                return node.left, known if isinstance(node.op, ast.Add) else -known
            known = self.find_known(node.left)
            if known is not None and isinstance(node.op, ast.Add):
                return node.right, known
        return node, 0

    def find_known(self, node: ast.expr) -> int | None:
        """The constant of Python's that the expression is, if it is one."""
        value, _ = self.scope.body.capture_body(self.values.read_value, node)
        is_number = isinstance(value.known, int) and not isinstance(value.known, bool)
        return value.known if is_number and isinstance(value.known, int) else None

    def move_slice(self, found: MovingSlice, value: Value, node: ast.expr, size: int) -> Span:
        """The positions that start at a value of the run; one out of the array is its error."""
        if value.scalar.rank != 1 or not 0 < found.size <= size:
            what = f"the slice {ast.unparse(node)}, of {found.size} elements"
            accepted = f"slices of 1 to {size} elements, with bounds that are integers"
            self.scope.refuse(node, "PY_INDEX", what, accepted)
        return Span(found.start, 1, found.size, convert_expression(value.expression, OFFSET))

    def read_slice(self, node: ast.Slice, size: int) -> Span:
        """The positions that a slice of constants takes of a dimension, as Python counts them."""
        bounds: list[int | None] = []
        for each in (node.lower, node.upper, node.step):
            known = None if each is None else self.values.read_value(each).known
            if each is not None and (isinstance(known, bool) or not isinstance(known, int)):
                what = f"the slice {ast.unparse(node)}"
                accepted = (
                    "slices with bounds that are constants, or as far apart as a constant says: "
                    "a[i:i + 4]; a loop over the elements"
                )
                self.scope.refuse(node, "PY_INDEX", what, accepted)
            assert known is None or isinstance(known, int)
            bounds.append(known)
        if bounds[2] == 0:
            self.scope.refuse(node, "PY_INDEX", "a slice with a step of 0", "other steps")
        positions = range(size)[slice(*bounds)]
        if not positions:
            what = f"the empty slice {ast.unparse(node)} of {size} elements"
            self.scope.refuse(node, "PY_SIZE", what, "slices of 1 element and more")
        return Span(positions.start, positions.step, len(positions))

    def find_named_array(self, node: ast.Name) -> Array | None:
        """The array that the name stands for, in the function or on the file's own level."""
        symbols, program = self.scope.symbols, self.scope.program
        named = symbols.bound.get(node.id)
        if (
            named is None
            and node.id not in symbols.local_names
            and node.id in program.source.constants
        ):
            named = program.constants.find(node.id, node)
        return named if isinstance(named, Array) else None

    def convert_index(self, value: Value, node: ast.expr, size: int) -> Expression:
        """The value as an index of a dimension; constants also count from its end."""
        if value.scalar.rank != 1:
            what = f"an index of type {value.scalar.name}"
            self.scope.refuse(node, "PY_INDEX", what, "indices that are integers")
        known = value.known
        if known is None:
            return value.expression
        assert isinstance(known, int)
        if not -size <= known < size:
            what = f"index {known} of a dimension of size {size}"
            self.scope.refuse(node, "PY_INDEX", what, f"indices from {-size} to {size - 1}")
        constant = make_constant(known % size, self.scope.locate(node))
        return adapt_value(constant, value.scalar).expression

    def find_size(self, node: ast.expr) -> int | None:
        """The number that a.size or a.shape[k] is, or None for other expressions."""
        match node:
            case ast.Attribute(value=inner, attr="size"):
                array = self.find_array(inner)
                return None if array is None else prod(array.shape)
            case ast.Subscript(value=ast.Attribute(value=inner, attr="shape")):
                array = self.find_array(inner)
                number = self.values.read_value(node.slice).known
                if array is None or not isinstance(number, int):
                    return None
                count = len(array.shape)
                if not -count <= number < count:
                    what = f"dimension {number} of an array of {count} dimensions"
                    accepted = f"dimensions from {-count} to {count - 1}" if count else "arrays"
                    self.scope.refuse(node, "PY_INDEX", what, accepted)
                return array.shape[number]
            case _:
                return None

    def find_target(self, target: ast.Subscript) -> Array:
        """The element of an array that an assignment changes."""
        base: ast.expr = target
        while isinstance(base, ast.Subscript):
            base = base.value
        is_own = not isinstance(base, ast.Name) or base.id in self.scope.symbols.local_names
        element = self.find_array(target) if is_own else None
        if element is None or element.memory.kind is Kind.CONSTANT:
            what = f"an assignment to an element of {ast.unparse(base)}, a constant"
            accepted = "assignments to arrays of the kernel, and to parameters"
            self.scope.refuse(target, "PY_CONSTANT", what, accepted)
        if not element.shape:
            self.scope.record_type(target, element.scalar)
        return element

    def count_dimensions(self, node: ast.expr) -> int:
        """The dimensions of what the expression is if it is an array; 0 for a number."""
        match node:
            case ast.Name():
                array = self.find_named_array(node)
                return 0 if array is None else len(array.shape)
            case ast.Subscript():
                nodes = [each for each in list_indices(node) if not isinstance(each, ast.Slice)]
                return max(0, self.count_dimensions(node.value) - len(nodes))
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert()):
                return self.count_dimensions(node.operand)
            case ast.BinOp():
                left, right = map(self.count_dimensions, (node.left, node.right))
                if isinstance(node.op, ast.MatMult):
                    return max(0, left + right - 2)
                return max(left, right)
            case _:
                return 0


def list_indices(node: ast.Subscript) -> list[ast.expr]:
    """The indices and slices, one for each dimension."""
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
