"""Statements of Python."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from loom.frontend.imperative.tree import Body, Break, Continue, Expression, If, Number, Return
from loom.frontend.imperative.types import TRUTH
from loom.frontend.python.calls import Calls
from loom.frontend.python.state import RESULT
from loom.frontend.python.types import PY_BOOL
from loom.frontend.python.values import Value, adapt, truth

CURES: dict[type[ast.stmt], tuple[str, str]] = {
    ast.Try: ("try", "conditions that are tested"),
    ast.Raise: ("raise", "a result that tells; assert, which the circuit leaves out"),
    ast.With: ("with", "statements without it"),
    ast.FunctionDef: ("a function in a function", "functions on the file's own level"),
    ast.ClassDef: ("a class", "functions, scalars and arrays"),
    ast.Global: ("global", "parameters and results"),
    ast.Nonlocal: ("nonlocal", "parameters and results"),
    ast.Delete: ("del", "variables that stay"),
    ast.Import: ("an import in a function", "imports on the file's own level"),
    ast.ImportFrom: ("an import in a function", "imports on the file's own level"),
    ast.AsyncFor: ("async", "loops without it"),
    ast.AsyncWith: ("async", "statements without it"),
    ast.AsyncFunctionDef: ("async", "functions without it"),
}


@dataclass
class Statements(Calls):
    """Reads statements."""

    def in_turn(self, nodes: Iterable[ast.stmt]) -> None:
        """The statements stand among those so far, up to a jump that is always taken."""
        for node in nodes:
            self.statement(node)
            if self.out and isinstance(self.out[-1], Break | Continue | Return):
                return

    def statement(self, node: ast.stmt) -> None:
        """The statement stands among the statements so far."""
        readers: dict[type[ast.stmt], Callable[[Any], None]] = {
            ast.Assign: self.assign,
            ast.AnnAssign: self.declare,
            ast.AugAssign: self.augment,
            ast.If: self.branch,
            ast.For: self.for_loop,
            ast.While: self.while_loop,
            ast.Match: self.match,
            ast.Return: self.leave,
            ast.Break: self.leave_loop,
            ast.Continue: self.go_on,
            ast.Expr: self.effect,
            ast.Pass: self.nothing,
            ast.Assert: self.nothing,
        }
        if type(node) not in readers:
            name = type(node).__name__.lower()
            what, accepted = CURES.get(type(node), (f"a statement of kind {name}", "loops, if"))
            self.refuse(node, "PY_STATEMENT", what, accepted)
        with self.level(node):
            readers[type(node)](node)

    def nothing(self, node: ast.stmt) -> None:
        """The statement has no circuit; a run that fails an assert is refused."""

    def go_on(self, node: ast.Continue) -> None:
        """continue."""
        self.out.append(Continue(self.place(node)))

    def effect(self, node: ast.Expr) -> None:
        """What an expression changes; its value is not needed."""
        if isinstance(node.value, ast.Constant):
            return
        self.values(node.value)

    def declare(self, node: ast.AnnAssign) -> None:
        """The variable has the type that is written, and its first value."""
        target = node.target
        if not isinstance(target, ast.Name):
            what = f"a type for {ast.unparse(target)}"
            self.refuse(node, "PY_ANNOTATION", what, "types for names")
        if node.value is not None and self.begin_array(target.id, node.value, node):
            return
        scalar = self.annotations.scalar(node.annotation)
        if scalar is None:
            what = f"the type {ast.unparse(node.annotation)} for a number"
            self.refuse(node.annotation, "PY_ANNOTATION", what, self.annotations.accepted)
        self.learn(target.id, scalar, node)
        if node.value is not None:
            self.assign_name(target.id, self.value(node.value), node)

    def branch(self, node: ast.If) -> None:
        """if; only the arm that runs where the condition is known."""
        condition = self.condition(node.test)
        if isinstance(condition, Number):
            self.in_turn(node.body if condition.pattern else node.orelse)
            return
        arms = [self.body(self.in_turn, nodes) for nodes in (node.body, node.orelse)]
        self.out.append(If(self.place(node), condition, arms[0], arms[1]))

    def match(self, node: ast.Match) -> None:
        """match: the first case whose pattern and guard hold."""
        subject = self.kept(self.value(node.subject))
        self.out += self.cases(subject, node.cases)

    def cases(self, subject: Value, cases: list[ast.match_case]) -> Body:
        """The statements of the first of the cases that holds."""
        if not cases:
            return ()
        return self.body(self.case, subject, cases[0], cases[1:])

    def case(self, subject: Value, case: ast.match_case, others: list[ast.match_case]) -> None:
        """One case, and those that count if it does not hold."""
        condition = self.pattern(subject, case.pattern)
        if case.guard is not None:
            found: list[Expression] = []
            guard = case.guard
            writes = self.body(lambda: found.append(self.condition(guard)))
            no = Value(Number(TRUTH, condition.place, 0), PY_BOOL)
            yes = Value(found[0], PY_BOOL)
            made = self.chosen(condition, (writes, yes), ((), no), PY_BOOL, guard)
            condition = made.expression
        if isinstance(condition, Number):
            if condition.pattern:
                self.in_turn(case.body)
            else:
                self.out += self.cases(subject, others)
            return
        body = self.body(self.in_turn, case.body)
        self.out.append(If(condition.place, condition, body, self.cases(subject, others)))

    def pattern(self, subject: Value, pattern: ast.pattern) -> Expression:
        """Whether the subject has the pattern."""
        place = self.place(pattern)
        match pattern:
            case ast.MatchValue():
                value = self.value(pattern.value)
                return truth(self.compare(ast.Eq, subject, value, pattern))
            case ast.MatchOr():
                each = [Value(self.pattern(subject, one), PY_BOOL) for one in pattern.patterns]
                found = each[0]
                for other in each[1:]:
                    found = self.binary(ast.BitOr, found, other, pattern)
                return truth(found)
            case ast.MatchAs(pattern=None, name=None):
                return Number(TRUTH, place, 1)
        what = f"the pattern {ast.unparse(pattern)}"
        accepted = "numbers, numbers with | between them, and _"
        return self.refuse(pattern, "PY_STATEMENT", what, accepted)

    def leave(self, node: ast.Return) -> None:
        """return."""
        nothing = isinstance(node.value, ast.Constant) and node.value.value is None
        values = [] if node.value is None or nothing else self.values(node.value)
        if self.result_count is not None and self.result_count != len(values):
            what = f"a return of {len(values)} values after one of {self.result_count}"
            self.refuse(node, "PY_STATEMENT", what, "as many values at each return")
        self.result_count = len(values)
        expressions: list[Expression] = []
        for number, value in enumerate(values):
            scalar = self.learn(f"{RESULT}{number}", value.scalar, node)
            expressions.append(adapt(value, scalar).expression)
        self.out.append(Return(self.place(node), tuple(expressions)))
