"""What statements do: which variables they assign and need, and where control leaves them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from loom.frontend.imperative.tree import (
    Assign,
    Body,
    Break,
    Continue,
    Copy,
    Expression,
    If,
    Load,
    Loop,
    Memory,
    Read,
    Return,
    Scope,
    Statement,
    Store,
    Switch,
    Variable,
    bodies,
    expressions,
    inside,
    statements,
)

Variables = frozenset[Variable]
Jumps = frozenset[type[Break] | type[Continue] | type[Return]]
NOTHING: Variables = frozenset()
STAYS: Jumps = frozenset()


def reads(of: Iterable[Expression]) -> Variables:
    """The variables that the expressions read."""
    return frozenset(e.variable for each in of for e in inside(each) if isinstance(e, Read))


def loads(expression: Expression) -> frozenset[Memory]:
    """The memories that the expression reads."""
    return frozenset(e.memory for e in inside(expression) if isinstance(e, Load))


def stores(body: Body) -> frozenset[Memory]:
    """The memories that the statements write."""
    found: set[Memory] = set()
    for statement in statements(body):
        if isinstance(statement, Store):
            found.add(statement.memory)
        elif isinstance(statement, Copy):
            found.add(statement.target)
    return frozenset(found)


@dataclass
class Effects:
    """Answers about the statements of one function, each found once."""

    after: dict[Statement, Variables] = field(default_factory=dict)
    """The variables that are still needed after a statement."""
    again: dict[Loop, Variables] = field(default_factory=dict)
    """The variables that are needed where a loop's turn begins."""
    ahead: dict[Loop, Variables] = field(default_factory=dict)
    """The variables that are needed where a loop's `advance` begins."""
    start: dict[Loop, Variables] = field(default_factory=dict)
    """The variables that are needed where a loop's body begins after a test."""
    starts: dict[Switch, tuple[Variables, ...]] = field(default_factory=dict)
    """The variables that are needed where each body of a switch begins."""
    _jumps: dict[Statement, Jumps] = field(default_factory=dict)
    _assigned: dict[Statement, Variables] = field(default_factory=dict)

    def jumps(self, body: Body) -> Jumps:
        """How control leaves the body but at its end."""
        return STAYS.union(*(self.jumps_of(statement) for statement in body))

    def jumps_of(self, statement: Statement) -> Jumps:
        """How control leaves the statement but at its end."""
        found = self._jumps.get(statement)
        if found is None:
            found = self._jumps[statement] = self._find_jumps(statement)
        return found

    def _find_jumps(self, statement: Statement) -> Jumps:
        if isinstance(statement, Break | Continue | Return):
            return frozenset({type(statement)})
        below = STAYS.union(*(self.jumps(body) for body in bodies(statement)))
        match statement:
            case Loop():
                return below - {Break, Continue}
            case Switch():
                return below - {Break}
            case Scope():
                return below - {Return}
            case _:
                return below

    def assigned(self, *bodies_: Body) -> Variables:
        """The variables that the bodies assign."""
        return NOTHING.union(*(self.assigned_of(s) for body in bodies_ for s in body))

    def assigned_of(self, statement: Statement) -> Variables:
        """The variables that the statement assigns."""
        found = self._assigned.get(statement)
        if found is None:
            found = self.assigned(*bodies(statement))
            if isinstance(statement, Assign):
                found |= {statement.variable}
            elif isinstance(statement, Scope):
                found |= {*statement.results}
            self._assigned[statement] = found
        return found

    def need(self, body: Body, end: Variables, ways: Ways) -> Variables:
        """The variables that are needed before the body, if `end` are needed after it."""
        for statement in reversed(body):
            self.after[statement] = end
            end = self._need(statement, end, ways)
        return end

    def _need(self, statement: Statement, end: Variables, ways: Ways) -> Variables:
        used = reads(expressions(statement))
        match statement:
            case Assign():
                return (end - {statement.variable}) | used
            case If():
                first = self.need(statement.first, end, ways)
                return first | self.need(statement.second, end, ways) | used
            case Loop():
                return self._need_of_loop(statement, end, used, ways)
            case Switch():
                return self._need_of_switch(statement, end, used, ways)
            case Scope():
                left = end - {*statement.results}
                return self.need(statement.body, left, Ways(left, NOTHING, NOTHING))
            case Return():
                return ways.back | used
            case Break():
                return ways.out
            case Continue():
                return ways.on
            case _:
                return end | used

    def _need_of_loop(self, loop: Loop, end: Variables, used: Variables, ways: Ways) -> Variables:
        turn = NOTHING
        # What the second round finds, the first one has found to be needed in the next turn.
        for _ in range(2):
            if loop.runs_first:
                test = self.need(loop.before, end | turn | used, ways)
                turn = self.need(loop.body, test, Ways(ways.back, end, test))
                self.ahead[loop] = test
            else:
                self.ahead[loop] = ahead = self.need(loop.advance, turn, ways)
                start = self.need(loop.body, ahead, Ways(ways.back, end, ahead))
                self.start[loop] = start
                turn = self.need(loop.before, start | end | used, ways)
        self.again[loop] = turn
        return turn

    def _need_of_switch(
        self, switch: Switch, end: Variables, used: Variables, ways: Ways
    ) -> Variables:
        inner = Ways(ways.back, end, ways.on)
        starts: list[Variables] = []
        following = end
        for body in reversed(switch.bodies):
            following = self.need(body, following, inner)
            starts.append(following)
        self.starts[switch] = tuple(reversed(starts))
        return end.union(used, *starts)


@dataclass(frozen=True, slots=True)
class Ways:
    """The variables that are needed where a Return, a Break and a Continue lead."""

    back: Variables
    out: Variables
    on: Variables
