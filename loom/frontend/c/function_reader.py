"""The objects that read one call of a C function, put together over one scope."""

from __future__ import annotations

from loom.frontend.c.assignments import Assignments
from loom.frontend.c.calls import Calls
from loom.frontend.c.declarations import Declarations
from loom.frontend.c.expressions import Expressions
from loom.frontend.c.library import Cursor, list_children, load_libclang
from loom.frontend.c.lvalues import Lvalues
from loom.frontend.c.places import Named
from loom.frontend.c.scope import Scope
from loom.frontend.c.statements.statements import Statements
from loom.frontend.c.types import is_pointer
from loom.frontend.imperative.tree import Body, Expression


class FunctionReader:
    """Reads the statements of one function in a scope.

    Expressions contain lvalues, and lvalues expressions: the objects are made from the innermost
    outwards, and what they need of later ones they call through this one.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.lvalues = Lvalues(scope, self.evaluate, self.make_struct)
        self.assignments = Assignments(scope, self.lvalues, self.evaluate)
        self.calls = Calls(scope, self.lvalues, self.assignments, self.evaluate, read_function)
        self.expressions = Expressions(
            scope, self.lvalues, self.assignments, self.calls.inline_call,
            self.calls.call_for_effect, lambda cursor: self.statements.read_statement(cursor),
        )  # fmt: skip
        self.declarations = Declarations(scope, self.lvalues, self.assignments, self.evaluate)
        self.statements = Statements(
            scope, self.expressions, self.lvalues, self.declarations.read_declaration
        )

    def evaluate(self, cursor: Cursor) -> Expression:
        """The value of a scalar expression; what it changes stands in the statements."""
        return self.expressions.evaluate(cursor)

    def make_struct(self, cursor: Cursor) -> Named:
        """The struct of a call or of a compound literal, in variables of its own; or a pointer."""
        if cursor.kind != load_libclang().CursorKind.CALL_EXPR:
            return self.declarations.make_literal(cursor)
        if is_pointer(cursor.type):
            return self.calls.make_pointer_result(cursor)
        return self.calls.make_struct_result(cursor)

    def read_body(self, definition: Cursor) -> Body:
        """The statements of the function's body."""
        block = list_children(definition)[-1]
        return self.scope.body.write_body(self.statements.read_statement, block)


def read_function(scope: Scope, definition: Cursor) -> Body:
    """The statements of a function's body, read in this scope."""
    return FunctionReader(scope).read_body(definition)
