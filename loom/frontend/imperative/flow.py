"""Statements that jumps leave become blocks, which the lowering lifts to regions again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from xdsl.dialects import cf, scf
from xdsl.dialects.builtin import DenseIntElementsAttr, IntegerType, VectorType
from xdsl.ir import Block, Region, SSAValue

from loom.errors import LoomError, Place
from loom.frontend.imperative.effects import Effects, Target, Variables, find_target
from loom.frontend.imperative.expressions import Emitter
from loom.frontend.imperative.loops import bind_variables, find_types, sort_variables
from loom.frontend.imperative.tree import (
    Body,
    Break,
    Continue,
    If,
    Jump,
    Labelled,
    Leave,
    Loop,
    Number,
    Repeated,
    Return,
    Scope,
    Statement,
    Switch,
)

JumpHandlers = Mapping[Target, Callable[[Jump], None]]
"""What ends the block where a jump with each target stands."""


class StructuredEmitter(Protocol):
    """Emits statements that no jump leaves; the other ones are emitted here."""

    @property
    def emitter(self) -> Emitter:
        """Where operations are inserted."""

    @property
    def effects(self) -> Effects:
        """What the function's statements do."""

    def emit_statement(self, statement: Statement) -> None:
        """The operations of a statement that no jump leaves."""

    def emit_body(self, body: Body) -> None:
        """The operations of a body that no jump leaves but Continue."""


def emit_in_blocks(structured: StructuredEmitter, body: Body, outs: Variables) -> None:
    """The body is one scf.execute_region, after which the variables `outs` are known.

    A Continue leads to its end.
    """
    emitter, place, results = structured.emitter, body[0].place, sort_variables(outs)
    outside, before = emitter.block, dict(emitter.values)

    def leave(at: Place) -> None:
        values = [emitter.read_variable(variable, at) for variable in results]
        emitter.insert(scf.YieldOp(*values), at)

    blocks = BlockEmitter(structured, Region())
    blocks.begin_block(Block())
    if blocks.emit_root(body, {Continue: lambda jump: leave(jump.place)}):
        leave(place)
    emitter.block, emitter.values = outside, before
    region = emitter.insert(scf.ExecuteRegionOp(find_types(results), blocks.region), place)
    for variable in structured.effects.find_assigned(body):
        emitter.values.pop(variable, None)
    bind_variables(emitter, results, region.results)


class JumpTarget:
    """A block that several jumps lead to, with the variables that they bring."""

    def __init__(self, blocks: BlockEmitter, variables: Variables, assigned: Variables) -> None:
        self.blocks = blocks
        self.variables = sort_variables(variables & assigned)
        self.block = Block(arg_types=find_types(self.variables))
        values = blocks.emitter.values
        self.known = {v: value for v, value in values.items() if v not in assigned}
        self.is_used = False

    def read_arguments(self, place: Place) -> list[SSAValue]:
        """What a way from here brings."""
        self.is_used = True
        return [self.blocks.emitter.read_variable(variable, place) for variable in self.variables]

    def branch_here(self, place: Place) -> None:
        """The block at hand ends here and goes on there."""
        self.blocks.emitter.insert(cf.BranchOp(self.block, *self.read_arguments(place)), place)

    def begin(self) -> None:
        """What follows stands in this block."""
        self.blocks.begin_block(self.block)
        self.blocks.emitter.values = dict(self.known)
        bind_variables(self.blocks.emitter, self.variables, self.block.args)


class BlockEmitter:
    """Writes statements into the blocks of a region."""

    def __init__(self, structured: StructuredEmitter, region: Region) -> None:
        self.structured = structured
        self.emitter = structured.emitter
        self.effects = structured.effects
        self.region = region

    def begin_block(self, block: Block) -> None:
        """What follows stands in this block."""
        self.region.add_block(block)
        self.emitter.block = block

    def emit_root(self, body: Body, handlers: JumpHandlers) -> bool:
        """As `body`; a single statement that no jump leaves is put in blocks, too."""
        if self.effects.find_jumps(body):
            return self.emit_body(body, handlers)
        (statement,) = body
        return self.emit_jumping(statement, handlers)

    def emit_body(self, body: Body, handlers: JumpHandlers) -> bool:
        """The statements; true if control reaches their end."""
        for statement in body:
            if not self.effects.find_jumps_of(statement):
                self.structured.emit_statement(statement)
            elif not self.emit_jumping(statement, handlers):
                return False
        return True

    def emit_jumping(self, statement: Statement, handlers: JumpHandlers) -> bool:
        """The statement in blocks; true if control reaches its end."""
        match statement:
            case If():
                return self.emit_if(statement, handlers)
            case Loop():
                return self.emit_loop(statement, handlers)
            case Switch():
                return self.emit_switch(statement, handlers)
            case Scope():
                return self.emit_scope(statement)
            case Labelled():
                return self.emit_labelled(statement, handlers)
            case Repeated():
                return self.emit_repeated(statement, handlers)
            case Break() | Continue() | Return() | Leave():
                handlers[find_target(statement)](statement)
                return False
            case _:
                raise AssertionError("a statement without jumps")

    def make_end(self, statement: Statement) -> JumpTarget:
        """Where the statement ends."""
        effects = self.effects
        return JumpTarget(self, effects.live_after[statement], effects.find_assigned_by(statement))

    def reach_end(self, end: JumpTarget) -> bool:
        """Control is at the end, if any way leads there."""
        if end.is_used:
            end.begin()
        return end.is_used

    def emit_choice(
        self, condition: SSAValue, place: Place, first: JumpTarget, second: JumpTarget
    ) -> None:
        """The block at hand ends in a choice."""
        values = first.read_arguments(place), second.read_arguments(place)
        end = cf.ConditionalBranchOp(condition, first.block, values[0], second.block, values[1])
        self.emitter.insert(end, place)

    def emit_if(self, statement: If, handlers: JumpHandlers) -> bool:
        """The statement in blocks."""
        none: Variables = frozenset()
        first, second = JumpTarget(self, none, none), JumpTarget(self, none, none)
        end = self.make_end(statement)
        place = statement.place
        self.emit_choice(self.emitter.emit_expression(statement.condition), place, first, second)
        for start, body in ((first, statement.first), (second, statement.second)):
            start.begin()
            if self.emit_body(body, handlers):
                end.branch_here(place)
        return self.reach_end(end)

    def emit_loop(self, statement: Loop, handlers: JumpHandlers) -> bool:
        """The statement in blocks."""
        effects, place = self.effects, statement.place
        if statement.required is not None:
            word = "pragma" if statement.refusal == "C_PRAGMA" else "directive"
            what = f"a {word} of a loop that a break or a return leaves"
            accepted = "loops that end by their conditions alone"
            raise LoomError(statement.refusal, statement.required, what, accepted)
        assigned = effects.find_assigned_by(statement)
        iteration = JumpTarget(self, effects.live_at_iteration[statement], assigned)
        ahead = JumpTarget(self, effects.live_at_advance[statement], assigned)
        end = self.make_end(statement)
        inner: JumpHandlers = {
            **handlers,
            Break: lambda jump: end.branch_here(jump.place),
            Continue: lambda jump: ahead.branch_here(jump.place),
        }
        iteration.branch_here(place)
        iteration.begin()
        if not statement.runs_first:
            self.emit_test(
                statement, JumpTarget(self, effects.live_at_body[statement], assigned), end
            )
        if self.emit_body(statement.body, inner):
            ahead.branch_here(place)
        if ahead.is_used:
            ahead.begin()
            self.structured.emit_body(statement.advance)
            if statement.runs_first:
                self.emit_test(statement, iteration, end)
            else:
                iteration.branch_here(place)
        return self.reach_end(end)

    def emit_test(self, statement: Loop, on: JumpTarget, end: JumpTarget) -> None:
        """The loop's condition chooses between these; control is at `on` if that is new."""
        condition = statement.condition
        self.structured.emit_body(statement.before)
        if isinstance(condition, Number):
            (on if condition.pattern else end).branch_here(statement.place)
        else:
            self.emit_choice(self.emitter.emit_expression(condition), statement.place, on, end)
        if not statement.runs_first:
            on.begin()

    def emit_switch(self, statement: Switch, handlers: JumpHandlers) -> bool:
        """The statement in blocks."""
        effects, place = self.effects, statement.place
        assigned = effects.find_assigned_by(statement)
        flag = self.emitter.emit_expression(statement.value)
        starts = [JumpTarget(self, needed, assigned) for needed in effects.live_at_cases[statement]]
        end = self.make_end(statement)
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
            given = [start.read_arguments(place) for _, start in cases]
            blocks = [start.block for _, start in cases]
            default = other.read_arguments(place)
            made = cf.SwitchOp(flag, other.block, default, numbers, blocks, given)
            self.emitter.insert(made, place)
        else:
            other.branch_here(place)
        inner: JumpHandlers = {**handlers, Break: lambda jump: end.branch_here(jump.place)}
        for start, body, following in zip(
            starts, statement.bodies, [*starts[1:], end], strict=True
        ):
            start.begin()
            if self.emit_body(body, inner):
                following.branch_here(place)
        return self.reach_end(end)

    def emit_labelled(self, statement: Labelled, handlers: JumpHandlers) -> bool:
        """The statements in blocks."""
        end = self.make_end(statement)
        inner: JumpHandlers = {
            **handlers, statement.label: lambda jump: end.branch_here(jump.place)
        }  # fmt: skip
        if self.emit_body(statement.body, inner):
            end.branch_here(statement.place)
        return self.reach_end(end)

    def emit_repeated(self, statement: Repeated, handlers: JumpHandlers) -> bool:
        """The statements in blocks, to the first of which jumps lead back."""
        needed = self.effects.live_at_iteration[statement]
        start = JumpTarget(self, needed, self.effects.find_assigned_by(statement))
        start.branch_here(statement.place)
        start.begin()
        inner: JumpHandlers = {
            **handlers, statement.label: lambda jump: start.branch_here(jump.place)
        }  # fmt: skip
        return self.emit_body(statement.body, inner)

    def emit_scope(self, statement: Scope) -> bool:
        """The statement in blocks."""
        end = self.make_end(statement)

        def emit_return(jump: Jump) -> None:
            assert isinstance(jump, Return)
            values = [self.emitter.emit_expression(value) for value in jump.values]
            bind_variables(self.emitter, statement.results, values)
            end.branch_here(jump.place)

        if self.emit_body(statement.body, {Return: emit_return}):
            end.branch_here(statement.place)
        return self.reach_end(end)
