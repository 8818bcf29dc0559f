"""The steps of a `staticlogic.seq` (rule 18)."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import scf
from xdsl.ir import Block, Operation

from loom.dialects.ops.staticlogic import (
    SEQUENTIAL,
    Access,
    PipelineOp,
    SeqOp,
    StageOp,
    YieldOp,
)
from loom.dialects.schedules.findings import broken, is_pure, quoted
from loom.errors import LoomError

STEPS = (
    "operators, loads, stores, scf.for {sequential}, and pipelines, stages and sequences of "
    "staticlogic"
)


def sequence_problems(op: SeqOp) -> Iterator[LoomError]:
    """Steps that are none, and results that nobody uses."""
    if len(op.body.blocks) != 1 or op.body.block.args:
        what = "a seq must be one block without arguments"
        yield broken(op, "STATIC_REGION", what, "the region as it is printed")
        return
    last = op.body.block.last_op
    if not isinstance(last, YieldOp) or list(last.operand_types) != list(op.result_types):
        found = quoted(last.operand_types) if isinstance(last, YieldOp) else "()"
        what = f"a seq has results {quoted(op.result_types)} but yields {found}"
        yield broken(last or op, "STATIC_SEQ", what, "a value for each result, of its type")
        return
    yield from step_problems(op.body.block)


def step_problems(block: Block) -> Iterator[LoomError]:
    """The steps of a seq, and of the sequential loops in it."""
    for step in block.ops:
        if isinstance(step, YieldOp | scf.YieldOp):
            continue
        if isinstance(step, scf.ForOp) and SEQUENTIAL in step.attributes:
            yield from step_problems(step.body.block)
        elif not (isinstance(step, PipelineOp | SeqOp | StageOp | Access) or is_pure(step)):
            marked = " without 'sequential'" if isinstance(step, scf.ForOp) else ""
            what = f"a seq may hold only steps, found '{step.name}'{marked}"
            yield broken(step, "STATIC_SEQ", what, STEPS)
            continue
        idle = step.results and not any(result.uses.get_length() for result in step.results)
        if idle and not writes(step):
            what = "seq step must produce only values used by later steps"
            yield broken(step, "STATIC_SEQ", what, "steps of which a result is used, or stores")


def writes(step: Operation) -> bool:
    """True for a step that stores, or holds one that does."""
    return any(isinstance(inner, Access) and not inner.results for inner in step.walk())
