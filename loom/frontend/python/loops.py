"""Loops: over range, arrays, enumerate and zip; while; else behind a loop."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from xdsl.dialects import arith

from loom.frontend.imperative.effects import Effects
from loom.frontend.imperative.tree import (
    Apply,
    Assign,
    Body,
    Break,
    Choose,
    Compare,
    Expression,
    If,
    Kind,
    Loop,
    Number,
    Read,
    Relation,
    Return,
    Variable,
)
from loom.frontend.imperative.types import OFFSET, TRUTH
from loom.frontend.python.assignments import Assignments
from loom.frontend.python.types import PY_INT
from loom.frontend.python.values import Array, Named, Value, adapt

OVER = "loops over range, an array, enumerate(array), zip(arrays), reversed(range) and a tuple"


@dataclass
class Loops(Assignments):
    """Reads loops."""

    @abstractmethod
    def in_turn(self, nodes: Iterable[ast.stmt]) -> None:
        """The statements stand among those so far, one after the other."""

    def while_loop(self, node: ast.While) -> None:
        """while."""
        found: list[Expression] = []
        before = self.body(lambda: found.append(self.condition(node.test)))
        test = found[0]
        flag = self.begin_loop(node.orelse, node)
        body = self.turn(node.body)
        is_endless = isinstance(test, Number) and test.pattern
        if is_endless and not Effects().jumps(body) & {Break, Return}:
            accepted = "loops with a condition, a break or a return"
            self.refuse(node, "PY_ENDLESS", "a loop that nothing leaves", accepted)
        self.out.append(Loop(self.place(node), before, test, body))
        self.end_loop(flag, node.orelse, node)

    def begin_loop(self, orelse: list[ast.stmt], node: ast.AST) -> Variable | None:
        """The loop is the innermost; a variable tells of a break if an else asks for it."""
        flag = self.fresh("broken", TRUTH) if orelse else None
        if flag is not None:
            place = self.place(node)
            self.out.append(Assign(place, flag, Number(TRUTH, place, 0)))
        self.loops.append(flag)
        return flag

    def turn(self, nodes: list[ast.stmt]) -> Body:
        """The body of the innermost loop, which is no longer the innermost then."""
        made = self.body(self.in_turn, nodes)
        self.loops.pop()
        return made

    def end_loop(self, flag: Variable | None, orelse: list[ast.stmt], node: ast.AST) -> None:
        """What stands behind the loop runs if no break left it."""
        if flag is None:
            return
        place = self.place(node)
        self.out.append(If(place, Read(TRUTH, place, flag), (), self.body(self.in_turn, orelse)))

    def leave_loop(self, node: ast.Break) -> None:
        """break."""
        place, flag = self.place(node), self.loops[-1]
        if flag is not None:
            self.out.append(Assign(place, flag, Number(TRUTH, place, 1)))
        self.out.append(Break(place))

    def for_loop(self, node: ast.For) -> None:
        """for."""
        over = node.iter
        name = self.called(over)
        if isinstance(over, ast.Call) and name == "range":
            self.for_range(node, self.bounds(over))
        elif isinstance(over, ast.Call) and name == "reversed" and len(over.args) == 1:
            inner = over.args[0]
            if not isinstance(inner, ast.Call) or self.called(inner) != "range":
                self.refuse(over, "PY_STATEMENT", f"a loop over {ast.unparse(over)}", OVER)
            self.for_range(node, self.reversed(self.bounds(inner), inner))
        else:
            self.for_arrays(node, name)

    def called(self, node: ast.expr) -> str | None:
        """The name of the builtin function that the expression calls."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            return None
        name = node.func.id
        is_own = name in self.source.functions or name in self.source.imports
        return None if is_own or node.keywords else name

    def bounds(self, node: ast.Call) -> tuple[Value, Value, Value]:
        """Where range begins, where it has ended, and its step."""
        values = self.in_order(*node.args)
        if not 1 <= len(values) <= 3:
            what = f"range with {len(values)} arguments"
            self.refuse(node, "PY_CALL", what, "range(stop), range(start, stop, step)")
        for value, each in zip(values, node.args, strict=True):
            if value.scalar.rank != 1:
                what = f"range of {value.scalar.name}"
                self.refuse(each, "PY_TYPE", what, "range of integers")
        place = self.place(node)
        number = [Value(Number(OFFSET, place, each), PY_INT, each) for each in (0, 1)]
        if len(values) == 1:
            values = [number[0], *values]
        if len(values) == 2:
            values.append(number[1])
        start, stop, step = (self.kept(adapt(value, PY_INT)) for value in values)
        if step.known == 0:
            self.refuse(node, "PY_UNDEFINED", "range with a step of 0", "steps that are not 0")
        return start, stop, step

    def reversed(
        self, bounds: tuple[Value, Value, Value], node: ast.AST
    ) -> tuple[Value, Value, Value]:
        """The range from its last number to its first."""
        start, stop, step = bounds
        if step.known not in (1, -1):
            what = "reversed(range) with a step"
            self.refuse(node, "PY_STATEMENT", what, "steps of 1; range(last, first - 1, -step)")
        place = self.place(node)

        def minus(value: Value) -> Value:
            return self.kept(self.binary(ast.Sub, value, step, node))

        back = Number(OFFSET, place, -1 if step.known == 1 else 1)
        known = -1 if step.known == 1 else 1
        return minus(stop), minus(start), Value(back, PY_INT, known)

    def for_range(self, node: ast.For, bounds: tuple[Value, Value, Value]) -> None:
        """The loop counts, and its variable has each number."""
        start, stop, step = bounds
        place = self.place(node)
        name = node.target.id if isinstance(node.target, ast.Name) else "i"
        counter = self.fresh(name, OFFSET)
        at = Read(OFFSET, place, counter)

        def bind() -> None:
            self.put(node.target, [Value(at, PY_INT)], node.target)

        self.counted(node, counter, start.expression, self.goes_on(at, stop, step), step, bind)

    def goes_on(self, at: Read, stop: Value, step: Value) -> Expression:
        """Whether the range has this number."""
        place, end = at.place, stop.expression
        up, down = (Compare(place, each, at, end) for each in (Relation.LT, Relation.GT))
        if step.known is not None:
            return up if step.known > 0 else down
        positive = Compare(place, Relation.GT, step.expression, Number(OFFSET, place, 0))
        return Choose(TRUTH, place, positive, up, down)

    def counted(
        self,
        node: ast.For,
        counter: Variable,
        start: Expression,
        test: Expression,
        step: Value,
        bind: Callable[[], None],
    ) -> None:
        """The loop, which begins each turn with what `bind` writes."""
        place = self.place(node)
        self.out.append(Assign(place, counter, start))
        flag = self.begin_loop(node.orelse, node)
        first = self.body(bind)
        body = (*first, *self.turn(node.body))
        at = Read(OFFSET, place, counter)
        after = Apply(OFFSET, place, arith.AddiOp, (at, step.expression))
        self.out.append(Loop(place, (), test, body, (Assign(place, counter, after),)))
        self.end_loop(flag, node.orelse, node)

    def for_arrays(self, node: ast.For, name: str | None) -> None:
        """The loop's variables have each element of the arrays."""
        over, place = node.iter, self.place(node)
        sources: list[ast.expr] = [over]
        first = Value(Number(OFFSET, place, 0), PY_INT, 0)
        if name in ("enumerate", "zip") and isinstance(over, ast.Call):
            sources = over.args
            if name == "enumerate" and len(sources) == 2:
                first = self.kept(self.value(sources[1]))
                sources = sources[:1]
            if not sources or (name == "enumerate" and len(sources) != 1):
                self.refuse(over, "PY_STATEMENT", f"a loop over {ast.unparse(over)}", OVER)
            if not first.scalar.is_weak or first.scalar.rank != 1:
                what = f"enumerate from a number of {first.scalar.name}"
                self.refuse(over, "PY_TYPE", what, "a number of Python's, such as int(x)")
        arrays = [self.looped(each) for each in sources]
        size = min(array.shape[0] for array in arrays)
        counter = self.fresh("k", OFFSET)
        at = Read(OFFSET, place, counter)

        def bind() -> None:
            values: list[Named] = [each.at((at,)) for each in arrays]
            if name == "enumerate":
                counted = self.binary(ast.Add, Value(at, PY_INT), first, over)
                values = [Value(at, PY_INT) if first.known == 0 else counted, *values]
            targets = [node.target]
            if name in ("enumerate", "zip"):
                targets = node.target.elts if isinstance(node.target, ast.Tuple) else []
            if len(targets) != len(values):
                what = f"{len(values)} values for the target {ast.unparse(node.target)}"
                self.refuse(node.target, "PY_STATEMENT", what, "a target for each value")
            for target, value in zip(targets, values, strict=True):
                self.bind(target, value)

        zero, one = (Number(OFFSET, place, each) for each in (0, 1))
        test = Compare(place, Relation.LT, at, Number(OFFSET, place, size))
        self.counted(node, counter, zero, test, Value(one, PY_INT, 1), bind)

    def bind(self, target: ast.expr, value: Named) -> None:
        """The loop's variable has the value; a row of an array is an array itself."""
        if isinstance(value, Value):
            self.put(target, [value], target)
        elif not value.shape:
            self.put(target, [value.load(self.place(target))], target)
        else:
            if not isinstance(target, ast.Name) or target.id in self.found:
                what = f"a row of {value.memory.name} for {ast.unparse(target)}"
                self.refuse(target, "PY_STATEMENT", what, "a name that is no number")
            self.names[target.id] = value

    def looped(self, node: ast.expr) -> Array:
        """An array, or a tuple of numbers as one."""
        found = self.array(node) if isinstance(node, ast.Name | ast.Subscript) else None
        if isinstance(node, ast.Tuple | ast.List):
            numbers = self.numbers(node)
            if numbers is not None:
                found = self.program.constants.table("each", numbers, node, Kind.CONSTANT)
        if found is None or not found.shape:
            self.refuse(node, "PY_STATEMENT", f"a loop over {ast.unparse(node)}", OVER)
        return self.kept_array(found)
