"""Static schedules as they are given: every rule is checked, that of the clock period too."""

from __future__ import annotations

from dataclasses import dataclass

from loom.analysis.timing.static_chains import chain_problems
from loom.analysis.timing.targets import find_target
from loom.dialects.ops.staticlogic import PipelineOp, SeqOp, StageOp, StaticLogic
from loom.dialects.ops.staticlogic.loopschedule import LoopSchedule
from loom.errors import LoomError
from loom.front.request import Request
from loom.frontend.mlir.read import parse_module


@dataclass(frozen=True)
class CheckedSchedules:
    """Functions with static schedules that keep all rules but those `found` against the clock."""

    pipelines: int
    found: tuple[LoomError, ...]
    notes: tuple[str, ...] = ()

    def problems(self, file: str) -> list[LoomError]:
        """The chains that do not fit the clock period of their schedule."""
        return list(self.found)

    def __str__(self) -> str:
        count = f"{self.pipelines} pipeline{'' if self.pipelines == 1 else 's'}"
        return f"static schedules: {count}, no problem"


def check_schedules(request: Request) -> CheckedSchedules | None:
    """The verdict on the static schedules of a text; None for a text without any.

    Chains are checked against the `clock` of each pipeline, by the delays of the target.
    """
    if request.source_language != "mlir" or request.is_netlist:
        return None
    if not any(dialect.name in request.text for dialect in (StaticLogic, LoopSchedule)):
        return None
    module = parse_module(request.text, request.file)
    schedules = [op for op in module.walk() if isinstance(op, PipelineOp | SeqOp | StageOp)]
    if not schedules:
        return None
    target = find_target(request.options.target)
    pipelines = [op for op in schedules if isinstance(op, PipelineOp)]
    found = [
        problem
        for op in pipelines
        for problem in chain_problems(op, target, request.options.index_width)
    ]
    return CheckedSchedules(len(pipelines), tuple(found))
