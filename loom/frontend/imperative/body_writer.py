"""The statements of one function as its reader finds them, and its new variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar

from loom.errors import Place
from loom.frontend.imperative.tree import (
    Assign,
    Body,
    Choose,
    Expression,
    If,
    Number,
    Read,
    Statement,
    Variable,
)
from loom.frontend.imperative.types import Type

Given = ParamSpec("Given")
Node = TypeVar("Node")
Value = TypeVar("Value")


@dataclass
class VariableNumbers:
    """Gives each variable of a program its own number."""

    last: int = 0

    def make_variable(self, name: str, type_: Type) -> Variable:
        """A new variable."""
        self.last += 1
        return Variable(name, type_, self.last)


@dataclass
class BodyWriter:
    """The statements so far of the innermost body that is being read.

    Expressions change nothing: what an expression of the source changes is written before the
    statement that it is part of, and a value that must not change with it is held in a temporary.
    """

    variables: VariableNumbers
    statements: list[Statement] = field(default_factory=list)

    def make_variable(self, name: str, type_: Type) -> Variable:
        """A new variable."""
        return self.variables.make_variable(name, type_)

    def append(self, *statements: Statement) -> None:
        """The statements follow those so far."""
        self.statements += statements

    def hold_expression(self, expression: Expression, place: Place | None = None) -> Expression:
        """The expression's value as it is now, whatever statements follow."""
        if isinstance(expression, Number):
            return expression
        place = place or expression.place
        temporary = self.make_variable("t", expression.type)
        self.append(Assign(place, temporary, expression))
        return Read(expression.type, place, temporary)

    def write_body(
        self, write: Callable[Given, object], *given: Given.args, **named: Given.kwargs
    ) -> Body:
        """The statements that `write` appends, called with what is given; none follows here."""
        return self.capture_body(write, *given, **named)[1]

    def capture_body(
        self, read: Callable[Given, Value], *given: Given.args, **named: Given.kwargs
    ) -> tuple[Value, Body]:
        """What `read` returns, and the statements that it appends; none follows here."""
        outside, self.statements = self.statements, []
        try:
            value = read(*given, **named)
            return value, tuple(self.statements)
        finally:
            self.statements = outside

    def mark(self) -> int:
        """The position behind the last statement."""
        return len(self.statements)

    def hold_at(self, mark: int, hold: Callable[[Value], Value], value: Value) -> Value:
        """The value as it was at the mark: held there if statements follow the mark."""
        if len(self.statements) == mark:
            return value
        following, self.statements[mark:] = self.statements[mark:], []
        held = hold(value)
        self.statements += following
        return held

    def read_in_order(
        self,
        nodes: Iterable[Node],
        read: Callable[[Node], Value],
        hold: Callable[[Value], Value],
    ) -> list[Value]:
        """The values of nodes that are evaluated one after the other.

        A value is held if a later node is read with statements.
        """
        values: list[Value] = []
        for node in nodes:
            mark = self.mark()
            value = read(node)
            values = self.hold_at(mark, lambda earlier: [hold(each) for each in earlier], values)
            values.append(value)
        return values

    def choose_value(
        self,
        condition: Expression,
        first: tuple[Body, Expression],
        second: tuple[Body, Expression],
        place: Place,
    ) -> Expression:
        """One of two values of one type; only the statements that the chosen one needs run."""
        type_ = first[1].type
        if not first[0] and not second[0]:
            return Choose(type_, place, condition, first[1], second[1])
        chosen = self.make_variable("t", type_)
        arms = [(*body, Assign(place, chosen, value)) for body, value in (first, second)]
        self.append(If(place, condition, arms[0], arms[1]))
        return Read(type_, place, chosen)
