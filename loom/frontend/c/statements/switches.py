"""Switches of C, also those with cases inside other statements of their blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith

from loom.errors import Place
from loom.frontend.c.expressions import Expressions
from loom.frontend.c.library import Cursor, list_children, load_libclang, locate
from loom.frontend.c.scope import Scope
from loom.frontend.c.statements.loops import Loops
from loom.frontend.imperative.tree import (
    Apply,
    Assign,
    Body,
    Break,
    Compare,
    Expression,
    If,
    Number,
    Read,
    Relation,
    Switch,
    Variable,
)
from loom.frontend.imperative.types import TRUTH, Int

CASES = "cases in blocks, ifs and loops of the switch"
MOST_IN_RANGE = 1024
"""Numbers of a range of cases."""
ENTRY = Int(16, False)
"""The number of a case from 1; 0 where control has come to it."""


@dataclass
class Cases:
    """The cases in front of some statements of a switch, and those statements."""

    numbers: list[int] = field(default_factory=list)
    is_default: bool = False
    statements: list[Cursor] = field(default_factory=list)


@dataclass(frozen=True)
class Entry:
    """Where control enters a switch: what stands before that case is skipped.

    `variable` is the number of that case until control has come to it, then 0.
    """

    variable: Variable
    numbers: dict[int, int]
    """The number of each case, by its hash."""

    def is_at(self, number: int, place: Place) -> Expression:
        """Whether control still goes to that case; to 0 where it has come to one."""
        entry = Read(ENTRY, place, self.variable)
        return Compare(place, Relation.EQ, entry, Number(ENTRY, place, number))

    def clear(self, place: Place) -> Assign:
        """Control has come to its case."""
        return Assign(place, self.variable, Number(ENTRY, place, 0))


class Switches:
    """Reads switches."""

    def __init__(
        self,
        scope: Scope,
        expressions: Expressions,
        loops: Loops,
        read_statement: Callable[[Cursor], None],
        read_statements: Callable[[Iterable[Cursor]], None],
    ) -> None:
        self.scope = scope
        self.expressions = expressions
        self.loops = loops
        self.read_statement = read_statement
        self.read_statements = read_statements

    def read_switch(self, cursor: Cursor) -> None:
        """switch."""
        kinds = load_libclang().CursorKind
        subject, block = list_children(cursor)
        value = self.expressions.evaluate(subject)
        given = list_children(block) if block.kind == kinds.COMPOUND_STMT else [block]
        if any(find_cases(strip_cases(each)) for each in given):
            self.enter_switch(cursor, value, block)
            return
        arms: list[Cases] = []
        for each in given:
            if each.kind in (kinds.CASE_STMT, kinds.DEFAULT_STMT):
                arms.append(self.read_cases(each, value))
            elif not arms:
                if each.kind != kinds.DECL_STMT:
                    what, accepted = "a statement before the first case", "statements after a case"
                    self.scope.refuse(each, "C_STATEMENT", what, accepted)
                self.read_statement(each)
            else:
                arms[-1].statements.append(each)
        write_body = self.scope.body.write_body
        bodies = tuple(write_body(self.read_statements, arm.statements) for arm in arms)
        cases = tuple(tuple(arm.numbers) for arm in arms)
        default = next((number for number, arm in enumerate(arms) if arm.is_default), None)
        if bodies:
            self.scope.body.append(Switch(locate(cursor), value, cases, bodies, default))

    def read_cases(self, cursor: Cursor, value: Expression) -> Cases:
        """The cases in front of a statement, and the statement."""
        cases = Cases(statements=[strip_cases(cursor)])
        while is_case(cursor):
            if cursor.kind == load_libclang().CursorKind.DEFAULT_STMT:
                cases.is_default = True
            cases.numbers += self.find_numbers(cursor, value)
            cursor = list_children(cursor)[-1]
        return cases

    def find_numbers(self, cursor: Cursor, value: Expression) -> list[int]:
        """The numbers of one case, as those of the value; none of a default."""
        type_ = value.type
        assert isinstance(type_, Int)
        known: list[int] = []
        for each in list_children(cursor)[:-1]:
            found = self.expressions.evaluate(each)
            if not isinstance(found, Number):
                what = "a case of no known number"
                self.scope.refuse(cursor, "C_STATEMENT", what, "constants")
            assert isinstance(found.type, Int)
            known.append(found.type.decode(found.pattern))
        if not known:
            return []
        if known[-1] - known[0] >= MOST_IN_RANGE:
            what, accepted = "a range of cases", f"up to {MOST_IN_RANGE} numbers, or an if"
            self.scope.refuse(cursor, "C_STATEMENT", what, accepted)
        signed = Int(type_.width, True)
        return [signed.decode(number) for number in range(known[0], known[-1] + 1)]

    # Cases inside other statements

    def enter_switch(self, cursor: Cursor, value: Expression, block: Cursor) -> None:
        """The block of a switch, of which each statement before the case at hand is skipped."""
        place, body = locate(cursor), self.scope.body
        found = find_cases(block)
        entry = Entry(
            body.make_variable("entry", ENTRY),
            {each.hash: number for number, each in enumerate(found, 1)},
        )
        cases = tuple(tuple(self.find_numbers(each, value)) for each in found)
        kinds = [each.kind for each in found]
        default = load_libclang().CursorKind.DEFAULT_STMT
        arms: list[Body] = [
            (Assign(place, entry.variable, Number(ENTRY, place, number)), Break(place))
            for number in range(1, len(found) + 1)
        ]
        outside = Number(ENTRY, place, len(found) + 1)
        body.append(
            Assign(place, entry.variable, outside),
            Switch(place, value, cases, tuple(arms),
                   kinds.index(default) if default in kinds else None),
        )  # fmt: skip
        inner = body.write_body(self.resume, block, entry)
        # A break in the block leaves it.
        body.append(Switch(place, Number(Int(32, True), place, 0), ((),), (inner,), 0))

    def resume_each(self, cursors: Sequence[Cursor], entry: Entry) -> None:
        """The statements, each skipped until control has come to a case before it or in it."""
        body = self.scope.body
        for each in cursors:
            if find_cases(each):
                self.resume(each, entry)
                continue
            place = locate(each)
            skipped = body.write_body(self.read_statement, each)
            if skipped:
                body.append(If(place, entry.is_at(0, place), skipped))

    def resume(self, cursor: Cursor, entry: Entry) -> None:
        """A statement with cases in it."""
        kinds, place = load_libclang().CursorKind, locate(cursor)
        body, below = self.scope.body, list_children(cursor)
        if is_case(cursor):
            at = entry.is_at(entry.numbers[cursor.hash], place)
            body.append(If(place, at, (entry.clear(place),)))
            self.resume_each(below[-1:], entry)
        elif cursor.kind == kinds.COMPOUND_STMT:
            self.resume_each(below, entry)
        elif cursor.kind == kinds.LABEL_STMT:
            self.resume_each(below[-1:], entry)
        elif cursor.kind == kinds.IF_STMT:
            self.resume_if(cursor, entry)
        elif cursor.kind in (kinds.DO_STMT, kinds.WHILE_STMT, kinds.FOR_STMT):
            comes_here = self.goes_into(cursor, entry, entry.is_at(0, place))
            loop = body.write_body(self.resume_loop, cursor, entry)
            body.append(If(place, comes_here, loop))
        else:
            self.scope.refuse(cursor, "C_STATEMENT", "a case inside another statement", CASES)

    def resume_if(self, cursor: Cursor, entry: Entry) -> None:
        """An if with cases in it: control that goes to one of them takes that arm."""
        place, body = locate(cursor), self.scope.body
        test, first, *second = list_children(cursor)
        goes_there = self.goes_into(first, entry, Number(TRUTH, place, 0))
        condition = self.test_after(entry, test, goes_there, place)
        arms = [body.write_body(self.resume_each, [arm], entry) for arm in (first, *second)]
        body.append(If(place, condition, *arms))

    def goes_into(self, cursor: Cursor, entry: Entry, found: Expression) -> Expression:
        """Whether that is found, or control goes to a case in the statement."""
        place = locate(cursor)
        for each in find_cases(cursor):
            at = entry.is_at(entry.numbers[each.hash], place)
            found = Apply(TRUTH, place, arith.OrIOp, (found, at))
        return found

    def resume_loop(self, cursor: Cursor, entry: Entry) -> None:
        """A loop with cases in it: control that goes to one of them tests no condition before."""
        kinds, place = load_libclang().CursorKind, locate(cursor)
        body, below = self.scope.body, list_children(cursor)
        if cursor.kind == kinds.DO_STMT:
            iteration = body.write_body(self.resume_each, below[:1], entry)
            before, test = self.loops.read_test(below[1], cursor)
            self.loops.add_loop(cursor, before, test, iteration, runs_first=True)
            return
        first, condition, step = None, below[0], None
        if cursor.kind == kinds.FOR_STMT:
            first, condition, step, _ = self.loops.split_header(cursor)
        if first is not None:
            self.resume_each([first], entry)
        before, test = (), Number(TRUTH, place, 1)
        if condition is not None:
            goes_on = Number(TRUTH, place, 1)
            test, before = body.capture_body(self.test_after, entry, condition, goes_on, place)
        iteration = body.write_body(self.resume_each, below[-1:], entry)
        advance: Body = ()
        if step is not None:
            advance = body.write_body(self.expressions.read_effect, step)
        self.loops.add_loop(cursor, before, test, iteration, advance)

    def test_after(
        self, entry: Entry, test: Cursor, before: Expression, place: Place
    ) -> Expression:
        """The condition, or `before` where control has not come to its case."""
        body = self.scope.body
        found, needed = body.capture_body(self.expressions.read_condition, test)
        if isinstance(found, Number) and isinstance(before, Number) and not needed:
            return found
        chosen = body.make_variable("t", TRUTH)
        arms = (*needed, Assign(place, chosen, found)), (Assign(place, chosen, before),)
        body.append(If(place, entry.is_at(0, place), *arms))
        return Read(TRUTH, place, chosen)


def is_case(cursor: Cursor) -> bool:
    """True for a case and for a default."""
    kinds = load_libclang().CursorKind
    return cursor.kind in (kinds.CASE_STMT, kinds.DEFAULT_STMT)


def strip_cases(cursor: Cursor) -> Cursor:
    """The statement behind the cases."""
    while is_case(cursor):
        cursor = list_children(cursor)[-1]
    return cursor


def find_cases(cursor: Cursor) -> list[Cursor]:
    """The cases of a statement, in their order, without those of other switches in it."""
    found: list[Cursor] = []
    stack = [cursor]
    while stack:
        node = stack.pop()
        if is_case(node):
            found.append(node)
        if node.kind != load_libclang().CursorKind.SWITCH_STMT and not node.kind.is_expression():
            stack += reversed(list_children(node))
    return found
