"""Where the reading of a function stands: names in reach, types so far, statements so far."""

from __future__ import annotations

import ast
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NoReturn, ParamSpec

from loom.errors import LoomError, Place
from loom.frontend.imperative.tree import (
    Apply,
    Assign,
    Body,
    Expression,
    Number,
    Read,
    Statement,
    Variable,
)
from loom.frontend.imperative.types import TRUTH, Type
from loom.frontend.python.constants import Constants
from loom.frontend.python.source import Source, too_deep
from loom.frontend.python.types import PY_INT, Scalar, join
from loom.frontend.python.values import Array, Named, Value, adapt, place_in

Given = ParamSpec("Given")
FRAMES_A_LEVEL = 12
"""Python's frames for a statement or expression in another, with all that works on it later."""
MOST_LEVELS = 400
"""Statements and expressions in each other, however many frames Python has."""
MOST_CALLS = 2000
"""Calls that are put in place in one circuit [calls]."""


@dataclass(frozen=True)
class Shape:
    """An array as a function is given it: the type of its elements, its sizes."""

    scalar: Scalar
    sizes: tuple[int, ...]


Form = Scalar | Shape
Key = tuple[str, tuple[Form, ...]]
"""A function and the types that it is called with."""


@dataclass
class Typing:
    """The types in a function that is called with certain types, for those who watch it run."""

    function: ast.FunctionDef
    scalars: dict[ast.AST, Scalar] = field(default_factory=dict)
    callees: dict[ast.AST, Key] = field(default_factory=dict)
    variables: dict[str, Scalar] = field(default_factory=dict)


@dataclass
class Program:
    """What all functions of the file share."""

    source: Source
    constants: Constants
    typings: dict[Key, Typing] = field(default_factory=dict)
    variables: int = 0
    calls: int = 0


@dataclass
class State(ABC):
    """One reading of a function, which guesses the types of its variables from the last one."""

    program: Program
    typing: Typing
    guess: dict[str, Scalar] = field(default_factory=dict)
    above: tuple[str, ...] = ()
    """The functions whose calls led here."""
    levels: int = 0
    names: dict[str, Named] = field(default_factory=dict)
    """What names stand for that are no variables: arrays, parameters that nothing assigns."""
    variables: dict[str, Variable] = field(default_factory=dict)
    found: dict[str, Scalar] = field(default_factory=dict)
    """The types that variables have had values of."""
    conflicts: list[LoomError] = field(default_factory=list)
    out: list[Statement] = field(default_factory=list)
    loops: list[Variable | None] = field(default_factory=list)
    """The loops around, each with the variable that tells of a break, if any."""

    @abstractmethod
    def value(self, node: ast.expr) -> Value:
        """The value of a scalar expression; what it changes stands in the statements."""

    @abstractmethod
    def array(self, node: ast.expr) -> Array | None:
        """The array that the expression is, or None if it is none."""

    @abstractmethod
    def call(self, node: ast.Call) -> tuple[Value, ...]:
        """The values that a call gives."""

    @contextmanager
    def level(self, node: ast.AST) -> Iterator[None]:
        """One level deeper in the file; refused where it nests too deep (PY_TOO_DEEP)."""
        if self.levels >= min(MOST_LEVELS, sys.getrecursionlimit() // FRAMES_A_LEVEL):
            raise too_deep(self.place(node))
        self.levels += 1
        yield
        self.levels -= 1

    @property
    def file(self) -> str:
        """The name of the file."""
        return self.program.source.file

    @property
    def source(self) -> Source:
        """The file."""
        return self.program.source

    def place(self, node: ast.AST) -> Place:
        """Where the node stands."""
        return place_in(node, self.file)

    def refuse(self, node: ast.AST, code: str, what: str, accepted: str) -> NoReturn:
        """The construct is not accepted."""
        raise LoomError(code, self.place(node), what, accepted)

    # Variables

    def fresh(self, name: str, type_: Type) -> Variable:
        """A new variable."""
        self.program.variables += 1
        return Variable(name, type_, self.program.variables)

    def type_of(self, name: str) -> Scalar | None:
        """The type of a variable, as far as it is known."""
        return self.guess.get(name) or self.found.get(name)

    def learn(self, name: str, scalar: Scalar, node: ast.AST) -> Scalar:
        """The type of a variable that has a value of this one, too."""
        joined = join(self.found.get(name), scalar)
        if joined is None:
            before = self.found[name].name
            shown = "the result" if name.startswith(RESULT) else name
            what = f"{shown}, which is {before} above and {scalar.name} here"
            accepted = f"one type for a variable; a name of its own, or {before}(..)"
            self.conflicts.append(LoomError("PY_TYPE", self.place(node), what, accepted))
        else:
            self.found[name] = joined
        return self.guess.get(name) or self.found[name]

    def assign_name(self, name: str, value: Value, node: ast.AST) -> None:
        """The variable has the value from here on."""
        if name in self.names:
            accepted = "another name"
            self.refuse(node, "PY_TYPE", f"{name}, an array, as a number", accepted)
        scalar = self.learn(name, value.scalar, node)
        expression = adapt(value, scalar).expression
        self.out.append(Assign(self.place(node), self.room(name, scalar), expression))

    def room(self, name: str, scalar: Scalar) -> Variable:
        """The variable of this name."""
        made = self.variables.get(name)
        if made is None or made.type != scalar.type:
            made = self.variables[name] = self.fresh(name, scalar.type)
        return made

    def read_name(self, name: str, node: ast.AST) -> Value:
        """The value of a variable."""
        scalar = self.type_of(name) or PY_INT
        return Value(Read(scalar.type, self.place(node), self.room(name, scalar)), scalar)

    # Pieces of statements

    def kept(self, value: Value) -> Value:
        """The value as it is now, whatever statements follow."""
        return Value(self.kept_expression(value.expression), value.scalar, value.known)

    def kept_expression(self, expression: Expression) -> Expression:
        """The expression's value as it is now."""
        if isinstance(expression, Number):
            return expression
        made = self.fresh("t", expression.type)
        self.out.append(Assign(expression.place, made, expression))
        return Read(expression.type, expression.place, made)

    def kept_array(self, array: Array) -> Array:
        """The array, row or element as it is now, whatever statements follow."""
        indices = tuple(map(self.kept_expression, array.indices))
        return Array(array.memory, array.scalar, indices)

    def in_order(self, *nodes: ast.expr) -> list[Value]:
        """The values of expressions that are evaluated one after the other."""
        found: list[Value] = []
        for node in nodes:
            count = len(self.out)
            value = self.value(node)
            if len(self.out) > count:
                rest, self.out[count:] = self.out[count:], []
                found = [self.kept(earlier) for earlier in found]
                self.out += rest
            found.append(value)
        return found

    def body(
        self, write: Callable[Given, object], *given: Given.args, **named: Given.kwargs
    ) -> Body:
        """The statements that `write` writes, called with what is given."""
        outside, self.out = self.out, []
        try:
            write(*given, **named)
            return tuple(self.out)
        finally:
            self.out = outside


RESULT = "return "
"""What stands before the number of a result where it is a variable: no name has a blank."""


def opposite(condition: Expression) -> Expression:
    """Whether the condition does not hold."""
    from xdsl.dialects import arith

    one = Number(TRUTH, condition.place, 1)
    return Apply(TRUTH, condition.place, arith.XOrIOp, (condition, one))
