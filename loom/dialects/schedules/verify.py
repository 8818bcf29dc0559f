"""Every rule of static schedules but the clock period's, which needs delays."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from loom.dialects.ops.staticlogic import PipelineOp, SeqOp, StageOp
from loom.dialects.schedules.cycles import cycle_problems, use_problems
from loom.dialects.schedules.resources import resource_problems
from loom.dialects.schedules.sequences import sequence_problems
from loom.dialects.schedules.structure import start_problems, structure_problems
from loom.dialects.schedules.trip_counts import trip_count_problems
from loom.errors import LoomError


def schedule_problems(op: Operation) -> Iterator[LoomError]:
    """The rules that a pipeline, a seq or stages break; nothing for other operations.

    Of a pipeline whose parts are wrong the cycles are not looked at. The operation keeps xDSL's
    own rules (`verify_`), and its values are defined before they are used.
    """
    if isinstance(op, SeqOp):
        yield from sequence_problems(op)
    if isinstance(op, StageOp):
        yield from straight_line_problems(op)
    if not isinstance(op, PipelineOp):
        return
    wrong = list(structure_problems(op))
    yield from wrong
    if not wrong:
        yield from trip_count_problems(op)
        yield from cycle_problems(op)
        yield from resource_problems(op)


def straight_line_problems(op: StageOp) -> Iterator[LoomError]:
    """The rules that the stages of straight-line code break, said of the first of them."""
    if isinstance(op.parent_op(), PipelineOp) or isinstance(op.prev_op, StageOp):
        return
    stages = [op]
    while isinstance(stages[-1].next_op, StageOp):
        stages.append(stages[-1].next_op)
    wrong = list(start_problems(stages))
    yield from wrong
    if not wrong:
        for stage in stages:
            yield from use_problems(stage, stages)


def problems_of_schedules(module: Operation) -> Iterator[LoomError]:
    """The rules that the static schedules of a module break, in the order of the text."""
    for op in module.walk():
        yield from schedule_problems(op)
