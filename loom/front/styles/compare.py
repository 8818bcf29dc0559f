"""In what a static schedule costs more than the dynamic circuit of the same program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects import scf

from loom.dialects.facts.places import place_of
from loom.dialects.ops.staticlogic import PipelineOp
from loom.front.circuit import Circuit
from loom.front.static_circuit import StaticCircuit
from loom.front.styles.runs import (
    at_its_clock,
    budget_of,
    dynamic_cycles,
    dynamic_stores,
    prediction_of,
    static_cycles,
    static_stores,
)
from loom.front.styles.styled import Choice, Prediction
from loom.lower.scalar.arith_builder import constant_of
from loom.model.bundles.activation import Activation

FEW, FEW_FOR_CHANGES = 32, 100
"""Drawn inputs that end before so many cycles say little of other data: of both styles, and of
changes to a dynamic circuit [cycles]."""
MORE_CYCLES, MORE_AT_ENDS = 1.05, 2
"""A static schedule may take so many times the cycles of the dynamic circuit, and two cycles more
an activation for its start and end, but no more time. More cycles it may take where only it meets
the clock period: as many as take no more time at that clock, by `MORE_TIME`."""
HALF, MORE_WITH_HALF = 0.5, 1.15
"""With so many times the LUTs it may take so many times the cycles, but no more time."""
MORE_TIME = 1.03
"""By so much more its time is not longer yet: estimates of periods are off by more."""


def compare(
    dynamic: Circuit,
    static: StaticCircuit,
    given: Sequence[Activation],
    requested: float | None = None,
) -> Choice:
    """The choice by cycles, time and LUTs; beyond the budget by the begin of the run.

    `requested` is the clock period of the options [ns]. Distances are left out of the period of a
    static schedule, as they are of that of a dynamic circuit. One that is larger than those that
    its estimate was fitted to takes at least the period that its buffers are placed for.
    """
    cells = dynamic.cost.target.cells[0]
    budget = budget_of(dynamic)
    ours = Prediction(
        static_cycles(static, given, budget),
        round(static.estimate.period - static.estimate.longer, 2),
        round(static.estimate.area.luts),
        budget,
    )
    taken = None if ours.cycles is None else dynamic_cycles(dynamic, given, budget)
    theirs = prediction_of(dynamic, taken, budget)
    if dynamic.cost.area.luts > dynamic.cost.target.circuits.sizes[1]:
        theirs = at_its_clock(dynamic, taken, budget)
    worse: str | None
    clock = (
        requested
        if (static.clock_period, dynamic.netlist.clock_period) == (requested,) * 2
        else None
    )
    if ours.cycles is None:
        more = more_cycles(ours, theirs, requested)
        worse = compare_begins(dynamic, static, given[0], ours, theirs, more, clock)
    elif theirs.cycles is None:
        worse = None
    else:
        more = more_cycles(ours, theirs, requested)
        worse = compare_times(ours, theirs, len(given), more, clock)
    if worse is None and ours.luts > theirs.luts:
        worse = slower(f"{ours.luts} {cells}", f"{theirs.luts}")
    if worse is not None:
        return Choice("dynamic", worse, ours, theirs)
    return Choice("static", both(ours, theirs, dynamic), ours, theirs)


def both(ours: Prediction, theirs: Prediction, dynamic: Circuit) -> str:
    """The figures of both circuits, with the name of the target's LUTs."""
    cells = dynamic.cost.target.cells[0]
    return f"{ours.describe(cells)}; dynamic: {theirs.describe(cells)}"


def more_cycles(ours: Prediction, theirs: Prediction, requested: float | None) -> float:
    """How many times the cycles of the dynamic circuit a static schedule may take."""
    if not requested:
        return MORE_CYCLES
    ratio = max(theirs.period, requested) / max(ours.period, requested)
    return max(MORE_CYCLES, MORE_TIME * ratio)


def compare_times(
    ours: Prediction,
    theirs: Prediction,
    activations: int,
    more: float = MORE_CYCLES,
    clock: float | None = None,
) -> str | None:
    """In what a static schedule is slower; None: in nothing.

    `clock` is the period that both are for [ns]; None: they are for different ones.
    """
    assert ours.cycles is not None and theirs.cycles is not None
    is_shorter = ours.cycles * ours.period <= theirs.cycles * theirs.period
    if is_shorter and ours.luts <= HALF * theirs.luts:
        more = max(more, MORE_WITH_HALF)
    if ours.cycles > more * theirs.cycles + MORE_AT_ENDS * activations:
        return slower(f"{ours.cycles} cycles", f"{theirs.cycles}")
    return longer_time(ours, ours.cycles, theirs, theirs.cycles, clock)


def slower(ours: str, theirs: str) -> str:
    """The sentence that a static schedule takes more."""
    return f"a static schedule takes {ours} where the dynamic circuit takes {theirs}"


def compare_begins(
    dynamic: Circuit,
    static: StaticCircuit,
    first: Activation,
    ours: Prediction,
    theirs: Prediction,
    more: float,
    clock: float | None = None,
) -> str | None:
    """Why a static schedule may be slower in a long run of which only the begin is compared.

    No pipeline has a longer II than the loops that it runs. If there are other loops, what has been
    stored within the budget is stored by a static schedule in no more cycles and time.
    """
    worse = longer_ii(dynamic, static)
    if worse is not None or has_one_loop(static):
        return worse
    budget = theirs.budget
    stores = dynamic_stores(dynamic, first, budget)
    if not stores:
        found = f"more than {budget} cycles to compare, and several loops without a store in these"
        return f"{found}; --inputs gives a shorter run"
    most = round(more * budget)
    cycles = static_stores(static, first, most, stores)
    if cycles is None:
        return slower(f"more than {most} cycles to {stores} stores", f"{budget}")
    worse = longer_time(ours, cycles, theirs, budget, clock)
    return None if worse is None else worse.replace(" us ", f" us to {stores} stores ", 1)


def longer_time(
    ours: Prediction, cycles: int, theirs: Prediction, others: int, clock: float | None
) -> str | None:
    """That so many cycles take more time than the others; None: they do not.

    They do not where they take as little at the `clock` that both circuits are for, or at the
    shortest periods of both.
    """
    for least in {0.0, clock or 0.0}:
        spent, theirs_spent = cycles * max(ours.period, least), others * max(theirs.period, least)
        if spent <= MORE_TIME * theirs_spent:
            return None
    return slower(f"{cycles * ours.period / 1000:.4g} us", f"{others * theirs.period / 1000:.4g}")


def judge_drawn(dynamic: Circuit, static: StaticCircuit, choice: Choice) -> Choice:
    """The choice where inputs are drawn: if they end soon, by the loops instead of the cycles."""
    ours, theirs = choice.static, choice.dynamic
    if ours is None or theirs is None or ours.cycles is None or ours.cycles >= FEW:
        return choice
    worse = compare_drawn(dynamic, static, ours.cycles)
    is_short = ours.period <= theirs.period and ours.luts <= theirs.luts
    if choice.style == "static":
        return choice if worse is None else replace(choice, style="dynamic", reason=worse)
    if worse is None and is_short and is_decided_by_data(dynamic, static):
        soon = f"drawn inputs end after {ours.cycles} cycles, and the II is no longer"
        return replace(choice, style="static", reason=f"{soon}; {both(ours, theirs, dynamic)}")
    return choice


def is_decided_by_data(dynamic: Circuit, static: StaticCircuit) -> bool:
    """Whether a schedule is one loop that data end, and both its IIs are known."""
    is_known = all(dynamic_ii(dynamic, each) is not None for each in static.pipelines)
    return is_known and has_one_loop(static) and not has_constant_trips(static)


def compare_drawn(dynamic: Circuit, static: StaticCircuit, cycles: int) -> str | None:
    """Why a static schedule may be slower on data other than drawn ones, which ended so soon."""
    if has_constant_trips(static):
        return None
    worse = longer_ii(dynamic, static)
    if worse is not None or has_one_loop(static):
        return worse
    return f"drawn inputs end after {cycles} cycles, few for several loops; --inputs gives others"


def longer_ii(dynamic: Circuit, static: StaticCircuit) -> str | None:
    """The first pipeline with a longer II than the loops that it runs."""
    for pipeline in static.pipelines:
        known = dynamic_ii(dynamic, pipeline)
        if known is not None and pipeline.ii > known:
            found = f"{place_of(pipeline)}: II = {pipeline.ii} in a static schedule"
            return f"{found}, {known} in the dynamic circuit"
    return None


def dynamic_ii(dynamic: Circuit, pipeline: PipelineOp) -> float | None:
    """The longest II of the innermost loops that a pipeline runs, in the dynamic circuit."""
    place = place_of(pipeline)
    inner = [loop.ii for loop in dynamic.loops if place in (loop.place, *loop.around)
             and loop.innermost]  # fmt: skip
    return max(inner, default=None)


def has_one_loop(static: StaticCircuit) -> bool:
    """Whether a static schedule has one pipeline, and no loop around it or beside it."""
    others = [op for op in static.module.walk() if isinstance(op, scf.ForOp | scf.WhileOp)]
    return len(list(static.pipelines)) == 1 and not others


def has_constant_trips(static: StaticCircuit) -> bool:
    """Whether every loop counts between constants, so that no data decide how long it runs."""
    for op in static.module.walk():
        if isinstance(op, scf.WhileOp):
            return False
        if isinstance(op, scf.ForOp) and None in map(constant_of, (op.lb, op.ub)):
            return False
        if isinstance(op, PipelineOp) and not counts_to_constant(op):
            return False
    return True


def counts_to_constant(pipeline: PipelineOp) -> bool:
    """Whether a pipelined loop counts between constants."""
    blocks = pipeline.condition.block, pipeline.update.block
    count = len(pipeline.iv_inits)
    counters = {value for block in blocks for value in block.args[:count]}
    read = [
        value
        for block in blocks
        for op in block.ops
        for value in op.operands
        if value.owner not in block.ops
    ]
    return None not in map(constant_of, pipeline.iv_inits) and all(
        value in counters or constant_of(value) is not None for value in read
    )
