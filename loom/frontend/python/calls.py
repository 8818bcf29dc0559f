"""Calls: the called function's statements stand in place of the call."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from loom.errors import raise_all
from loom.frontend.imperative.tree import Body, Read, Scope, Variable
from loom.frontend.python.annotations import Annotations
from loom.frontend.python.functions import ACCEPTED, BUILTINS, MATHS, NUMPYS
from loom.frontend.python.loops import Loops
from loom.frontend.python.source import KERNEL, assigned_in, locals_of, parameters_of
from loom.frontend.python.state import MOST_CALLS, RESULT, Form, Key, Shape, Typing
from loom.frontend.python.types import NUMPY, Scalar
from loom.frontend.python.values import Array, Named, Value

MOST_PASSES = 20
"""Readings of a function until the types of its variables stay [readings]."""


@dataclass
class Calls(Loops):
    """Reads calls, and functions as wholes."""

    result_count: int | None = None

    @property
    def annotations(self) -> Annotations:
        """Reads annotations of the file."""
        return Annotations(self.program.constants)

    @property
    def locals(self) -> frozenset[str]:
        """The names that the function assigns, and its parameters."""
        return locals_of(self.typing.function)

    def call(self, node: ast.Call) -> tuple[Value, ...]:
        """The values that a call gives."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        is_shadowed = name in self.locals or name in self.names
        if name in self.source.functions and not is_shadowed:
            return self.put_in_place(node, self.source.functions[name])
        full = self.source.qualified(node.func) or name
        module, _, short = full.rpartition(".")
        if isinstance(node.func, ast.Attribute) and node.func.attr == "astype":
            return (self.as_type(node, node.func.value),)
        is_cast = module == "numpy" and short in NUMPY
        is_library = full in NUMPYS or full in MATHS or full in BUILTINS or is_cast
        if is_shadowed or not is_library or name in self.source.constants:
            self.refuse(node, "PY_CALL", f"a call of {ast.unparse(node.func)}", ACCEPTED)
        return (self.of_library(node, full),)

    def put_in_place(self, node: ast.Call, function: ast.FunctionDef) -> tuple[Value, ...]:
        """The called function's statements are part of the statements so far."""
        if function.name in self.above:
            what = f"a call of {function.name} from within {function.name}"
            accepted = "loops, with an array as the stack if needed"
            self.refuse(node, "PY_RECURSION", what, accepted)
        self.program.calls += 1
        if self.program.calls > MOST_CALLS:
            what = f"more than {MOST_CALLS} calls once each has its own circuit"
            self.refuse(node, "PY_CALL", what, "a loop around one call")
        if function.name in self.source.changing:
            what = f"a call of {function.name}, which more than one statement sets"
            self.refuse(node, "PY_CALL", what, "functions that stay what they are")
        found = {name: self.given(each) for name, each in self.arguments(node, function)}
        given = [found[name] for name in parameters_of(function)]
        inner, body, key = self.read_function(function, given)
        self.typing.callees[node] = key
        results = inner.results_of()
        self.out.append(Scope(self.place(node), body, tuple(variable for variable, _ in results)))
        return tuple(Value(Read(s.type, self.place(node), v), s) for v, s in results)

    def arguments(self, node: ast.Call, function: ast.FunctionDef) -> list[tuple[str, ast.expr]]:
        """The parameters and what they are given, in the order in which Python finds it."""
        names, of = parameters_of(function), function.args
        given = [*zip(names, node.args, strict=False)]
        given += [(key.arg, key.value) for key in node.keywords if key.arg is not None]
        told = [name for name, _ in given]
        positions = names[: len(names) - len(of.kwonlyargs)]
        behind = zip(positions[len(positions) - len(of.defaults) :], of.defaults, strict=True)
        only = zip([each.arg for each in of.kwonlyargs], of.kw_defaults, strict=True)
        given += [(name, each) for name, each in (*behind, *only)
                  if each is not None and name not in told]  # fmt: skip
        is_wrong = len(node.args) > len(positions) or any(key.arg is None for key in node.keywords)
        is_wrong |= any(isinstance(each, ast.Starred) for each in node.args)
        if is_wrong or sorted(name for name, _ in given) != sorted(names):
            what = f"the call {ast.unparse(node)}"
            accepted = f"an argument for each of {', '.join(names) or 'no parameters'}"
            self.refuse(node, "PY_CALL", what, accepted)
        return given

    def given(self, node: ast.expr) -> Named:
        """What a function is given, as it is now."""
        array = self.array(node) if isinstance(node, ast.Name | ast.Subscript) else None
        if array is not None and array.shape:
            return self.kept_array(array)
        return self.kept(self.value(node))

    def reader_of(self, function: ast.FunctionDef, guess: dict[str, Scalar]) -> Calls:
        """A reader of the function, to which only guesses are known."""
        above = (*self.above, function.name)
        return type(self)(self.program, Typing(function), guess, above, self.levels + 1)

    def read_function(
        self, function: ast.FunctionDef, given: Sequence[Named]
    ) -> tuple[Calls, Body, Key]:
        """The function's reader and statements, read until the types of its variables stay."""
        key: Key = (function.name, tuple(map(form_of, given)))
        typing = self.program.typings.get(key)
        guess = dict(typing.variables) if typing else {}
        for _ in range(MOST_PASSES):
            calls = self.program.calls
            inner = self.reader_of(function, guess)
            body = inner.body(inner.whole, given)
            if inner.found == guess:
                break
            guess = inner.found
            self.program.calls = calls
        raise_all(inner.conflicts)
        inner.typing.variables = guess
        if typing is None:
            self.program.typings[key] = inner.typing
        else:
            typing.scalars.update(inner.typing.scalars)
            typing.callees.update(inner.typing.callees)
        return inner, body, key

    def whole(self, given: Sequence[Named]) -> None:
        """The function's parameters stand for what is given, its statements follow."""
        function = self.typing.function
        assigned = assigned_in(function)
        everything = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        for parameter, each in zip(everything, given, strict=True):
            if isinstance(each, Array):
                self.names[parameter.arg] = each
                continue
            if parameter.annotation is not None:
                declared = self.annotations.form(parameter.annotation)
                if isinstance(declared, Shape):
                    what = f"a number for the parameter {parameter.arg}, an array"
                    self.refuse(parameter, "PY_TYPE", what, "an array")
                self.learn(parameter.arg, declared, parameter)
            if parameter.arg in assigned or parameter.annotation is not None:
                self.assign_name(parameter.arg, each, parameter)
            else:
                self.names[parameter.arg] = each
        for number, scalar in enumerate(self.annotations.results(function.returns) or ()):
            self.learn(f"{RESULT}{number}", scalar, function)
        if function.args.vararg or function.args.kwarg:
            what = f"{function.name}, which takes any number of arguments"
            self.refuse(function, "PY_CALL", what, "a parameter for each argument")
        for decorator in function.decorator_list:
            if self.source.qualified(decorator) != KERNEL:
                what = f"the decorator {ast.unparse(decorator)}"
                self.refuse(
                    decorator, "PY_CALL", what, "functions without decorators but @loom.kernel"
                )
        self.in_turn(function.body)

    def results_of(self) -> list[tuple[Variable, Scalar]]:
        """Variables for what the function gives, with their types."""
        scalars = [self.found[f"{RESULT}{number}"] for number in range(self.result_count or 0)]
        return [(self.fresh("result", scalar.type), scalar) for scalar in scalars]


def form_of(given: Named) -> Form:
    """What a function is given, without what it is."""
    if isinstance(given, Array):
        return Shape(given.scalar, given.shape)
    return given.scalar
