"""A Python file in which every step of its kernel is checked, with all places as they were."""

from __future__ import annotations

import ast
import copy
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from loom.dialects.floats.elementary.functions import PROGRAMS
from loom.frontend.python.constants import Constants
from loom.frontend.python.diagnostics import locate_node
from loom.frontend.python.library import MATH_FUNCTIONS, NUMPY_FUNCTIONS
from loom.frontend.python.operators import BINARY, COMPARISONS, UNARY
from loom.frontend.python.read import Kernel
from loom.frontend.python.scope import Signature, Specialization
from loom.frontend.python.source import Source, find_local_names
from loom.frontend.python.symbols import name_result
from loom.frontend.python.types import NUMPY, Scalar
from loom.native.python.checks import Step
from loom.native.python.elementary import make_function
from loom.native.python.numpy_types import find_python_type

Node = TypeVar("Node", bound=ast.AST)
CHECKS = "loom_checks_"
"""The name of the checks in the file that is run."""
RECORD = "loom_record_"
"""The kernel's decorator in the file that is run."""
ZEROS = '__import__("numpy").zeros'
"""What np.empty is: what it gives by chance is in no circuit."""
BUILTIN_CASTS: dict[str, Callable[..., Any]] = {"int": int, "float": float, "bool": bool}


@dataclass
class InstrumentedFile:
    """A file to be run, the name of the checked kernel in it, and its steps."""

    tree: ast.Module
    kernel: str
    functions: list[ast.FunctionDef]
    """The checked copies alone."""
    steps: list[Step]


def instrument_file(kernel: Kernel) -> InstrumentedFile:
    """The file with its kernel decorated by the recorder, beside checked copies of functions.

    A function has a copy for each signature that it is called with.
    """
    specializations = kernel.specializations
    names = {key: f"loom_{key[0]}_{number}" for number, key in enumerate(specializations)}
    steps: list[Step] = []
    copies: dict[str, list[ast.FunctionDef]] = {}
    for key, specialization in specializations.items():
        made = instrument_function(kernel.source, specialization, names, names[key], steps)
        copies.setdefault(key[0], []).append(made)
    body: list[ast.stmt] = []
    for each in kernel.source.tree.body:
        if each is kernel.function:
            recorded = copy.copy(kernel.function)
            recorded.decorator_list = [ast.Name(RECORD, ast.Load())]
            body.append(recorded)
        else:
            body.append(each)
        if isinstance(each, ast.FunctionDef) and kernel.source.functions.get(each.name) is each:
            body += copies.get(each.name, [])
    tree = ast.fix_missing_locations(ast.Module(body, []))
    functions = [each for several in copies.values() for each in several]
    return InstrumentedFile(tree, names[kernel.signature], functions, steps)


def instrument_function(
    source: Source,
    specialization: Specialization,
    names: dict[Signature, str],
    name: str,
    steps: list[Step],
) -> ast.FunctionDef:
    """A checked copy of the function under the name; its steps are added to `steps`."""
    memo: dict[int, Any] = {}
    function = copy.deepcopy(specialization.function, memo)
    types = FunctionTypes(
        {memo[id(node)]: each for node, each in specialization.scalars.items() if id(node) in memo},
        {
            memo[id(node)]: names[key]
            for node, key in specialization.callees.items()
            if id(node) in memo
        },
        specialization.variables,
    )
    instrumenter = Instrumenter(source, types, CheckWriter(source.file, steps), function)
    function.name, function.decorator_list, function.returns = name, [], None
    parameters = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    for parameter in parameters:
        parameter.annotation = None
    checks = instrumenter.check_variables([(each.arg, each) for each in parameters])
    function.body = [*checks, *instrumenter.visit_body(function.body)]
    return function


@dataclass
class CheckWriter:
    """Makes calls of checks, each with the number of its step in `steps`."""

    file: str
    steps: list[Step]
    temporaries: int = 0

    def add_step(
        self,
        node: ast.AST,
        function: Callable[..., Any],
        operands: tuple[Scalar, ...],
        result: Scalar,
        is_division: bool = False,
    ) -> ast.expr:
        """The number of a new step, as an expression."""
        place, text = locate_node(node, self.file), ast.unparse(node)
        self.steps.append(Step(place, text, function, operands, result, is_division))
        return ast.Constant(len(self.steps) - 1)

    def call_check(self, name: str, node: ast.AST, *arguments: ast.expr) -> ast.Call:
        """A call of a check at the place of the node."""
        function = ast.Attribute(ast.Name(CHECKS, ast.Load()), name, ast.Load())
        return locate_copy(ast.Call(function, list(arguments), []), node)

    def check_value(self, value: ast.expr, scalar: Scalar | None, original: ast.AST) -> ast.expr:
        """The value, which must be of the type; `original` is its text."""
        if scalar is None:
            return value
        step = self.add_step(original, operator.pos, (scalar,), scalar)
        return self.call_check("check_value", original, step, value)

    def check_store(
        self, value: ast.expr, original: ast.AST, scalar: Scalar, element: Scalar
    ) -> ast.expr:
        """The value of a type that is stored in an array's element of another."""
        step = self.add_step(original, operator.pos, (scalar,), element)
        return self.call_check("check_store", original, step, value)

    def make_name(self) -> str:
        """A new name."""
        self.temporaries += 1
        return f"loom_{self.temporaries}_"


@dataclass(frozen=True)
class FunctionTypes:
    """The types that the reader found in a function, and the copies that its calls call."""

    scalars: dict[ast.AST, Scalar]
    callees: dict[ast.AST, str]
    variables: dict[str, Scalar]

    def find_all(self, *nodes: ast.AST) -> tuple[Scalar, ...] | None:
        """The types of the nodes, or None if one has none."""
        found = tuple(self.scalars[each] for each in nodes if each in self.scalars)
        return found if len(found) == len(nodes) else None


class Instrumenter(ast.NodeTransformer):
    """Puts a check around each step of a function."""

    def __init__(
        self, source: Source, types: FunctionTypes, checks: CheckWriter, function: ast.FunctionDef
    ) -> None:
        self.source = source
        self.constants = Constants(source)
        self.types = types
        self.checks = checks
        self.local_names = find_local_names(function)

    def visit_expression(self, node: ast.expr) -> ast.expr:
        """The expression, checked."""
        made = self.visit(node)
        assert isinstance(made, ast.expr)
        return made

    # Expressions

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """An operator of two operands."""
        found = self.types.find_all(node.left, node.right, node)
        if found is None:
            return self.generic_visit(node)
        step = self.checks.add_step(
            node, BINARY[type(node.op)], found[:2], found[2], is_division(node.op)
        )
        operands = self.visit_expression(node.left), self.visit_expression(node.right)
        return self.checks.call_check("apply_step", node, step, *operands)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """An operator of one operand."""
        found = self.types.find_all(node.operand, node)
        if isinstance(node.op, ast.Not) or found is None:
            return self.generic_visit(node)
        step = self.checks.add_step(node, UNARY[type(node.op)], found[:1], found[1])
        operand = self.visit_expression(node.operand)
        return self.checks.call_check("apply_step", node, step, operand)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Comparisons in a row."""
        sides = [node.left, *node.comparators]
        found, result = self.types.find_all(*sides), self.types.scalars.get(node)
        if result is None or found is None:
            return self.generic_visit(node)
        original = copy.deepcopy(node)
        left, *others = [self.visit_expression(each) for each in sides]
        parts: list[ast.expr] = []
        for number, (kind, right) in enumerate(zip(node.ops, others, strict=True)):
            following = right
            if number + 1 < len(node.ops):
                name = self.checks.make_name()
                right = ast.NamedExpr(ast.Name(name, ast.Store()), right)
                following = ast.Name(name, ast.Load())
            types = found[number : number + 2]
            weak = Scalar(result.type, all(each.is_weak for each in types))
            step = self.checks.add_step(original, COMPARISONS[type(kind)][0], types, weak)
            parts.append(self.checks.call_check("apply_step", node, step, left, right))
            left = following
        return locate_copy(parts[0] if len(parts) == 1 else ast.BoolOp(ast.And(), parts), node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """One of two values."""
        return self.check_choice(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """The operand that decides."""
        return self.check_choice(node)

    def check_choice(self, node: ast.expr) -> ast.expr:
        """One of several values, which must be of the type found for all."""
        scalar, original = self.types.scalars.get(node), copy.deepcopy(node)
        made = self.generic_visit(node)
        assert isinstance(made, ast.expr)
        return self.checks.check_value(made, scalar, original) if scalar and scalar.rank else made

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """An element of an array."""
        is_tuple = isinstance(node.slice, ast.Tuple)
        nodes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        indices = [self.check_index(each) for each in nodes]
        whole = ast.Tuple(indices, ast.Load()) if is_tuple else indices[0]
        return locate_copy(ast.Subscript(self.visit(node.value), whole, node.ctx), node)

    def check_index(self, node: ast.expr) -> ast.expr:
        """An index, which must not be negative unless it is a constant."""
        scalar = self.types.scalars.get(node)
        if scalar is None or self.is_constant(node):
            return self.visit_expression(node)
        step = self.checks.add_step(node, operator.pos, (scalar,), scalar)
        return self.checks.call_check("check_index", node, step, self.visit_expression(node))

    def is_constant(self, node: ast.expr) -> bool:
        """True for a constant of the text."""
        names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        return not names & self.local_names and self.constants.evaluate_number(node) is not None

    # Calls

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call, of the checked copy where it is a function of the file."""
        callee = self.types.callees.get(node)
        if callee is not None:
            made = self.generic_visit(node)
            assert isinstance(made, ast.Call)
            made.func = ast.copy_location(ast.Name(callee, ast.Load()), node)
            return made
        if self.source.qualify(node.func) == "numpy.empty":
            node.func = locate_copy(ast.parse(ZEROS, mode="eval").body, node)
        method = node.func if isinstance(node.func, ast.Attribute) else None
        if method is not None:
            found = self.types.find_all(method.value, node)
            if found is not None:
                return self.check_astype(node, method.value, *found)
        return self.check_library_call(node)

    def check_astype(
        self, node: ast.Call, value: ast.expr, scalar: Scalar, result: Scalar
    ) -> ast.expr:
        """x.astype(np.int32)."""
        step = self.checks.add_step(node, find_python_type(result), (scalar,), result)
        return self.checks.call_check("apply_cast", node, step, self.visit_expression(value))

    def check_library_call(self, node: ast.Call) -> ast.AST:
        """A call of a function of Python, NumPy or math."""
        result, found = self.types.scalars.get(node), self.types.find_all(*node.args)
        if result is None or node.keywords or found is None:
            return self.generic_visit(node)
        name = self.source.qualify(node.func) or ast.unparse(node.func)
        function = find_function(name)
        if function is None:
            return self.check_choice(node)
        step = self.checks.add_step(node, function, found, result)
        is_cast = name in BUILTIN_CASTS or name.removeprefix("numpy.") in NUMPY
        arguments = [self.visit_expression(each) for each in node.args]
        check = "apply_cast" if is_cast else "apply_step"
        return self.checks.call_check(check, node, step, *arguments)

    # Statements

    def visit_body(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements, checked."""
        found: list[ast.stmt] = []
        for each in body:
            made = self.visit(each)
            found += made if isinstance(made, list) else [made]
        return found

    def check_variables(self, variables: Sequence[tuple[str, ast.AST]]) -> list[ast.stmt]:
        """Statements in which each variable among the names must be of its type."""
        return [
            self.check_variable(name, self.types.variables[name], node)
            for name, node in variables
            if name in self.types.variables
        ]

    def check_variable(self, name: str, scalar: Scalar, node: ast.AST) -> ast.stmt:
        """A statement in which the variable must be of the type."""
        load = ast.copy_location(ast.Name(name, ast.Load()), node)
        value = self.checks.check_value(load, scalar, load)
        return locate_copy(ast.Assign([ast.Name(name, ast.Store())], value), node)

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        """A pattern, which stays as it is."""
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        """An assignment; its variables must be of their types."""
        names = [(each.id, each) for target in node.targets for each in ast.walk(target)
                 if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]  # fmt: skip
        target, original = node.targets[0], copy.deepcopy(node.value)
        stored = self.types.find_all(node.value, target)
        is_single = len(node.targets) == 1
        made = self.generic_visit(node)
        assert isinstance(made, ast.Assign)
        if is_single and isinstance(target, ast.Name) and target.id in self.types.variables:
            scalar = self.types.variables[target.id]
            made.value = self.checks.check_value(made.value, scalar, original)
            return made
        if is_single and stored is not None:
            made.value = self.checks.check_store(made.value, original, *stored)
        return [made, *self.check_variables(names)]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | list[ast.stmt]:
        """A declaration, which Python takes for an assignment."""
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        made = ast.copy_location(ast.Assign([node.target], node.value), node)
        return self.visit_Assign(made)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        """An operator and an assignment in one."""
        found = self.types.find_all(node.target, node.value, node)
        if found is None:
            return self.generic_visit(node)
        left, _, result = found
        original = copy.deepcopy(node)
        text = ast.copy_location(ast.BinOp(original.target, original.op, original.value), node)
        target, load, before = self.split_target(node.target)
        step = self.checks.add_step(
            text, BINARY[type(node.op)], found[:2], result, is_division(node.op)
        )
        right = self.visit_expression(node.value)
        value: ast.expr = self.checks.call_check("apply_step", node, step, load, right)
        if isinstance(target, ast.Name):
            scalar = self.types.variables.get(target.id)
            value = self.checks.check_value(value, scalar, text)
        else:
            value = self.checks.check_store(value, text, result, left)
        return [locate_copy(each, node) for each in (*before, ast.Assign([target], value))]

    def split_target(
        self, target: ast.Name | ast.Attribute | ast.Subscript
    ) -> tuple[ast.expr, ast.expr, list[ast.stmt]]:
        """The target, an expression that loads it, and statements that evaluate its parts once."""
        if isinstance(target, ast.Name):
            return target, ast.Name(target.id, ast.Load()), []
        assert isinstance(target, ast.Subscript)
        place = self.visit(target)
        names = self.checks.make_name(), self.checks.make_name()
        before: list[ast.stmt] = [
            ast.Assign([ast.Name(name, ast.Store())], part)
            for name, part in zip(names, (place.value, place.slice), strict=True)
        ]
        array, index = (ast.Name(name, ast.Load()) for name in names)
        store = ast.Subscript(array, index, ast.Store())
        return store, ast.Subscript(array, index, ast.Load()), before

    def visit_For(self, node: ast.For) -> ast.AST:
        """A loop, whose targets must be of their types in each iteration."""
        made = self.generic_visit(node)
        assert isinstance(made, ast.For)
        names = [(each.id, each) for each in ast.walk(made.target) if isinstance(each, ast.Name)]
        made.body = [*self.check_variables(names), *made.body]
        return made

    def visit_Return(self, node: ast.Return) -> ast.AST:
        """A return, whose values must be of the types of the results."""
        value, variables = node.value, self.types.variables
        parts = value.elts if isinstance(value, ast.Tuple) else [value] if value else []
        originals = [copy.deepcopy(part) for part in parts]
        made = self.generic_visit(node)
        assert isinstance(made, ast.Return)
        if isinstance(made.value, ast.Tuple):
            made.value.elts = [
                self.checks.check_value(part, variables.get(name_result(number)), original)
                for number, (part, original) in enumerate(
                    zip(made.value.elts, originals, strict=True)
                )
            ]
        elif made.value is not None and name_result(1) not in variables:
            scalar = variables.get(name_result(0))
            made.value = self.checks.check_value(made.value, scalar, originals[0])
        return made


def locate_copy(made: Node, node: ast.AST) -> Node:
    """The new node at the place of another."""
    return ast.fix_missing_locations(ast.copy_location(made, node))


def is_division(kind: ast.operator) -> bool:
    """True for operators that divide integers."""
    return isinstance(kind, ast.FloorDiv | ast.Mod)


def find_function(name: str) -> Callable[..., Any] | None:
    """The function of this full name, or None if it returns one of its arguments."""
    if name in BUILTIN_CASTS:
        return BUILTIN_CASTS[name]
    if name == "abs":
        return abs
    module, _, short = name.rpartition(".")
    function: Callable[..., Any] | None = None
    if f"math.{short}" in PROGRAMS and module in ("math", "numpy"):
        return make_function(module, short)
    if module == "numpy" and (short in NUMPY or name in NUMPY_FUNCTIONS):
        function = getattr(np, short)
    elif name in MATH_FUNCTIONS:
        function = getattr(math, short)
    return function
