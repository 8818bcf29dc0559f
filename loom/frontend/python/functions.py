"""Functions as wholes: read until the types of their variables are found."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from loom.dialects.facts.loop_attributes import STYLE
from loom.errors import raise_all
from loom.frontend.python.annotations import Annotations
from loom.frontend.python.calls import FunctionBody
from loom.frontend.python.scope import Program, Scope, Signature, Specialization, open_scope
from loom.frontend.python.source import find_assigned_names, read_style
from loom.frontend.python.statements import Statements
from loom.frontend.python.symbols import name_result
from loom.frontend.python.types import ArrayType
from loom.frontend.python.values import Array, Named, find_argument_type

MOST_READINGS = 20
"""Readings of a function until the types of its variables stay [readings]."""


@dataclass
class Functions:
    """Reads the functions of a file, each in scopes of its own."""

    program: Program

    def read_function(
        self,
        function: ast.FunctionDef,
        arguments: Sequence[Named],
        callers: tuple[str, ...] = (),
        levels: int = 0,
    ) -> FunctionBody:
        """The function on these arguments, called from within `callers`, `levels` deep.

        Types of variables flow from the end of a loop to its beginning: the function is read
        again, with the types of the last reading, until they stay.
        """
        program = self.program
        signature: Signature = (function.name, tuple(map(find_argument_type, arguments)))
        known = program.specializations.get(signature)
        assumed = dict(known.variables) if known else {}
        for _ in range(MOST_READINGS):
            calls = program.calls.count
            scope = open_scope(program, function, assumed, (*callers, function.name), levels + 1)
            statements = Statements(scope, self)
            body = scope.body.write_body(read_whole, scope, statements, function, arguments)
            if scope.symbols.inferred == assumed:
                break
            assumed = scope.symbols.inferred
            program.calls.count = calls
        raise_all(scope.symbols.conflicts)
        scope.specialization.variables = assumed
        self.record_specialization(signature, scope.specialization)
        return FunctionBody(signature, body, statements.find_result_types())

    def record_specialization(self, signature: Signature, found: Specialization) -> None:
        """The types of one more call with the signature are known."""
        known = self.program.specializations.setdefault(signature, found)
        if known is not found:
            known.scalars.update(found.scalars)
            known.callees.update(found.callees)


def read_whole(
    scope: Scope, statements: Statements, function: ast.FunctionDef, arguments: Sequence[Named]
) -> None:
    """The parameters stand for the arguments; the function's statements follow."""
    annotations = Annotations(scope.program.constants)
    bind_parameters(scope, annotations, function, arguments)
    for number, scalar in enumerate(annotations.read_results(function.returns) or ()):
        scope.symbols.infer_type(name_result(number), scalar, function)
    if function.args.vararg or function.args.kwarg:
        what = f"{function.name}, which takes any number of arguments"
        scope.refuse(function, "PY_CALL", what, "a parameter for each argument")
    for decorator in function.decorator_list:
        if scope.program.source.is_kernel_decorator(decorator):
            if not isinstance(decorator, ast.Call) or read_style(decorator) is not None:
                continue
            accepted = f"@loom.kernel, or @loom.kernel(style=..) with {STYLE.values}"
        else:
            accepted = "functions without decorators but @loom.kernel"
        scope.refuse(decorator, "PY_CALL", f"the decorator {ast.unparse(decorator)}", accepted)
    statements.read_statements(function.body)


def bind_parameters(
    scope: Scope, annotations: Annotations, function: ast.FunctionDef, arguments: Sequence[Named]
) -> None:
    """The parameters stand for the arguments; those that are assigned are variables."""
    assigned, declared = find_assigned_names(function), function.args
    parameters = [*declared.posonlyargs, *declared.args, *declared.kwonlyargs]
    for parameter, argument in zip(parameters, arguments, strict=True):
        name = parameter.arg
        if isinstance(argument, Array):
            scope.symbols.bound[name] = argument
            continue
        if parameter.annotation is not None:
            type_ = annotations.read_argument_type(parameter.annotation)
            if isinstance(type_, ArrayType):
                what = f"a number for the parameter {name}, an array"
                scope.refuse(parameter, "PY_TYPE", what, "an array")
            scope.symbols.infer_type(name, type_, parameter)
        if name in assigned or parameter.annotation is not None:
            scope.symbols.assign_variable(name, argument, parameter)
        else:
            scope.symbols.bound[name] = argument
