"""Statements become operations: in regions where control stays inside, else in blocks."""

from __future__ import annotations

from xdsl.dialects import memref, scf
from xdsl.ir import Block

from loom.frontend.imperative.counting import count_of
from loom.frontend.imperative.effects import Effects, Variables
from loom.frontend.imperative.expressions import Emitter
from loom.frontend.imperative.flow import in_blocks
from loom.frontend.imperative.loops import bind, counted_loop, in_order, types_of, while_loop
from loom.frontend.imperative.tree import (
    Assign,
    Body,
    Break,
    Continue,
    Copy,
    If,
    Loop,
    Return,
    Scope,
    Statement,
    Store,
    Switch,
)


class Builder(Emitter):
    """Puts statements at a place of a function."""

    def __init__(self, effects: Effects) -> None:
        super().__init__()
        self.effects = effects

    def run(self, body: Body) -> None:
        """The body's operations stand at the place; no jump leaves the body but Continue.

        A Continue goes to the end of the body.
        """
        for number, statement in enumerate(body):
            if self.effects.jumps_of(statement):
                rest = body[number:]
                if isinstance(statement, Continue):
                    return
                in_blocks(self, rest, self.effects.assigned(rest) & self.needed_after(body))
                return
            self.statement(statement)

    def needed_after(self, body: Body) -> Variables:
        """The variables that are needed where a body ends, or is left for the next turn."""
        return self.effects.after[body[-1]]

    def statement(self, statement: Statement) -> None:
        """The operations of a statement that no jump leaves."""
        place = statement.place
        match statement:
            case Assign():
                value = self.value(statement.value)
                self.values[statement.variable] = value
            case Store():
                value = self.value(statement.value)
                memory, indices = self.access(statement.memory, statement.indices)
                self.put(memref.StoreOp.get(value, memory, indices), place)
            case Copy():
                source, target = self.memories[statement.source], self.memories[statement.target]
                self.put(memref.CopyOp(source, target), place)
            case If():
                self.branches(statement)
            case Loop():
                self.loop(statement)
            case Switch():
                outs = self.effects.assigned_of(statement) & self.effects.after[statement]
                in_blocks(self, (statement,), outs)
            case Scope():
                self.scope(statement)
            case Break() | Continue() | Return():
                raise AssertionError("a jump is not put by itself")

    def branches(self, statement: If) -> None:
        """The statement as scf.if."""
        place = statement.place
        condition = self.value(statement.condition)
        outs = in_order(self.effects.assigned_of(statement) & self.effects.after[statement])
        before = dict(self.values)
        regions: list[list[Block]] = []
        outside = self.block
        for body in (statement.first, statement.second):
            self.block, self.values = Block(), dict(before)
            self.run(body)
            self.put(scf.YieldOp(*(self.read(variable, place) for variable in outs)), place)
            regions.append([self.block])
        self.block, self.values = outside, before
        made = self.put(scf.IfOp(condition, types_of(outs), regions[0], regions[1]), place)
        for variable in self.effects.assigned_of(statement):
            self.values.pop(variable, None)
        bind(self, outs, made.results)

    def loop(self, statement: Loop) -> None:
        """The statement as a loop that nothing leaves but its condition."""
        if self.effects.jumps(statement.body) - {Continue}:
            outs = self.effects.assigned_of(statement) & self.effects.after[statement]
            in_blocks(self, (statement,), outs)
            return
        count = count_of(statement, self.effects)
        if count is None:
            while_loop(self, self.effects, statement, self.run)
        else:
            counted_loop(self, self.effects, statement, count, self.run)

    def scope(self, statement: Scope) -> None:
        """The statement in place, where its only Return is its end; else in blocks."""
        body = statement.body
        if self.effects.jumps(body[:-1]) or (
            body and self.effects.jumps(body) and not isinstance(body[-1], Return)
        ):
            outs = self.effects.assigned_of(statement) & self.effects.after[statement]
            in_blocks(self, (statement,), outs)
            return
        for inner in body:
            if isinstance(inner, Return):
                values = [self.value(value) for value in inner.values]
                bind(self, statement.results, values)
            else:
                self.statement(inner)
