"""A loop without loops in it becomes a pipeline: its body's stages, at the least II found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from loom.analysis.modulo.lifetimes import Value, load_late
from loom.analysis.modulo.limits import IILimit, find_limit
from loom.analysis.modulo.problem import ISSUE, ModuloSchedule, Problem
from loom.dialects.facts.loop_attributes import EXACT_TYPE, ITERATIONS, is_unsigned
from loom.dialects.facts.places import place_of
from loom.dialects.operators.catalogue import find
from loom.dialects.ops.staticlogic import PipelineOp, ReturnOp, YieldOp, set_sharers
from loom.dialects.ops.types import width_of
from loom.lower.scalar.arith_builder import Arithmetic, constant_of, integer_type, replace
from loom.lower.static.body_problem import Body, MemoryOrder, problem_of
from loom.lower.static.build_stages import build_stages
from loom.lower.static.predicate_ifs import Predicates, predicate_ifs
from loom.lower.static.share_units import Sharing
from loom.lower.static.units import CASTS, Units

Schedule = Callable[[Problem], ModuloSchedule]
"""A scheduler."""
MANY = 1 << 20
"""More cycles, or units, than a body has operations."""
LITTLE = 0.01
"""Of a loop's cycles, so many more are few."""
TRIES = 3
"""Numbers of units that are tried, from the least on."""


@dataclass(frozen=True)
class Builder:
    """What all loops of a function share."""

    order: MemoryOrder
    units: Units
    schedule: Schedule
    sharing: Sharing
    limits: list[tuple[Operation, IILimit]] = field(default_factory=list)
    """The first stage of each pipelined body, with what bounds its II."""
    running: frozenset[Operation] = frozenset()
    """Inner loops that run at least once where they are reached."""
    forward: frozenset[Operation] = frozenset()
    """Inner loops whose bound is nowhere below their first counter."""

    def stages(self, body: Body) -> tuple[ModuloSchedule, Sequence[Operation]]:
        """The schedule of a body and its stages; its operations have left their block."""
        problem, found = self.schedule_sharing(body, self.schedule)
        values = values_of(body, self.units.options.index_width)
        found = load_late(problem, found, *values)
        limit = find_limit(problem, [place_of(op) for op in body.operations])
        for operation in body.operations:
            operation.detach()
        stages = build_stages(body.operations, found.start[1:], body.predicates)
        self.limits.extend((stage, limit) for stage in stages[:1])
        return found, stages

    def schedule_sharing(self, body: Body, schedule: Schedule) -> tuple[Problem, ModuloSchedule]:
        """Problem and schedule of a body whose operations share units where it costs little.

        Operations say that they share. What has to, as there are no units left, does in any case.
        """
        operations, interval = body.operations, 1 if body.trip_counts is not None else MANY
        slots = self.sharing.required.slots(operations, interval, MANY)
        problem = problem_of(body, self.order, self.units, slots)
        found = schedule(problem)
        if body.trip_counts is not None:
            interval = found.ii
        tried = None
        for more in range(TRIES):
            other = self.sharing.slots(operations, interval, more)
            if other.units in (slots.units, tried):
                break
            tried = other.units
            shared = problem_of(body, self.order, self.units, other)
            own = schedule(shared)
            more_cycles = own.length(shared) - found.length(problem)
            is_short = more_cycles <= self.most_longer(body, found, problem)
            if is_short and own.ii <= max(found.ii, interval):
                slots, problem, found = other, shared, own
                break
        for operation in slots.kinds:
            set_sharers(operation, slots.sharers[slots.kinds[operation]])
        return problem, found

    def most_longer(self, body: Body, found: ModuloSchedule, problem: Problem) -> int:
        """So much longer an iteration may be where units are shared [cycles]."""
        if not self.sharing.is_free:
            return MANY
        cycles = (body.iterations - 1) * found.ii + found.length(problem)
        return int(cycles * LITTLE)

    def choose_latencies(self, operations: Sequence[Operation]) -> None:
        """Every operation says its latency; refused: STATIC_OPERATION."""
        for operation in operations:
            self.units.choose_latency(operation)


def values_of(body: Body, index_width: int) -> tuple[list[Value], list[int]]:
    """The values of an iteration with their readers in it, and the numbers of its loads."""
    numbers = {operation: place for place, operation in enumerate(body.operations, 1)}
    readers: dict[SSAValue, list[int]] = {}
    for operation, place in numbers.items():
        predicate = body.predicates.get(operation)
        used = [*operation.operands, *([predicate] if predicate is not None else [])]
        for value in used if not isinstance(operation, CASTS) else ():
            readers.setdefault(behind_casts(value), []).append(place)
    found = []
    for value, places in readers.items():
        owner = value.owner
        inside = numbers.get(owner) if isinstance(owner, Operation) else ISSUE
        is_of_body = isinstance(owner, Operation) or owner is body.operations[0].parent
        if inside is not None and is_of_body:
            found.append(Value(width_of(value.type, index_width), inside, tuple(places)))
    return found, [numbers[op] for op in numbers if isinstance(op, memref.LoadOp)]


def behind_casts(value: SSAValue) -> SSAValue:
    """The value that is in a register where this one, its low bits or more of them, is needed."""
    while isinstance(value.owner, CASTS) and value.owner.operands:
        value = value.owner.operands[0]
    return value


def hoist_constants(block: Block, before: Operation) -> None:
    """Constants of the block stand before the loop: they are wires, and no stage's."""
    for operation in list(block.ops):
        if isinstance(operation, arith.ConstantOp):
            operation.detach()
            assert before.parent is not None
            before.parent.insert_op_before(operation, before)


def copy_passed_values(block: Block, end: Operation, values: range) -> None:
    """What the next iteration gets is made in the block: passed values are copied."""
    build = Arithmetic(end)
    for index in values:
        value = end.operands[index]
        owner = value.owner
        if isinstance(owner, Operation) and owner.parent is block:
            continue
        if isinstance(value.type, IndexType):
            copy = build.with_constant(arith.AddiOp, value, 0)
        else:
            copy = build.insert(arith.BitcastOp(value, value.type))
        copy.name_hint = value.name_hint
        end.operands[index] = copy


def build_for(loop: scf.ForOp, builder: Builder) -> None:
    """A counted loop becomes a pipeline with its counter as induction variable."""
    block = loop.body.block
    predicates = predicate_ifs(block)
    hoist_constants(block, loop)
    end = block.last_op
    assert isinstance(end, scf.YieldOp)
    counter = _Counter(loop, builder.units.options.index_width)
    counter.widen_block(block)
    copy_passed_values(block, end, range(len(end.operands)))
    hoist_constants(block, loop)
    operations = [op for op in block.ops if op is not end]
    builder.choose_latencies(operations)
    carried = dict(zip(block.args[1:], end.operands, strict=True))
    body = Body(
        operations, predicates, carried, outside=loops_around(loop),
        iterations=max(1, counter.trip_count or 1),
    )  # fmt: skip
    found, stages = builder.stages(body)
    types = [counter.type, *(value.type for value in loop.iter_args)]
    stage_block = Block(arg_types=types)
    for old, new in zip(block.args, stage_block.args, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    stage_block.add_ops(stages)
    stage_block.add_op(ReturnOp(list(end.operands)))
    pipeline = PipelineOp(
        found.ii,
        [counter.start],
        list(loop.iter_args),
        Region(counter.condition(types, block.args[0].name_hint)),
        Region(counter.update(types, block.args[0].name_hint)),
        Region(stage_block),
        trip_count=counter.trip_count,
        clock=builder.units.clock,
    )
    finish(loop, pipeline, pipeline.res[1:])


def holds_loop(operation: Operation) -> bool:
    """Whether an operation is a loop or holds one."""
    return any(isinstance(each, scf.ForOp | scf.WhileOp) for each in operation.walk())


def loops_around(loop: Operation) -> int:
    """The number of loops around a loop."""
    holder, count = loop.parent_op(), 0
    while holder is not None:
        count += isinstance(holder, scf.ForOp | scf.WhileOp)
        holder = holder.parent_op()
    return count


def finish(loop: Operation, pipeline: PipelineOp, results: Sequence[SSAValue]) -> None:
    """The pipeline stands in the loop's place."""
    pipeline.location = loop.location
    assert loop.parent is not None
    loop.parent.insert_op_before(pipeline, loop)
    replace(loop, *results)


class _Counter:
    """The induction variable: one bit wider than the loop's where that does not hold its end."""

    def __init__(self, loop: scf.ForOp, index_width: int) -> None:
        own = integer_type(loop.lb.type)
        build = Arithmetic(loop)
        self.unsigned = is_unsigned(loop)
        self.is_wider = not EXACT_TYPE.is_on(loop)
        self.own = own
        self.index_width = index_width
        self.type: IntegerType | IndexType = own
        self.start, self.bound, self.step = loop.lb, loop.ub, loop.step
        if self.is_wider:
            self.type = IntegerType(width_of(own, index_width) + 1)
            self.start = self._widen(build, loop.lb)
            self.bound = self._widen(build, loop.ub)
            self.step = self._widen(build, loop.step)
        self.trip_count = self._trip_count(loop)

    def _widen(self, build: Arithmetic, value: SSAValue) -> SSAValue:
        known = constant_of(value)
        if known is not None:
            return build.constant(
                known % (1 << width_of(self.own, self.index_width)) if self.unsigned else known,
                self.type,
            )
        if isinstance(value.type, IndexType):
            return build.insert(arith.IndexCastOp(value, self.type))
        widen = arith.ExtUIOp if self.unsigned else arith.ExtSIOp
        assert isinstance(self.type, IntegerType)
        return build.insert(widen(value, self.type))

    def _trip_count(self, loop: scf.ForOp) -> int | None:
        low, high, step = map(constant_of, (loop.lb, loop.ub, loop.step))
        if low is None or high is None or not step or self.unsigned:
            return None
        return max(0, -(-(high - low) // step))

    def widen_block(self, block: Block) -> None:
        """The first argument of the loop's block is the counter; the variable is its low bits."""
        if not self.is_wider:
            return
        variable, first = block.args[0], block.first_op
        assert first is not None
        counter = block.insert_arg(self.type, 0)
        counter.name_hint = variable.name_hint
        build = Arithmetic(first)
        if isinstance(self.own, IndexType):
            low = build.insert(arith.IndexCastOp(counter, self.own))
        else:
            low = build.insert(arith.TruncIOp(counter, self.own))
        variable.replace_all_uses_with(low)
        block.erase_arg(variable)

    def condition(self, types: Sequence[Attribute], name: str | None) -> Block:
        """The counter is below the bound."""
        block = Block(arg_types=types)
        block.args[0].name_hint = name
        test = arith.CmpiOp(block.args[0], self.bound, "ult" if self.unsigned else "slt")
        block.add_ops([test, YieldOp([test.result])])
        return block

    def update(self, types: Sequence[Attribute], name: str | None) -> Block:
        """The counter moves by a step."""
        block = Block(arg_types=types)
        block.args[0].name_hint = name
        following = arith.AddiOp(block.args[0], self.step)
        block.add_ops([following, YieldOp([following.result])])
        return block


def can_pipeline_while(loop: scf.WhileOp) -> bool:
    """Whether the test of a loop takes no cycle: pure operations without a latency alone."""
    return all(is_combinational(op) for op in loop.before_region.block.ops)


def is_combinational(operation: Operation) -> bool:
    """Whether an operation is pure and has no register."""
    if isinstance(operation, (scf.ConditionOp, *CASTS)):
        return True
    operator = find(operation.name)
    return (
        operator is not None
        and operator.semantics.meaning is not None
        and operator.hardware.template == "primitives/pure"
    )


def build_while(loop: scf.WhileOp, builder: Builder) -> None:
    """A loop with a test of its own: `condition` tests, and yields what the loop then gives."""
    before, after = loop.before_region.block, loop.after_region.block
    hoist_constants(before, loop)
    hoist_constants(after, loop)
    test = before.last_op
    assert isinstance(test, scf.ConditionOp)
    # What the body gets is computed from the iter_args there, once more.
    copies: dict[SSAValue, SSAValue] = dict(zip(before.args, before.args, strict=True))
    first = after.first_op
    for operation in before.ops:
        if operation is not test and first is not None:
            copy = operation.clone(copies)
            after.insert_op_before(copy, first)
    for argument, value in zip(after.args, test.args, strict=True):
        argument.replace_all_uses_with(copies.get(value, value))
    predicates: Predicates = predicate_ifs(after)
    hoist_constants(after, loop)
    end = after.last_op
    assert isinstance(end, scf.YieldOp)
    copy_passed_values(after, end, range(len(end.operands)))
    hoist_constants(after, loop)
    operations = [op for op in after.ops if op is not end]
    drop_unused(operations, predicates)
    builder.choose_latencies(operations)
    kept = [place for place, result in enumerate(loop.results) if result.uses]
    given = [test.args[place] for place in kept]
    test.detach()
    before.add_op(YieldOp([test.condition, *given]))
    test.erase()
    drop_unused([op for op in before.ops if op is not before.last_op], {})
    used = {value for op in before.ops for value in op.operands}
    carried = dict(zip(before.args, end.operands, strict=True))
    at_issue = frozenset(value for value in before.args if value in used)
    outside = loops_around(loop)
    found, stages = builder.stages(Body(operations, predicates, carried, at_issue, outside=outside))
    types = [value.type for value in before.args]
    condition, stage_block = Block(arg_types=types), Block(arg_types=types)
    for block in (condition, stage_block):
        for old, new in zip(before.args, block.args, strict=True):
            new.name_hint = old.name_hint
    for old, new, other in zip(before.args, condition.args, stage_block.args, strict=True):
        for use in list(old.uses):
            is_test = use.operation.parent is before
            use.operation.operands[use.index] = new if is_test else other
    for operation in list(before.ops):
        operation.detach()
        condition.add_op(operation)
    stage_block.add_ops(stages)
    stage_block.add_op(ReturnOp(list(end.operands)))
    pipeline = PipelineOp(
        found.ii,
        [],
        list(loop.arguments),
        Region(condition),
        Region(Block([YieldOp([])], arg_types=types)),
        Region(stage_block),
        result_types=[value.type for value in given],
        clock=builder.units.clock,
    )
    ITERATIONS.copy(loop, pipeline)
    for place, result in zip(kept, pipeline.res, strict=True):
        loop.results[place].replace_all_uses_with(result)
    finish(loop, pipeline, loop.results)


def drop_unused(operations: list[Operation], predicates: Predicates) -> None:
    """Take copies without a reader out, the last ones first."""
    wanted = set(predicates.values())
    for operation in reversed(operations.copy()):
        is_read = any(each.uses or each in wanted for each in operation.results)
        if is_combinational(operation) and not is_read:
            operations.remove(operation)
            operation.detach()
            operation.erase()
