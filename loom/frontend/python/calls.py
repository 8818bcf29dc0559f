"""Calls: the statements of the called function are inlined."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from loom.frontend.imperative.tree import Body, Read
from loom.frontend.imperative.tree import Scope as InlinedBody
from loom.frontend.python.library import ACCEPTED, Library, is_library_function
from loom.frontend.python.places import Places
from loom.frontend.python.scope import Program, Scope, Signature, ValueReader
from loom.frontend.python.source import list_parameters
from loom.frontend.python.types import Scalar
from loom.frontend.python.values import Named, Value
from loom.frontend.python.whole_arrays import REDUCTIONS, WholeArrays


@dataclass(frozen=True)
class FunctionBody:
    """The statements of a function for one signature, and the types of its results."""

    signature: Signature
    statements: Body
    results: tuple[Scalar, ...]


class FunctionReader(Protocol):
    """Reads whole functions of the file."""

    program: Program

    def read_function(
        self,
        function: ast.FunctionDef,
        arguments: Sequence[Named],
        callers: tuple[str, ...],
        levels: int,
    ) -> FunctionBody:
        """The function on these arguments, called from within `callers`, `levels` deep."""


@dataclass
class Calls:
    """Reads calls: `functions` reads those of the file, `library` all others."""

    scope: Scope
    library: Library
    places: Places
    whole: WholeArrays
    values: ValueReader
    functions: FunctionReader

    def read_call(self, node: ast.Call) -> tuple[Value, ...]:
        """The values that a call returns."""
        source, symbols = self.scope.program.source, self.scope.symbols
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        is_shadowed = name in symbols.local_names or name in symbols.bound
        if name in source.functions and not is_shadowed:
            return self.inline_call(node, source.functions[name])
        if isinstance(node.func, ast.Attribute) and node.func.attr == "astype":
            return (self.library.read_astype(node, node.func.value),)
        full = source.qualify(node.func) or name
        if is_shadowed or not is_library_function(full) or name in source.constants:
            what = f"a call of {ast.unparse(node.func)}"
            self.scope.refuse(node, "PY_CALL", what, ACCEPTED)
        reduced = None
        if full in REDUCTIONS and not node.keywords:
            choose = partial(self.library.find_extreme, is_max=full == "max", node=node)
            reduced = self.whole.reduce_array(node, None if full == "sum" else choose)
        return (reduced or self.library.read_call(node, full),)

    def inline_call(self, node: ast.Call, function: ast.FunctionDef) -> tuple[Value, ...]:
        """The values of a function of the file, whose statements are written before them.

        Refused: recursion ("PY_RECURSION"), too many calls, and a function with two definitions.
        """
        program, place, callers = self.scope.program, self.scope.locate(node), self.scope.callers
        program.calls.add_call(
            function.name, function.name, callers,
            partial(self.scope.refuse, node, "PY_RECURSION"),
            partial(self.scope.refuse, node, "PY_CALL"),
        )  # fmt: skip
        if function.name in program.source.reassigned:
            what = f"a call of {function.name}, which more than one statement assigns"
            self.scope.refuse(node, "PY_CALL", what, "functions that are defined once")
        arguments = {
            name: self.read_argument(each) for name, each in self.match_arguments(node, function)
        }
        in_order = [arguments[name] for name in list_parameters(function)]
        levels = self.scope.nesting.levels
        body = self.functions.read_function(function, in_order, callers, levels)
        self.scope.specialization.callees[node] = body.signature
        make_variable = self.scope.body.make_variable
        results = [make_variable("result", scalar.type) for scalar in body.results]
        self.scope.body.append(InlinedBody(place, body.statements, tuple(results)))
        return tuple(
            Value(Read(scalar.type, place, variable), scalar)
            for variable, scalar in zip(results, body.results, strict=True)
        )

    def match_arguments(
        self, node: ast.Call, function: ast.FunctionDef
    ) -> list[tuple[str, ast.expr]]:
        """The parameters and their arguments, in the order in which Python evaluates them."""
        names, declared = list_parameters(function), function.args
        given = [*zip(names, node.args, strict=False)]
        given += [(key.arg, key.value) for key in node.keywords if key.arg is not None]
        named = [name for name, _ in given]
        positions = names[: len(names) - len(declared.kwonlyargs)]
        optional = positions[len(positions) - len(declared.defaults) :]
        defaults = [
            *zip(optional, declared.defaults, strict=True),
            *zip([each.arg for each in declared.kwonlyargs], declared.kw_defaults, strict=True),
        ]
        given += [(name, each) for name, each in defaults if each is not None and name not in named]
        is_wrong = len(node.args) > len(positions) or any(key.arg is None for key in node.keywords)
        is_wrong |= any(isinstance(each, ast.Starred) for each in node.args)
        if is_wrong or sorted(name for name, _ in given) != sorted(names):
            what = f"the call {ast.unparse(node)}"
            accepted = f"an argument for each of {', '.join(names) or 'no parameters'}"
            self.scope.refuse(node, "PY_CALL", what, accepted)
        return given

    def read_argument(self, node: ast.expr) -> Named:
        """The argument as it is now."""
        if isinstance(node, ast.Name | ast.Subscript):
            array = self.places.find_array(node)
            if array is not None and array.shape:
                return self.scope.hold_array(array)
        return self.scope.hold_value(self.values.read_value(node))
