"""A function of C in a scope of its own, and what a part of the reader makes of it, as text."""

from __future__ import annotations

from dataclasses import dataclass

from loom.frontend.c.assignments import Assignments
from loom.frontend.c.c_options import COptions
from loom.frontend.c.expressions import Expressions
from loom.frontend.c.functions import list_parameters
from loom.frontend.c.globals import Globals
from loom.frontend.c.library import (
    Cursor,
    list_children,
    locate,
    parse_text,
)
from loom.frontend.c.lvalues import Lvalues
from loom.frontend.c.places import (
    Named,
    make_arrays,
)
from loom.frontend.c.pragmas.loop_pragmas import LoopPragmas
from loom.frontend.c.scope import Program, Scope, open_scope
from loom.frontend.c.types import find_shape, is_pointer
from loom.frontend.c.units import Unit
from loom.frontend.imperative.tree import (
    Apply,
    Assign,
    Body,
    Choose,
    Compare,
    Convert,
    Copy,
    Expression,
    If,
    Kind,
    Load,
    Number,
    Read,
    Return,
    Statement,
    Store,
)
from loom.frontend.imperative.types import OFFSET, Float, Int


@dataclass
class Function:
    """The last function of a text, whose parameters are known in a scope of its own."""

    scope: Scope
    definition: Cursor
    statements: list[Cursor]

    @property
    def expression(self) -> Cursor:
        """The last statement, where that is an expression."""
        return self.statements[-1]

    def format_body(self) -> str:
        """The statements that were written so far."""
        return format_body(tuple(self.scope.body.statements))


def open_function(parameters: str, statements: str, before: str = "") -> Function:
    """The function `f` with these parameters and statements; arrays have 8 elements."""
    text = f"{before}\nvoid f({parameters}) {{ {statements} }}"
    unit = Unit(text, "k.c", parse_text(text, "k.c"), COptions())
    definition = unit.definitions[-1]
    program = Program(unit.alone, Globals(frozenset(), unit.alone), LoopPragmas(unit.texts))
    scope = open_scope(program, definition)
    for parameter in list_parameters(definition):
        name, place = parameter.spelling, locate(parameter)
        named: Named
        if is_pointer(parameter.type):
            element = parameter.type.get_pointee()
            _, inner = find_shape(element)
            named = make_arrays(name, inner, (8,), place, Kind.ARGUMENT)
        else:
            named = scope.make_declared(parameter, place)
        scope.define_symbol(parameter, named)
    return Function(scope, definition, list_children(list_children(definition)[-1]))


def format_expression(expression: Expression) -> str:
    match expression:
        case Number(type=Int() as type_, pattern=pattern):
            return str(type_.decode(pattern))
        case Number(type=type_, pattern=pattern):
            return f"{type_.name}:{pattern:x}"
        case Read(variable=variable):
            return variable.name
        case Load(memory=memory, indices=indices):
            return f"{memory.name}[{', '.join(map(format_expression, indices))}]"
        case Apply(operation=operation, operands=operands):
            name = operation.name.removeprefix("arith.")
            return f"{name}({', '.join(map(format_expression, operands))})"
        case Compare(relation=relation, left=left, right=right):
            return f"{relation.name.lower()}({format_expression(left)}, {format_expression(right)})"
        case Convert(type=type_, value=value):
            width = type_.name if isinstance(type_, Float) else f"i{type_.width}"
            return f"{width}({format_expression(value)})"
        case Choose(condition=condition, first=first, second=second):
            parts = map(format_expression, (condition, first, second))
            return f"choose({', '.join(parts)})"


def format_body(body: Body) -> str:
    return "; ".join(map(format_statement, body))


def format_statement(statement: Statement) -> str:
    match statement:
        case Assign(variable=variable, value=value):
            return f"{variable.name} = {format_expression(value)}"
        case Store(memory=memory, indices=indices, value=value):
            found = ", ".join(map(format_expression, indices))
            return f"{memory.name}[{found}] = {format_expression(value)}"
        case If(condition=condition, first=first, second=second):
            arms = f"{{{format_body(first)}}} {{{format_body(second)}}}"
            return f"if {format_expression(condition)} {arms}"
        case Copy(source=source, target=target):
            return f"copy {source.name} {(*source.initial,)} {target.name}"
        case Return(values=values):
            return f"return {', '.join(map(format_expression, values))}".rstrip()
        case _:
            return type(statement).__name__.lower()


def evaluate_as_seven(cursor: Cursor) -> Expression:
    """A stub: every expression is 7."""
    return Number(OFFSET, locate(cursor), 7)


def make_no_struct(cursor: Cursor) -> Named:
    """A stub: there are no calls and literals that give structs."""
    raise AssertionError(cursor.spelling)


def inline_no_call(cursor: Cursor) -> tuple[Expression, ...]:
    """A stub: there are no calls."""
    raise AssertionError(cursor.spelling)


def make_lvalues(scope: Scope) -> Lvalues:
    return Lvalues(scope, evaluate_as_seven, make_no_struct)


def make_expressions(scope: Scope) -> Expressions:
    """Expressions without calls; those inside of lvalues are 7."""
    lvalues = make_lvalues(scope)
    assignments = Assignments(scope, lvalues, evaluate_as_seven)
    return Expressions(scope, lvalues, assignments, inline_no_call, inline_no_call, inline_no_call)
