"""Every value is there when it is used: rules 7 to 9, 12, 13, 17 and 19."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from xdsl.ir import Block, Operation, OpResult, SSAValue

from loom.dialects.ops.staticlogic import (
    PipelineOp,
    StageOp,
    available_at,
    latency_in,
)
from loom.dialects.schedules.findings import broken, has_effect, name_of
from loom.errors import LoomError


def cycle_problems(op: PipelineOp) -> Iterator[LoomError]:
    """Uses before their value is there, of a pipeline whose parts are right."""
    for stage in op.stage_ops:
        yield from use_problems(stage, set(op.stage_ops))
    yield from carried_problems(op)
    if op.is_while:
        yield from test_problems(op)


def available(value: SSAValue) -> int:
    """The cycle in which a result of a stage is there."""
    cycle = available_at(value)
    assert cycle is not None
    return cycle


def stage_of(value: SSAValue, stages: Collection[StageOp]) -> StageOp | None:
    """The one of these stages whose result a value is."""
    found = value.owner
    return found if isinstance(found, StageOp) and found in stages else None


def use_problems(stage: StageOp, stages: Collection[StageOp]) -> Iterator[LoomError]:
    """Operands that other stages of the schedule do not give in time (rules 7, 8 and 17)."""
    if stage.when is not None and stage_of(stage.when, stages) is not None:
        cycle = available(stage.when)
        if cycle > stage.start:
            what = (
                f"'when' must be available at cycle {stage.start}, it is available at cycle {cycle}"
            )
            accepted = f"the stage at start {cycle} or later"
            yield broken(stage, "STATIC_WHEN", what, accepted)
    for user in stage.body.block.ops:
        for operand in dict.fromkeys(user.operands):
            if is_inside(operand, stage.body.block):
                latency = latency_in(stage, operand)
                if latency and user is not stage.register:
                    what = f"result of a {latency}-cycle op cannot be used in its own stage"
                    accepted = "a register at the end of the stage, and the use in a later one"
                    yield broken(user, "STATIC_OWN_STAGE", what, accepted)
                continue
            source = stage_of(operand, stages)
            if source is None or available(operand) <= stage.start:
                continue
            assert isinstance(operand, OpResult)
            latency = max(1, latency_in(source, source.register.values[operand.index]))
            what = (
                f"value is used at cycle {stage.start} but is available at cycle "
                f"{available(operand)} (start {source.start} + latency {latency})"
            )
            accepted = f"the use at cycle {available(operand)} or later"
            yield broken(user, "STATIC_AVAILABLE", what, accepted)


def is_inside(value: SSAValue, block: Block) -> bool:
    """True for a result of an operation of the block."""
    return isinstance(value, OpResult) and value.op.parent is block


def carried_problems(op: PipelineOp) -> Iterator[LoomError]:
    """Values of the next iteration that are there too late for it (rule 9), each once."""
    for number, following in enumerate(op.return_op.iter_args):
        cycle, user = available(following), earliest_user(op, number)
        if user is None:
            continue
        start = start_of(user)
        if cycle > start + op.ii:
            name = name_of(op.iter_args(op.condition)[number])
            what = (
                f"iter_arg '{name}' of iteration n+1 is used at cycle "
                f"{start}+II({op.ii})={start + op.ii} but is available at cycle {cycle}; "
                f"II must be at least {cycle - start}"
            )
            accepted = f"an II of {cycle - start} or more, a later use or an earlier value"
            yield broken(user, "STATIC_RECURRENCE", what, accepted)


def earliest_user(op: PipelineOp, number: int) -> Operation | None:
    """The operation that uses an iter_arg first; None where nothing uses it."""
    regions = (op.condition, op.stages)
    users = [use.operation for region in regions for use in op.iter_args(region)[number].uses]
    return min(users, key=start_of, default=None)


def start_of(op: Operation) -> int:
    """The cycle in which an operation of `condition` or of a stage takes its operands."""
    stage = op if isinstance(op, StageOp) else op.parent_op()
    return stage.start if isinstance(stage, StageOp) else 0


def test_problems(op: PipelineOp) -> Iterator[LoomError]:
    """What would happen before the test of a while loop is known (rules 12, 13 and 19)."""
    test = op.return_op.cond
    assert test is not None
    known = available(test)
    if known > op.ii:
        what = f"loop condition is available at cycle {known}, after the next issue at II {op.ii}"
        accepted = f"an II of {known} or more"
        yield broken(op.return_op, "STATIC_TEST_LATE", what, accepted)
    for stage in op.stage_ops:
        writer = next((inner for inner in stage.ops if has_effect(inner)), None)
        if stage.start < known and writer is not None:
            what = (
                f"stage at start {stage.start} has side effects but the loop condition is known "
                f"only at cycle {known}"
            )
            accepted = f"side effects at cycle {known} or later"
            yield broken(writer, "STATIC_EFFECT_BEFORE_TEST", what, accepted)
    for number, following in enumerate(op.return_op.iter_args):
        source = stage_of(following, op.stage_ops)
        assert source is not None and isinstance(following, OpResult)
        register = source.register.values[following.index]
        written = source.start + latency_in(source, register)
        if written < known:
            name = name_of(op.iter_args(op.condition)[number])
            what = (
                f"iter_arg '{name}' would be updated at cycle {written} before the loop condition "
                f"(cycle {known})"
            )
            accepted = f"its next value at cycle {known} or later"
            yield broken(source, "STATIC_UPDATE_BEFORE_TEST", what, accepted)
