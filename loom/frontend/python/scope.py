"""The scope in which a function is read: its symbols, its statements so far, its diagnostics."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NoReturn, Protocol

from loom.elements import Fill
from loom.errors import Place
from loom.frontend.imperative.body_writer import BodyWriter, VariableNumbers
from loom.frontend.imperative.reading_limits import InlinedCalls, Nesting
from loom.frontend.imperative.tree import Expression
from loom.frontend.python.constants import Constants
from loom.frontend.python.diagnostics import Diagnostics
from loom.frontend.python.source import Source, find_local_names
from loom.frontend.python.symbols import Symbols
from loom.frontend.python.types import ArgumentType, Scalar
from loom.frontend.python.values import Array, Span, Value

Signature = tuple[str, tuple[ArgumentType, ...]]
"""A function's name and the types of its arguments."""


@dataclass
class Specialization:
    """The types in a function for one signature, which a watched run is checked against."""

    function: ast.FunctionDef
    scalars: dict[ast.AST, Scalar] = field(default_factory=dict)
    callees: dict[ast.AST, Signature] = field(default_factory=dict)
    variables: dict[str, Scalar] = field(default_factory=dict)


@dataclass
class Program:
    """The file, and the counts over all functions that are read."""

    source: Source
    constants: Constants
    fill: Fill = "refuse"
    specializations: dict[Signature, Specialization] = field(default_factory=dict)
    variables: VariableNumbers = field(default_factory=VariableNumbers)
    calls: InlinedCalls = field(default_factory=InlinedCalls)


@dataclass
class Scope:
    """One reading of one function, whose parts all write into it."""

    program: Program
    specialization: Specialization
    diagnostics: Diagnostics
    symbols: Symbols
    body: BodyWriter
    nesting: Nesting
    callers: tuple[str, ...]
    """The functions whose calls led here, and the function itself."""

    def locate(self, node: ast.AST) -> Place:
        """Where the node begins."""
        return self.diagnostics.locate(node)

    def refuse(self, node: ast.AST, code: str, what: str, accepted: str) -> NoReturn:
        """The construct is not accepted."""
        self.diagnostics.refuse(node, code, what, accepted)

    @contextmanager
    def enter_level(self, node: ast.AST) -> Iterator[None]:
        """One level deeper in the file; refused where it nests too deep (PY_TOO_DEEP)."""
        with self.nesting.enter_level(lambda: self.diagnostics.refuse_depth(node)):
            yield

    def record_type(self, node: ast.AST, scalar: Scalar) -> None:
        """The node has values of this type."""
        self.specialization.scalars[node] = scalar

    def hold_value(self, value: Value) -> Value:
        """The value as it is now, whatever statements follow."""
        return Value(self.body.hold_expression(value.expression), value.scalar, value.known)

    def hold_array(self, array: Array) -> Array:
        """The array, row or element as it is now, whatever statements follow."""
        return Array(array.memory, array.scalar, tuple(map(self.hold_index, array.indices)))

    def hold_index(self, index: Expression | Span) -> Expression | Span:
        """The index or slice as it is now."""
        if not isinstance(index, Span):
            return self.body.hold_expression(index)
        moved = None if index.moved is None else self.body.hold_expression(index.moved)
        return replace(index, moved=moved)


def open_scope(
    program: Program,
    function: ast.FunctionDef,
    assumed: dict[str, Scalar] | None = None,
    callers: tuple[str, ...] = (),
    levels: int = 0,
) -> Scope:
    """A scope in which the function is read once, its variables of the types assumed."""
    diagnostics = Diagnostics(program.source.file)
    body = BodyWriter(program.variables)
    symbols = Symbols(diagnostics, body, find_local_names(function), assumed or {})
    nesting = Nesting(levels)
    specialization = Specialization(function)
    return Scope(program, specialization, diagnostics, symbols, body, nesting, callers)


class ValueReader(Protocol):
    """Reads expressions; its parts call it back for the expressions in theirs."""

    def read_value(self, node: ast.expr) -> Value:
        """The value of a scalar expression; the statements that it needs are in the scope."""

    def read_values(self, *nodes: ast.expr) -> list[Value]:
        """The values of expressions that are evaluated one after the other."""
