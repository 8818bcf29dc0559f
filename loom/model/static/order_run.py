"""A pipeline runs iteration by iteration: what it means, whatever its schedule is."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.ir import Region, SSAValue

from loom.dialects.facts.places import place_of
from loom.dialects.ops.staticlogic import PipelineOp, StageOp, available_at
from loom.errors import LoomError
from loom.model.static.evaluate import address_of, evaluate
from loom.model.static.pipeline_run import Finished, Memories, PipelineRun, Values

MOST_ITERATIONS = 1_000_000
"""Iterations after which a loop is taken for endless."""


def run_in_order(op: PipelineOp, outside: Values, memories: Memories, index_width: int) -> Finished:
    """The results of the loop if each iteration ends before the next begins.

    Stages run in their order. An iteration of a while loop whose test fails changes nothing.
    Refused (REF_BUDGET): loops of more iterations than MOST_ITERATIONS.
    """
    values: dict[SSAValue, int] = dict(outside)
    state = [values[value] for value in (*op.iv_inits, *op.iter_inits)]
    iterations = 0
    while iterations <= MOST_ITERATIONS:
        for region in (op.condition, op.update, op.stages):
            values.update(zip(region.block.args, state, strict=True))
        if not op.is_while:
            compute(op.condition, values, index_width)
            test, *forwarded = (values[value] for value in op.condition_yield.values)
            if not test:
                return Finished(tuple(forwarded) or tuple(state), iterations, 0)
        if not run_stages(op, values, memories, index_width):
            return Finished(tuple(state), iterations, 0)
        compute(op.update, values, index_width)
        following = (*op.update_yield.values, *op.return_op.iter_args)
        state = [values[value] for value in following]
        iterations += 1
    what = f"a loop of more than {MOST_ITERATIONS} iterations"
    raise LoomError("REF_BUDGET", place_of(op), what, "loops that end before")


def run_stages(op: PipelineOp, values: Values, memories: Memories, index_width: int) -> bool:
    """One iteration; false where the test of a while loop ends it."""
    test = op.return_op.cond
    known = None if test is None else available_at(test)
    late = [stage for stage in op.stage_ops if known is not None and stage.start >= known]
    waiting: list[Store] = []
    for stage in op.stage_ops:
        if stage not in late:
            waiting += run_stage(stage, values, memories, index_width)
            if test is None:
                keep(waiting)
    if test is not None and not values[test]:
        return False
    keep(waiting)
    for stage in late:
        keep(run_stage(stage, values, memories, index_width))
    return True


Store = tuple[list[int], int, int]
"""A memory, an address in it and a value."""


def keep(stores: list[Store]) -> None:
    """The stores are in their memories."""
    for memory, address, value in stores:
        memory[address] = value
    stores.clear()


def run_stage(stage: StageOp, values: Values, memories: Memories, index_width: int) -> list[Store]:
    """The operations of a stage, none of them while its `when` is false; returns its stores.

    Loads of the stage do not see them.
    """
    stores: list[Store] = []
    if stage.when is not None and not values[stage.when]:
        for result in stage.res:
            values.setdefault(result, 0)
        return stores
    for op in stage.ops:
        tokens = [values[value] for value in PipelineRun.scalars(op)]
        if isinstance(op, memref.LoadOp):
            address = address_of(op, tokens)
            values[op.res] = memories[op.memref][address] if address >= 0 else 0
        elif isinstance(op, memref.StoreOp):
            address = address_of(op, tokens[1:])
            if address >= 0:
                stores.append((memories[op.memref], address, tokens[0]))
        else:
            values.update(zip(op.results, evaluate(op, tokens, index_width), strict=True))
    for result, source in zip(stage.res, stage.register.values, strict=True):
        values[result] = values[source]
    return stores


def compute(region: Region, values: Values, index_width: int) -> None:
    """The values of a combinational region are there."""
    for op in region.block.ops:
        if op.results:
            tokens = [values[value] for value in op.operands]
            values.update(zip(op.results, evaluate(op, tokens, index_width), strict=True))
