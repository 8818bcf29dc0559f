"""Counted loops in each other become one pipeline: an iteration is one of the innermost loop.

Each entry of an inner pipeline costs its length; one pipeline fills and drains once. All counters
are induction variables: an inner one that ends begins again and lets the next one count. What
stands before an inner loop runs in every iteration, its stores in the first one of that loop only;
what stands behind it runs in every iteration, its accesses in the last one only. Source: loop
coalescing, C. D. Polychronopoulos, 1987.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

from xdsl.dialects import arith, memref, scf
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue

from loom.dialects.facts.arrays import is_behind_channel
from loom.dialects.facts.blocks import last_of
from loom.dialects.facts.loop_attributes import EXACT_TYPE, is_unsigned
from loom.dialects.ops.staticlogic import PipelineOp, ReturnOp, YieldOp
from loom.lower.scalar.arith_builder import Arithmetic, constant_of, integer_type, zero_of
from loom.lower.static.body_problem import Body
from loom.lower.static.build_pipeline import (
    Builder,
    copy_passed_values,
    finish,
    hoist_constants,
    loops_around,
)
from loom.lower.static.predicate_ifs import Predicates, is_guarded, predicate_ifs
from loom.lower.static.units import is_pipelined

BOUNDS = 3
"""The operands of a loop in front of its first values."""


@dataclass(frozen=True)
class Level:
    """One loop of a nest: its constant bounds, of the outermost one only the step is asked."""

    loop: scf.ForOp
    low: int | None
    high: int | None
    step: int

    @property
    def trip_count(self) -> int:
        """The iterations of an inner loop, which are known and at least one."""
        assert self.low is not None and self.high is not None
        return -(-(self.high - self.low) // self.step)

    @property
    def last(self) -> int:
        """The counter of the last iteration."""
        assert self.low is not None
        return self.low + (self.trip_count - 1) * self.step


def find_nest(loop: scf.ForOp, builder: Builder) -> list[Level] | None:
    """The loops of a nest, outermost first, if one pipeline of them is right and no slower.

    Inner loops have constant bounds and run at least once. What a loop carries is made in a cycle
    without a register, so that the choice of its first value costs no iteration. A load before an
    inner loop meets no store of the nest before the end of that loop, and its memory is not loaded
    in the inner loop.
    """
    levels: list[Level] = []
    current: scf.ForOp | None = loop
    while current is not None:
        level = level_of(current)
        if level is None or (levels and not (level.low is not None and level.high is not None)):
            return None
        if levels and level.trip_count < 1:
            return None
        levels.append(level)
        inner = [op for op in current.body.block.ops if holds_loop(op)]
        if len(inner) > 1 or (inner and not isinstance(inner[0], scf.ForOp)):
            return None
        first = inner[0] if inner else None
        assert first is None or isinstance(first, scf.ForOp)
        current = first
    if len(levels) < 2 or not all(carries_quickly(level.loop, builder) for level in levels):
        return None
    pairs = pairwise(level.loop for level in levels)
    return levels if all(may_repeat(*pair, builder) for pair in pairs) else None


def may_repeat(outer: scf.ForOp, inner: scf.ForOp, builder: Builder) -> bool:
    """Whether loads before an inner loop give the same in each of its iterations, at no cost.

    A store behind the inner loop comes in its last iteration, when the load has been made.
    """
    order = builder.order
    operations = list(outer.body.block.ops)
    place = operations.index(inner)
    before = [op for op in walk_each(operations[:place]) if isinstance(op, memref.LoadOp)]
    behind = set(walk_each(operations[place + 1 :]))
    depth = loops_around(outer) + 1
    for load in before:
        if is_behind_channel(load.memref):
            return False  # a request is seen
        for other in walk_each(operations):
            if other is load or not isinstance(other, memref.LoadOp | memref.StoreOp):
                continue
            if order.root(load) != order.root(other):
                continue
            if isinstance(other, memref.LoadOp):
                return False
            if other in behind:
                continue
            if order.known.may_conflict(order.access(load), order.access(other), depth):
                return False
    return True


def walk_each(operations: Iterable[Operation]) -> Iterator[Operation]:
    """The operations and all inside them."""
    for operation in operations:
        yield from operation.walk()


def level_of(loop: scf.ForOp) -> Level | None:
    """The loop as a level; None if it counts unsigned, or past the end of its type."""
    step = constant_of(loop.step)
    if is_unsigned(loop) or not EXACT_TYPE.is_on(loop) or step is None or step < 1:
        return None
    return Level(loop, constant_of(loop.lb), constant_of(loop.ub), step)


def holds_loop(operation: Operation) -> bool:
    """Whether an operation is a loop or holds one."""
    return any(isinstance(each, scf.ForOp | scf.WhileOp) for each in operation.walk())


def carries_quickly(loop: scf.ForOp, builder: Builder) -> bool:
    """Whether no carried value comes from an operator with a register."""
    end = loop.body.block.last_op
    assert end is not None
    made = [value.op for value in end.operands if isinstance(value, OpResult)]
    return not any(is_pipelined(op, builder.units.options) for op in made if not op.regions)


def build_nest(levels: Sequence[Level], builder: Builder) -> None:
    """The loops become one pipeline in the place of the outermost."""
    _Nest(levels, builder).build()


@dataclass(frozen=True)
class _Carried:
    """What an inner loop carries as an argument of the block, the `number`th that `end` yields.

    `held` is its value in this iteration, where more reads it than the begin of the next loop
    inside.
    """

    level: int
    argument: BlockArgument
    end: scf.YieldOp
    number: int
    held: SSAValue | None


def begins_only(argument: SSAValue) -> bool:
    """Whether nothing reads a carried value after the first iteration of the loop inside.

    That is so in an innermost loop, which has none, and where the value is that loop's first one.
    """
    loop = argument.owner
    assert isinstance(loop, Block)
    inside = [op for op in loop.ops if isinstance(op, scf.ForOp)]
    if not inside:
        return True
    return all(use.operation in inside for use in argument.uses)


class _Nest:
    """One nest on its way to one block."""

    def __init__(self, levels: Sequence[Level], builder: Builder) -> None:
        self.levels, self.builder = levels, builder
        self.outer = levels[0].loop
        self.block = self.outer.body.block
        self.counters: list[BlockArgument] = [self.block.args[0]]
        self.carried: dict[BlockArgument, SSAValue] = {}
        self.ends: list[_Carried] = []
        self.arguments = list(self.block.args[1:])
        """What the outermost loop carries."""
        self.through: set[SSAValue] = set()
        """Of that what the loops inside carry on: one register, which no level holds."""
        self.predicates: Predicates = {}

    def build(self) -> None:
        """Flatten level by level, then schedule the block."""
        outside = loops_around(self.outer)
        for level in self.levels:
            hoist_constants(level.loop.body.block, self.outer)
        for level in self.levels:
            self.predicates |= predicate_ifs(level.loop.body.block)
            hoist_constants(level.loop.body.block, self.outer)
        end = self.block.last_op
        assert isinstance(end, scf.YieldOp)
        arguments = self.arguments
        for level in self.levels[1:]:
            self.counters.append(
                self.block.insert_arg(level.loop.body.block.args[0].type, len(self.block.args))
            )
            self.counters[-1].name_hint = level.loop.body.block.args[0].name_hint
        for number in range(1, len(self.levels)):
            self.flatten(number)
        held = [argument for argument in arguments if argument not in self.through]
        last = self.flag(end, 1, last=True) if held else None
        for argument, value in zip(arguments, list(end.operands), strict=True):
            self.carried[argument] = value
            if last is not None and argument in held:
                self.carried[argument] = Arithmetic(end).select(last, value, argument)
        for each in self.ends:
            value = each.end.operands[each.number]
            if each.held is not None:
                is_last = self.flag(end, each.level + 1, last=True)
                value = Arithmetic(end).select(is_last, value, each.held)
            self.carried[each.argument] = value
        iter_args = [*arguments, *(a for a in self.carried if a not in arguments)]
        first = [*self.outer.iter_args, *(self.first_of(a) for a in iter_args[len(arguments) :])]
        ends = scf.YieldOp(*[self.carried[a] for a in iter_args])
        self.block.insert_op_before(ends, end)
        end.detach()
        end.erase()
        copy_passed_values(self.block, ends, range(len(ends.operands)))
        hoist_constants(self.block, self.outer)
        operations = [op for op in self.block.ops if op is not ends]
        self.builder.choose_latencies(operations)
        trips = tuple(level.trip_count for level in self.levels[1:])
        carried = dict(zip(iter_args, ends.operands, strict=True))
        body = Body(
            operations, self.predicates, carried, trip_counts=trips, outside=outside,
            iterations=max(1, prod(trips)),
        )  # fmt: skip
        found, stages = self.builder.stages(body)
        types = [value.type for value in (*self.counters, *iter_args)]
        stage_block = Block(arg_types=types)
        for old, new in zip((*self.counters, *iter_args), stage_block.args, strict=True):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        stage_block.add_ops(stages)
        stage_block.add_op(ReturnOp(list(ends.operands)))
        build = Arithmetic(self.outer)
        starts = [
            build.constant(level.low, integer_type(level.loop.lb.type))
            if level.low is not None
            else level.loop.lb
            for level in self.levels
        ]
        pipeline = PipelineOp(
            found.ii,
            starts,
            first,
            Region(self.condition(types)),
            Region(self.update(types)),
            Region(stage_block),
            clock=self.builder.units.clock,
        )
        results = pipeline.res[len(self.levels) : len(self.levels) + len(arguments)]
        finish(self.outer, pipeline, results)

    def first_of(self, argument: BlockArgument) -> SSAValue:
        """What a value carried by an inner loop is at first: it is never read."""
        return Arithmetic(self.outer).insert(arith.ConstantOp(zero_of(argument.type)))

    def condition(self, types: Sequence[Attribute]) -> Block:
        """The outermost counter is below its bound."""
        block = Block(arg_types=types)
        test = arith.CmpiOp(block.args[0], self.outer.ub, "slt")
        block.add_ops([test, YieldOp([test.result])])
        return block

    def update(self, types: Sequence[Attribute]) -> Block:
        """The innermost counter counts; one that ends begins again and lets the next one count."""
        block = Block(arg_types=types)
        end: Operation = YieldOp([])
        block.add_op(end)
        build = Arithmetic(end)
        following: list[SSAValue] = []
        carry: SSAValue | None = None
        for number in reversed(range(len(self.levels))):
            level, counter = self.levels[number], block.args[number]
            counter.name_hint = self.counters[number].name_hint
            type_ = integer_type(counter.type)
            moved = build.insert(arith.AddiOp(counter, build.constant(level.step, type_)))
            if number:
                ends = build.compare("eq", counter, build.constant(level.last, type_))
                moved = build.select(ends, build.constant(level.low or 0, type_), moved)
            if carry is not None:
                moved = build.select(carry, moved, counter)
            following.insert(0, moved)
            if number:
                carry = ends if carry is None else build.binary(arith.AndIOp, carry, ends)
        block.insert_op_before(YieldOp(following), end)
        end.detach()
        hoist_constants(block, self.outer)
        return block

    def flag(self, before: Operation, level: int, *, last: bool) -> SSAValue:
        """True in the first, or the last, iteration of the loops from `level` on."""
        build = Arithmetic(before)
        found: SSAValue | None = None
        for number in range(level, len(self.levels)):
            each = self.levels[number]
            counter = self.counters[number]
            bound = build.constant(
                (each.last if last else each.low) or 0, integer_type(counter.type)
            )
            equal = build.compare("eq", counter, bound)
            found = equal if found is None else build.binary(arith.AndIOp, found, equal)
        assert found is not None
        return found

    def flatten(self, number: int) -> None:
        """The operations of a loop stand in its place; the loop is gone."""
        loop = self.levels[number].loop
        inner = loop.body.block
        end = inner.last_op
        assert isinstance(end, scf.YieldOp)
        operations = list(self.block.ops)
        place = operations.index(loop)
        guarded_before = [op for op in operations[:place] if isinstance(op, memref.StoreOp)]
        guarded_behind = [op for op in operations[place + 1 :] if is_guarded(op)]
        if guarded_before:
            self.guard(guarded_before, self.flag(self.block.first_op or loop, number, last=False))
        if guarded_behind:
            self.guard(guarded_behind, self.flag(loop, number, last=True))
        build = Arithmetic(loop)
        inner.args[0].replace_all_uses_with(self.counters[number])
        through = [self.carries_on(number, index) for index in range(len(loop.iter_args))]
        first = None if all(through) else self.flag(loop, number, last=False)
        for index, (argument, value) in enumerate(
            zip(inner.args[1:], list(loop.iter_args), strict=True)
        ):
            if through[index]:
                argument.replace_all_uses_with(value)
                self.through.add(value)
                continue
            kept = self.block.insert_arg(argument.type, len(self.block.args))
            kept.name_hint = argument.name_hint
            assert first is not None
            now = build.select(first, value, kept)
            held = None if begins_only(argument) else now
            argument.replace_all_uses_with(now)
            self.ends.append(_Carried(number, kept, end, index, held))
        for operation in list(inner.ops):
            if operation is not end:
                operation.detach()
                self.block.insert_op_before(operation, loop)
        for result, value in zip(loop.results, end.operands, strict=True):
            result.replace_all_uses_with(value)
        loop.detach()

    def carries_on(self, number: int, index: int) -> bool:
        """Whether a value that the outermost loop carries is what its inner loops only carry on.

        Each gives it to the next one inside, as that one's first value alone, and gives on what
        comes back. The innermost loop may do with it what it likes.
        """
        loop = self.levels[number].loop
        value = loop.iter_args[index]
        if number > 1 or not isinstance(value, BlockArgument) or value not in self.arguments:
            return value in self.through
        end, place = last_of(self.block), self.arguments.index(value)
        for level in self.levels[1:]:
            readers = list(value.uses)
            if len(readers) != 1 or readers[0].operation is not level.loop:
                return False
            place_inside = readers[0].index - BOUNDS
            if place_inside < 0 or end.operands[place] is not level.loop.results[place_inside]:
                return False
            body, place = level.loop.body.block, place_inside
            value, end = body.args[1 + place], last_of(body)
        return True

    def guard(self, operations: Sequence[Operation], flag: SSAValue) -> None:
        """The accesses are made where the flag, and what guards them already, is true."""
        for operation in operations:
            known = self.predicates.get(operation)
            if known is None:
                self.predicates[operation] = flag
            else:
                both = Arithmetic(operation).binary(arith.AndIOp, known, flag)
                self.predicates[operation] = both
