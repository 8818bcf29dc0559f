"""The clock period of a static schedule where the user says none.

It is the target's, unless a recurrence makes the II of a pipelined loop longer that a longer period
makes shorter. Of some periods up to twice the target's that one is taken at which the function
takes the least time, as far as its trip counts are known. A longer period must save a thirtieth of
the time, as that of a dynamic circuit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from loom.analysis.modulo.limits import IILimit
from loom.analysis.timing.targets import find_target
from loom.dialects.facts.loop_attributes import ITERATIONS
from loom.dialects.facts.places import place_of
from loom.dialects.ops.staticlogic import PipelineOp, StageOp
from loom.lower.dataflow.choose_period import COARSE, FINE, SAVING, is_faster_note
from loom.lower.dataflow.choose_units import period_of
from loom.lower.dataflow.expected_cycles import OFTEN, SELDOM
from loom.lower.loops.interleaved_nests import InterleavedNests
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import constant_of
from loom.lower.static.flatten_whiles import FlattenedWhiles
from loom.netlist.fsmd.steps import steps_of


@dataclass(frozen=True)
class StaticSchedule:
    """A scheduled module, what bounds the II of its pipelines, its period [ns] and why it is so.

    `interleaved` are the loops whose iterations take turns, `flattened` those that are one with the
    `while` in them.
    """

    module: ModuleOp
    limits: Mapping[PipelineOp, IILimit]
    period: float | None
    interleaved: InterleavedNests
    flattened: FlattenedWhiles
    note: str = ""


Attempt = Callable[[float | None], StaticSchedule]
"""A schedule for a period [ns]; None: any."""


def choose_static_period(options: Options, attempt: Attempt) -> StaticSchedule:
    """The schedule with the least time; for the period of the options if they say one."""
    first = attempt(period_of(options))
    if options.clock_period != "default" or not can_gain(first):
        return first
    usual = find_target(options.target).period
    best, cycles = first, expected_cycles(first.module)

    def improve(steps: Iterable[float]) -> None:
        """Take each period that saves time."""
        nonlocal best, cycles
        for step in steps:
            other = attempt(round(step * usual, 2))
            assert best.period is not None and other.period is not None
            now = expected_cycles(other.module)
            if other.period * now <= best.period * cycles * (1 - SAVING):
                best, cycles = other, now

    improve(COARSE)
    if best is first:
        return first
    assert best.period is not None
    improve([best.period / usual - FINE])
    return replace(best, note=format_note(first, best))


def can_gain(schedule: StaticSchedule) -> bool:
    """Whether a recurrence of a pipelined loop takes more than a cycle."""
    return any(
        limit.kind == "recurrence" and loop.ii > 1 for loop, limit in schedule.limits.items()
    )


def format_note(first: StaticSchedule, best: StaticSchedule) -> str:
    """Which loop makes the longer period faster, and what to choose for the shorter one."""
    assert first.period is not None and best.period is not None
    before = {place_of(loop): loop.ii for loop in first.limits}
    loop = max(best.limits, key=lambda each: before.get(place_of(each), 0) - each.ii)
    place = place_of(loop)
    return is_faster_note(first.period, before.get(place, 0), best.period, str(place), loop.ii)


def expected_cycles(module: ModuleOp) -> int:
    """How long all functions take, with `OFTEN` and `SELDOM` for trip counts that are not known."""
    return sum(
        cycles_of(block, 0) for op in module.ops for region in op.regions for block in region.blocks
    )


def cycles_of(block: Block, depth: int) -> int:
    """How long the steps of a block take in so many loops, each behind those it waits for [cycles].

    Steps that wait for nothing of each other run side by side.
    """
    ends: list[int] = []
    for step in steps_of(block):
        begin = max((ends[number] for number in step.waits), default=0)
        ends.append(begin + step_cycles(step.operations[-1], depth))
    return max(ends, default=0)


def step_cycles(operation: Operation, depth: int) -> int:
    """How long a step takes whose last operation this is [cycles]."""
    often = SELDOM if depth else OFTEN
    match operation:
        case StageOp():
            return operation.start + 1
        case PipelineOp():
            counters = len(operation.iv_inits)
            count = operation.trip_count
            expected = ITERATIONS.of(operation) or (OFTEN**counters if counters else often)
            trips = expected if count is None else count
            return (trips - 1) * operation.ii + operation.depth + 1 if trips else 1
        case scf.ForOp():
            low, high, step = map(constant_of, (operation.lb, operation.ub, operation.step))
            known = low is not None and high is not None and step
            count = max(0, -(-((high or 0) - (low or 0)) // (step or 1))) if known else OFTEN
            return count * (1 + cycles_of(operation.body.block, depth + 1))
        case scf.WhileOp():
            blocks = operation.before_region.block, operation.after_region.block
            return often * (1 + sum(cycles_of(block, depth + 1) for block in blocks))
        case scf.IfOp():
            blocks = tuple(b for region in operation.regions for b in region.blocks)
            return max(cycles_of(block, depth) for block in blocks)
    raise AssertionError(f"no step: {operation.name}")
