"""What statements do: which variables they assign and need, and where control leaves them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from loom.errors import Place
from loom.frontend.imperative.tree import (
    Assign,
    Body,
    Break,
    Continue,
    Copy,
    Expression,
    Function,
    If,
    Jump,
    Label,
    Labelled,
    Leave,
    Load,
    Loop,
    Memory,
    Number,
    Read,
    Repeated,
    Return,
    Scope,
    Statement,
    Store,
    Switch,
    Variable,
    list_bodies,
    list_expressions,
    walk_expression,
    walk_statements,
)

Variables = frozenset[Variable]
Target = type[Break] | type[Continue] | type[Return] | Label
"""Where jumps lead: the kind of a jump, or the label of a Leave."""
Jumps = frozenset[Target]
NOTHING: Variables = frozenset()
STAYS: Jumps = frozenset()


def find_reads(of: Iterable[Expression]) -> Variables:
    """The variables that the expressions read."""
    return frozenset(
        e.variable for each in of for e in walk_expression(each) if isinstance(e, Read)
    )


def find_loads(expression: Expression) -> frozenset[Memory]:
    """The memories that the expression reads."""
    return frozenset(e.memory for e in walk_expression(expression) if isinstance(e, Load))


def find_stores(body: Body) -> frozenset[Memory]:
    """The memories that the statements write."""
    found: set[Memory] = set()
    for statement in walk_statements(body):
        if isinstance(statement, Store):
            found.add(statement.memory)
        elif isinstance(statement, Copy):
            found.add(statement.target)
    return frozenset(found)


def find_target(jump: Jump) -> Target:
    """Where the jump leads."""
    return jump.label if isinstance(jump, Leave) else type(jump)


def is_endless(condition: Expression, body: Body) -> bool:
    """True for a loop whose condition always holds, and which no jump leaves."""
    holds = isinstance(condition, Number) and bool(condition.pattern)
    return holds and not Effects().find_jumps(body) - {Continue}


def reaches_end(body: Body) -> bool:
    """False if control certainly never comes to the end of the body."""
    return all(_passes(statement) for statement in body)


def _passes(statement: Statement) -> bool:
    """False if control certainly never comes behind the statement."""
    match statement:
        case Break() | Continue() | Return() | Leave():
            return False
        case If():
            return reaches_end(statement.first) or reaches_end(statement.second)
        case Repeated():
            return reaches_end(statement.body)
        case Labelled():
            leaves = statement.label in Effects().find_jumps(statement.body)
            return leaves or reaches_end(statement.body)
        case _:
            return True


@dataclass
class Effects:
    """Answers about the statements of one function, each found once."""

    live_after: dict[Statement, Variables] = field(default_factory=dict)
    """The variables that are still needed after a statement."""
    live_at_iteration: dict[Loop | Repeated, Variables] = field(default_factory=dict)
    """The variables that are needed where a loop's iteration begins."""
    live_at_advance: dict[Loop, Variables] = field(default_factory=dict)
    """The variables that are needed where a loop's `advance` begins."""
    live_at_body: dict[Loop, Variables] = field(default_factory=dict)
    """The variables that are needed where a loop's body begins after a test."""
    live_at_cases: dict[Switch, tuple[Variables, ...]] = field(default_factory=dict)
    """The variables that are needed where each body of a switch begins."""
    _jumps: dict[Statement, Jumps] = field(default_factory=dict)
    _assigned: dict[Statement, Variables] = field(default_factory=dict)
    _is_final: bool = True
    """Whether answers stay: what the next iterations of the loops around need is known."""

    def find_jumps(self, body: Body) -> Jumps:
        """How control leaves the body but at its end."""
        return STAYS.union(*(self.find_jumps_of(statement) for statement in body))

    def find_jumps_of(self, statement: Statement) -> Jumps:
        """How control leaves the statement but at its end."""
        found = self._jumps.get(statement)
        if found is None:
            found = self._jumps[statement] = self._compute_jumps(statement)
        return found

    def _compute_jumps(self, statement: Statement) -> Jumps:
        if isinstance(statement, Jump):
            return frozenset({find_target(statement)})
        below = STAYS.union(*(self.find_jumps(body) for body in list_bodies(statement)))
        match statement:
            case Loop():
                return below - {Break, Continue}
            case Switch():
                return below - {Break}
            case Scope():
                return below - {Return}
            case Labelled() | Repeated():
                return below - {statement.label}
            case _:
                return below

    def find_assigned(self, *bodies_: Body) -> Variables:
        """The variables that the bodies assign."""
        return NOTHING.union(*(self.find_assigned_by(s) for body in bodies_ for s in body))

    def find_assigned_by(self, statement: Statement) -> Variables:
        """The variables that the statement assigns."""
        found = self._assigned.get(statement)
        if found is None:
            found = self.find_assigned(*list_bodies(statement))
            if isinstance(statement, Assign):
                found |= {statement.variable}
            elif isinstance(statement, Scope):
                found |= {*statement.results}
            self._assigned[statement] = found
        return found

    def compute_liveness(self, body: Body, end: Variables, targets: LiveTargets) -> Variables:
        """The variables that are needed before the body, if `end` are needed after it."""
        for statement in reversed(body):
            self.live_after[statement] = end
            end = self._compute_live_before(statement, end, targets)
        return end

    def _compute_live_before(
        self, statement: Statement, end: Variables, targets: LiveTargets
    ) -> Variables:
        used = find_reads(list_expressions(statement))
        match statement:
            case Assign():
                return (end - {statement.variable}) | used
            case If():
                first = self.compute_liveness(statement.first, end, targets)
                return first | self.compute_liveness(statement.second, end, targets) | used
            case Loop():
                return self._compute_live_before_loop(statement, end, used, targets)
            case Switch():
                return self._compute_live_before_switch(statement, end, used, targets)
            case Scope():
                left = end - {*statement.results}
                return self.compute_liveness(
                    statement.body, left, LiveTargets(left, NOTHING, NOTHING)
                )
            case Labelled():
                inner = replace(targets, labels={**targets.labels, statement.label: end})
                return self.compute_liveness(statement.body, end, inner)
            case Repeated():
                return self._compute_live_before_repeated(statement, end, targets)
            case Leave():
                return targets.labels[statement.label]
            case Return():
                return targets.back | used
            case Break():
                return targets.out
            case Continue():
                return targets.on
            case _:
                return end | used

    def _compute_live_before_loop(
        self, loop: Loop, end: Variables, used: Variables, targets: LiveTargets
    ) -> Variables:
        first = NOTHING
        is_final = self._is_final
        # The first round finds what an iteration needs of the one before it. The second one, with
        # that, finds what is needed behind each statement, so loops in this one have two rounds
        # only in the second: with two in both there would be 2 to the power of the depth.
        for is_second in (False, True) if is_final else (False,):
            self._is_final = is_second
            if loop.runs_first:
                test = self.compute_liveness(loop.before, end | first | used, targets)
                first = self.compute_liveness(loop.body, test, replace(targets, out=end, on=test))
                self.live_at_advance[loop] = test
            else:
                self.live_at_advance[loop] = ahead = self.compute_liveness(
                    loop.advance, first, targets
                )
                start = self.compute_liveness(loop.body, ahead, replace(targets, out=end, on=ahead))
                self.live_at_body[loop] = start
                first = self.compute_liveness(loop.before, start | end | used, targets)
        self._is_final = is_final
        self.live_at_iteration[loop] = first
        return first

    def _compute_live_before_repeated(
        self, repeated: Repeated, end: Variables, targets: LiveTargets
    ) -> Variables:
        first = NOTHING
        is_final = self._is_final
        for is_second in (False, True) if is_final else (False,):  # two rounds, as of a loop
            self._is_final = is_second
            inner = replace(targets, labels={**targets.labels, repeated.label: first})
            first = self.compute_liveness(repeated.body, end, inner)
        self._is_final = is_final
        self.live_at_iteration[repeated] = first
        return first

    def _compute_live_before_switch(
        self, switch: Switch, end: Variables, used: Variables, targets: LiveTargets
    ) -> Variables:
        inner = replace(targets, out=end)
        starts: list[Variables] = []
        following = end
        for body in reversed(switch.bodies):
            following = self.compute_liveness(body, following, inner)
            starts.append(following)
        self.live_at_cases[switch] = tuple(reversed(starts))
        return end.union(used, *starts)


def find_unassigned(function: Function) -> dict[str, Place]:
    """The variables that the function may read before it assigns them, and where it first does."""
    targets = LiveTargets(NOTHING, NOTHING, NOTHING)
    needed = Effects().compute_liveness(function.body, NOTHING, targets) - {*function.parameters}
    found: dict[str, Place] = {}
    for statement in walk_statements(function.body):
        for expression in list_expressions(statement):
            for each in walk_expression(expression):
                if isinstance(each, Read) and each.variable in needed:
                    found.setdefault(each.variable.name, each.place)
    return found


@dataclass(frozen=True, slots=True)
class LiveTargets:
    """The variables that are needed where a Return, a Break, a Continue and a Leave lead."""

    back: Variables
    out: Variables
    on: Variables
    labels: Mapping[Label, Variables] = field(default_factory=dict[Label, Variables])
