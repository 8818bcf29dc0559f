"""Statements become operations: in regions where control stays inside, else in blocks."""

from __future__ import annotations

from xdsl.dialects import cf, memref, scf
from xdsl.ir import Block

from loom.frontend.imperative.counting import find_count
from loom.frontend.imperative.effects import Effects, Variables
from loom.frontend.imperative.expressions import Emitter
from loom.frontend.imperative.flow import emit_in_blocks
from loom.frontend.imperative.loops import (
    bind_variables,
    emit_for,
    emit_while,
    find_types,
    sort_variables,
)
from loom.frontend.imperative.tree import (
    Assign,
    Body,
    Break,
    Continue,
    Copy,
    Failure,
    If,
    Labelled,
    Leave,
    Loop,
    Repeated,
    Return,
    Scope,
    Statement,
    Store,
    Switch,
)
from loom.frontend.imperative.types import TRUTH


class StatementEmitter:
    """Emits the statements of a function where its emitter stands."""

    def __init__(self, emitter: Emitter, effects: Effects) -> None:
        self.emitter = emitter
        self.effects = effects

    def emit_body(self, body: Body) -> None:
        """The body's operations stand at the place; no jump leaves the body but Continue.

        A Continue goes to the end of the body.
        """
        for number, statement in enumerate(body):
            if self.effects.find_jumps_of(statement):
                rest = body[number:]
                if isinstance(statement, Continue):
                    return
                emit_in_blocks(
                    self, rest, self.effects.find_assigned(rest) & self.find_live_after(body)
                )
                return
            self.emit_statement(statement)

    def find_live_after(self, body: Body) -> Variables:
        """The variables that are needed where a body ends, or is left for the next iteration."""
        return self.effects.live_after[body[-1]]

    def emit_statement(self, statement: Statement) -> None:
        """The operations of a statement that no jump leaves."""
        place = statement.place
        match statement:
            case Assign():
                value = self.emitter.emit_expression(statement.value)
                self.emitter.values[statement.variable] = value
            case Store():
                value = self.emitter.emit_expression(statement.value)
                memory, indices = self.emitter.emit_access(statement.memory, statement.indices)
                self.emitter.insert(memref.StoreOp.get(value, memory, indices), place)
            case Copy():
                source, target = (
                    self.emitter.memories[statement.source],
                    self.emitter.memories[statement.target],
                )
                self.emitter.insert(memref.CopyOp(source, target), place)
            case If():
                self.emit_if(statement)
            case Loop():
                self.emit_loop(statement)
            case Switch() | Labelled() | Repeated():
                outs = self.effects.find_assigned_by(statement) & self.effects.live_after[statement]
                emit_in_blocks(self, (statement,), outs)
            case Scope():
                self.emit_scope(statement)
            case Failure():
                never = self.emitter.emit_constant(0, TRUTH, place)
                self.emitter.insert(cf.AssertOp(never, statement.text), place)
            case Break() | Continue() | Return() | Leave():
                raise AssertionError("a jump is not put by itself")

    def emit_if(self, statement: If) -> None:
        """The statement as scf.if."""
        place = statement.place
        condition = self.emitter.emit_expression(statement.condition)
        outs = sort_variables(
            self.effects.find_assigned_by(statement) & self.effects.live_after[statement]
        )
        before = dict(self.emitter.values)
        regions: list[list[Block]] = []
        outside = self.emitter.block
        for body in (statement.first, statement.second):
            self.emitter.block, self.emitter.values = Block(), dict(before)
            self.emit_body(body)
            self.emitter.insert(
                scf.YieldOp(*(self.emitter.read_variable(variable, place) for variable in outs)),
                place,
            )
            regions.append([self.emitter.block])
        self.emitter.block, self.emitter.values = outside, before
        made = self.emitter.insert(
            scf.IfOp(condition, find_types(outs), regions[0], regions[1]), place
        )
        for variable in self.effects.find_assigned_by(statement):
            self.emitter.values.pop(variable, None)
        bind_variables(self.emitter, outs, made.results)

    def emit_loop(self, statement: Loop) -> None:
        """The statement as a loop that nothing leaves but its condition."""
        if self.effects.find_jumps(statement.body) - {Continue}:
            outs = self.effects.find_assigned_by(statement) & self.effects.live_after[statement]
            emit_in_blocks(self, (statement,), outs)
            return
        count = find_count(statement, self.effects)
        if count is None:
            emit_while(self.emitter, self.effects, statement, self.emit_body)
        else:
            emit_for(self.emitter, self.effects, statement, count, self.emit_body)

    def emit_scope(self, statement: Scope) -> None:
        """The statement in place, where its only Return is its end; else in blocks."""
        body = statement.body
        if self.effects.find_jumps(body[:-1]) or (
            body and self.effects.find_jumps(body) and not isinstance(body[-1], Return)
        ):
            outs = self.effects.find_assigned_by(statement) & self.effects.live_after[statement]
            emit_in_blocks(self, (statement,), outs)
            return
        for inner in body:
            if isinstance(inner, Return):
                values = [self.emitter.emit_expression(value) for value in inner.values]
                bind_variables(self.emitter, statement.results, values)
            else:
                self.emit_statement(inner)
