"""A function in normal form becomes a static schedule: pipelines, stages between them, loops.

Steps of a block run one after the other. A step is a pipeline, a loop or branch with loops in it,
or a run of stages, which counts its start times anew. Loads and stores wait for nothing but their
schedule: memories answer in a fixed number of cycles.
"""

from __future__ import annotations

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, OpResult

from loom.analysis.modulo.exact import schedule_exactly
from loom.analysis.modulo.iterative import schedule_in_row, schedule_iteratively
from loom.analysis.modulo.limits import IILimit
from loom.analysis.program.memory_dependence import Dependences
from loom.analysis.program.nonzero_trip import has_nonzero_trip, is_at_most
from loom.analysis.program.requested_order import requested_order
from loom.analysis.program.trip_counts import constant_of
from loom.analysis.program.value_ranges import value_ranges
from loom.dialects.facts.loop_attributes import (
    ENTRY_BEGIN,
    ENTRY_END,
    II,
    MEMORY_ORDER,
    STYLE,
    is_unsigned,
)
from loom.dialects.ops.staticlogic import PipelineOp
from loom.lower.options import Options
from loom.lower.static.body_problem import Body, MemoryOrder
from loom.lower.static.build_pipeline import (
    Builder,
    Schedule,
    build_for,
    build_while,
    can_pipeline_while,
    hoist_constants,
    holds_loop,
)
from loom.lower.static.build_stages import build_stages
from loom.lower.static.known_addresses import KnownAddresses
from loom.lower.static.nests.build_nest import build_nest
from loom.lower.static.nests.choose_nest import choose_nest
from loom.lower.static.predicate_ifs import Predicates, predicate_ifs
from loom.lower.static.share_units import find_sharing
from loom.lower.static.trial import FIRST, Trial
from loom.lower.static.units import CASTS, Units

IILimits = dict[PipelineOp, IILimit]
"""What bounds the II of each pipeline."""
LOOPS = (scf.ForOp, scf.WhileOp)
PLAIN = (*CASTS, memref.GetGlobalOp, memref.AllocOp)
"""Operations that are wires or memories: they have no start time."""
SCHEDULERS = {"iterative": schedule_iteratively, "exact": schedule_exactly}
"""The schedulers of loops, by `Options.schedule`."""


def lower_static(
    module: ModuleOp,
    options: Options,
    schedule: Schedule | None = None,
    known: KnownAddresses | None = None,
    trial: Trial = FIRST,
) -> IILimits:
    """Every function of the module in normal form is a static schedule afterwards.

    `schedule` is the scheduler of loops, by default that of the options; `known` is what is known
    of addresses, `trial` what is tried. Given is what bounds the II of each pipeline.

    Refused: an operation that no stage can hold (STATIC_OPERATION), and `--schedule exact` without
    its solver (LOWER_NO_SOLVER).
    """
    limits: IILimits = {}
    for function in module.ops:
        if isinstance(function, func.FuncOp) and not function.is_declaration:
            for operation in function.walk():
                if isinstance(operation, LOOPS):
                    STYLE.drop(operation)  # all of it is static now
                    II.drop(operation)
            addresses = known or KnownAddresses()
            accesses = addresses.accesses_of(function, options.index_width)
            for operation in function.walk():
                if isinstance(operation, memref.LoadOp | memref.StoreOp):
                    MEMORY_ORDER.drop(operation)
            requested = requested_order(function, options.memory_order)
            dependences = Dependences(accesses, requested, counts_whiles=True)
            order = MemoryOrder(accesses, dependences, function)
            units = Units(options, trial.distances)
            sharing = find_sharing(function, units, trial.product_cycles)
            chosen = schedule or SCHEDULERS[options.schedule]
            running, forward = loops_that_run(function, options)
            builder = Builder(order, units, chosen, sharing, running=running, forward=forward)
            lower_block(function.body.block, builder)
            drop_constants(function)
            for operation in function.walk():
                if isinstance(operation, memref.LoadOp | memref.StoreOp):
                    ENTRY_BEGIN.drop(operation)
                    ENTRY_END.drop(operation)
            for stage, limit in builder.limits:
                loop = stage.parent_op()
                assert isinstance(loop, PipelineOp)
                limits[loop] = limit
    return limits


def drop_constants(function: func.FuncOp) -> None:
    """Constants that nothing reads are gone."""
    for operation in list(function.walk()):
        if isinstance(operation, arith.ConstantOp) and not operation.result.uses:
            operation.detach()
            operation.erase()


def loops_that_run(
    function: func.FuncOp, options: Options
) -> tuple[frozenset[Operation], frozenset[Operation]]:
    """The inner loops whose bounds are no constants, but that run at least once when reached.

    Then those whose bound is no less than their first counter.
    """
    inner = [
        loop
        for loop in function.walk()
        if isinstance(loop, scf.ForOp)
        and isinstance(loop.parent_op(), scf.ForOp)
        and None in map(constant_of, (loop.lb, loop.ub))
    ]
    ranges = value_ranges(function, options.index_width) if inner else {}
    running = frozenset(loop for loop in inner if has_nonzero_trip(loop, ranges))
    forward = frozenset(
        loop for loop in inner if is_at_most(loop.lb, loop.ub, is_unsigned(loop), ranges)
    )
    return running, forward


def lower_block(block: Block, builder: Builder) -> None:
    """Loops become pipelines or sequential loops, and what stands between them stages."""
    for operation in list(block.ops):
        if isinstance(operation, scf.IfOp) and holds_loop(operation):
            for region in operation.regions:
                for inner in region.blocks:
                    lower_block(inner, builder)
        elif isinstance(operation, LOOPS):
            lower_loop(operation, builder)
    predicates = predicate_simple_ifs(block)
    run: list[Operation] = []
    for operation in list(block.ops):
        if operation.regions or operation is block.last_op:
            schedule_run(run, predicates, builder)
            run = []
        else:
            run.append(operation)
    schedule_run(run, predicates, builder)


def predicate_simple_ifs(block: Block) -> Predicates:
    """Take apart the branches without loops."""
    return predicate_ifs(block, lambda branch: not has_steps(branch))


def has_steps(operation: Operation) -> bool:
    """Whether an operation holds a region that is a sequence of steps."""
    return any(each.regions and not isinstance(each, scf.IfOp) for each in operation.walk())


def lower_loop(loop: scf.ForOp | scf.WhileOp, builder: Builder) -> None:
    """An innermost loop, or a nest, becomes a pipeline; other loops keep their form."""
    nest = choose_nest(loop, builder) if isinstance(loop, scf.ForOp) else None
    if nest is not None:
        build_nest(nest, builder)
        return
    inside = [op for region in loop.regions for op in region.block.ops]
    if not any(map(holds_loop, inside)):
        if isinstance(loop, scf.ForOp):
            build_for(loop, builder)
            return
        if can_pipeline_while(loop):
            build_while(loop, builder)
            return
    for region in loop.regions:
        hoist_constants(region.block, loop)
        lower_block(region.block, builder)


def schedule_run(run: list[Operation], predicates: Predicates, builder: Builder) -> None:
    """The operations of a run become stages; casts of what is there before stay as they are."""
    inside: list[Operation] = []
    for operation in run:
        made_here = any(isinstance(v, OpResult) and v.op in inside for v in operation.operands)
        if not isinstance(operation, PLAIN) or made_here:
            inside.append(operation)
    if not inside:
        return
    builder.choose_latencies(inside)
    body = Body(inside, predicates, {}, trip_counts=None)
    _, found = builder.schedule_sharing(body, schedule_in_row)
    last = inside[-1]
    behind = last.next_op
    block = last.parent
    assert block is not None and behind is not None
    for operation in inside:
        operation.detach()
    for stage in build_stages(inside, found.start[1:], predicates):
        block.insert_op_before(stage, behind)
