"""Counted loops in each other become one pipeline: an iteration is one of the innermost loop.

Each entry of an inner pipeline costs its length; one pipeline fills and drains once. All counters
are induction variables: an inner one that ends begins again and lets the next one count. What
stands before an inner loop runs in every iteration, its stores in the first one of that loop only;
what stands behind it runs in every iteration, its accesses in the last one only. Where an inner
loop runs no iteration, one of the pipeline makes none of its accesses and changes nothing that it
carries. Source: loop coalescing, C. D. Polychronopoulos, 1987.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue

from loom.dialects.facts.blocks import last_of
from loom.dialects.ops.staticlogic import PipelineOp, ReturnOp, YieldOp
from loom.lower.scalar.arith_builder import Arithmetic, zero_of
from loom.lower.static.body_problem import Body
from loom.lower.static.build_pipeline import (
    Builder,
    copy_passed_values,
    drop_unused,
    finish,
    hoist_constants,
    loops_around,
)
from loom.lower.static.nests.find_nest import Level
from loom.lower.static.nests.first_loads import FirstLoads, begin_earlier
from loom.lower.static.nests.nest_counters import Counting, Flags, Scope, both
from loom.lower.static.nests.prefetch_bounds import Prefetch
from loom.lower.static.predicate_ifs import Predicates, is_guarded, predicate_ifs

BOUNDS = 3
"""The operands of a loop in front of its first values."""
ACCESSES = (memref.LoadOp, memref.StoreOp)
"""What is not made where a loop runs no iteration."""


def build_nest(levels: Sequence[Level], builder: Builder) -> None:
    """The loops become one pipeline in the place of the outermost."""
    last = levels[-1]
    if last.pairs:
        begin_earlier(last.loop, last.step, levels[0].loop)
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


def does_nothing_else(outer: scf.ForOp, inner: scf.ForOp) -> bool:
    """Whether an iteration of the outer loop has no effect where the inner one runs none.

    No branch is left in it. What it carries goes through the inner loop, or stays.
    """
    block = outer.body.block
    if any(is_guarded(op) for op in block.ops if op is not inner):
        return False
    for argument, value in zip(block.args[1:], last_of(block).operands, strict=False):
        if value is argument:
            continue
        if not isinstance(value, OpResult) or value.op is not inner:
            return False
        if inner.iter_args[value.index] is not argument:
            return False
    return True


class _Nest:
    """One nest on its way to one block."""

    def __init__(self, levels: Sequence[Level], builder: Builder) -> None:
        self.levels, self.builder = levels, builder
        self.outer = levels[0].loop
        # Asked while the bounds are those of the program.
        self.trips = tuple(level.least_trips for level in levels[1:])
        self.has_exact_trips = all(level.trip_count for level in levels[1:])
        trips = [level.trip_count for level in levels]
        self.trip_count = None if None in trips else max(0, prod(trip or 0 for trip in trips))
        self.block = self.outer.body.block
        self.counters: list[BlockArgument] = [self.block.args[0]]
        self.carried: dict[BlockArgument, SSAValue] = {}
        self.ends: list[_Carried] = []
        self.arguments = list(self.block.args[1:])
        """What the outermost loop carries."""
        self.through: set[SSAValue] = set()
        """Of that what the loops inside carry on: one register, which no level holds."""
        self.predicates: Predicates = {}
        self.front: Operation = arith.ConstantOp(IntegerAttr(0, i1))
        """The first operation of the block, behind those that make bounds and flags."""
        self.front.location = self.outer.location
        self.flags: dict[tuple[int, bool], SSAValue] = {}
        self.first: dict[BlockArgument, SSAValue] = {}
        """What the nest carries besides, as it is at first."""

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
            inner = level.loop.body.block.args[0]
            counter = self.block.insert_arg(inner.type, len(self.block.args))
            counter.name_hint = inner.name_hint
            inner.replace_all_uses_with(counter)
            self.counters.append(counter)
        step, loads = self.levels[0].step, self.levels[1].loads
        index_width = self.builder.units.options.index_width
        prefetch = Prefetch(self.outer, loads, step, self.builder.order, index_width)
        self.move_bounds(prefetch)
        for number in range(1, len(self.levels)):
            if self.is_idle_without(number):
                self.counting.test(number)
        for number in range(1, len(self.levels)):
            self.flatten(number)
        held = [argument for argument in arguments if argument not in self.through]
        last = self.flag(1, last=True) if held else None
        for argument, value in zip(arguments, list(end.operands), strict=True):
            self.carried[argument] = value
            if last is not None and argument in held:
                self.carried[argument] = Arithmetic(end).select(last, value, argument)
        for each in self.ends:
            value = each.end.operands[each.number]
            if each.held is not None:
                is_last = self.flag(each.level + 1, last=True)
                value = Arithmetic(end).select(is_last, value, each.held)
            self.carried[each.argument] = value
        if self.counting.flags is not None:
            self.carried |= prefetch.carried(Arithmetic(end), self.counting.flags.moves)
            self.carry_counters()
        iter_args = [*arguments, *(a for a in self.carried if a not in arguments)]
        first = [*self.outer.iter_args, *(self.first_of(a) for a in iter_args[len(arguments) :])]
        ends = scf.YieldOp(*[self.carried[a] for a in iter_args])
        self.block.insert_op_before(ends, end)
        end.detach()
        self.front.detach()
        gone: list[Operation] = [end, self.front, *(level.loop for level in self.levels[1:])]
        for operation in gone:
            operation.erase()
        copy_passed_values(self.block, ends, range(len(ends.operands)))
        hoist_constants(self.block, self.outer)
        ivs = [counter for counter in self.counters if counter not in self.carried]
        values = [*ivs, *iter_args]
        types = [value.type for value in values]
        starts = self.counting.first_counters() if ivs else []
        condition = self.condition(types, values.index(self.counters[0]))
        update = self.update(types) if ivs else Block([YieldOp([])], arg_types=types)
        operations = [op for op in self.block.ops if op is not ends]
        drop_unused(operations, self.predicates)
        self.builder.choose_latencies(operations)
        carried = dict(zip(iter_args, ends.operands, strict=True))
        at_issue = frozenset(carried.keys() & self.counters[:1])
        body = Body(
            operations, self.predicates, carried, at_issue, trip_counts=self.trips, outside=outside,
            iterations=max(1, prod(self.trips)), has_exact_trips=self.has_exact_trips,
        )  # fmt: skip
        found, stages = self.builder.stages(body)
        stage_block = Block(arg_types=types)
        for old, new in zip(values, stage_block.args, strict=True):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        stage_block.add_ops(stages)
        stage_block.add_op(ReturnOp(list(ends.operands)))
        pipeline = PipelineOp(
            found.ii,
            starts,
            first,
            Region(condition),
            Region(update),
            Region(stage_block),
            trip_count=self.trip_count,
            clock=self.builder.units.clock,
        )
        results = pipeline.res[len(ivs) : len(ivs) + len(arguments)]
        finish(self.outer, pipeline, results)

    def move_bounds(self, prefetch: Prefetch) -> None:
        """What makes the bounds stands first in the block, before `front`, and flags behind it."""
        words = prefetch.words()
        self.first |= prefetch.first
        first = self.block.first_op
        assert first is not None
        self.block.insert_op_before(self.front, first)
        for operation in (op for level in self.levels for op in level.slice):
            operation.detach()
            self.block.insert_op_before(operation, self.front)
        index_width = self.builder.units.options.index_width
        self.counting = Counting(self.levels, self.counters, index_width, words)
        self.scope = Scope(self.counting, Arithmetic(self.front), self.counters)
        if not words:
            return
        types = (i1, i1, i1, i1, self.counters[1].type)
        kept = [self.block.insert_arg(each, len(self.block.args)) for each in types]
        self.counting.flags = Flags(*kept)
        self.first |= self.counting.flags.first(Arithmetic(self.outer))
        operations = list(self.block.ops)
        before = operations[: operations.index(self.levels[1].loop)]
        loads = [op for op in before if isinstance(op, memref.LoadOp)]
        if loads:  # none is made in the iteration before the first one
            self.guard(loads, self.scope.is_of_loop())

    def is_idle_without(self, number: int) -> bool:
        """Whether nothing runs where a level does not, which is known before the nest begins."""
        if self.counting.always_runs(number) or not self.counting.is_invariant(number):
            return False
        loops = [level.loop for level in self.levels[: number + 1]]
        return all(does_nothing_else(*pair) for pair in pairwise(loops))

    def first_of(self, argument: BlockArgument) -> SSAValue:
        """What a value is at first; of one carried by an inner loop that is never read."""
        if argument in self.first:
            return self.first[argument]
        return Arithmetic(self.outer).insert(arith.ConstantOp(zero_of(argument.type)))

    def carry_counters(self) -> None:
        """Counters are carried like other values, with flags, where they are made of such."""
        build = self.scope.build
        following = self.counting.next_flags(self.scope)
        read = set(self.predicates.values())
        self.carried |= {
            each: value for each, value in following.items() if each.uses or each in read
        }
        self.carried |= zip(
            self.counters, self.counting.next_counters(build, self.counters), strict=True
        )
        self.first |= zip(self.counters, self.counting.first_counters(), strict=True)

    def condition(self, types: Sequence[Attribute], place: int) -> Block:
        """The outermost counter, the argument at that place, is below its bound."""
        block = Block(arg_types=types)
        test = arith.CmpiOp(block.args[place], self.counting.highs[0], self.counting.less(0))
        block.add_ops([test, YieldOp([test.result])])
        return block

    def update(self, types: Sequence[Attribute]) -> Block:
        """The innermost counter counts; one that ends begins again and lets the next one count."""
        block = Block(arg_types=types)
        for argument, counter in zip(block.args, self.counters, strict=False):
            argument.name_hint = counter.name_hint
        end: Operation = YieldOp([])
        block.add_op(end)
        counters = block.args[: len(self.counters)]
        following = self.counting.next_counters(Arithmetic(end), counters)
        block.insert_op_before(YieldOp(following), end)
        end.detach()
        drop_unused([op for op in block.ops if op is not block.last_op], {})
        hoist_constants(block, self.outer)
        return block

    def flag(self, level: int, *, last: bool) -> SSAValue:
        """True in the first, or the last, iteration of the loops from `level` on."""
        if (level, last) not in self.flags:
            ask = self.scope.ends if last else self.scope.begins
            flags = [ask(number) for number in range(level, len(self.levels))]
            found = both(self.scope.build, *flags)
            assert found is not None
            self.flags[level, last] = found
        return self.flags[level, last]

    def flatten(self, number: int) -> None:
        """The operations of a loop stand in its place; the loop is gone."""
        loop, pairs = self.levels[number].loop, self.levels[number].pairs
        inner = loop.body.block
        end = inner.last_op
        assert isinstance(end, scf.YieldOp)
        own = self.flag(number, last=False) if pairs else None
        if own is not None:
            self.make_first(number, own)
        operations = list(self.block.ops)
        place = operations.index(loop)
        guarded_before = [op for op in operations[:place] if isinstance(op, memref.StoreOp)]
        guarded_behind = [
            op
            for op in operations[place + 1 :]
            if is_guarded(op) or (self.counting.flags is not None and isinstance(op, ACCESSES))
        ]
        if guarded_before:
            self.guard(guarded_before, self.flag(number, last=False))
        if guarded_behind:
            self.guard(guarded_behind, self.flag(number, last=True))
        runs = self.scope.runs(number)
        if runs is not None:
            self.guard([op for op in inner.ops if isinstance(op, ACCESSES)], runs)
        build = Arithmetic(loop)
        through = [self.carries_on(number, index) for index in range(len(loop.iter_args))]
        first = None if all(through) or own is not None else self.flag(number, last=False)
        entry: list[SSAValue] = []
        for index, (argument, value) in enumerate(
            zip(inner.args[1:], list(loop.iter_args), strict=True)
        ):
            if through[index]:
                argument.replace_all_uses_with(value)
                self.through.add(value)
                entry.append(value)
                continue
            kept = self.block.insert_arg(argument.type, len(self.block.args))
            kept.name_hint = argument.name_hint
            now = kept if first is None else build.select(first, value, kept)
            entry.append(value if first is None else now)
            held = None if begins_only(argument) else now
            argument.replace_all_uses_with(now)
            self.ends.append(_Carried(number, kept, end, index, held))
        for operation in list(inner.ops):
            if operation is not end:
                operation.detach()
                self.block.insert_op_before(operation, loop)
        if own is not None:  # where nothing of it runs but loads, it begins with its first values
            for index, value in enumerate(list(end.operands)):
                end.operands[index] = build.select(own, entry[index], value)
        for index, (result, value) in enumerate(zip(loop.results, list(end.operands), strict=True)):
            taken = self.kept_unless(number, build, value, entry[index], is_through=through[index])
            result.replace_all_uses_with(taken)
        loop.detach()

    def make_first(self, number: int, own: SSAValue) -> None:
        """Loads of the loop around are made in the first iteration of an inner one, its own ones in
        all others.
        """
        level, build = self.levels[number], self.scope.build
        others = build.binary(arith.XOrIOp, own, build.constant(1, i1))
        first = FirstLoads(self.block, level.loop, own, self.builder.order, self.predicates)
        merged = first.merge(level.pairs)
        accesses = [op for op in level.loop.body.block.ops if isinstance(op, ACCESSES)]
        self.guard([op for op in accesses if op not in merged], others)
        self.carried |= first.held

    def kept_unless(
        self, number: int, build: Arithmetic, value: SSAValue, entry: SSAValue, *, is_through: bool
    ) -> SSAValue:
        """What a loop gives: the value that its last iteration gives, or with none its first one.

        What all loops only carry on is chosen once, in the innermost.
        """
        if is_through:
            is_innermost = number == len(self.levels) - 1
            runs = self.scope.runs(number) if is_innermost else None
        else:
            runs = self.scope.runs_if_reached(number)
        return value if runs is None else build.select(runs, value, entry)

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
