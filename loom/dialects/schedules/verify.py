"""Every rule of static schedules but the clock period's, which needs delays."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from loom.dialects.ops.staticlogic import PipelineOp, SeqOp
from loom.dialects.schedules.cycles import cycle_problems
from loom.dialects.schedules.resources import resource_problems
from loom.dialects.schedules.sequences import sequence_problems
from loom.dialects.schedules.structure import structure_problems
from loom.dialects.schedules.trip_counts import trip_count_problems
from loom.errors import LoomError


def schedule_problems(op: Operation) -> Iterator[LoomError]:
    """The rules that a pipeline or a seq breaks; nothing for other operations.

    Of a pipeline whose parts are wrong the cycles are not looked at. The operation keeps xDSL's
    own rules (`verify_`), and its values are defined before they are used.
    """
    if isinstance(op, SeqOp):
        yield from sequence_problems(op)
    if not isinstance(op, PipelineOp):
        return
    wrong = list(structure_problems(op))
    yield from wrong
    if not wrong:
        yield from trip_count_problems(op)
        yield from cycle_problems(op)
        yield from resource_problems(op)


def problems_of_schedules(module: Operation) -> Iterator[LoomError]:
    """The rules that the static schedules of a module break, in the order of the text."""
    for op in module.walk():
        yield from schedule_problems(op)
