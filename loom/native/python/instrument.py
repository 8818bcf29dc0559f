"""A Python file in which every step of its kernel is checked, with all places as they were."""

from __future__ import annotations

import ast
import copy
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from loom.frontend.python.constants import Constants
from loom.frontend.python.functions import MATHS, NUMPYS
from loom.frontend.python.operators import BINARY, COMPARISONS, UNARY
from loom.frontend.python.read import Kernel
from loom.frontend.python.source import Source, locals_of
from loom.frontend.python.state import RESULT, Key, Typing
from loom.frontend.python.types import NUMPY, Scalar
from loom.frontend.python.values import place_in
from loom.native.python.checks import Step
from loom.native.python.numpy_types import python_type

CHECKS, RECORD = "loom_checks_", "loom_record_"
"""Names in the file that is run: the checks, and what the kernel is decorated with."""


@dataclass
class Watched:
    """A file to be run, the name of the watched kernel in it, and its steps."""

    tree: ast.Module
    kernel: str
    functions: list[ast.FunctionDef]
    """The watched copies alone."""
    steps: list[Step]


def watched(kernel: Kernel) -> Watched:
    """The file in which the kernel is decorated with the recorder, beside its watched copies."""
    names = {key: f"loom_{key[0]}_{number}" for number, key in enumerate(kernel.typings)}
    steps: list[Step] = []
    copies: dict[str, list[ast.FunctionDef]] = {}
    for key, typing in kernel.typings.items():
        made = copy_of(kernel.source, typing, names, key, steps)
        copies.setdefault(key[0], []).append(made)
    body: list[ast.stmt] = []
    for each in kernel.source.tree.body:
        if each is kernel.function:
            plain = copy.copy(kernel.function)
            plain.decorator_list = [ast.Name(RECORD, ast.Load())]
            body.append(plain)
        else:
            body.append(each)
        if isinstance(each, ast.FunctionDef) and kernel.source.functions.get(each.name) is each:
            body += copies.get(each.name, [])
    tree = ast.Module(body, [])
    functions = [each for several in copies.values() for each in several]
    return Watched(ast.fix_missing_locations(tree), names[kernel.key], functions, steps)


def copy_of(
    source: Source, typing: Typing, names: dict[Key, str], key: Key, steps: list[Step]
) -> ast.FunctionDef:
    """The function for one choice of types, under a name of its own, watched."""
    memo: dict[int, Any] = {}
    made = copy.deepcopy(typing.function, memo)
    scalars = {
        memo[id(node)]: scalar for node, scalar in typing.scalars.items() if id(node) in memo
    }
    callees = {memo[id(node)]: names[k] for node, k in typing.callees.items() if id(node) in memo}
    watcher = Watcher(source, scalars, callees, typing.variables, locals_of(made), steps)
    made.name, made.decorator_list, made.returns = names[key], [], None
    for parameter in (*made.args.posonlyargs, *made.args.args, *made.args.kwonlyargs):
        parameter.annotation = None
    begins: list[ast.stmt] = []
    for parameter in (*made.args.posonlyargs, *made.args.args, *made.args.kwonlyargs):
        if parameter.arg in typing.variables:
            begins.append(watcher.settled(parameter.arg, parameter))
    made.body = [*begins, *watcher.visited(made.body)]
    return made


@dataclass
class Watcher(ast.NodeTransformer):
    """Puts a check around each step of a function."""

    source: Source
    scalars: dict[ast.AST, Scalar]
    callees: dict[ast.AST, str]
    variables: dict[str, Scalar]
    locals: frozenset[str]
    steps: list[Step]
    made: int = 0

    def visited(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The statements, watched."""
        found: list[ast.stmt] = []
        for each in body:
            made = self.visit(each)
            found += made if isinstance(made, list) else [made]
        return found

    def step(self, node: ast.AST, function: Callable[..., Any], operands: tuple[Scalar, ...],
             result: Scalar, is_division: bool = False) -> ast.expr:  # fmt: skip
        """The number of a new step, as an expression."""
        text = ast.unparse(node)
        place = place_in(node, self.source.file)
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

    def settled(self, name: str, node: ast.AST) -> ast.stmt:
        """A statement that asks whether the variable has its type."""
        target = ast.Name(name, ast.Load())
        ast.copy_location(target, node)
        value = self.settle(target, self.variables.get(name), target)
        made = ast.Assign([ast.Name(name, ast.Store())], value)
        return ast.fix_missing_locations(ast.copy_location(made, node))

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
        return not names & self.locals and Constants(self.source).number(node) is not None

    def index(self, node: ast.expr) -> ast.expr:
        """An index that is found when the kernel runs."""
        scalar = self.scalars.get(node)
        if scalar is None:
            return self.visit(node)  # type: ignore[no-any-return]
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
        name = self.source.qualified(node.func) or ast.unparse(node.func)
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

    # Statements

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        """A pattern, which stays as it is."""
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        """An assignment; its variables must be of their types."""
        names = [each for target in node.targets for each in ast.walk(target)
                 if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]  # fmt: skip
        target, value = node.targets[0], node.value
        type_, of_value = self.scalars.get(target), self.scalars.get(value)
        like = copy.deepcopy(value)
        made = self.generic_visit(node)
        assert isinstance(made, ast.Assign)
        if len(made.targets) == 1 and isinstance(target, ast.Name) and target.id in self.variables:
            made.value = self.settle(made.value, self.variables[target.id], like)
            return made
        if len(made.targets) == 1 and type_ is not None and of_value is not None:
            made.value = self.stored(made.value, like, of_value, type_)
        return [made, *(self.settled(name.id, name) for name in names
                        if name.id in self.variables)]  # fmt: skip

    def stored(self, value: ast.expr, like: ast.AST, scalar: Scalar, element: Scalar) -> ast.expr:
        """A value that an element of an array is given."""
        step = self.step(like, operator.pos, (scalar,), element)
        return self.check("store", like, step, value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | list[ast.stmt]:
        """A declaration, which Python takes for an assignment."""
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        made = ast.copy_location(ast.Assign([node.target], node.value), node)
        return self.visit_Assign(made)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        """An operator and an assignment in one."""
        target = node.target
        found = [self.scalars.get(each) for each in (target, node.value, node)]
        if any(each is None for each in found):
            return self.generic_visit(node)
        left, right, result = (each for each in found if each is not None)
        before: list[ast.stmt] = []
        like = copy.deepcopy(node)
        load: ast.expr
        if isinstance(target, ast.Name):
            load = ast.Name(target.id, ast.Load())
        else:
            assert isinstance(target, ast.Subscript)
            place = self.visit(target)
            names = self.new(), self.new()
            for name, part in zip(names, (place.value, place.slice), strict=True):
                before.append(ast.Assign([ast.Name(name, ast.Store())], part))
            base, index = (ast.Name(name, ast.Load()) for name in names)
            load = ast.Subscript(base, index, ast.Load())
            target = ast.Subscript(base, index, ast.Store())
        text = ast.BinOp(like.target, like.op, like.value)
        ast.copy_location(text, node)
        divides = isinstance(node.op, ast.FloorDiv | ast.Mod)
        step = self.step(text, BINARY[type(node.op)], (left, right), result, divides)
        value: ast.expr = self.check("apply", node, step, load, self.visit(node.value))
        if isinstance(target, ast.Name):
            value = self.settle(value, self.variables.get(target.id), text)
        else:
            value = self.stored(value, text, result, left)
        made = ast.Assign([target], value)
        return [
            ast.fix_missing_locations(ast.copy_location(each, node)) for each in (*before, made)
        ]

    def visit_For(self, node: ast.For) -> ast.AST:
        """A loop, whose variables must be of their types."""
        made = self.generic_visit(node)
        assert isinstance(made, ast.For)
        names = [each for each in ast.walk(made.target) if isinstance(each, ast.Name)]
        made.body = [*(self.settled(name.id, name) for name in names
                       if name.id in self.variables), *made.body]  # fmt: skip
        return made

    def visit_Return(self, node: ast.Return) -> ast.AST:
        """A return, whose values must be of the types of the results."""
        value = node.value
        parts = value.elts if isinstance(value, ast.Tuple) else [value] if value else []
        likes = [copy.deepcopy(part) for part in parts]
        made = self.generic_visit(node)
        assert isinstance(made, ast.Return)
        if isinstance(made.value, ast.Tuple):
            made.value.elts = [
                self.settle(part, self.variables.get(f"{RESULT}{k}"), like)
                for k, (part, like) in enumerate(zip(made.value.elts, likes, strict=True))
            ]
        elif made.value is not None and f"{RESULT}1" not in self.variables:
            made.value = self.settle(made.value, self.variables.get(f"{RESULT}0"), likes[0])
        return made


PLAIN: dict[str, Callable[..., Any]] = {"int": int, "float": float, "bool": bool}


def function_called(name: str) -> Callable[..., Any] | None:
    """The function of this full name, or None if it gives one of its arguments."""
    if name in PLAIN:
        return PLAIN[name]
    if name == "abs":
        return abs
    module, _, short = name.rpartition(".")
    if module == "numpy" and (short in NUMPY or name in NUMPYS):
        return getattr(np, short)  # type: ignore[no-any-return]
    if name in MATHS:
        import math

        return getattr(math, short)  # type: ignore[no-any-return]
    return None
