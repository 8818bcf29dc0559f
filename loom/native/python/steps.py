"""Checks around the steps of expressions, with all places as they were."""

from __future__ import annotations

import ast
import copy
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from loom.frontend.python.constants import Constants
from loom.frontend.python.diagnostics import locate_node
from loom.frontend.python.library import MATH_FUNCTIONS, NUMPY_FUNCTIONS
from loom.frontend.python.operators import BINARY, COMPARISONS, UNARY
from loom.frontend.python.source import Source
from loom.frontend.python.types import NUMPY, Scalar
from loom.native.python.checks import Step
from loom.native.python.numpy_types import python_type

CHECKS = "loom_checks_"
"""The name of the checks in the file that is run."""


@dataclass
class Steps(ast.NodeTransformer):
    """Puts a check around each step of an expression."""

    source: Source
    scalars: dict[ast.AST, Scalar]
    callees: dict[ast.AST, str]
    variables: dict[str, Scalar]
    locals: frozenset[str]
    steps: list[Step]
    made: int = 0

    def step(self, node: ast.AST, function: Callable[..., Any], operands: tuple[Scalar, ...],
             result: Scalar, is_division: bool = False) -> ast.expr:  # fmt: skip
        """The number of a new step, as an expression."""
        text = ast.unparse(node)
        place = locate_node(node, self.source.file)
        self.steps.append(Step(place, text, function, operands, result, is_division))
        return ast.Constant(len(self.steps) - 1)

    def check(self, name: str, node: ast.AST, *given: ast.expr) -> ast.Call:
        """A call of a check in place of the node."""
        function = ast.Attribute(ast.Name(CHECKS, ast.Load()), name, ast.Load())
        made = ast.copy_location(ast.Call(function, list(given), []), node)
        return ast.fix_missing_locations(made)

    def new(self) -> str:
        """A new name."""
        self.made += 1
        return f"loom_{self.made}_"

    def settle(self, value: ast.expr, scalar: Scalar | None, like: ast.AST) -> ast.expr:
        """The value, which must be of the type."""
        if scalar is None:
            return value
        step = self.step(like, operator.pos, (scalar,), scalar)
        return self.check("settle", like, step, value)

    # Expressions

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """An operator of two operands."""
        found = [self.scalars.get(each) for each in (node.left, node.right, node)]
        if any(each is None for each in found):
            return self.generic_visit(node)
        left, right, result = (each for each in found if each is not None)
        divides = isinstance(node.op, ast.FloorDiv | ast.Mod)
        step = self.step(node, BINARY[type(node.op)], (left, right), result, divides)
        return self.check("apply", node, step, self.visit(node.left), self.visit(node.right))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """An operator of one operand."""
        scalar, result = self.scalars.get(node.operand), self.scalars.get(node)
        if isinstance(node.op, ast.Not) or scalar is None or result is None:
            return self.generic_visit(node)
        step = self.step(node, UNARY[type(node.op)], (scalar,), result)
        return self.check("apply", node, step, self.visit(node.operand))

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Comparisons in a row."""
        sides = [node.left, *node.comparators]
        scalars = [self.scalars.get(each) for each in sides]
        result = self.scalars.get(node)
        if result is None or any(each is None for each in scalars):
            return self.generic_visit(node)
        types, like = [each for each in scalars if each is not None], copy.deepcopy(node)
        values = [self.visit(each) for each in sides]
        parts: list[ast.expr] = []
        left = values[0]
        for number, kind in enumerate(node.ops):
            right = values[number + 1]
            if number + 1 < len(node.ops):
                name = self.new()
                right = ast.NamedExpr(ast.Name(name, ast.Store()), right)
            pair = (types[number], types[number + 1])
            weak = Scalar(result.type, pair[0].is_weak and pair[1].is_weak)
            step = self.step(like, COMPARISONS[type(kind)][0], pair, weak)
            parts.append(self.check("apply", node, step, left, right))
            if number + 1 < len(node.ops):
                left = ast.Name(name, ast.Load())
        made = parts[0] if len(parts) == 1 else ast.BoolOp(ast.And(), parts)
        return ast.fix_missing_locations(ast.copy_location(made, node))

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """One of two values."""
        return self.one_of(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """The operand that decides."""
        return self.one_of(node)

    def one_of(self, node: ast.expr) -> ast.expr:
        """A value that is one of several: it must be of the type found for all."""
        scalar = self.scalars.get(node)
        like = copy.deepcopy(node)
        made = self.generic_visit(node)
        assert isinstance(made, ast.expr)
        return self.settle(made, scalar, like) if scalar and scalar.rank else made

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """An element of an array."""
        nodes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        indices = [self.visit(each) if self.is_known(each) else self.index(each) for each in nodes]
        several = ast.Tuple(indices, ast.Load())
        whole = several if isinstance(node.slice, ast.Tuple) else indices[0]
        made = ast.Subscript(self.visit(node.value), whole, node.ctx)
        return ast.fix_missing_locations(ast.copy_location(made, node))

    def is_known(self, node: ast.expr) -> bool:
        """True for an index that is a constant of the text."""
        names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        return not names & self.locals and Constants(self.source).evaluate_number(node) is not None

    def index(self, node: ast.expr) -> ast.expr:
        """An index that is found when the kernel runs."""
        scalar = self.scalars.get(node)
        if scalar is None:
            made = self.visit(node)
            assert isinstance(made, ast.expr)
            return made
        step = self.step(node, operator.pos, (scalar,), scalar)
        return self.check("index", node, step, self.visit(node))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call."""
        callee = self.callees.get(node)
        if callee is not None:
            made = self.generic_visit(node)
            assert isinstance(made, ast.Call)
            made.func = ast.copy_location(ast.Name(callee, ast.Load()), node)
            return made
        result = self.scalars.get(node)
        method = node.func if isinstance(node.func, ast.Attribute) else None
        if method is not None and result is not None and method.value in self.scalars:
            return self.cast(node, method.value, result)
        found = [self.scalars.get(each) for each in node.args]
        name = self.source.qualify(node.func) or ast.unparse(node.func)
        if result is None or node.keywords or any(each is None for each in found):
            return self.generic_visit(node)
        types = tuple(each for each in found if each is not None)
        function = function_called(name)
        if function is None:
            return self.one_of(node)
        step = self.step(node, function, types, result)
        kind = "cast" if name in PLAIN or name.removeprefix("numpy.") in NUMPY else "apply"
        return self.check(kind, node, step, *(self.visit(each) for each in node.args))

    def cast(self, node: ast.Call, value: ast.expr, result: Scalar) -> ast.expr:
        """x.astype(np.int32)."""
        step = self.step(node, python_type(result), (self.scalars[value],), result)
        return self.check("cast", node, step, self.visit(value))


PLAIN: dict[str, Callable[..., Any]] = {"int": int, "float": float, "bool": bool}


def function_called(name: str) -> Callable[..., Any] | None:
    """The function of this full name, or None if it gives one of its arguments."""
    if name in PLAIN:
        return PLAIN[name]
    if name == "abs":
        return abs
    module, _, short = name.rpartition(".")
    if module == "numpy" and (short in NUMPY or name in NUMPY_FUNCTIONS):
        function: Callable[..., Any] = getattr(np, short)
        return function
    if name in MATH_FUNCTIONS:
        import math

        function = getattr(math, short)
        return function
    return None
