"""CIRCT's loopschedule as staticlogic and back, for what both can say.

loopschedule has no induction variables besides iter_args, no latencies, and results that are those
of stages. Read, latencies are those of LOOM's units, a load takes a cycle unless its own stage
uses the value, and a result must be the next value of an iter_arg: it is then the final value of
that iter_arg, and its initial value where no iteration runs.
"""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue

from loom.dialects.facts.instances import shape_of
from loom.dialects.facts.places import place_of
from loom.dialects.operators.catalogue import find
from loom.dialects.ops.staticlogic import (
    LATENCY,
    Access,
    PipelineOp,
    RegisterOp,
    ReturnOp,
    StageOp,
    YieldOp,
    available_at,
    latency_of,
    set_latency,
)
from loom.dialects.ops.staticlogic.loopschedule import (
    LoopPipelineOp,
    LoopRegisterOp,
    LoopStageOp,
    LoopTerminatorOp,
)
from loom.dialects.ops.types import DEFAULT_INDEX_WIDTH
from loom.dialects.schedules.cycles import earliest_user, start_of
from loom.dialects.schedules.findings import is_combinational, is_pure, name_of
from loom.errors import LoomError

CODE = "STATIC_LOOPSCHEDULE"


def refused(op: Operation, what: str, accepted: str) -> LoomError:
    """The refusal of what one of the two dialects cannot say."""
    return LoomError(CODE, place_of(op), what, accepted)


def read_loopschedules(module: Operation) -> None:
    """Every `loopschedule.pipeline` of the module is a `staticlogic.pipeline`.

    Refused (STATIC_LOOPSCHEDULE): parts that are none of a pipeline, results that are carried by no
    iter_arg. The rules of schedules are not looked at.
    """
    for op in list(module.walk()):
        if isinstance(op, LoopPipelineOp):
            read_pipeline(op)


def read_pipeline(op: LoopPipelineOp) -> PipelineOp:
    """The pipeline in place of one of loopschedule."""
    end = check_parts(op)
    numbers = [number_of(end, value) for value in end.results_]
    for stage in list(op.stages.block.ops):
        if isinstance(stage, LoopStageOp):
            read_stage(stage)
    condition, stages = op.condition, op.stages
    last = condition.block.last_op
    assert isinstance(last, LoopRegisterOp)
    put_in_place(last, YieldOp(last.values))
    put_in_place(end, ReturnOp(end.iter_args))
    types = [value.type for value in op.iter_inits]
    update = Region(Block([YieldOp()], arg_types=types))
    for region in (update, stages):
        for argument, named in zip(region.block.args, condition.block.args, strict=True):
            argument.name_hint = argument.name_hint or named.name_hint
    trips = None if op.trip_count is None else int(op.trip_count.value.data)
    ii = int(op.ii.value.data)
    for region in (condition, stages):
        op.detach_region(region)
    new = PipelineOp(ii, [], op.iter_inits, condition, update, stages, trip_count=trips)
    new.location = op.location
    block = op.parent
    assert block is not None
    block.insert_op_before(new, op)
    for old, number in zip(op.results, numbers, strict=True):
        new.results[number].name_hint = old.name_hint
        old.replace_all_uses_with(new.results[number])
    block.erase_op(op)
    for _, inner in new.scheduled:
        if LATENCY not in inner.attributes:
            set_latency(inner, table_latency(inner))
    hoist_late_values(new)
    return new


def check_parts(op: LoopPipelineOp) -> LoopTerminatorOp:
    """The terminator of the stages; the regions are as CIRCT has them."""
    accepted = "loopschedule.pipeline as CIRCT prints it"
    types = [value.type for value in op.iter_inits]
    for region, ending in ((op.condition, LoopRegisterOp), (op.stages, LoopTerminatorOp)):
        whole = len(region.blocks) == 1 and list(region.block.arg_types) == types
        if not whole or not isinstance(region.block.last_op, ending):
            raise refused(op, f"a region that is no block which ends in {ending.name}", accepted)
    for inner in op.stages.block.ops:
        if not isinstance(inner, LoopStageOp | LoopTerminatorOp):
            raise refused(inner, f"{inner.name} between stages", accepted)
        if isinstance(inner, LoopStageOp):
            whole = len(inner.body.blocks) == 1 and not inner.body.block.args
            if not whole or not isinstance(inner.body.block.last_op, LoopRegisterOp):
                raise refused(inner, "a stage that does not end in its registers", accepted)
    end = op.stages.block.last_op
    assert isinstance(end, LoopTerminatorOp)
    if list(end.results_.types) != list(op.result_types):
        raise refused(end, "results of other types than the pipeline's", accepted)
    return end


def number_of(end: LoopTerminatorOp, value: SSAValue) -> int:
    """The iter_arg whose next value a result is."""
    carried = list(end.iter_args)
    if value not in carried:
        what = f"the result '{name_of(value)}', which is the next value of no iter_arg"
        raise refused(end, what, "results that are iter_args too")
    return carried.index(value)


def read_stage(op: LoopStageOp) -> None:
    """The stage in place of one of loopschedule."""
    last = op.body.block.last_op
    assert isinstance(last, LoopRegisterOp)
    put_in_place(last, RegisterOp(last.values))
    body = op.detach_region(op.body)
    put_in_place(op, StageOp(int(op.start.value.data), body, op.result_types, op.when))


def put_in_place(op: Operation, new: Operation) -> None:
    """The new operation stands where the old one stood, and its results where those were."""
    new.location = op.location
    block = op.parent
    assert block is not None
    block.insert_op_before(new, op)
    for old, result in zip(op.results, new.results, strict=True):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    block.erase_op(op)


def table_latency(op: Operation) -> int:
    """The latency of an operation that says none: that of its unit [cycles]."""
    if isinstance(op, memref.LoadOp):
        inside = any(
            use.operation.parent is op.parent and not isinstance(use.operation, RegisterOp)
            for use in op.res.uses
        )
        return 0 if inside else 1
    row = find(op.name)
    if isinstance(op, Access) or row is None or not is_pure(op):
        return 0
    return row.hardware.latency_of(shape_of(op, row, DEFAULT_INDEX_WIDTH))


def hoist_late_values(op: PipelineOp) -> None:
    """Next values that come too late are computed where their operands are there.

    CIRCT registers the next value of an iter_arg in any stage, also later than II allows; that of
    a combinational chain is the same in an earlier one.
    """
    end = op.return_op
    for number, value in enumerate(end.iter_args):
        user, cycle = earliest_user(op, number), available_at(value)
        if user is None or cycle is None or cycle <= start_of(user) + op.ii:
            continue
        chain = combinational_chain(value)
        if chain is None:
            continue
        ready = max((available_at(v) or 0 for each in chain for v in each.operands), default=0)
        early = (each for each in op.stage_ops if each.start >= ready and each.when is None)
        target = next(early, None)
        if target is not None and target.start + 1 < cycle:
            end.operands[number] = add_result(target, chain, value)


def combinational_chain(value: SSAValue) -> list[Operation] | None:
    """The operations of its stage that make a stage's result; None if one takes cycles."""
    assert isinstance(value, OpResult) and isinstance(value.op, StageOp)
    stage = value.op
    needed: set[SSAValue] = {stage.register.values[value.index]}
    chain: list[Operation] = []
    for op in reversed(stage.ops):
        if needed & set(op.results):
            if not is_combinational(op):
                return None
            chain.insert(0, op)
            needed |= set(op.operands)
    return chain


def add_result(stage: StageOp, chain: list[Operation], value: OpResult | SSAValue) -> SSAValue:
    """The stage computes the chain too; its new result is what `value` was."""
    assert isinstance(value, OpResult) and isinstance(value.op, StageOp)
    mapper: dict[SSAValue, SSAValue] = {}
    register = stage.register
    for op in chain:
        copy = op.clone(mapper)
        copy.location = op.location
        stage.body.block.insert_op_before(copy, register)
    source = value.op.register.values[value.index]
    added = RegisterOp([*register.values, mapper.get(source, source)])
    put_in_place(register, added)
    new = StageOp(
        stage.start,
        stage.detach_region(stage.body),
        [*stage.result_types, value.type],
        stage.when,
    )
    new.location = stage.location
    block = stage.parent
    assert block is not None
    block.insert_op_before(new, stage)
    for old, result in zip(stage.results, new.results, strict=False):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    block.erase_op(stage)
    return new.results[-1]


def write_loopschedules(module: Operation) -> None:
    """Every `staticlogic.pipeline` of the module is a `loopschedule.pipeline`.

    Clock, ports, units and dependences, which the schedule keeps, are left out.
    Refused (STATIC_LOOPSCHEDULE): what loopschedule cannot say.
    """
    for op in list(module.walk()):
        if isinstance(op, PipelineOp):
            write_pipeline(op)


def write_pipeline(op: PipelineOp) -> None:
    """The pipeline of loopschedule in place of one that it can say."""
    if op.iv_inits:
        what = f"the iv '{name_of(op.condition.block.args[0])}'"
        raise refused(op, what, "iter_args alone, in loopschedule")
    if op.is_while:
        raise refused(op.return_op, "a test that stages compute", "a condition, in loopschedule")
    if op.forwarded:
        what, accepted = "values that the condition forwards", "iter_args as results"
        raise refused(op.condition_yield, what, accepted)
    for _, inner in op.scheduled:
        if latency_of(inner) != table_latency(inner):
            what = f"a latency of {latency_of(inner)} cycles of {inner.name}"
            accepted = f"{table_latency(inner)}, which a reader of loopschedule fills in"
            raise refused(inner, what, accepted)
    for stage in op.stage_ops:
        for inner in stage.ops:
            set_latency(inner, 0)
        last = stage.register
        put_in_place(last, LoopRegisterOp(last.values))
        body = stage.detach_region(stage.body)
        put_in_place(stage, LoopStageOp(stage.start, body, stage.result_types, stage.when))
    end, test = op.return_op, op.condition_yield
    put_in_place(end, LoopTerminatorOp(end.iter_args, end.iter_args))
    put_in_place(test, LoopRegisterOp(test.values))
    condition, stages = op.condition, op.stages
    for region in (condition, stages):
        op.detach_region(region)
    new = LoopPipelineOp(op.ii, op.trip_count, op.iter_inits, condition, stages, op.result_types)
    put_in_place(op, new)
