"""Statements of C."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from loom.frontend.c.calls import Calls
from loom.frontend.c.declarations import Declarations
from loom.frontend.c.library import (
    Cursor,
    binary_kind,
    binding,
    children,
    inner_of,
    place_of,
    unary_kind,
)
from loom.frontend.c.operators import ASSIGN, COMMA, STEPS
from loom.frontend.c.places import Element, Struct, value_at
from loom.frontend.c.types import kind_of
from loom.frontend.imperative.effects import Effects, is_endless
from loom.frontend.imperative.tree import (
    Body,
    Break,
    Continue,
    Expression,
    If,
    Loop,
    Number,
    Return,
    Switch,
    Variable,
)
from loom.frontend.imperative.types import TRUTH, Int


@dataclass
class Statements(Calls, Declarations):
    """Reads statements."""

    def in_turn(self, cursors: Iterable[Cursor]) -> None:
        """The statements stand among those so far, one after the other."""
        for cursor in cursors:
            self.statement(cursor)

    def statement(self, cursor: Cursor) -> None:
        """The statement stands among the statements so far."""
        kinds = binding().CursorKind
        kind, place = cursor.kind, place_of(cursor)
        readers = {
            kinds.COMPOUND_STMT: self.block,
            kinds.DECL_STMT: self.declare,
            kinds.IF_STMT: self.branch,
            kinds.FOR_STMT: self.for_loop,
            kinds.WHILE_STMT: self.while_loop,
            kinds.DO_STMT: self.do_loop,
            kinds.SWITCH_STMT: self.switch,
            kinds.RETURN_STMT: self.leave,
        }
        if kind in readers:
            with self.level(cursor):
                readers[kind](cursor)
        elif kind == kinds.BREAK_STMT:
            self.out.append(Break(place))
        elif kind == kinds.CONTINUE_STMT:
            self.out.append(Continue(place))
        elif kind == kinds.NULL_STMT:
            return
        elif kind.is_expression():
            self.effect(cursor)
        elif kind == kinds.UNEXPOSED_STMT and is_with_attributes(cursor):
            self.statement(children(cursor)[-1])
        else:
            self.unknown(cursor)

    def unknown(self, cursor: Cursor) -> None:
        """Refuse a statement that LOOM does not have."""
        kinds = binding().CursorKind
        cures = {
            kinds.GOTO_STMT: ("a goto", "loops, break, continue and return"),
            kinds.INDIRECT_GOTO_STMT: ("a goto", "loops, break, continue and return"),
            kinds.LABEL_STMT: ("a label", "loops, break, continue and return"),
            kinds.CASE_STMT: (
                "a case inside another statement", "cases directly in the switch's block"),
            kinds.DEFAULT_STMT: (
                "a default inside another statement", "cases directly in the switch's block"),
            kinds.ASM_STMT: ("assembly", "C"),
        }  # fmt: skip
        name = f"a statement of kind {cursor.kind.name.lower()}"
        what, accepted = cures.get(cursor.kind, (name, "C's statements but goto"))
        self.refuse(cursor, "C_STATEMENT", what, accepted)

    def block(self, cursor: Cursor) -> None:
        """The statements of a block."""
        for each in children(cursor):
            self.statement(each)

    def of(self, cursor: Cursor) -> Body:
        """The statement as a body of its own."""
        return self.body(lambda: self.statement(cursor))

    def effect(self, cursor: Cursor) -> None:
        """What an expression changes; its value is not needed."""
        kinds = binding().CursorKind
        kind, below = cursor.kind, children(cursor)
        if kind == kinds.CSTYLE_CAST_EXPR or inner_of(cursor) is not None:
            self.effect(below[-1])
        elif kind == kinds.BINARY_OPERATOR and binary_kind(cursor) == ASSIGN:
            self.assignment(cursor, needed=False)
        elif kind == kinds.BINARY_OPERATOR and binary_kind(cursor) == COMMA:
            self.effect(below[0])
            self.effect(below[1])
        elif kind == kinds.UNARY_OPERATOR and unary_kind(cursor) in STEPS:
            self.step(cursor, needed=False)
        elif kind == kinds.COMPOUND_ASSIGNMENT_OPERATOR:
            self.compound(cursor)
        elif kind == kinds.CONDITIONAL_OPERATOR and kind_of(cursor.type) == "VOID":
            condition = self.condition(below[0])
            arms = [self.body(self.effect, arm) for arm in below[1:]]
            self.out.append(If(place_of(cursor), condition, arms[0], arms[1]))
        elif kind == kinds.CALL_EXPR:
            self.call(cursor)
        else:
            self.value(cursor)

    def branch(self, cursor: Cursor) -> None:
        """if."""
        place, below = place_of(cursor), children(cursor)
        condition = self.condition(below[0])
        arms = [self.of(each) for each in below[1:]]
        if isinstance(condition, Number):
            self.out += arms[0] if condition.pattern else arms[1] if len(arms) > 1 else ()
            return
        self.out.append(If(place, condition, *arms))

    def test(self, cursor: Cursor | None, place_from: Cursor) -> tuple[Body, Expression]:
        """What a loop does before its condition, and the condition."""
        found: list[Expression] = []
        if cursor is None:
            return (), Number(TRUTH, place_of(place_from), 1)
        before = self.body(lambda: found.append(self.condition(cursor)))
        return before, found[0]

    def while_loop(self, cursor: Cursor) -> None:
        """while."""
        condition, body = children(cursor)
        before, test = self.test(condition, cursor)
        self.loop(cursor, before, test, self.of(body))

    def do_loop(self, cursor: Cursor) -> None:
        """do."""
        body, condition = children(cursor)
        turn = self.of(body)
        before, test = self.test(condition, cursor)
        if isinstance(test, Number) and not test.pattern and not before:
            # do { .. } while (0), as macros write it; a break leaves it, and so does a continue.
            zero = Number(Int(32, True), place_of(cursor), 0)
            jumps = Effects().jumps(turn)
            if not jumps & {Break, Continue}:
                self.out += turn
                return
            if Continue not in jumps:
                self.out.append(Switch(place_of(cursor), zero, ((),), (turn,), 0))
                return
        self.loop(cursor, before, test, turn, runs_first=True)

    def for_loop(self, cursor: Cursor) -> None:
        """for."""
        first, condition, step, body = self.parts_of_for(cursor)
        if first is not None:
            self.statement(first)
        before, test = self.test(condition, cursor)
        turn = self.of(body)
        advance = () if step is None else self.body(lambda: self.effect(step))
        self.loop(cursor, before, test, turn, advance)

    def loop(
        self,
        cursor: Cursor,
        before: Body,
        test: Expression,
        body: Body,
        advance: Body = (),
        runs_first: bool = False,
    ) -> None:
        """The loop; one without a way out is refused."""
        place = place_of(cursor)
        asked = self.program.pragmas.of(cursor)
        made = Loop(place, before, test, body, advance, runs_first, asked.attributes, asked.place)
        if is_endless(test, body):
            accepted = "loops with a condition, a break or a return"
            self.refuse(cursor, "C_ENDLESS", "a loop that nothing leaves", accepted)
        if isinstance(test, Number) and not test.pattern and not runs_first and not before:
            return
        self.out.append(made)

    def parts_of_for(
        self, cursor: Cursor
    ) -> tuple[Cursor | None, Cursor | None, Cursor | None, Cursor]:
        """The three parts in the brackets, None for those that are not there, and the body."""
        below = children(cursor)
        *head, body = below
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
            self.refuse(cursor, "C_STATEMENT", "a for loop that a macro writes", accepted)
        parts: list[Cursor | None] = [None, None, None]
        for each in head:
            at = each.extent.start.offset
            parts[sum(mark < at for mark in marks)] = each
        return parts[0], parts[1], parts[2], body

    def switch(self, cursor: Cursor) -> None:
        """switch."""
        kinds = binding().CursorKind
        place = place_of(cursor)
        subject, block = children(cursor)
        value = self.value(subject)
        arms: list[tuple[list[int], bool, list[Cursor]]] = []
        for each in children(block) if block.kind == kinds.COMPOUND_STMT else [block]:
            if each.kind in (kinds.CASE_STMT, kinds.DEFAULT_STMT):
                arms.append(self.labels(each, value))
            elif not arms:
                if each.kind != kinds.DECL_STMT:
                    what = "a statement before the first case"
                    self.refuse(each, "C_STATEMENT", what, "statements after a case")
                self.statement(each)
            else:
                arms[-1][2].append(each)
        defaults = [number for number, arm in enumerate(arms) if arm[1]]
        bodies = tuple(self.body(self.in_turn, arm[2]) for arm in arms)
        cases = tuple(tuple(arm[0]) for arm in arms)
        default = defaults[0] if defaults else None
        if bodies:
            self.out.append(Switch(place, value, cases, bodies, default))

    def labels(self, cursor: Cursor, value: Expression) -> tuple[list[int], bool, list[Cursor]]:
        """The cases in front of a statement, whether default is there, and the statement."""
        kinds = binding().CursorKind
        numbers: list[int] = []
        is_default = False
        type_ = value.type
        assert isinstance(type_, Int)
        while cursor.kind in (kinds.CASE_STMT, kinds.DEFAULT_STMT):
            below = children(cursor)
            if cursor.kind == kinds.DEFAULT_STMT:
                is_default = True
            elif len(below) != 2:
                what = "a range of cases"
                self.refuse(cursor, "C_STATEMENT", what, "a case for each number, or an if")
            else:
                found = self.value(below[0])
                if not isinstance(found, Number):
                    self.refuse(cursor, "C_STATEMENT", "a case of no known number", "constants")
                assert isinstance(found.type, Int)
                number = found.type.number(found.pattern)
                numbers.append(Int(type_.width, True).number(number))
            cursor = below[-1]
        return numbers, is_default, [cursor]

    def leave(self, cursor: Cursor) -> None:
        """return."""
        place, below = place_of(cursor), children(cursor)
        if not below:
            self.out.append(Return(place))
            return
        if kind_of(below[0].type) == "VOID":
            self.effect(below[0])
            self.out.append(Return(place))
        elif kind_of(below[0].type) == "RECORD":
            named = self.designated(below[0])
            assert isinstance(named, Struct)
            self.out.append(Return(place, tuple(self.scalars(named, below[0]))))
        else:
            self.out.append(Return(place, (self.value(below[0]),)))

    def scalars(self, named: Struct, cursor: Cursor) -> list[Expression]:
        """The values of all fields, those of structs in structs too."""
        found: list[Expression] = []
        for field in named.fields.values():
            if isinstance(field, Struct):
                found += self.scalars(field, cursor)
            elif isinstance(field, Variable | Element | Number):
                found.append(value_at(field, place_of(cursor)))
            else:
                what = "a struct with an array in it as a value"
                self.refuse(cursor, "C_TYPE", what, "the array as an argument of its own")
        return found


def is_with_attributes(cursor: Cursor) -> bool:
    """True for a loop with a pragma that clang knows, and for a fall-through that is said."""
    kinds = binding().CursorKind
    known = (kinds.FOR_STMT, kinds.WHILE_STMT, kinds.DO_STMT, kinds.NULL_STMT)
    return bool(below := children(cursor)) and below[-1].kind in known
