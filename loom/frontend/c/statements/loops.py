"""Loops of C, with the directives that pragmas give them."""

from __future__ import annotations

from collections.abc import Callable

from loom.frontend.c.expressions import Expressions
from loom.frontend.c.library import Cursor, list_children, locate
from loom.frontend.c.scope import Scope
from loom.frontend.imperative.effects import Effects, is_endless
from loom.frontend.imperative.tree import (
    Body,
    Break,
    Continue,
    Expression,
    Loop,
    Number,
    Switch,
)
from loom.frontend.imperative.types import TRUTH, Int


class Loops:
    """Reads loops."""

    def __init__(
        self, scope: Scope, expressions: Expressions, read_statement: Callable[[Cursor], None]
    ) -> None:
        self.scope = scope
        self.expressions = expressions
        self.read_statement = read_statement

    def read_while(self, cursor: Cursor) -> None:
        """while."""
        condition, body = list_children(cursor)
        before, test = self.read_test(condition, cursor)
        self.add_loop(cursor, before, test, self.read_iteration(body))

    def read_do(self, cursor: Cursor) -> None:
        """do."""
        body, condition = list_children(cursor)
        iteration = self.read_iteration(body)
        before, test = self.read_test(condition, cursor)
        if isinstance(test, Number) and not test.pattern and not before:
            # do { .. } while (0), as macros write it; a break leaves it, and so does a continue.
            jumps = Effects().find_jumps(iteration)
            if not jumps & {Break, Continue}:
                self.scope.body.append(*iteration)
                return
            if Continue not in jumps:
                zero = Number(Int(32, True), locate(cursor), 0)
                self.scope.body.append(Switch(locate(cursor), zero, ((),), (iteration,), 0))
                return
        self.add_loop(cursor, before, test, iteration, runs_first=True)

    def read_for(self, cursor: Cursor) -> None:
        """for."""
        first, condition, step, body = self.split_header(cursor)
        if first is not None:
            self.read_statement(first)
        before, test = self.read_test(condition, cursor)
        iteration = self.read_iteration(body)
        advance: Body = ()
        if step is not None:
            advance = self.scope.body.write_body(self.expressions.read_effect, step)
        self.add_loop(cursor, before, test, iteration, advance)

    def read_iteration(self, cursor: Cursor) -> Body:
        """The statement that each iteration runs."""
        return self.scope.body.write_body(self.read_statement, cursor)

    def read_test(self, cursor: Cursor | None, loop: Cursor) -> tuple[Body, Expression]:
        """What a loop does before its condition, and the condition; no condition always holds."""
        if cursor is None:
            return (), Number(TRUTH, locate(loop), 1)
        test, before = self.scope.body.capture_body(self.expressions.read_condition, cursor)
        return before, test

    def add_loop(
        self,
        cursor: Cursor,
        before: Body,
        test: Expression,
        body: Body,
        advance: Body = (),
        runs_first: bool = False,
    ) -> None:
        """The loop stands among the statements; one without a way out is refused (C_ENDLESS)."""
        directives = self.scope.program.pragmas.find_directives(cursor)
        if is_endless(test, body):
            accepted = "loops with a condition, a break or a return"
            self.scope.refuse(cursor, "C_ENDLESS", "a loop that nothing leaves", accepted)
        if isinstance(test, Number) and not test.pattern and not runs_first and not before:
            return
        self.scope.body.append(
            Loop(
                locate(cursor), before, test, body, advance, runs_first,
                directives.attributes, directives.required,
            )
        )  # fmt: skip

    def split_header(
        self, cursor: Cursor
    ) -> tuple[Cursor | None, Cursor | None, Cursor | None, Cursor]:
        """The three parts in a for's brackets, None for those that are not there, and the body."""
        *head, body = list_children(cursor)
        if len(head) == 3:
            return head[0], head[1], head[2], body
        marks: list[int] = []
        depth = 0
        for token in cursor.get_tokens():
            if token.spelling in ("(", "[", "{"):
                depth += 1
            elif token.spelling in (")", "]", "}"):
                depth -= 1
            elif token.spelling == ";" and depth == 1:
                marks.append(token.extent.start.offset)
            if len(marks) == 2:
                break
        if len(marks) < 2:
            accepted = "the loop outside of the macro, or all three parts"
            self.scope.refuse(cursor, "C_STATEMENT", "a for loop that a macro writes", accepted)
        parts: list[Cursor | None] = [None, None, None]
        for each in head:
            at = each.extent.start.offset
            parts[sum(mark < at for mark in marks)] = each
        return parts[0], parts[1], parts[2], body
