"""Statements of C."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from loom.frontend.c.expressions import Expressions
from loom.frontend.c.library import Cursor, list_children, load_libclang, locate
from loom.frontend.c.lvalues import Lvalues
from loom.frontend.c.places import Named, Struct, is_scalar, list_fields, read_place
from loom.frontend.c.scope import Scope
from loom.frontend.c.statements.gotos import Gotos, Group, find_groups
from loom.frontend.c.statements.loops import Loops
from loom.frontend.c.statements.switches import CASES, Switches
from loom.frontend.c.types import get_kind
from loom.frontend.imperative.effects import Effects, reaches_end
from loom.frontend.imperative.tree import (
    Body,
    Break,
    Continue,
    Expression,
    If,
    Labelled,
    Leave,
    Number,
    Repeated,
    Return,
)

JUMPS = "a goto to a label"


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
        self.switches = Switches(
            scope, expressions, self.loops, self.read_statement, self.read_statements
        )

    def read_statements(self, cursors: Iterable[Cursor]) -> None:
        """The statements stand among those so far, one after the other.

        What stands before a label to which a goto in it leads is a body that the goto leaves. What
        stands between a label and a goto back to it is a body that the goto begins again.
        """
        given = [*cursors]
        targets, back = self.gotos.find_labels(given)
        groups = find_groups(back)
        inside = {k: first for first, end, _ in groups for k in range(first, end)}
        targets = [each for each in targets if inside.get(each[1], each[1]) == each[1]]
        begin = min((inside.get(first, first) for first, _, _ in targets), default=len(given))
        self.read_groups(given, 0, begin, groups)
        for _, _, cursor in targets:
            self.gotos.open_label(cursor)
        body: Body = ()
        for _, number, cursor in targets:
            part = self.scope.body.write_body(self.read_groups, given, begin, number, groups)
            label = self.gotos.close_label(cursor)
            body = (Labelled(locate(given[0]), label, (*body, *part)),)
            begin = number
        self.scope.body.append(*body)
        self.read_groups(given, begin, len(given), groups)

    def read_groups(
        self, given: Sequence[Cursor], begin: int, end: int, groups: Sequence[Group]
    ) -> None:
        """The statements from `begin` to `end`, of which whole groups begin again."""
        for first, behind, cursor in groups:
            if begin <= first < end:
                self.read_each(given[begin:first])
                label = self.gotos.open_label(cursor)
                body = self.scope.body.write_body(self.read_statements, given[first:behind])
                self.gotos.close_label(cursor)
                if not reaches_end(body) and not Effects().find_jumps(body) - {label}:
                    what = f"a loop of gotos to {cursor.spelling} that nothing leaves"
                    accepted = "loops with a condition, a break or a return"
                    self.scope.refuse(cursor, "C_ENDLESS", what, accepted)
                self.scope.body.append(Repeated(locate(cursor), label, body))
                begin = behind
        self.read_each(given[begin:end])

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
            kinds.SWITCH_STMT: self.switches.read_switch,
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

    def read_return(self, cursor: Cursor) -> None:
        """return."""
        place, below = locate(cursor), list_children(cursor)
        values: tuple[Expression, ...] = ()
        if below and get_kind(below[0].type) == "VOID":
            self.expressions.read_effect(below[0])
        elif below and get_kind(below[0].type) == "RECORD":
            values = tuple(self.read_fields(self.lvalues.find_place(below[0]), below[0]))
        elif below and self.scope.result is not None:
            to = self.lvalues.find_pointer(below[0])
            encode = self.expressions.assignments.encode_pointer
            values = encode(self.scope.result, to, below[0])
        elif below:
            values = (self.expressions.evaluate(below[0]),)
        self.scope.body.append(Return(place, values))

    def read_fields(self, named: Named, cursor: Cursor) -> list[Expression]:
        """The values of all fields, those of structs in structs too."""
        found: list[Expression] = []
        for each in list_fields(named).values():
            if is_scalar(each):
                found.append(read_place(each, locate(cursor)))
            elif isinstance(each, Struct) and not each.rank:
                found += self.read_fields(each, cursor)
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
