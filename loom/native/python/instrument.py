"""A Python file in which every step of its kernel is checked, with all places as they were."""

from __future__ import annotations

import ast
import copy
import operator
from dataclasses import dataclass
from typing import Any

from loom.frontend.python.operators import BINARY
from loom.frontend.python.read import Kernel
from loom.frontend.python.scope import Signature, Specialization
from loom.frontend.python.source import Source, find_local_names
from loom.frontend.python.symbols import name_result
from loom.frontend.python.types import Scalar
from loom.native.python.checks import Step
from loom.native.python.steps import Steps

RECORD = "loom_record_"
"""What the kernel is decorated with in the file that is run."""


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
    names = {key: f"loom_{key[0]}_{number}" for number, key in enumerate(kernel.specializations)}
    steps: list[Step] = []
    copies: dict[str, list[ast.FunctionDef]] = {}
    for key, typing in kernel.specializations.items():
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
    return Watched(ast.fix_missing_locations(tree), names[kernel.signature], functions, steps)


def copy_of(
    source: Source,
    typing: Specialization,
    names: dict[Signature, str],
    key: Signature,
    steps: list[Step],
) -> ast.FunctionDef:
    """The function for one choice of types, under a name of its own, watched."""
    memo: dict[int, Any] = {}
    made = copy.deepcopy(typing.function, memo)
    scalars = {
        memo[id(node)]: scalar for node, scalar in typing.scalars.items() if id(node) in memo
    }
    callees = {memo[id(node)]: names[k] for node, k in typing.callees.items() if id(node) in memo}
    watcher = Watcher(source, scalars, callees, typing.variables, find_local_names(made), steps)
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
class Watcher(Steps, ast.NodeTransformer):
    """Puts a check around each step of a function."""

    def visited(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The statements, watched."""
        found: list[ast.stmt] = []
        for each in body:
            made = self.visit(each)
            found += made if isinstance(made, list) else [made]
        return found

    def settled(self, name: str, node: ast.AST) -> ast.stmt:
        """A statement that asks whether the variable has its type."""
        target = ast.Name(name, ast.Load())
        ast.copy_location(target, node)
        value = self.settle(target, self.variables.get(name), target)
        made = ast.Assign([ast.Name(name, ast.Store())], value)
        return ast.fix_missing_locations(ast.copy_location(made, node))

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
                self.settle(part, self.variables.get(name_result(k)), like)
                for k, (part, like) in enumerate(zip(made.value.elts, likes, strict=True))
            ]
        elif made.value is not None and name_result(1) not in self.variables:
            made.value = self.settle(made.value, self.variables.get(name_result(0)), likes[0])
        return made
