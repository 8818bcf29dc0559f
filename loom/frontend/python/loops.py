"""Loops: over range, arrays, enumerate and zip; while; else behind a loop."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol

from xdsl.ir import Attribute

from loom.dialects.facts.loop_attributes import (
    FLATTEN,
    FULL,
    II,
    INTERCHANGE,
    INTERLEAVE,
    PARTIAL_SUMS,
    PIPELINE,
    STYLE,
    UNROLL,
)
from loom.frontend.imperative.effects import is_endless
from loom.frontend.imperative.fill_memory import advance_counter
from loom.frontend.imperative.tree import (
    Assign,
    Body,
    Break,
    Choose,
    Compare,
    Expression,
    If,
    Loop,
    Number,
    Read,
    Relation,
    Variable,
)
from loom.frontend.imperative.types import OFFSET, TRUTH
from loom.frontend.python.assignments import Assignments
from loom.frontend.python.expressions import Expressions
from loom.frontend.python.scope import Scope
from loom.frontend.python.types import PY_INT
from loom.frontend.python.values import Array, Named, Value, adapt_value, encode_constant

OVER = "loops over range, an array, enumerate(array), zip(arrays), reversed(range) and a tuple"


@dataclass(frozen=True)
class Directive:
    """A directive of loops: the attribute that a number or None makes; how many it takes."""

    make: Callable[[int | None], tuple[str, Attribute]]
    numbers: tuple[int, int] = (0, 0)


DIRECTIVES = {
    UNROLL.name: Directive(lambda n: UNROLL.attribute(FULL if n is None else n), (0, 1)),
    FLATTEN.name: Directive(lambda _: FLATTEN.attribute(True)),
    INTERCHANGE.name: Directive(lambda _: INTERCHANGE.attribute(True)),
    INTERLEAVE.name: Directive(lambda n: INTERLEAVE.attribute(n or 1), (1, 1)),
    PARTIAL_SUMS.name: Directive(lambda n: PARTIAL_SUMS.attribute(n or 1), (1, 1)),
    PIPELINE.name: Directive(lambda _: PIPELINE.attribute(True)),
    II.name: Directive(lambda n: II.attribute(n or 1), (1, 1)),
}
"""Directives of loops, by the names of the functions that stand for them."""
DIRECTIVE_FORMS = (
    "loom.unroll(OVER), loom.unroll(OVER, NUMBER), loom.flatten(OVER), loom.interchange(OVER), "
    "loom.interleave(OVER, NUMBER), loom.partial_sums(OVER, NUMBER), loom.ii(OVER, NUMBER) and "
    "loom.pipeline(OVER), with constant numbers"
)


class StatementReader(Protocol):
    """Reads the statements of a body."""

    def read_statements(self, nodes: Iterable[ast.stmt]) -> None:
        """The statements are written into the scope, one after the other."""


@dataclass(frozen=True)
class Range:
    """The numbers from `start` on, `step` apart, before `stop`: each has Python's int."""

    start: Value
    stop: Value
    step: Value


@dataclass
class Loops:
    """Reads loops and writes them into the scope; `statements` reads their bodies."""

    scope: Scope
    expressions: Expressions
    assignments: Assignments
    statements: StatementReader
    break_flags: list[Variable | None] = field(default_factory=list)
    """The loops around, each with the variable that a break sets, if an else needs it."""
    directives: dict[ast.stmt, tuple[tuple[str, Attribute], ...]] = field(default_factory=dict)
    """The directives of loops."""

    def read_while(self, node: ast.While) -> None:
        """while."""
        body = self.scope.body
        test, before = body.capture_body(self.expressions.conditions.read_condition, node.test)
        flag = self.enter_loop(node.orelse, node)
        iteration = body.write_body(self.statements.read_statements, node.body)
        self.break_flags.pop()
        if is_endless(test, iteration):
            accepted = "loops with a condition, a break or a return"
            self.scope.refuse(node, "PY_ENDLESS", "an infinite loop", accepted)
        body.append(self.make_loop(node, before, test, iteration))
        self.write_else(flag, node.orelse, node)

    def make_loop(
        self,
        node: ast.For | ast.While,
        before: Body,
        test: Expression,
        iteration: Body,
        advance: Body = (),
    ) -> Loop:
        """The statement, with its directives and the style that the comment before it says."""
        place, style = self.scope.locate(node), self.scope.program.source.styles.get(node.lineno)
        said = self.directives.get(node, ()) + ((STYLE.attribute(style),) if style else ())
        required = place if said else None
        return Loop(place, before, test, iteration, advance, False, said, required, "PY_DIRECTIVE")

    def read_break(self, node: ast.Break) -> None:
        """break."""
        place, flag = self.scope.locate(node), self.break_flags[-1]
        if flag is not None:
            self.scope.body.append(Assign(place, flag, Number(TRUTH, place, 1)))
        self.scope.body.append(Break(place))

    def enter_loop(self, orelse: list[ast.stmt], node: ast.AST) -> Variable | None:
        """The loop is the innermost; the variable that a break sets, if there is an else."""
        flag = self.scope.body.make_variable("broken", TRUTH) if orelse else None
        if flag is not None:
            place = self.scope.locate(node)
            self.scope.body.append(Assign(place, flag, Number(TRUTH, place, 0)))
        self.break_flags.append(flag)
        return flag

    def write_else(self, flag: Variable | None, orelse: list[ast.stmt], node: ast.AST) -> None:
        """The else behind the loop runs if no break left it."""
        if flag is None:
            return
        place, body = self.scope.locate(node), self.scope.body
        otherwise = body.write_body(self.statements.read_statements, orelse)
        body.append(If(place, Read(TRUTH, place, flag), (), otherwise))

    # Loops that count

    def read_for(self, node: ast.For) -> None:
        """for."""
        node = self.read_directives(node)
        over, name = node.iter, self.find_builtin(node.iter)
        if isinstance(over, ast.Call) and name == "range":
            self.write_range_loop(node, self.read_range(over))
        elif isinstance(over, ast.Call) and name == "reversed" and len(over.args) == 1:
            inner = over.args[0]
            if not isinstance(inner, ast.Call) or self.find_builtin(inner) != "range":
                self.refuse_iterable(over)
            self.write_range_loop(node, self.reverse_range(self.read_range(inner), inner))
        else:
            self.read_array_loop(node, name)

    def read_directives(self, node: ast.For) -> ast.For:
        """The loop without the directives around what it runs over, which are kept for it."""
        found: list[tuple[str, Attribute]] = []
        plain = copy(node)
        while isinstance(call := plain.iter, ast.Call):
            name = self.scope.program.source.qualify(call.func)
            if name not in DIRECTIVES:
                break
            number = self.read_directive_number(call, *DIRECTIVES[name].numbers)
            found.append(DIRECTIVES[name].make(number))
            plain.iter = call.args[0]
        self.directives[plain] = tuple(found)
        return plain

    def read_directive_number(self, node: ast.Call, least: int, most: int) -> int | None:
        """The number of a directive, which has `least` to `most` of them."""
        constants = self.scope.program.constants
        numbers = [constants.evaluate_number(each) for each in node.args[1:]]
        numbers += [constants.evaluate_number(each.value) for each in node.keywords]
        is_right = node.args and least <= len(numbers) <= most
        found = numbers[0] if numbers else None
        is_number = isinstance(found, int) and not isinstance(found, bool) and found >= 1
        if not is_right or (numbers and not is_number):
            what = f"the loop directive {ast.unparse(node)}"
            self.scope.refuse(node, "PY_CALL", what, DIRECTIVE_FORMS)
        assert found is None or isinstance(found, int)
        return found

    def refuse_iterable(self, node: ast.expr) -> NoReturn:
        """The expression is none that a loop runs over."""
        self.scope.refuse(node, "PY_STATEMENT", f"a loop over {ast.unparse(node)}", OVER)

    def find_builtin(self, node: ast.expr) -> str | None:
        """The name of the builtin function that the expression calls, or None."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            return None
        name, source = node.func.id, self.scope.program.source
        is_own = name in source.functions or name in source.imports
        return None if is_own or node.keywords else name

    def read_range(self, node: ast.Call) -> Range:
        """The range of a call of range."""
        values = self.expressions.read_values(*node.args)
        if not 1 <= len(values) <= 3:
            what = f"range with {len(values)} arguments"
            self.scope.refuse(node, "PY_CALL", what, "range(stop), range(start, stop, step)")
        for value, each in zip(values, node.args, strict=True):
            if value.scalar.rank != 1:
                what = f"range of {value.scalar.name}"
                self.scope.refuse(each, "PY_TYPE", what, "range of integers")
        place = self.scope.locate(node)
        zero, one = (Value(Number(OFFSET, place, each), PY_INT, each) for each in (0, 1))
        if len(values) == 1:
            values = [zero, *values]
        if len(values) == 2:
            values.append(one)
        start, stop, step = (self.scope.hold_value(adapt_value(value, PY_INT)) for value in values)
        if step.known == 0:
            accepted = "steps that are not 0"
            self.scope.refuse(node, "PY_UNDEFINED", "range with a step of 0", accepted)
        return Range(start, stop, step)

    def reverse_range(self, numbers: Range, node: ast.AST) -> Range:
        """The range from its last number to its first."""
        bounds = [each.known for each in (numbers.start, numbers.stop, numbers.step)]
        if all(isinstance(each, int) for each in bounds):
            return self.reverse_constants(bounds, node)
        if numbers.step.known not in (1, -1):
            accepted = "steps of 1, constants; range(last, first - 1, -step)"
            self.scope.refuse(node, "PY_STATEMENT", "reversed(range) with a step", accepted)
        known = -1 if numbers.step.known == 1 else 1
        step = Value(Number(OFFSET, self.scope.locate(node), known), PY_INT, known)
        first = self.subtract_step(numbers.stop, numbers, node)
        return Range(first, self.subtract_step(numbers.start, numbers, node), step)

    def reverse_constants(self, bounds: list[Any], node: ast.AST) -> Range:
        """The range of constants from its last number to its first."""
        whole = range(*bounds)[::-1]
        place = self.scope.locate(node)
        start, stop, step = (
            Value(Number(OFFSET, place, encode_constant(each, OFFSET)), PY_INT, each)
            for each in (whole.start, whole.stop, whole.step)
        )
        return Range(start, stop, step)

    def subtract_step(self, value: Value, numbers: Range, node: ast.AST) -> Value:
        """The number a step before the value."""
        arithmetic = self.expressions.arithmetic
        return self.scope.hold_value(arithmetic.apply_binary(ast.Sub, value, numbers.step, node))

    def write_range_loop(self, node: ast.For, numbers: Range) -> None:
        """The loop, whose target has each number of the range."""
        place = self.scope.locate(node)
        name = node.target.id if isinstance(node.target, ast.Name) else "i"
        counter = self.scope.body.make_variable(name, OFFSET)
        at = Read(OFFSET, place, counter)

        def write_target() -> None:
            self.assignments.assign_target(node.target, [Value(at, PY_INT)], node.target)

        test = compare_range(at, numbers)
        self.write_counted_loop(node, counter, numbers.start, test, numbers.step, write_target)

    def write_counted_loop(
        self,
        node: ast.For,
        counter: Variable,
        start: Value,
        test: Expression,
        step: Value,
        write_target: Callable[[], None],
    ) -> None:
        """The loop; each iteration begins with the statements that `write_target` writes."""
        place, body = self.scope.locate(node), self.scope.body
        body.append(Assign(place, counter, start.expression))
        flag = self.enter_loop(node.orelse, node)
        first = body.write_body(write_target)
        iteration = (*first, *body.write_body(self.statements.read_statements, node.body))
        self.break_flags.pop()
        advance = advance_counter(counter, step.expression, place)
        body.append(self.make_loop(node, (), test, iteration, (advance,)))
        self.write_else(flag, node.orelse, node)

    # Loops over arrays

    def read_array_loop(self, node: ast.For, name: str | None) -> None:
        """A loop whose targets have each element of the arrays."""
        over, place = node.iter, self.scope.locate(node)
        sources: list[ast.expr] = [over]
        zero, one = (Value(Number(OFFSET, place, each), PY_INT, each) for each in (0, 1))
        first = zero
        if name in ("enumerate", "zip") and isinstance(over, ast.Call):
            sources = over.args
            if name == "enumerate" and len(sources) == 2:
                first = self.scope.hold_value(self.expressions.read_value(sources[1]))
                sources = sources[:1]
            if not sources or (name == "enumerate" and len(sources) != 1):
                self.refuse_iterable(over)
            if not first.scalar.is_weak or first.scalar.rank != 1:
                what = f"enumerate from a number of {first.scalar.name}"
                self.scope.refuse(over, "PY_TYPE", what, "a number of Python's, such as int(x)")
        arrays = [self.read_iterable(each) for each in sources]
        size = min(array.shape[0] for array in arrays)
        counter = self.scope.body.make_variable("k", OFFSET)
        at = Read(OFFSET, place, counter)

        def write_targets() -> None:
            values: list[Named] = [each.select(at) for each in arrays]
            if name == "enumerate":
                index = Value(at, PY_INT)
                if first.known != 0:
                    index = self.expressions.arithmetic.apply_binary(ast.Add, index, first, over)
                values = [index, *values]
            self.bind_targets(node.target, values, is_tuple=name in ("enumerate", "zip"))

        test = Compare(place, Relation.LT, at, Number(OFFSET, place, size))
        self.write_counted_loop(node, counter, zero, test, one, write_targets)

    def bind_targets(self, target: ast.expr, values: list[Named], is_tuple: bool) -> None:
        """The targets of a loop have the values of an iteration."""
        targets = [target]
        if is_tuple:
            targets = target.elts if isinstance(target, ast.Tuple) else []
        if len(targets) != len(values):
            what = f"{len(values)} values for the target {ast.unparse(target)}"
            self.scope.refuse(target, "PY_STATEMENT", what, "a target for each value")
        for each, value in zip(targets, values, strict=True):
            self.bind_target(each, value)

    def bind_target(self, target: ast.expr, value: Named) -> None:
        """The target has the value; a row of an array is an array itself."""
        if isinstance(value, Array) and not value.shape:
            value = value.load(self.scope.locate(target))
        if isinstance(value, Value):
            self.assignments.assign_target(target, [value], target)
            return
        symbols = self.scope.symbols
        if not isinstance(target, ast.Name) or target.id in symbols.inferred:
            what = f"a row of {value.memory.name} for {ast.unparse(target)}"
            self.scope.refuse(target, "PY_STATEMENT", what, "a name that is no number")
        symbols.bound[target.id] = value

    def read_iterable(self, node: ast.expr) -> Array:
        """An array, or a tuple of numbers as one."""
        array = None
        if isinstance(node, ast.Name | ast.Subscript):
            array = self.expressions.places.find_array(node)
        elif isinstance(node, ast.Tuple | ast.List):
            table = self.assignments.evaluate_table(node)
            if table is not None:
                array = self.scope.program.constants.make_table("each", table, node)
        if array is None or not array.shape:
            self.refuse_iterable(node)
        return self.scope.hold_array(array)


def compare_range(at: Read, numbers: Range) -> Expression:
    """Whether the range has not ended at this number."""
    place, stop = at.place, numbers.stop.expression
    up, down = (Compare(place, each, at, stop) for each in (Relation.LT, Relation.GT))
    if numbers.step.known is not None:
        return up if numbers.step.known > 0 else down
    zero = Number(OFFSET, place, 0)
    is_up = Compare(place, Relation.GT, numbers.step.expression, zero)
    return Choose(TRUTH, place, is_up, up, down)
