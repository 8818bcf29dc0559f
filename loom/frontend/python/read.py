"""A Python file becomes a module of MLIR, every operation with its place in the file."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

from loom.dialects.facts.arrays import MEMORY, arrays_of
from loom.dialects.facts.loop_attributes import STYLE
from loom.elements import Fill
from loom.errors import LoomError, Place
from loom.frontend.imperative.module import build_module
from loom.frontend.imperative.tree import Function, Kind, Memory, Read, Variable
from loom.frontend.python.annotations import Annotations
from loom.frontend.python.constants import Constants
from loom.frontend.python.diagnostics import Diagnostics, make_depth_error
from loom.frontend.python.functions import Functions
from loom.frontend.python.scope import Program, Signature, Specialization
from loom.frontend.python.source import Source, find_kernel, list_parameters, parse_source
from loom.frontend.python.types import ArgumentType, ArrayType, Scalar
from loom.frontend.python.values import Array, Named, Value


@dataclass(frozen=True)
class Kernel:
    """A kernel's parameters and results, and the types in it and in the functions it calls."""

    source: Source
    function: ast.FunctionDef
    parameters: tuple[tuple[str, ArgumentType], ...]
    results: tuple[Scalar, ...]
    signature: Signature
    specializations: dict[Signature, Specialization]

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.name


@dataclass(frozen=True)
class PythonProgram:
    """A Python file that is read: the module that compiles, and the kernel as Python has it."""

    module: ModuleOp
    kernel: Kernel


def read_python(
    text: str, file: str, *, top: str | None = None, fill: Fill = "refuse"
) -> PythonProgram:
    """The kernel `top` of a Python file; by default its only one. The file is not run.

    Raises `LoomError` or `LoomErrors` for what is not accepted, with its place in the file.
    """
    source = parse_source(text, file)
    function = find_kernel(source, top)
    try:
        return read_kernel(source, function, fill)
    except RecursionError:
        raise make_depth_error(Diagnostics(file).locate(function)) from None


def read_kernel(source: Source, function: ast.FunctionDef, fill: Fill) -> PythonProgram:
    """The kernel of the file, and the functions that it calls inlined in it."""
    constants = Constants(source)
    annotations = Annotations(constants)
    parameters = read_parameters(function, annotations)
    program = Program(source, constants, fill)
    place = constants.diagnostics.locate(function)
    arguments = [make_argument(program, name, type_, place) for name, type_ in parameters]
    body = Functions(program).read_function(function, [named for _, named in arguments])
    check_result_count(function, annotations, len(body.results))
    names = tuple(name for name, _ in parameters)
    types = tuple(scalar.type for scalar in body.results)
    declared = tuple(argument for argument, _ in arguments)
    module = build_module(Function(function.name, place, declared, names, types, body.statements))
    say_memories(module, parameters)
    say_style(module, program, function)
    kernel = Kernel(source, function, tuple(parameters), body.results, body.signature,
                    program.specializations)  # fmt: skip
    return PythonProgram(module, kernel)


def say_style(module: ModuleOp, program: Program, kernel: ast.FunctionDef) -> None:
    """The function has the style of its decorator; refused in a function that it calls."""
    source = program.source
    for name in {key[0] for key in program.specializations}:
        called = source.functions.get(name)
        if called is not None and called is not kernel and source.style_of(called) is not None:
            what = f"the style of {name}, which stands in place of its calls"
            place = program.constants.diagnostics.locate(called)
            raise LoomError("PY_CALL", place, what, f"it at {kernel.name}")
    style = source.style_of(kernel)
    for operation in module.ops:
        if style is not None and isinstance(operation, FuncOp):
            STYLE.put(operation, style)


def say_memories(module: ModuleOp, parameters: Sequence[tuple[str, ArgumentType]]) -> None:
    """The arrays have the memories that their annotations name."""
    said = {name: t.memory for name, t in parameters if isinstance(t, ArrayType) and t.memory}
    for array in arrays_of(module):
        if array.argument is not None and array.name in said:
            array.say(MEMORY, StringAttr(said[array.name]))


def make_argument(
    program: Program, name: str, type_: ArgumentType, place: Place
) -> tuple[Variable | Memory, Named]:
    """An argument of the circuit, and what the parameter's name stands for."""
    if isinstance(type_, ArrayType):
        memory = Memory(name, type_.element.type, type_.sizes, place, Kind.ARGUMENT)
        return memory, Array(memory, type_.element)
    variable = program.variables.make_variable(name, type_.type)
    return variable, Value(Read(type_.type, place, variable), type_)


def read_parameters(
    function: ast.FunctionDef, annotations: Annotations
) -> list[tuple[str, ArgumentType]]:
    """The names and types of the kernel's parameters; refused without a type (PY_ANNOTATION)."""
    refuse = annotations.constants.diagnostics.refuse
    declared = function.args
    found: list[tuple[str, ArgumentType]] = []
    for parameter in (*declared.posonlyargs, *declared.args, *declared.kwonlyargs):
        if parameter.annotation is None:
            what = f"the parameter {parameter.arg} without a type"
            refuse(parameter, "PY_ANNOTATION", what, annotations.accepted)
        found.append((parameter.arg, annotations.read_argument_type(parameter.annotation)))
    if declared.defaults or any(each is not None for each in declared.kw_defaults):
        what, accepted = "a default for a parameter of the kernel", "parameters without defaults"
        refuse(function, "PY_ANNOTATION", what, accepted)
    assert [name for name, _ in found] == list_parameters(function)
    return found


def check_result_count(function: ast.FunctionDef, annotations: Annotations, count: int) -> None:
    """Refuse a result type of another number of values than the returns have."""
    declared = annotations.read_results(function.returns)
    if declared is not None and len(declared) != count:
        assert function.returns is not None
        what = f"a result type of {len(declared)} values, but returns of {count}"
        accepted = "as many values as the result type has"
        refuse = annotations.constants.diagnostics.refuse
        refuse(function.returns, "PY_ANNOTATION", what, accepted)
