"""What orders the accesses of a dynamic circuit, where that is left to `auto`: by time and area.

Comparators stand where a loop's II is shorter by them. With one address in each iteration they may
take more cycles than tokens, and queues may take fewer than both: the models say so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from loom.analysis.program.requested_order import requested_order
from loom.dialects.facts.arrays import ORDER, arrays_of
from loom.dialects.facts.loop_attributes import ACCESSES, MEMORY_ORDER
from loom.dialects.operators.ordering.comparators import COMPARATORS
from loom.errors import LoomError, LoomErrors
from loom.front.api import compile_module
from loom.front.circuit import Circuit
from loom.front.styles.compare import FEW_FOR_CHANGES
from loom.front.styles.runs import at_its_clock, budget_of, dynamic_cycles
from loom.front.styles.styled import Choice, Prediction, Styled
from loom.frontend.functions import top_function
from loom.lower.explain_order import arrays_with_queue
from loom.lower.options import Options
from loom.model.bundles.activation import Activation

LESS_TIME = 0.9
"""A circuit with load-store queues takes so many times the time of one without them, at most."""


MOST_ALONE = 6
"""Up to so many arrays each is tried alone."""


EVERY = "*"
"""In place of the names of all arrays."""


def is_open(dynamic: Circuit, options: Options) -> bool:
    """Whether the memory order is left to `auto`, and some array is loaded and stored.

    Not where an access says its own.
    """
    function = top_function(dynamic.source, dynamic.top)
    said = {MEMORY_ORDER.of(op) for op in dynamic.source.walk() if isinstance(op, ACCESSES)}
    is_auto = requested_order(function, options.memory_order) == "auto"
    return (is_auto and said <= {None, "auto"}) and any(
        shape.integer("loads") and shape.integer("stores")
        for unit in dynamic.netlist.units
        if unit.operator.hardware.memory_kind is not None
        for shape in [dynamic.netlist.shape_by_unit[unit.name]]
    )


def choose_order(
    dynamic: Circuit,
    choice: Choice,
    options: Options,
    given: Sequence[Activation],
    are_drawn: bool,
) -> Styled:
    """The dynamic circuit, one whose accesses are ordered by tokens, or one with queues."""
    if not is_open(dynamic, options):
        return Styled(dynamic, choice)
    found = choose_tokens(dynamic, choice, options, given, are_drawn)
    return choose_queues(found.dynamic, found.choice or choice, options, given)


def choose_tokens(
    dynamic: Circuit,
    choice: Choice,
    options: Options,
    given: Sequence[Activation],
    are_drawn: bool,
) -> Styled:
    """The circuit, or the one without its comparators if that takes less time, or as much and
    fewer LUTs. Drawn inputs that end soon say nothing of it."""
    otherwise = Styled(dynamic, choice)
    if not any(unit.operator in COMPARATORS for unit in dynamic.netlist.units):
        return otherwise
    theirs = predict(dynamic, given, budget_of(dynamic))
    if theirs.cycles is None or (are_drawn and theirs.cycles < FEW_FOR_CHANGES):
        return otherwise
    found = compile_again(dynamic, replace(options, memory_order="tokens"))
    if found is None:
        return otherwise
    ours = predict(found, given, theirs.budget)
    if ours.cycles is None or (ours.time, ours.luts) >= (theirs.time, theirs.luts):
        return otherwise
    said = compared(dynamic, choice, "by tokens", ours, "with comparators", theirs)
    return Styled(found, replace(said, tokens=ours))


def choose_queues(
    dynamic: Circuit, choice: Choice, options: Options, given: Sequence[Activation]
) -> Styled:
    """The circuit, or one with load-store queues in place of tokens and comparators.

    That one takes `LESS_TIME`, and its time by area is less. It is compiled without a clock first,
    which takes little time, and with one only if it saves as much of cycles then.
    """
    otherwise = Styled(dynamic, choice)
    budget = budget_of(dynamic)
    arrays = arrays_to_queue(dynamic, options, given, budget)
    if not arrays:
        return otherwise
    found = compile_again(dynamic, with_queues(options, arrays))
    if found is None:
        return otherwise
    ours, theirs = (predict(each, given, budget) for each in (found, dynamic))
    if ours.cycles is None or theirs.cycles is None or ours.time > LESS_TIME * theirs.time:
        return otherwise
    if ours.time * ours.luts > theirs.time * theirs.luts:
        return otherwise
    names = "all arrays" if EVERY in arrays else ", ".join(arrays)
    said = compared(dynamic, choice, f"queues for {names}", ours, "without", theirs)
    return Styled(found, replace(said, tokens=None, queue=ours, queued=arrays))


def compile_again(dynamic: Circuit, options: Options) -> Circuit | None:
    """The program in another order; None where that is refused: it does not reach the clock period
    or the II that is asked for, say."""
    try:
        return compile_module(dynamic.source, top=dynamic.top, options=options)
    except (LoomError, LoomErrors):
        return None


def predict(circuit: Circuit, given: Sequence[Activation], budget: int) -> Prediction:
    """What the circuit takes at the clock period that it is compiled for."""
    return at_its_clock(circuit, dynamic_cycles(circuit, given, budget), budget)


def compared(
    dynamic: Circuit, choice: Choice, way: str, ours: Prediction, other: str, theirs: Prediction
) -> Choice:
    """The choice with the figures of the circuit that is taken, and of the one before."""
    cells = dynamic.cost.target.cells[0]
    figures = f"{way}: {ours.describe(cells)}, {other}: {theirs.describe(cells)}"
    return replace(choice, reason=f"{choice.reason}; {figures}", dynamic=theirs)


def arrays_to_queue(
    dynamic: Circuit, options: Options, given: Sequence[Activation], budget: int
) -> tuple[str, ...]:
    """The arrays whose queues save cycles without a clock: each on its own, or `EVERY` one."""

    def look(*arrays: str) -> int:
        first = with_queues(replace(options, clock_period=None), arrays)
        made = compile_again(dynamic, first)
        if made is None or (len(arrays) and not any(arrays_with_queue(made.graph))):
            return budget + 1
        cycles = dynamic_cycles(made, given, budget)
        return budget + 1 if cycles is None else cycles

    before, together = look(), look(EVERY)
    if together >= before:
        return ()
    said = {name for name, _ in options.array_orders}
    names = Counter(array.name for array in arrays_of(dynamic.source) if array.said(ORDER) is None)
    single = [name for name, count in names.items() if name and name not in said and count == 1]
    if len(single) > MOST_ALONE:
        single = []
    most = LESS_TIME * before
    alone = tuple(name for name in single if look(name) <= most)
    if alone and (len(alone) == 1 or look(*alone) <= most):
        return alone
    return (EVERY,) if together <= most else ()


def with_order(options: Options, choice: Choice | None) -> Options:
    """The options for the order that was chosen."""
    if choice is not None and choice.queued:
        return with_queues(options, choice.queued)
    if choice is not None and choice.tokens is not None:
        return replace(options, memory_order="tokens")
    return options


def with_queues(options: Options, arrays: Sequence[str]) -> Options:
    """The options for queues of these arrays, or of `EVERY` one of which nothing else is said."""
    if EVERY in arrays:
        return replace(options, memory_order="queue")
    queued = tuple((array, "queue") for array in arrays)
    return replace(options, array_orders=(*options.array_orders, *queued))
