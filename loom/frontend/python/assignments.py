"""Assignments: to variables, elements and several places at once; arrays that begin."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith

from loom.frontend.imperative.tree import (
    Apply,
    Assign,
    Compare,
    Copy,
    Kind,
    Loop,
    Memory,
    Number,
    Read,
    Relation,
    Store,
)
from loom.frontend.imperative.types import OFFSET
from loom.frontend.python.constants import MAKERS, Numbers
from loom.frontend.python.functions import Functions
from loom.frontend.python.types import Scalar
from loom.frontend.python.values import Array, Value


@dataclass
class Assignments(Functions):
    """Reads assignments."""

    def assign(self, node: ast.Assign) -> None:
        """The targets have the value, the first one first."""
        first = node.targets[0]
        is_name = len(node.targets) == 1 and isinstance(first, ast.Name)
        if is_name and self.begin_array(ast.unparse(first), node.value, node):
            return
        values = self.values(node.value)
        if len(node.targets) > 1:
            values = [self.kept(value) for value in values]
        for target in node.targets:
            self.put(target, values, node)

    def values(self, node: ast.expr) -> list[Value]:
        """The values that stand at the right of an assignment or return."""
        if isinstance(node, ast.Tuple | ast.List):
            return self.in_order(*node.elts)
        if isinstance(node, ast.Call):
            found = self.call(node)
            if len(found) == 1:
                self.typing.scalars[node] = found[0].scalar
            return list(found)
        return [self.value(node)]

    def put(self, target: ast.expr, values: Sequence[Value], node: ast.AST) -> None:
        """The target has the values."""
        if not isinstance(target, ast.Tuple | ast.List):
            if len(values) != 1:
                what = f"{len(values)} values for one target"
                self.refuse(node, "PY_STATEMENT", what, "a target for each value")
            self.put_one(target, values[0], node)
            return
        if len(target.elts) != len(values):
            what = f"{len(values)} values for {len(target.elts)} targets"
            self.refuse(node, "PY_STATEMENT", what, "a target for each value")
        values = [self.kept(value) for value in values]
        for each, value in zip(target.elts, values, strict=True):
            self.put(each, [value], node)

    def put_one(self, target: ast.expr, value: Value, node: ast.AST) -> None:
        """The variable or element has the value."""
        if isinstance(target, ast.Name):
            self.assign_name(target.id, value, target)
            return
        if not isinstance(target, ast.Subscript):
            what = f"an assignment to {ast.unparse(target)}"
            self.refuse(target, "PY_STATEMENT", what, "assignments to names and elements")
        count = len(self.out)
        element = self.element(target)
        if len(self.out) > count:
            rest, self.out[count:] = self.out[count:], []
            value = self.kept(value)
            self.out += rest
        self.store(element, value, node)

    def element(self, target: ast.Subscript) -> Array:
        """The element of an array that an assignment changes."""
        base: ast.expr = target
        while isinstance(base, ast.Subscript):
            base = base.value
        is_own = not isinstance(base, ast.Name) or base.id in self.locals
        found = self.array(target) if is_own else None
        if found is None or found.memory.kind is Kind.CONSTANT:
            what = f"an assignment to an element of {ast.unparse(base)}, a constant"
            accepted = "assignments to arrays of the kernel, and to parameters"
            self.refuse(target, "PY_CONSTANT", what, accepted)
        if found.shape:
            what = f"an assignment to the array {ast.unparse(target)}"
            self.refuse(target, "PY_STATEMENT", what, "assignments to elements; a loop")
        self.typing.scalars[target] = found.scalar
        return found

    def store(self, element: Array, value: Value, node: ast.AST) -> None:
        """The element has the value, cast to the array's type as NumPy does."""
        scalar = Scalar(element.scalar.type)
        expression = self.cast(value, scalar, node).expression
        self.out.append(Store(self.place(node), element.memory, element.indices, expression))

    def augment(self, node: ast.AugAssign) -> None:
        """The target has what the operator makes of it and the value."""
        target, kind = node.target, type(node.op)
        if isinstance(target, ast.Name):
            self.typing.scalars[target] = self.type_before(target)
            left, right = self.in_order(ast.copy_location(ast.Name(target.id), target), node.value)
            made = self.binary(kind, left, right, node)
            self.typing.scalars[node] = made.scalar
            self.assign_name(target.id, made, target)
            return
        if not isinstance(target, ast.Subscript):
            what = f"an assignment to {ast.unparse(target)}"
            self.refuse(target, "PY_STATEMENT", what, "assignments to names and elements")
        found = self.element(target)
        element = self.kept_array(found)
        left = element.load(self.place(target))
        count = len(self.out)
        right = self.value(node.value)
        if len(self.out) > count:
            rest, self.out[count:] = self.out[count:], []
            left = self.kept(left)
            self.out += rest
        made = self.binary(kind, left, right, node)
        self.typing.scalars[node] = made.scalar
        self.store(element, made, node)

    def type_before(self, target: ast.Name) -> Scalar:
        """The type of the variable that an operator changes."""
        if target.id in self.names:
            what = f"an operator on the whole array {target.id}"
            self.refuse(target, "PY_STATEMENT", what, "a loop over the elements")
        return self.read_name(target.id, target).scalar

    # Arrays

    def begin_array(self, name: str, node: ast.expr, at: ast.AST) -> bool:
        """True if the value is an array, which the name stands for from here on."""
        made = self.array_of(name, node)
        if made is None:
            return False
        if name in self.names or name in self.found:
            what = f"the name {name} for a second array"
            self.refuse(at, "PY_TYPE", what, "a name for each array")
        self.names[name] = made
        return True

    def array_of(self, name: str, node: ast.expr) -> Array | None:
        """The array that the expression makes or names, or None if it is a number."""
        if isinstance(node, ast.Name | ast.Subscript):
            found = self.array(node)
            if found is None or not found.shape:
                return None
            return self.kept_array(found)
        if not isinstance(node, ast.Call | ast.Tuple | ast.List):
            return None
        numbers = self.numbers(node)
        if numbers is None:
            if isinstance(node, ast.List):
                self.refuse(node, "PY_EXPRESSION", "a list", "np.array, np.zeros; tuples")
            return None
        place = self.place(node)
        if not isinstance(node, ast.Call):
            return self.program.constants.table(name, numbers, node, Kind.CONSTANT)
        memory = Memory(name, numbers.scalar.type, numbers.shape, place, Kind.LOCAL)
        made = self.program.constants.table(name, numbers, node, Kind.CONSTANT)
        assert made.memory.initial is not None
        if self.source.qualified(node.func) == "numpy.array":
            self.out.append(Copy(place, made.memory, memory))
        elif self.source.qualified(node.func) != "numpy.empty":
            self.fill(memory, made.memory.initial[0])
        return Array(memory, numbers.scalar)

    def numbers(self, node: ast.expr) -> Numbers | None:
        """The numbers of a literal or a call of NumPy that names nothing of the function's own."""
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and each.id in self.locals:
                if isinstance(node, ast.Call) and self.source.qualified(node.func) in MAKERS:
                    what = f"{ast.unparse(node)}, which depends on {each.id}"
                    self.refuse(each, "PY_SIZE", what, "sizes and numbers that are constants")
                return None
        return self.program.constants.numbers(node)

    def fill(self, memory: Memory, pattern: int) -> None:
        """Every word of the memory is the same."""
        place = memory.place
        counter = self.fresh("k", OFFSET)
        at = Read(OFFSET, place, counter)
        size, one = Number(OFFSET, place, prod(memory.shape)), Number(OFFSET, place, 1)
        self.out.append(Assign(place, counter, Number(OFFSET, place, 0)))
        store = Store(place, memory, (at,), Number(memory.type, place, pattern))
        step = Assign(place, counter, Apply(OFFSET, place, arith.AddiOp, (at, one)))
        test = Compare(place, Relation.LT, at, size)
        self.out.append(Loop(place, (), test, (store,), (step,)))
