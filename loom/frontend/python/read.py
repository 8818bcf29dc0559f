"""A Python file becomes a module of MLIR, every operation with its place in the file."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import NoReturn

from xdsl.dialects.builtin import ModuleOp

from loom.errors import LoomError
from loom.frontend.imperative.module import module_of
from loom.frontend.imperative.tree import Function, Kind, Memory, Read, Variable
from loom.frontend.python.annotations import Annotations
from loom.frontend.python.constants import Constants
from loom.frontend.python.source import Source, kernel_of, parameters_of, parse, too_deep
from loom.frontend.python.state import Form, Key, Program, Shape, Typing
from loom.frontend.python.statements import Statements
from loom.frontend.python.types import Scalar
from loom.frontend.python.values import Array, Named, Value, place_in


@dataclass(frozen=True)
class Kernel:
    """What a kernel takes and gives, and the types in it and in what it calls."""

    source: Source
    function: ast.FunctionDef
    parameters: tuple[tuple[str, Form], ...]
    results: tuple[Scalar, ...]
    key: Key
    typings: dict[Key, Typing]

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.name


@dataclass(frozen=True)
class PythonProgram:
    """What a Python file is: the module that compiles, and the kernel as Python has it."""

    module: ModuleOp
    kernel: Kernel


def read_python(text: str, file: str, *, top: str | None = None) -> PythonProgram:
    """The kernel `top` of a Python file; by default its only one. The file is not run.

    Raises `LoomError` or `LoomErrors` for what is not accepted, with its place in the file.
    """
    source = parse(text, file)
    function = kernel_of(source, top)
    try:
        return _read(source, function)
    except RecursionError:
        raise too_deep(place_in(function, file)) from None


def _read(source: Source, function: ast.FunctionDef) -> PythonProgram:
    """The kernel of the file."""
    constants = Constants(source)
    forms = parameters(function, Annotations(constants))
    program = Program(source, constants)
    place = place_in(function, source.file)
    given: list[Named] = []
    arguments: list[Variable | Memory] = []
    for name, form in forms:
        if isinstance(form, Shape):
            memory = Memory(name, form.scalar.type, form.sizes, place, Kind.ARGUMENT)
            given.append(Array(memory, form.scalar))
            arguments.append(memory)
        else:
            program.variables += 1
            variable = Variable(name, form.type, program.variables)
            given.append(Value(Read(form.type, place, variable), form))
            arguments.append(variable)
    start = Statements(program, Typing(function))
    reader, body, key = start.read_function(function, given)
    results = [scalar for _, scalar in reader.results_of()]
    declared = Annotations(constants).results(function.returns)
    if declared is not None and len(declared) != len(results):
        assert function.returns is not None
        what = f"a result type of {len(declared)} values, but returns of {len(results)}"
        accepted = "as many values as the result type has"
        raise LoomError("PY_ANNOTATION", place_in(function.returns, source.file), what, accepted)
    names = tuple(name for name, _ in forms)
    types = tuple(scalar.type for scalar in results)
    made = Function(function.name, place, tuple(arguments), names, types, body)
    kernel = Kernel(source, function, tuple(forms), tuple(results), key, program.typings)
    return PythonProgram(module_of(made), kernel)


def parameters(function: ast.FunctionDef, annotations: Annotations) -> list[tuple[str, Form]]:
    """The names and types of the kernel's parameters."""
    file = annotations.constants.source.file

    def refuse(node: ast.AST, what: str, accepted: str) -> NoReturn:
        raise LoomError("PY_ANNOTATION", place_in(node, file), what, accepted)

    of = function.args
    found: list[tuple[str, Form]] = []
    for parameter in (*of.posonlyargs, *of.args, *of.kwonlyargs):
        if parameter.annotation is None:
            what = f"the parameter {parameter.arg} without a type"
            refuse(parameter, what, annotations.accepted)
        found.append((parameter.arg, annotations.form(parameter.annotation)))
    if of.defaults or any(each is not None for each in of.kw_defaults):
        refuse(function, "a default for a parameter of the kernel", "parameters without defaults")
    assert [name for name, _ in found] == parameters_of(function)
    return found
