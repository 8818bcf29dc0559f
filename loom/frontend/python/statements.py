"""Statements of Python."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from loom.frontend.imperative.tree import Body, Break, Continue, Expression, If, Number, Return
from loom.frontend.imperative.types import TRUTH
from loom.frontend.python.annotations import Annotations
from loom.frontend.python.assignments import Assignments
from loom.frontend.python.calls import FunctionReader
from loom.frontend.python.conditions import Arm
from loom.frontend.python.expressions import Expressions
from loom.frontend.python.loops import Loops, StatementReader
from loom.frontend.python.scope import Scope
from loom.frontend.python.symbols import name_result
from loom.frontend.python.types import PY_BOOL, Scalar
from loom.frontend.python.values import Value, adapt_value, check_nonzero

INSTEAD: dict[type[ast.stmt], tuple[str, str]] = {
    ast.Try: ("try", "conditions that are tested"),
    ast.Raise: ("raise", "a result that reports the error; assert, which the circuit omits"),
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
"""Names of statements that no circuit has, and what is accepted instead."""


class Statements:
    """Reads the statements of one function into its scope."""

    def __init__(self, scope: Scope, functions: FunctionReader) -> None:
        self.scope = scope
        self.annotations = Annotations(scope.program.constants)
        self.expressions = Expressions(scope, functions)
        self.assignments = Assignments(scope, self.expressions)
        self.loops = Loops(scope, self.expressions, self.assignments, self)
        self.matches = Matches(scope, self.expressions, self)
        self.result_count: int | None = None
        """The number of values that the first return has; None before one."""
        self.readers: dict[type[ast.stmt], Callable[[Any], None]] = {
            ast.Assign: self.assignments.read_assignment,
            ast.AnnAssign: self.read_declaration,
            ast.AugAssign: self.assignments.read_augmented_assignment,
            ast.If: self.read_if,
            ast.For: self.loops.read_for,
            ast.While: self.loops.read_while,
            ast.Match: self.matches.read_match,
            ast.Return: self.read_return,
            ast.Break: self.loops.read_break,
            ast.Continue: self.read_continue,
            ast.Expr: self.read_effect,
            ast.Pass: self.skip_statement,
            ast.Assert: self.skip_statement,
        }

    def read_statements(self, nodes: Iterable[ast.stmt]) -> None:
        """The statements are written into the scope, up to a jump that is always taken."""
        for node in nodes:
            self.read_statement(node)
            written = self.scope.body.statements
            if written and isinstance(written[-1], Break | Continue | Return):
                return

    def read_statement(self, node: ast.stmt) -> None:
        """The statement is written into the scope."""
        if type(node) not in self.readers:
            name = type(node).__name__.lower()
            default = (f"a statement of kind {name}", "loops, if")
            what, accepted = INSTEAD.get(type(node), default)
            self.scope.refuse(node, "PY_STATEMENT", what, accepted)
        with self.scope.enter_level(node):
            self.readers[type(node)](node)

    def skip_statement(self, node: ast.stmt) -> None:
        """The statement has no circuit; a run that fails an assert is refused."""

    def read_continue(self, node: ast.Continue) -> None:
        """continue."""
        self.scope.body.append(Continue(self.scope.locate(node)))

    def read_effect(self, node: ast.Expr) -> None:
        """The statements of an expression whose value is not needed."""
        if isinstance(node.value, ast.Constant):
            return
        self.assignments.read_values(node.value)

    def read_declaration(self, node: ast.AnnAssign) -> None:
        """The variable has the annotated type, and its first value."""
        target = node.target
        if not isinstance(target, ast.Name):
            what = f"a type for {ast.unparse(target)}"
            self.scope.refuse(node, "PY_ANNOTATION", what, "types for names")
        if node.value is not None and self.assignments.begin_array(target.id, node.value, node):
            return
        scalar = self.annotations.find_scalar(node.annotation)
        if scalar is None:
            what = f"the type {ast.unparse(node.annotation)} for a number"
            accepted = self.annotations.accepted
            self.scope.refuse(node.annotation, "PY_ANNOTATION", what, accepted)
        self.scope.symbols.infer_type(target.id, scalar, node)
        if node.value is not None:
            value = self.expressions.read_value(node.value)
            self.scope.symbols.assign_variable(target.id, value, node)

    def read_if(self, node: ast.If) -> None:
        """if; only the branch that runs where the condition is a constant."""
        condition = self.expressions.conditions.read_condition(node.test)
        if isinstance(condition, Number):
            self.read_statements(node.body if condition.pattern else node.orelse)
            return
        body = self.scope.body
        branches = [body.write_body(self.read_statements, nodes)
                    for nodes in (node.body, node.orelse)]  # fmt: skip
        body.append(If(self.scope.locate(node), condition, branches[0], branches[1]))

    def read_return(self, node: ast.Return) -> None:
        """return."""
        is_none = isinstance(node.value, ast.Constant) and node.value.value is None
        values: list[Value] = []
        if node.value is not None and not is_none:
            values = self.assignments.read_values(node.value)
        if self.result_count is not None and self.result_count != len(values):
            what = f"a return of {len(values)} values after one of {self.result_count}"
            self.scope.refuse(node, "PY_STATEMENT", what, "as many values at each return")
        self.result_count = len(values)
        expressions: list[Expression] = []
        for number, value in enumerate(values):
            scalar = self.scope.symbols.infer_type(name_result(number), value.scalar, node)
            expressions.append(adapt_value(value, scalar).expression)
        self.scope.body.append(Return(self.scope.locate(node), tuple(expressions)))

    def find_result_types(self) -> tuple[Scalar, ...]:
        """The types of the function's results, once it is read."""
        inferred = self.scope.symbols.inferred
        return tuple(inferred[name_result(number)] for number in range(self.result_count or 0))


class Matches:
    """Reads match statements; `statements` reads the bodies of the cases."""

    def __init__(self, scope: Scope, expressions: Expressions, statements: StatementReader) -> None:
        self.scope = scope
        self.expressions = expressions
        self.statements = statements

    def read_match(self, node: ast.Match) -> None:
        """match: the first case whose pattern and guard hold."""
        subject = self.scope.hold_value(self.expressions.read_value(node.subject))
        self.scope.body.append(*self.read_cases(subject, node.cases))

    def read_cases(self, subject: Value, cases: list[ast.match_case]) -> Body:
        """The statements of the first of the cases that holds."""
        if not cases:
            return ()
        return self.scope.body.write_body(self.read_case, subject, cases[0], cases[1:])

    def read_case(self, subject: Value, case: ast.match_case, others: list[ast.match_case]) -> None:
        """One case, and those that count if it does not hold."""
        body = self.scope.body
        condition = self.read_pattern(subject, case.pattern)
        if case.guard is not None:
            condition = self.read_guard(condition, case.guard)
        if isinstance(condition, Number):
            if condition.pattern:
                self.statements.read_statements(case.body)
            else:
                body.append(*self.read_cases(subject, others))
            return
        chosen = body.write_body(self.statements.read_statements, case.body)
        body.append(If(condition.place, condition, chosen, self.read_cases(subject, others)))

    def read_guard(self, condition: Expression, guard: ast.expr) -> Expression:
        """Whether the condition and the guard hold, which counts only if the condition does."""
        conditions = self.expressions.conditions
        holds, body = self.scope.body.capture_body(conditions.read_condition, guard)
        no = Arm(Value(Number(TRUTH, condition.place, 0), PY_BOOL))
        yes = Arm(Value(holds, PY_BOOL), body)
        return conditions.choose_arm(condition, yes, no, PY_BOOL, guard).expression

    def read_pattern(self, subject: Value, pattern: ast.pattern) -> Expression:
        """Whether the subject matches the pattern."""
        arithmetic = self.expressions.arithmetic
        match pattern:
            case ast.MatchValue():
                value = self.expressions.read_value(pattern.value)
                return check_nonzero(arithmetic.compare_values(ast.Eq, subject, value, pattern))
            case ast.MatchOr():
                first, *others = [
                    Value(self.read_pattern(subject, each), PY_BOOL) for each in pattern.patterns
                ]
                for other in others:
                    first = arithmetic.apply_binary(ast.BitOr, first, other, pattern)
                return check_nonzero(first)
            case ast.MatchAs(pattern=None, name=None):
                return Number(TRUTH, self.scope.locate(pattern), 1)
        what = f"the pattern {ast.unparse(pattern)}"
        accepted = "numbers, numbers with | between them, and _"
        self.scope.refuse(pattern, "PY_STATEMENT", what, accepted)
