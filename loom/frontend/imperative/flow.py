"""Statements that jumps leave become blocks, which the lowering lifts to regions again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from xdsl.dialects import cf, scf
from xdsl.dialects.builtin import DenseIntElementsAttr, IntegerType, VectorType
from xdsl.ir import Block, Region, SSAValue

from loom.errors import LoomError, Place
from loom.frontend.imperative.effects import Variables
from loom.frontend.imperative.loops import bind, in_order, types_of
from loom.frontend.imperative.tree import (
    Body,
    Break,
    Continue,
    If,
    Jump,
    Loop,
    Number,
    Return,
    Scope,
    Statement,
    Switch,
)

if TYPE_CHECKING:
    from loom.frontend.imperative.statements import Builder

Ways = Mapping[type[Jump], Callable[[Jump], None]]
"""What ends the block where a jump stands."""


def in_blocks(builder: Builder, body: Body, outs: Variables) -> None:
    """The body as one scf.execute_region, after which the variables `outs` are known.

    A Continue leads to its end.
    """
    place, kept = body[0].place, in_order(outs)
    outside, before = builder.block, dict(builder.values)

    def leave(at: Place) -> None:
        builder.put(scf.YieldOp(*(builder.read(variable, at) for variable in kept)), at)

    blocks = Blocks(builder, Region())
    blocks.begin(Block())
    if blocks.root(body, {Continue: lambda jump: leave(jump.place)}):
        leave(place)
    builder.block, builder.values = outside, before
    made = builder.put(scf.ExecuteRegionOp(types_of(kept), blocks.region), place)
    for variable in builder.effects.assigned(body):
        builder.values.pop(variable, None)
    bind(builder, kept, made.results)


class Target:
    """A block that several ways lead to, with the variables that they bring."""

    def __init__(self, blocks: Blocks, variables: Variables, assigned: Variables) -> None:
        self.blocks = blocks
        self.variables = in_order(variables & assigned)
        self.block = Block(arg_types=types_of(self.variables))
        values = blocks.builder.values
        self.known = {v: value for v, value in values.items() if v not in assigned}
        self.is_used = False

    def values(self, place: Place) -> list[SSAValue]:
        """What a way from here brings."""
        self.is_used = True
        return [self.blocks.builder.read(variable, place) for variable in self.variables]

    def go(self, place: Place) -> None:
        """The block at hand ends here and goes on there."""
        self.blocks.builder.put(cf.BranchOp(self.block, *self.values(place)), place)

    def enter(self) -> None:
        """What follows stands in this block."""
        self.blocks.begin(self.block)
        self.blocks.builder.values = dict(self.known)
        bind(self.blocks.builder, self.variables, self.block.args)


class Blocks:
    """Writes statements into the blocks of a region."""

    def __init__(self, builder: Builder, region: Region) -> None:
        self.builder = builder
        self.region = region

    def begin(self, block: Block) -> None:
        """What follows stands in this block."""
        self.region.add_block(block)
        self.builder.block = block

    def root(self, body: Body, ways: Ways) -> bool:
        """As `body`; a single statement that no jump leaves is put in blocks, too."""
        if self.builder.effects.jumps(body):
            return self.body(body, ways)
        (statement,) = body
        return self.spread(statement, ways)

    def body(self, body: Body, ways: Ways) -> bool:
        """The statements; true if control reaches their end."""
        for statement in body:
            if not self.builder.effects.jumps_of(statement):
                self.builder.statement(statement)
            elif not self.spread(statement, ways):
                return False
        return True

    def spread(self, statement: Statement, ways: Ways) -> bool:
        """The statement in blocks; true if control reaches its end."""
        match statement:
            case If():
                return self.branch(statement, ways)
            case Loop():
                return self.loop(statement, ways)
            case Switch():
                return self.switch(statement, ways)
            case Scope():
                return self.scope(statement)
            case Break() | Continue() | Return():
                ways[type(statement)](statement)
                return False
            case _:
                raise AssertionError("a statement without jumps")

    def after(self, statement: Statement) -> Target:
        """Where the statement ends."""
        effects = self.builder.effects
        return Target(self, effects.after[statement], effects.assigned_of(statement))

    def ended(self, end: Target) -> bool:
        """Control is at the end, if any way leads there."""
        if end.is_used:
            end.enter()
        return end.is_used

    def split(self, condition: SSAValue, place: Place, first: Target, second: Target) -> None:
        """The block at hand ends in a choice."""
        values = first.values(place), second.values(place)
        end = cf.ConditionalBranchOp(condition, first.block, values[0], second.block, values[1])
        self.builder.put(end, place)

    def branch(self, statement: If, ways: Ways) -> bool:
        """The statement in blocks."""
        none: Variables = frozenset()
        first, second = Target(self, none, none), Target(self, none, none)
        end = self.after(statement)
        place = statement.place
        self.split(self.builder.value(statement.condition), place, first, second)
        for start, body in ((first, statement.first), (second, statement.second)):
            start.enter()
            if self.body(body, ways):
                end.go(place)
        return self.ended(end)

    def loop(self, statement: Loop, ways: Ways) -> bool:
        """The statement in blocks."""
        builder, effects, place = self.builder, self.builder.effects, statement.place
        if statement.asked is not None:
            what = "a pragma of a loop that a break or a return leaves"
            accepted = "loops that end by their conditions alone"
            raise LoomError("C_PRAGMA", statement.asked, what, accepted)
        assigned = effects.assigned_of(statement)
        turn = Target(self, effects.again[statement], assigned)
        ahead = Target(self, effects.ahead[statement], assigned)
        end = self.after(statement)
        inner: Ways = {
            **ways,
            Break: lambda jump: end.go(jump.place),
            Continue: lambda jump: ahead.go(jump.place),
        }
        turn.go(place)
        turn.enter()
        if not statement.runs_first:
            self.test(statement, Target(self, effects.start[statement], assigned), end)
        if self.body(statement.body, inner):
            ahead.go(place)
        if ahead.is_used:
            ahead.enter()
            builder.run(statement.advance)
            if statement.runs_first:
                self.test(statement, turn, end)
            else:
                turn.go(place)
        return self.ended(end)

    def test(self, statement: Loop, on: Target, end: Target) -> None:
        """The loop's condition chooses between these; control is at `on` if that is new."""
        builder, condition = self.builder, statement.condition
        builder.run(statement.before)
        if isinstance(condition, Number):
            (on if condition.pattern else end).go(statement.place)
        else:
            self.split(builder.value(condition), statement.place, on, end)
        if not statement.runs_first:
            on.enter()

    def switch(self, statement: Switch, ways: Ways) -> bool:
        """The statement in blocks."""
        effects, place = self.builder.effects, statement.place
        assigned = effects.assigned_of(statement)
        flag = self.builder.value(statement.value)
        starts = [Target(self, needed, assigned) for needed in effects.starts[statement]]
        end = self.after(statement)
        other = end if statement.default is None else starts[statement.default]
        cases = [
            (number, start)
            for numbers, start in zip(statement.cases, starts, strict=True)
            for number in numbers
        ]
        type_ = flag.type
        assert isinstance(type_, IntegerType)
        if cases:
            shape = VectorType(type_, [len(cases)])
            numbers = DenseIntElementsAttr.from_list(shape, [number for number, _ in cases])
            given = [start.values(place) for _, start in cases]
            blocks = [start.block for _, start in cases]
            default = other.values(place)
            made = cf.SwitchOp(flag, other.block, default, numbers, blocks, given)
            self.builder.put(made, place)
        else:
            other.go(place)
        inner: Ways = {**ways, Break: lambda jump: end.go(jump.place)}
        for start, body, following in zip(
            starts, statement.bodies, [*starts[1:], end], strict=True
        ):
            start.enter()
            if self.body(body, inner):
                following.go(place)
        return self.ended(end)

    def scope(self, statement: Scope) -> bool:
        """The statement in blocks."""
        end = self.after(statement)

        def back(jump: Jump) -> None:
            assert isinstance(jump, Return)
            values = [self.builder.value(value) for value in jump.values]
            bind(self.builder, statement.results, values)
            end.go(jump.place)

        if self.body(statement.body, {Return: back}):
            end.go(statement.place)
        return self.ended(end)
