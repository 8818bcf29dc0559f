"""Insert the buffers that `analysis.schedule` plans, for a clock period too."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp

from loom.analysis.schedule.buffers import delay_early
from loom.analysis.schedule.choose_buffer_forms import choose_buffer_forms
from loom.analysis.schedule.event_graph import Edge, EventGraph
from loom.analysis.schedule.move_waits import move_waits
from loom.analysis.schedule.optimal_buffers import minimize_storage, plan_optimal_buffers
from loom.analysis.schedule.plan_buffers import plan_buffers
from loom.analysis.timing.clocked_units import Buffer, Clock, array_of, measured_delays
from loom.analysis.timing.pipeline_long_paths import PeriodNotMet
from loom.analysis.timing.targets import find_target
from loom.analysis.timing.unit_costs import Array, overhead
from loom.dialects.facts.instances import shape_of
from loom.dialects.facts.places import place_of
from loom.dialects.facts.program_facts import CLOCK_PERIOD, PERIOD_NOTE
from loom.dialects.operators.catalogue import find
from loom.dialects.operators.operator import AttributeValue, Operator, Shape
from loom.dialects.ops.handshake_buffer import BufferOp
from loom.dialects.ops.handshake_function import FuncOp
from loom.errors import LoomError
from loom.lower.options import Options


def place_buffers(module: ModuleOp, options: Options) -> None:
    """Insert the buffers of every handshake function, those of the clock's period too.

    A default period that no register brings about gives way to the shortest one that is reached,
    with a note (`PERIOD_NOTE`); the period itself is a fact too (`CLOCK_PERIOD`). Refused:
    LOWER_CLOCK_PERIOD for a period that the user chose, and LOWER_NO_SOLVER with
    `--buffers=optimal` and no OR-tools.
    """
    for function in module.ops:
        if isinstance(function, FuncOp):
            period = period_of(options)
            try:
                found = plan_for(function, options, period)
            except PeriodNotMet as reason:
                period, found = plan_for_least(function, options, reason)
                if options.clock_period != "default":
                    raise refuse_period(function, options, reason, period) from None
                PERIOD_NOTE.put(module, format_period_note(function, options, reason, period))
            if period is not None:
                CLOCK_PERIOD.put(module, f"{period:g}")
            for edge, buffer in found.items():
                insert_buffer(edge, buffer)


def period_of(options: Options) -> float | None:
    """The clock period that the options choose [ns]; None: any."""
    if options.clock_period == "default":
        return find_target(options.target).period
    return options.clock_period


def plan_for(function: FuncOp, options: Options, period: float | None) -> Mapping[Edge, Buffer]:
    """The buffers of the function; raises `PeriodNotMet`, whose delays are those of the table."""
    target = find_target(options.target)
    measured = None if period is None else max(SHORTEST, target.placed_for(period))
    clock = None if measured is None else Clock(measured, measured_delays, overhead())
    plan = {"fast": plan_buffers, "optimal": plan_optimal_buffers}[options.buffers]
    body = function.body.block, options.index_width, options.cores
    found = plan(*body, clock)
    if options.buffers == "fast":
        return move_waits(EventGraph(*body), found, clock)
    schedules = [delay_early, minimize_storage]
    return choose_buffer_forms(EventGraph(*body), found, clock, schedules)


SHORTEST = 0.01
"""The shortest period that is tried [ns]."""


def plan_for_least(
    function: FuncOp, options: Options, reason: PeriodNotMet
) -> tuple[float, Mapping[Edge, Buffer]]:
    """The shortest period that is reached [ns], in hundredths, and its buffers."""
    target = find_target(options.target)
    while True:
        period = math.ceil(target.period_of(reason.accepted) * 100 - 1e-6) / 100
        try:
            return period, plan_for(function, options, period)
        except PeriodNotMet as again:
            assert again.accepted > reason.accepted, "each period that is tried is longer"
            reason = again


def refuse_period(
    function: FuncOp, options: Options, reason: PeriodNotMet, period: float
) -> LoomError:
    """LOWER_CLOCK_PERIOD: a path that no register can shorten, and a period that is accepted."""
    delay = find_target(options.target).delay(reason.path.delay)
    return LoomError(
        "LOWER_CLOCK_PERIOD",
        place_of(function),
        f"a path of {delay:.2f} ns through {format_units(reason.path.units)},"
        " which no register can shorten",
        f"--clock-period {period:.2f} or longer (Fmax {1000 / period:.0f} MHz)",
    )


def format_period_note(
    function: FuncOp, options: Options, reason: PeriodNotMet, period: float
) -> str:
    """Why the period is longer than the default, and what to choose."""
    target, units = find_target(options.target), reason.path.units
    delay = target.delay(reason.path.delay)
    choices = [*list_choices(function, units, options), f"--clock-period {period:.2f}"]
    return (
        f"the clock period is {period:.2f} ns (Fmax {1000 / period:.0f} MHz) instead of"
        f" {target.period:g} ns: no register can shorten a path of {delay:.2f} ns through"
        f" {format_units(units)}; choose {' or '.join(choices)}"
    )


def format_units(units: Sequence[str]) -> str:
    """The units of a path, each once."""
    return ", ".join(dict.fromkeys(units))


def list_choices(function: FuncOp, units: Collection[str], options: Options) -> list[str]:
    """Options with which a unit of the path has shorter paths of its own, as measured."""
    choices: dict[str, None] = {}
    for operation in function.body.block.ops:
        operator = find(operation.name) if operation.name in units else None
        if operator is None or operator.hardware.core:
            continue
        shape = shape_of(operation, operator, options.index_width)
        array = array_of(operation, options.index_width)
        for option, values in operator.hardware.options.items():
            delay = {
                value: longest_delay(operator, with_attribute(shape, option, value), array)
                for value in (shape.attributes.get(option, values[0]), *values)
            }
            now, *others = delay
            best = min(others, key=lambda value: delay[value], default=now)
            if delay[best] < delay[now] and option in OPTIONS:
                choices[OPTIONS[option].format(operator.name, best)] = None
    return list(choices)


OPTIONS = {"latency": "--latency {0}={1}", "form": "--divider {1}"}
"""The options of the command line, by the choice that an operator leaves open."""


def with_attribute(shape: Shape, name: str, value: AttributeValue) -> Shape:
    """The shape of an instance with another attribute."""
    return replace(shape, attributes={**shape.attributes, name: value})


def longest_delay(operator: Operator, shape: Shape, array: Array | None) -> float:
    """The longest path inside an instance [ns]."""
    return max(measured_delays(operator, shape, array).values(), default=0.0)


def insert_buffer(edge: Edge, buffer: Buffer) -> None:
    """Put the buffer on the edge."""
    operation = edge.operation
    value = operation.operands[edge.index]
    new = BufferOp(value, buffer.slots, buffer.kind)
    new.location = operation.location
    new.out.name_hint = value.name_hint
    block = operation.parent
    assert block is not None
    block.insert_op_before(new, operation)
    operation.operands[edge.index] = new.out
