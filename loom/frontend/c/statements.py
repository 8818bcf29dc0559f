"""Statements of C."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from loom.frontend.c.expressions import Expressions
from loom.frontend.c.gotos import Gotos
from loom.frontend.c.library import Cursor, list_children, load_libclang, locate
from loom.frontend.c.loops import Loops
from loom.frontend.c.lvalues import Lvalues
from loom.frontend.c.places import Element, Struct, read_place
from loom.frontend.c.scope import Scope
from loom.frontend.c.types import get_kind
from loom.frontend.imperative.tree import (
    Body,
    Break,
    Continue,
    Expression,
    If,
    Labelled,
    Leave,
    Number,
    Return,
    Switch,
    Variable,
)
from loom.frontend.imperative.types import Int

JUMPS = "a goto to a label"
CASES = "cases directly in the switch's block"


@dataclass
class Cases:
    """The cases in front of some statements of a switch, and those statements."""

    numbers: list[int] = field(default_factory=list)
    is_default: bool = False
    statements: list[Cursor] = field(default_factory=list)


class Statements:
    """Reads statements."""

    def __init__(
        self,
        scope: Scope,
        expressions: Expressions,
        lvalues: Lvalues,
        read_declaration: Callable[[Cursor], None],
    ) -> None:
        self.scope = scope
        self.expressions = expressions
        self.lvalues = lvalues
        self.read_declaration = read_declaration
        self.gotos = Gotos(scope)
        self.loops = Loops(scope, expressions, self.read_statement)

    def read_statements(self, cursors: Iterable[Cursor]) -> None:
        """The statements stand among those so far, one after the other.

        What stands before a label to which a goto in it leads is a body that the goto leaves.
        """
        given = [*cursors]
        targets = self.gotos.find_labels(given)
        if not targets:
            self.read_each(given)
            return
        end = min(first for first, _, _ in targets)
        self.read_each(given[:end])
        for _, _, cursor in targets:
            self.gotos.open_label(cursor)
        body: Body = ()
        for _, number, cursor in targets:
            part = self.scope.body.write_body(self.read_each, given[end:number])
            label = self.gotos.close_label(cursor)
            body = (Labelled(locate(given[0]), label, (*body, *part)),)
            end = number
        self.scope.body.append(*body)
        self.read_each(given[end:])

    def read_each(self, cursors: Iterable[Cursor]) -> None:
        """The statements stand among those so far, one after the other."""
        for cursor in cursors:
            self.read_statement(cursor)

    def read_statement(self, cursor: Cursor) -> None:
        """The statement stands among the statements so far."""
        kinds = load_libclang().CursorKind
        kind, place = cursor.kind, locate(cursor)
        readers = {
            kinds.COMPOUND_STMT: self.read_block,
            kinds.DECL_STMT: self.read_declaration,
            kinds.IF_STMT: self.read_if,
            kinds.FOR_STMT: self.loops.read_for,
            kinds.WHILE_STMT: self.loops.read_while,
            kinds.DO_STMT: self.loops.read_do,
            kinds.SWITCH_STMT: self.read_switch,
            kinds.RETURN_STMT: self.read_return,
        }
        if kind in readers:
            with self.scope.enter_level(cursor):
                readers[kind](cursor)
        elif kind == kinds.BREAK_STMT:
            self.scope.body.append(Break(place))
        elif kind == kinds.CONTINUE_STMT:
            self.scope.body.append(Continue(place))
        elif kind == kinds.NULL_STMT:
            return
        elif kind == kinds.LABEL_STMT:
            self.read_statement(list_children(cursor)[-1])
        elif kind == kinds.GOTO_STMT:
            self.scope.body.append(Leave(place, self.gotos.find_target(cursor)))
        elif kind.is_expression():
            self.expressions.read_effect(cursor)
        elif kind == kinds.UNEXPOSED_STMT and has_attributes(cursor):
            self.read_statement(list_children(cursor)[-1])
        else:
            self.refuse_statement(cursor)

    def refuse_statement(self, cursor: Cursor) -> None:
        """Refuse a statement that LOOM does not have."""
        kinds = load_libclang().CursorKind
        cures = {
            kinds.INDIRECT_GOTO_STMT: ("a goto to an address", JUMPS),
            kinds.CASE_STMT: ("a case inside another statement", CASES),
            kinds.DEFAULT_STMT: ("a default inside another statement", CASES),
            kinds.ASM_STMT: ("assembly", "C"),
        }
        name = f"a statement of kind {cursor.kind.name.lower()}"
        what, accepted = cures.get(cursor.kind, (name, "C's statements"))
        self.scope.refuse(cursor, "C_STATEMENT", what, accepted)

    def read_block(self, cursor: Cursor) -> None:
        """The statements of a block."""
        self.read_statements(list_children(cursor))

    def read_if(self, cursor: Cursor) -> None:
        """if; only the arm that runs where the condition is a constant."""
        body, (test, *arms) = self.scope.body, list_children(cursor)
        condition = self.expressions.read_condition(test)
        bodies = [body.write_body(self.read_statement, arm) for arm in arms]
        if not any(bodies):
            return
        if not isinstance(condition, Number):
            body.append(If(locate(cursor), condition, *bodies))
        elif condition.pattern:
            body.append(*bodies[0])
        elif len(bodies) > 1:
            body.append(*bodies[1])

    def read_switch(self, cursor: Cursor) -> None:
        """switch."""
        kinds = load_libclang().CursorKind
        subject, block = list_children(cursor)
        value = self.expressions.evaluate(subject)
        arms: list[Cases] = []
        for each in list_children(block) if block.kind == kinds.COMPOUND_STMT else [block]:
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
        kinds = load_libclang().CursorKind
        cases = Cases()
        type_ = value.type
        assert isinstance(type_, Int)
        while cursor.kind in (kinds.CASE_STMT, kinds.DEFAULT_STMT):
            below = list_children(cursor)
            if cursor.kind == kinds.DEFAULT_STMT:
                cases.is_default = True
            elif len(below) != 2:
                accepted = "a case for each number, or an if"
                self.scope.refuse(cursor, "C_STATEMENT", "a range of cases", accepted)
            else:
                found = self.expressions.evaluate(below[0])
                if not isinstance(found, Number):
                    what = "a case of no known number"
                    self.scope.refuse(cursor, "C_STATEMENT", what, "constants")
                assert isinstance(found.type, Int)
                number = found.type.decode(found.pattern)
                cases.numbers.append(Int(type_.width, True).decode(number))
            cursor = below[-1]
        cases.statements.append(cursor)
        return cases

    def read_return(self, cursor: Cursor) -> None:
        """return."""
        place, below = locate(cursor), list_children(cursor)
        values: tuple[Expression, ...] = ()
        if below and get_kind(below[0].type) == "VOID":
            self.expressions.read_effect(below[0])
        elif below and get_kind(below[0].type) == "RECORD":
            named = self.lvalues.find_place(below[0])
            assert isinstance(named, Struct)
            values = tuple(self.read_fields(named, below[0]))
        elif below:
            values = (self.expressions.evaluate(below[0]),)
        self.scope.body.append(Return(place, values))

    def read_fields(self, named: Struct, cursor: Cursor) -> list[Expression]:
        """The values of all fields, those of structs in structs too."""
        found: list[Expression] = []
        for each in named.fields.values():
            if isinstance(each, Struct):
                found += self.read_fields(each, cursor)
            elif isinstance(each, Variable | Element | Number):
                found.append(read_place(each, locate(cursor)))
            else:
                what = "a struct with an array in it as a value"
                accepted = "the array as an argument of its own"
                self.scope.refuse(cursor, "C_TYPE", what, accepted)
        return found


def has_attributes(cursor: Cursor) -> bool:
    """True for a loop with a pragma that clang knows, and for a [[fallthrough]]."""
    kinds = load_libclang().CursorKind
    known = (kinds.FOR_STMT, kinds.WHILE_STMT, kinds.DO_STMT, kinds.NULL_STMT)
    return bool(below := list_children(cursor)) and below[-1].kind in known
