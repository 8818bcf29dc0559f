"""The style of a function's circuit: dynamic, static, or the one that costs least (`auto`).

`auto` compiles both circuits, runs both models on the same inputs, and compares cycles, time
(cycles by estimated period) and LUTs. The rule is in docs/static.md. In the same way it chooses
between a dynamic circuit and one with load-store queues: docs/memory-order.md.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Literal, cast

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp

from loom.analysis.program.requested_order import requested_order
from loom.dialects.facts.arrays import ORDER, arrays_of
from loom.dialects.facts.loop_attributes import STYLE
from loom.dialects.facts.places import place_of
from loom.dialects.ops.staticlogic import PipelineOp
from loom.errors import LoomError, LoomErrors, raise_all
from loom.front.api import compile_module, read_program, refuse_schedule
from loom.front.circuit import Circuit
from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit, compile_static
from loom.frontend.functions import top_function
from loom.input_files import MOST_MEGABYTES, read_text
from loom.lower.dataflow.choose_units import period_of
from loom.lower.explain_order import arrays_with_queue
from loom.lower.options import Options, Style, Watch
from loom.lower.scalar.arith_builder import constant_of
from loom.model.bundles.activation import Activation
from loom.model.bundles.bundle import read_bundle
from loom.model.bundles.draw import accepted_activations
from loom.model.bundles.signature import signature_of
from loom.model.reference.reference import compile_reference
from loom.model.timed.simulate import TimedSimulation, inputs_of, run_timed

if TYPE_CHECKING:
    from loom_sim.kernel import Kernel

    from loom.emit.boundary import Boundary

DEFAULT: Style = "auto"
"""The style of what is compiled, run or reported, where neither option nor function says one."""
MORE_CYCLES = 1.05
"""A static schedule may take so many times the cycles of the dynamic circuit, and a cycle more an
activation for its start, but no more time. More cycles it may take where only it meets the clock
period: as many as take no more time at that clock."""
LESS_TIME = 0.9
"""A circuit with load-store queues takes so many times the time of one without them, at most."""
MOST_ALONE = 6
"""Up to so many arrays each is tried alone."""
EVERY = "*"
"""In place of the names of all arrays."""
BUDGET = 30_000
"""Cycles of all activations together up to which `auto` runs the models [cycles]."""
WORK = 8_000_000
"""The same of large circuits: cycles by units of the dynamic circuit."""
FEW = 100
"""Drawn inputs that end before so many cycles say little of other data [cycles]."""
DRAWN = 2
"""Activations that are drawn where no inputs are given."""
STATIC = " with --style static"
"""Ends what is refused of a static schedule only."""
REFUSALS = frozenset({"STATIC_OPERATION", "STATIC_OPTION", "LOWER_II", "LOWER_DSP"})
"""A program that a static schedule refuses with one of these has its dynamic circuit."""


@dataclass(frozen=True)
class Prediction:
    """One circuit: cycles of all activations, estimated period [ns] and LUTs.

    `cycles` are None beyond the `budget` [cycles].
    """

    cycles: int | None
    period: float
    luts: int
    budget: int = BUDGET

    @property
    def time(self) -> float:
        """Cycles by the period [ns]."""
        return (self.cycles or 0) * self.period

    def describe(self, cells: str) -> str:
        """The figures, with the name of the target's LUTs."""
        cycles = f"more than {self.budget}" if self.cycles is None else f"{self.cycles}"
        return f"{cycles} cycles, {self.period:.1f} ns, {self.luts} {cells}"


@dataclass(frozen=True)
class Choice:
    """The style that `auto` takes, why, and what was compared.

    `queue`: the dynamic circuit with load-store queues for the arrays `queued`, if that is taken.
    """

    style: Literal["dynamic", "static"]
    reason: str
    static: Prediction | None = None
    dynamic: Prediction | None = None
    queue: Prediction | None = None
    queued: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.style}: {self.reason}"


@dataclass(frozen=True)
class Styled:
    """The circuit of a program in the style that was first for; with `auto`, the choice."""

    circuit: Circuit | StaticCircuit
    choice: Choice | None = None

    @property
    def style(self) -> Literal["dynamic", "static"]:
        """The style of the circuit."""
        return "static" if isinstance(self.circuit, StaticCircuit) else "dynamic"

    def files(self, boundary: Boundary | None = None) -> dict[str, str]:
        """What `loom compile` writes; with `auto` also the choice, as NAME.style.json."""
        import json

        found = self.circuit.files(boundary)
        if self.choice is None:
            return found
        text = json.dumps(asdict(self.choice), indent=2) + "\n"
        return {**found, f"{self.name}.style.json": text}

    def simulated(self) -> Kernel:
        """What is simulated, beside the program. It needs the extra `sim`."""
        from loom_sim.kernel import Kernel

        found = self.circuit
        if isinstance(found, Circuit):
            return Kernel(found.source, found.top, found.netlist, found.files())
        ports = found.dynamic
        return Kernel(
            ports.source, ports.top, ports.netlist, found.rtl, black_box=True, cycles=found.cycles
        )

    @property
    def dynamic(self) -> Circuit:
        """The circuit, or the dynamic one whose ports the static one has."""
        found = self.circuit
        return found.dynamic if isinstance(found, StaticCircuit) else found

    @property
    def name(self) -> str:
        """The name of the circuit."""
        return self.dynamic.netlist.name


def print_choice(styled: Styled | None) -> None:
    """The style that `auto` chose, and why, stand on standard error."""
    if styled is not None and styled.choice is not None:
        print(f"{styled.name}: {styled.choice}", file=sys.stderr)


Inputs = Callable[[Circuit], Sequence[Activation]]
"""The activations that `auto` runs a circuit on."""


def compile_in_style(
    request: Request,
    given: Sequence[Activation] | Inputs = (),
    default: Style = DEFAULT,
) -> Styled:
    """The circuit of a program in the style of the options, else of its attribute, else `default`.

    With `auto` the models run `given`, or drawn inputs.
    """
    source, options = read_program(request), request.options
    style = requested_style(source, request.top, options, default)
    if style == "static":
        return Styled(compile_static(source, top=request.top, options=options))
    plain = without_schedule(options)
    if style == "dynamic":
        refuse_schedule(options, place_of(top_function(source, request.top)))
        return Styled(compile_module(source, top=request.top, options=plain))
    watch = options.watch
    unseen = None if watch is None else Watch(begin=watch.begin)
    dynamic = compile_module(source, top=request.top, options=replace(plain, watch=unseen))
    found = choose_style(dynamic, replace(options, watch=unseen), given)
    if watch == unseen:
        return found
    taken = replace(plain if found.style == "dynamic" else options, style=found.style)
    if found.choice is not None and found.choice.queued:
        taken = with_queues(taken, found.choice.queued)
    seen = compile_in_style(replace(request, options=taken))  # of the circuit that is taken
    return replace(seen, choice=found.choice)


def without_schedule(options: Options) -> Options:
    """The options of the dynamic circuit."""
    return replace(options, style="dynamic", schedule="iterative")


def requested_style(
    source: ModuleOp, top: str | None, options: Options, default: Style = DEFAULT
) -> Style:
    """The style of the options, else of the function's attribute, else `default`.

    Refused (LOWER_LOOP): a style of a function that is called.
    """
    called = {op.callee.string_value() for op in source.walk() if isinstance(op, func.CallOp)}
    raise_all([
        LoomError(
            "LOWER_LOOP", place_of(op), f"{STYLE} of @{op.sym_name.data}, which is called",
            f"{STYLE} of the top function: a call has the style of its caller",
        )
        for op in source.ops
        if isinstance(op, func.FuncOp) and op.sym_name.data in called and STYLE.is_on(op)
    ])  # fmt: skip
    if options.style is not None:
        return options.style
    return cast("Style", STYLE.of(top_function(source, top)) or default)


def choose_style(
    dynamic: Circuit,
    options: Options,
    given: Sequence[Activation] | Inputs = (),
) -> Styled:
    """The dynamic circuit, or the static one of the same program where that costs no more.

    The dynamic one has load-store queues where they save time, and more of it than area.
    """
    static, refusal = find_static(dynamic, options)
    if static is None and not may_have_queues(dynamic, options):
        return Styled(dynamic, Choice("dynamic", refusal))
    activations = given(dynamic) if callable(given) else given
    are_drawn = not activations
    if are_drawn:
        try:
            activations = draw_inputs(dynamic, options)
        except LoomError as error:
            reason = f"no inputs to compare with: {error.code}, {error.what}; --inputs gives some"
            return Styled(dynamic, Choice("dynamic", refusal or reason))
    if static is None:
        return choose_order(dynamic, Choice("dynamic", refusal), options, activations)
    choice = compare(dynamic, static, activations, period_of(options))
    cycles = None if choice.static is None else choice.static.cycles
    if are_drawn and choice.style == "static" and cycles is not None and cycles < FEW:
        worse = compare_drawn(dynamic, static, cycles)
        if worse is not None:
            choice = replace(choice, style="dynamic", reason=worse)
    if choice.style == "static":
        return Styled(static, choice)
    return choose_order(dynamic, choice, options, activations)


def find_static(dynamic: Circuit, options: Options) -> tuple[StaticCircuit | None, str]:
    """The static circuit of the same program, or why it has none."""
    try:
        return compile_static(dynamic.source, top=dynamic.top, options=options, dynamic=dynamic), ""
    except (LoomError, LoomErrors) as error:
        first = error if isinstance(error, LoomError) else error.problems[0]
        if first.code not in REFUSALS:
            raise
        if first.code == "STATIC_OPTION":
            return None, f"no static schedule takes {first.what.removesuffix(STATIC)}"
        return None, f"no static schedule: {first.code}, {first.where}: {first.what}"


def may_have_queues(dynamic: Circuit, options: Options) -> bool:
    """Whether the memory order is left to `auto`, and some array is loaded and stored."""
    function = top_function(dynamic.source, dynamic.top)
    return requested_order(function, options.memory_order) == "auto" and any(
        shape.integer("loads") and shape.integer("stores")
        for unit in dynamic.netlist.units
        if unit.operator.hardware.memory_kind is not None
        for shape in [dynamic.netlist.shape_by_unit[unit.name]]
    )


def choose_order(
    dynamic: Circuit, choice: Choice, options: Options, given: Sequence[Activation]
) -> Styled:
    """The dynamic circuit, or one with load-store queues in place of tokens and comparators.

    That one takes `LESS_TIME`, and its time by area is less. It is compiled without a clock first,
    which takes little time, and with one only if it saves as much of cycles then.
    """
    otherwise = Styled(dynamic, choice)
    if not may_have_queues(dynamic, options):
        return otherwise
    budget, plain = budget_of(dynamic), without_schedule(options)
    arrays = arrays_to_queue(dynamic, plain, given, budget)
    if not arrays:
        return otherwise
    queues = with_queues(plain, arrays)
    found = compile_module(dynamic.source, top=dynamic.top, options=queues)
    ours, theirs = (
        at_its_clock(each, dynamic_cycles(each, given, budget), budget) for each in (found, dynamic)
    )
    if ours.cycles is None or theirs.cycles is None or ours.time > LESS_TIME * theirs.time:
        return otherwise
    if ours.time * ours.luts > theirs.time * theirs.luts:
        return otherwise
    cells = dynamic.cost.target.cells[0]
    said = "all arrays" if EVERY in arrays else ", ".join(arrays)
    reason = (
        f"{choice.reason}; queues for {said}: {ours.describe(cells)}, "
        f"without: {theirs.describe(cells)}"
    )
    return Styled(found, replace(choice, reason=reason, dynamic=theirs, queue=ours, queued=arrays))


def arrays_to_queue(
    dynamic: Circuit, options: Options, given: Sequence[Activation], budget: int
) -> tuple[str, ...]:
    """The arrays whose queues save cycles without a clock: each on its own, or `EVERY` one."""

    def look(*arrays: str) -> int:
        first = with_queues(replace(options, clock_period=None), arrays)
        made = compile_module(dynamic.source, top=dynamic.top, options=first)
        if len(arrays) and not any(arrays_with_queue(made.graph)):
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


def with_queues(options: Options, arrays: Sequence[str]) -> Options:
    """The options for queues of these arrays, or of `EVERY` one of which nothing else is said."""
    if EVERY in arrays:
        return replace(options, memory_order="queue")
    queued = tuple((array, "queue") for array in arrays)
    return replace(options, array_orders=(*options.array_orders, *queued))


def bundle_inputs(file: str, most: int = MOST_MEGABYTES) -> Inputs:
    """The activations of a bundle, a file of `most` [Mi characters]."""

    def read(circuit: Circuit) -> Sequence[Activation]:
        function = top_function(circuit.source, circuit.top)
        signature = signature_of(function, circuit.netlist.index_width)
        return read_bundle(read_text(file, most), file, signature)

    return read


def draw_inputs(circuit: Circuit, options: Options) -> list[Activation]:
    """Random inputs that the program accepts."""
    reference = compile_reference(circuit.source, circuit.top, options.index_width)
    signature = signature_of(top_function(circuit.source, circuit.top), options.index_width)
    return accepted_activations(reference, signature, 1, DRAWN)


def compare(
    dynamic: Circuit,
    static: StaticCircuit,
    given: Sequence[Activation],
    requested: float | None = None,
) -> Choice:
    """The choice by cycles, time and LUTs; beyond the budget by the begin of the run.

    `requested` is the clock period of the options [ns].
    """
    cells = dynamic.cost.target.cells[0]
    budget = budget_of(dynamic)
    ours = Prediction(
        static_cycles(static, given, budget),
        round(static.estimate.period, 2),
        round(static.estimate.area.luts),
        budget,
    )
    theirs = prediction_of(
        dynamic, None if ours.cycles is None else dynamic_cycles(dynamic, given, budget), budget
    )
    worse: str | None
    if ours.cycles is None:
        worse = compare_begins(
            dynamic, static, given[0], ours, theirs, more_cycles(ours, theirs, requested)
        )
    elif theirs.cycles is None:
        worse = None
    else:
        worse = compare_times(ours, theirs, len(given), more_cycles(ours, theirs, requested))
    if worse is None and ours.luts > theirs.luts:
        worse = slower(f"{ours.luts} {cells}", f"{theirs.luts}")
    if worse is not None:
        return Choice("dynamic", worse, ours, theirs)
    reason = f"{ours.describe(cells)}; dynamic: {theirs.describe(cells)}"
    return Choice("static", reason, ours, theirs)


def more_cycles(ours: Prediction, theirs: Prediction, requested: float | None) -> float:
    """How many times the cycles of the dynamic circuit a static schedule may take."""
    if not requested:
        return MORE_CYCLES
    return max(MORE_CYCLES, max(theirs.period, requested) / max(ours.period, requested))


def compare_times(
    ours: Prediction, theirs: Prediction, activations: int, more: float = MORE_CYCLES
) -> str | None:
    """In what a static schedule is slower; None: in nothing."""
    assert ours.cycles is not None and theirs.cycles is not None
    if ours.cycles > more * theirs.cycles + activations:
        return slower(f"{ours.cycles} cycles", f"{theirs.cycles}")
    if ours.time > theirs.time:
        return slower(f"{ours.time / 1000:.4g} us", f"{theirs.time / 1000:.4g}")
    return None


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
    spent, least = cycles * ours.period / 1000, budget * theirs.period / 1000
    if spent > least:
        return slower(f"{spent:.4g} us to {stores} stores", f"{least:.4g}")
    return None


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
        place = place_of(pipeline)
        inner = [loop.ii for loop in dynamic.loops if place in (loop.place, *loop.around)
                 and loop.innermost]  # fmt: skip
        if inner and pipeline.ii > max(inner):
            found = f"{place}: II = {pipeline.ii} in a static schedule"
            return f"{found}, {max(inner)} in the dynamic circuit"
    return None


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
    block = pipeline.condition.block
    counters = set(block.args[: len(pipeline.iv_inits)])
    read = [value for op in block.ops for value in op.operands if value.owner not in block.ops]
    return None not in map(constant_of, pipeline.iv_inits) and all(
        value in counters or constant_of(value) is not None for value in read
    )


def dynamic_stores(circuit: Circuit, first: Activation, budget: int) -> int:
    """How many elements the dynamic circuit has stored within the budget."""
    netlist = circuit.netlist
    simulation = TimedSimulation(netlist, budget)
    simulation.begin(*inputs_of(netlist, first))
    all(simulation.cycle(now) for now in range(1, budget + 1))  # up to its end, or the budget
    requests = (
        channel.name for channel in netlist.channels if channel.target.port.startswith("st_address")
    )
    return sum(simulation.circuit.wires[name].tokens for name in requests)


def static_stores(circuit: StaticCircuit, first: Activation, most: int, wanted: int) -> int | None:
    """The cycle with the store of this number; None if that is after `most` [cycles]."""
    done, found = 0, None

    def see(cycle: int, values: Mapping[str, int]) -> None:
        nonlocal done, found
        done += sum(values[port.enable] for port in circuit.fsmd.writes)
        if found is None and done >= wanted:
            found = cycle

    with suppress_limit():
        list(circuit.runs([first], most, see))
    return found


@contextmanager
def suppress_limit() -> Iterator[None]:
    """A run that reaches its limit ends there."""
    try:
        yield
    except LoomError as error:
        if error.code != "MODEL_LIMIT":
            raise


def static_cycles(circuit: StaticCircuit, given: Sequence[Activation], budget: int) -> int | None:
    """Cycles of the activations together; None for more than the budget."""
    total = 0
    try:
        for run in circuit.runs(given, budget):
            total += run.cycles
            if total > budget:
                return None
    except LoomError as error:
        if error.code != "MODEL_LIMIT":
            raise
        return None
    return total


def budget_of(dynamic: Circuit) -> int:
    """Up to how many cycles the models run."""
    return min(BUDGET, WORK // max(1, len(dynamic.netlist.units)))


def prediction_of(dynamic: Circuit, cycles: int | None, budget: int) -> Prediction:
    """A dynamic circuit that takes so many cycles."""
    path = dynamic.cost.path
    period = 0.0 if path is None else round(path.delay, 2)
    return Prediction(cycles, period, dynamic.cost.counts[0], budget)


def at_its_clock(dynamic: Circuit, cycles: int | None, budget: int) -> Prediction:
    """The same at the clock period that its buffers are placed for, if that is longer."""
    found = prediction_of(dynamic, cycles, budget)
    return replace(found, period=round(max(found.period, dynamic.netlist.clock_period or 0.0), 2))


def dynamic_cycles(circuit: Circuit, given: Sequence[Activation], budget: int) -> int | None:
    """The same of the dynamic circuit."""
    try:
        return sum(run.cycles for run in run_timed(circuit.netlist, given, most=budget))
    except LoomError as error:
        if error.code != "MODEL_LIMIT":
            raise
        return None
