"""Assignments: to variables, elements and several targets at once; arrays that begin."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from loom.frontend.imperative.fill_memory import fill_memory, repeat_pattern
from loom.frontend.imperative.tree import (
    Copy,
    Kind,
    Memory,
    Store,
)
from loom.frontend.python.constants import MAKERS, Table
from loom.frontend.python.expressions import Expressions
from loom.frontend.python.scope import Scope
from loom.frontend.python.types import Scalar
from loom.frontend.python.values import Array, Value


@dataclass
class Assignments:
    """Reads assignments and writes them into the scope."""

    scope: Scope
    expressions: Expressions

    def read_assignment(self, node: ast.Assign) -> None:
        """The targets have the value, the first one first."""
        first = node.targets[0]
        is_name = len(node.targets) == 1 and isinstance(first, ast.Name)
        if is_name and self.begin_array(ast.unparse(first), node.value, node):
            return
        if len(node.targets) == 1 and self.is_whole_target(first):
            self.assign_whole(first, node)
            return
        values = self.read_values(node.value)
        if len(node.targets) > 1:
            values = [self.scope.hold_value(value) for value in values]
        for target in node.targets:
            self.assign_target(target, values, node)

    def is_whole_target(self, target: ast.expr) -> bool:
        """True for a row, a slice or the whole of an array of the function."""
        base = target
        while isinstance(base, ast.Subscript):
            base = base.value
        bound = isinstance(base, ast.Name) and base.id in self.scope.symbols.bound
        is_part = isinstance(target, ast.Subscript) and bound
        return is_part and self.expressions.places.count_dimensions(target) > 0

    def assign_whole(self, target: ast.expr, node: ast.Assign) -> None:
        """The array or slice has the elements of the value, or the number in each of them."""
        whole, place = self.expressions.whole, self.expressions.places
        assert isinstance(target, ast.Subscript)
        value = whole.read_whole(node.value)
        whole.refuse_calls(target)
        array = self.scope.hold_array(place.find_target(target))
        whole.assign_elements(array, value, node)

    def read_values(self, node: ast.expr) -> list[Value]:
        """The values at the right of an assignment or return."""
        if isinstance(node, ast.Tuple | ast.List):
            return self.expressions.read_values(*node.elts)
        if isinstance(node, ast.Call):
            values = self.expressions.calls.read_call(node)
            if len(values) == 1:
                self.scope.record_type(node, values[0].scalar)
            return list(values)
        return [self.expressions.read_value(node)]

    def assign_target(self, target: ast.expr, values: Sequence[Value], node: ast.AST) -> None:
        """The target, which may be a tuple of targets, has the values."""
        targets = target.elts if isinstance(target, ast.Tuple | ast.List) else None
        if len(values) != (1 if targets is None else len(targets)):
            count = "one target" if targets is None else f"{len(targets)} targets"
            what = f"{len(values)} values for {count}"
            self.scope.refuse(node, "PY_STATEMENT", what, "a target for each value")
        if targets is None:
            self.assign_value(target, values[0], node)
            return
        values = [self.scope.hold_value(value) for value in values]
        for each, value in zip(targets, values, strict=True):
            self.assign_target(each, [value], node)

    def assign_value(self, target: ast.expr, value: Value, node: ast.AST) -> None:
        """The variable or element has the value."""
        if isinstance(target, ast.Name):
            self.scope.symbols.assign_variable(target.id, value, target)
            return
        if not isinstance(target, ast.Subscript):
            self.refuse_target(target)
        mark = self.scope.body.mark()
        element = self.expressions.places.find_target(target)
        value = self.scope.body.hold_at(mark, self.scope.hold_value, value)
        if element.shape:
            what = f"an assignment to the array {ast.unparse(target)} among others"
            self.scope.refuse(target, "PY_STATEMENT", what, "a statement of its own for it")
        self.store_value(element, value, node)

    def refuse_target(self, target: ast.expr) -> NoReturn:
        """The target is neither a variable nor an element."""
        what = f"an assignment to {ast.unparse(target)}"
        self.scope.refuse(target, "PY_STATEMENT", what, "assignments to names and elements")

    def store_value(self, element: Array, value: Value, node: ast.AST) -> None:
        """The element has the value, cast to the array's type as NumPy does."""
        scalar = Scalar(element.scalar.type)
        expression = self.expressions.library.cast_value(value, scalar, node).expression
        place = self.scope.locate(node)
        self.scope.body.append(Store(place, element.memory, element.address, expression))

    # Augmented assignments

    def read_augmented_assignment(self, node: ast.AugAssign) -> None:
        """The target has the result of the operator on it and the value."""
        if isinstance(node.target, ast.Name):
            self.augment_variable(node, node.target)
        elif isinstance(node.target, ast.Subscript):
            self.augment_element(node, node.target)
        else:
            self.refuse_target(node.target)

    def augment_variable(self, node: ast.AugAssign, target: ast.Name) -> None:
        """The variable has the result of the operator on it and the value."""
        symbols = self.scope.symbols
        array = symbols.bound.get(target.id)
        if isinstance(array, Array):
            if array.memory.kind is Kind.CONSTANT:
                what = f"an operator that changes {target.id}, a constant"
                self.scope.refuse(target, "PY_CONSTANT", what, "arrays that are no tuples")
            self.expressions.whole.augment_elements(array, node)
            return
        self.scope.record_type(target, symbols.read_variable(target.id, target).scalar)
        load = ast.copy_location(ast.Name(target.id), target)
        left, right = self.expressions.read_values(load, node.value)
        symbols.assign_variable(target.id, self.apply_operator(node, left, right), target)

    def augment_element(self, node: ast.AugAssign, target: ast.Subscript) -> None:
        """The element has the result of the operator on it and the value."""
        body = self.scope.body
        element = self.scope.hold_array(self.expressions.places.find_target(target))
        if element.shape:
            self.expressions.whole.augment_elements(element, node)
            return
        mark = body.mark()
        right = self.expressions.read_value(node.value)
        left = element.load(self.scope.locate(target))
        left = body.hold_at(mark, self.scope.hold_value, left)
        self.store_value(element, self.apply_operator(node, left, right), node)

    def apply_operator(self, node: ast.AugAssign, left: Value, right: Value) -> Value:
        """The result of the operator in an augmented assignment."""
        value = self.expressions.arithmetic.apply_binary(type(node.op), left, right, node)
        self.scope.record_type(node, value.scalar)
        return value

    # Arrays

    def begin_array(self, name: str, node: ast.expr, at: ast.AST) -> bool:
        """True if the value is an array, which the name stands for from here on."""
        array = self.read_array(name, node)
        if array is None:
            return False
        self.scope.symbols.bind_array(name, array, at)
        return True

    def read_array(self, name: str, node: ast.expr) -> Array | None:
        """The array that the expression makes or designates, or None if it is a number."""
        if isinstance(node, ast.Name | ast.Subscript):
            array = self.expressions.places.find_array(node)
            if array is None or not array.shape:
                return None
            return self.scope.hold_array(array)
        if self.expressions.whole.is_whole(node):
            whole = self.expressions.whole
            return whole.make_array(name, whole.read_whole(node), node)
        if not isinstance(node, ast.Call | ast.Tuple | ast.List):
            return None
        table = self.evaluate_table(node)
        if table is None:
            if isinstance(node, ast.List):
                accepted = "np.array, np.zeros; tuples"
                self.scope.refuse(node, "PY_EXPRESSION", "a list", accepted)
            return None
        constant = self.scope.program.constants.make_table(name, table, node)
        if not isinstance(node, ast.Call):
            return constant
        return self.make_local_array(name, constant, node)

    def evaluate_table(self, node: ast.expr) -> Table | None:
        """The numbers of a literal or a call of NumPy without variables in it, or None."""
        program = self.scope.program
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and each.id in self.scope.symbols.local_names:
                if isinstance(node, ast.Call) and program.source.qualify(node.func) in MAKERS:
                    what = f"{ast.unparse(node)}, which depends on {each.id}"
                    accepted = "sizes and numbers that are constants"
                    self.scope.refuse(each, "PY_SIZE", what, accepted)
                return None
        return program.constants.evaluate_table(node)

    def make_local_array(self, name: str, initial: Array, node: ast.Call) -> Array:
        """An array of the function that has the constant's elements, but for np.empty,
        which holds what the user wants of new arrays."""
        constant, place = initial.memory, self.scope.locate(node)
        scalar, maker = initial.scalar, self.scope.program.source.qualify(node.func)
        memory = Memory(name, scalar.type, constant.shape, place, Kind.LOCAL)
        assert constant.initial is not None
        if maker == "numpy.array":
            self.scope.body.append(Copy(place, constant, memory))
        elif maker == "numpy.empty":
            fill_memory(self.scope.body, memory, self.scope.program.fill)
        else:
            repeat_pattern(self.scope.body, memory, constant.initial[0])
        return Array(memory, scalar)
