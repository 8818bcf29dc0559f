"""A kernel as a static schedule: its text, its machine, its SystemVerilog.

Its ports are those of the dynamic circuit of the same program, so either may stand for the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import SSAValue

from loom.analysis.modulo.limits import IILimit
from loom.analysis.program.memory_accesses import name_of
from loom.analysis.timing.area_estimate import CircuitEstimate
from loom.analysis.timing.machine_estimate import MachineEstimate, estimate_machine
from loom.analysis.timing.static_timing import Path
from loom.analysis.timing.targets import find_target
from loom.analysis.timing.unit_costs import Cost, unit_cost
from loom.dialects.facts.argument_names import argument_names
from loom.dialects.facts.arrays import partition_behind
from loom.dialects.facts.loop_attributes import II, LOOPS, STYLE
from loom.dialects.facts.places import place_of
from loom.dialects.facts.program_facts import INTERFACE_NOTE, REASSOCIATED
from loom.dialects.ops.staticlogic import PipelineOp
from loom.dialects.ops.types import width_of
from loom.emit.machine import emit_machine
from loom.emit.machine_memories import Inside, Outline, controllers_of
from loom.errors import LoomError, LoomErrors, raise_all
from loom.front.api import compile_module
from loom.front.circuit import Circuit
from loom.frontend.functions import top_function
from loom.lower.dataflow.choose_period import SAVING, is_period_note
from loom.lower.explain_order import arrays_with_queue
from loom.lower.loops.interleaved_nests import InterleavedNests
from loom.lower.loops.loop_directives import apply_unroll_options
from loom.lower.options import Options
from loom.lower.pipeline import schedule_statically
from loom.lower.static.choose_static_period import expected_cycles
from loom.lower.static.flatten_whiles import FlattenedWhiles
from loom.lower.static.requested_ii import check_requested_ii
from loom.lower.static.trial import FIRST, Trial
from loom.model.bundles.activation import Activation
from loom.model.fsmd.record_spans import SpanRecorder, SpanRun
from loom.model.fsmd.run_fsmd import Machine, Watch
from loom.model.reference.reference import compile_reference
from loom.netlist.banks import bank_names, banks_outside, gathered, words_of_bank
from loom.netlist.from_dfg import initial_words
from loom.netlist.fsmd.build import build_fsmd
from loom.netlist.fsmd.fsmd import Fsmd
from loom.netlist.fsmd.ports import netlist_of_ports, with_idle_ports
from loom.netlist.names import port_names
from loom.netlist.netlist import Netlist

if TYPE_CHECKING:
    from loom.emit.boundary import Boundary

TRIALS, MORE_CYCLES, MORE_IN_LARGE = 3, 1.02, 1.1
"""So many shorter periods are tried for a clock that a schedule is expected to miss, which may
take so many times the cycles; a large one that takes less time the second number."""

ROOM = 1.05
"""By so much the period of a schedule with far RAMs and multipliers should be shorter."""
PRODUCT_CYCLES = 0, 1
"""So many cycles more shared multipliers are given, one number tried after the other."""
AS_FAST = 1.005
"""Circuits whose times are within so much of the least are equally fast."""
DYNAMIC_ONLY = {
    "streams": "stream", "cores": "cores", "lean": "lean", "buffers": "buffers",
    "zero_trip": "zero-trip",
}  # fmt: skip
"""Choices of `Options` that a static schedule does not follow, and the options of the command."""


@dataclass(frozen=True)
class StaticRun:
    """One activation of a machine; `memories` are the arrays outside afterwards, by argument."""

    cycles: int
    results: tuple[int, ...]
    memories: dict[str, list[int]]
    is_outside: bool


@dataclass(frozen=True)
class StaticCircuit:
    """A compiled kernel: `dynamic` has its ports, `module` its schedule, `fsmd` its machine."""

    dynamic: Circuit
    module: ModuleOp
    fsmd: Fsmd
    inside: Sequence[Inside]
    interleaved: InterleavedNests
    """The loops whose iterations take turns."""
    flattened: FlattenedWhiles
    """The loops that are one with the `while` in them."""
    clock_period: float | None = None
    """The period that the schedule is for [ns]; None: any."""
    limits: Mapping[PipelineOp, IILimit] = field(default_factory=dict)
    """What bounds the II of each pipeline."""
    note: str = ""
    """Why the period is not the default."""

    @property
    def top(self) -> str:
        """The name of the function."""
        return self.dynamic.top

    @property
    def text(self) -> str:
        """The schedule as MLIR of the dialect staticlogic."""
        return str(self.module) + "\n"

    @property
    def pipelines(self) -> Iterator[PipelineOp]:
        """The pipelined loops, in the order of the text."""
        return (op for op in self.module.walk() if isinstance(op, PipelineOp))

    @cached_property
    def netlist(self) -> Netlist:
        """The ports of the circuit, those of arrays in the order of the arguments."""
        netlist = self.dynamic.netlist
        ports = netlist_of_ports(top_function(self.module), self.fsmd, netlist.index_width)
        return replace(ports, target=netlist.target, clock_period=self.clock_period)

    @cached_property
    def estimate(self) -> MachineEstimate:
        """Area and clock period on the target, from the costs of units."""
        target = find_target(self.dynamic.netlist.target)
        return estimate_machine(self.fsmd, self.sizes_inside, target, self.controllers)

    @property
    def controllers(self) -> dict[str, Cost]:
        """The costs of the controllers of arrays behind channels, by name."""
        netlist, found = self.netlist, dict[str, Cost]()
        for memory in netlist.memories_outside:
            unit = next(u for u in netlist.units if u.attributes["memory"] == memory.name)
            if memory.kind.answers:
                shape = netlist.shape_by_unit[unit.name]
                cost = unit_cost(unit.operator, shape, (memory.depth, memory.width))
                found |= {memory.name: cost} if cost is not None else {}
        return found

    @property
    def sizes_inside(self) -> dict[str, tuple[int, int]]:
        """Depth [elements] and width [bits] of the arrays inside, by name."""
        return {each.name: (each.depth, each.width) for each in self.inside}

    @property
    def signs(self) -> dict[str, bool]:
        """Whether integers are signed, by the name of the channel or array."""
        return self.dynamic.signs

    @property
    def misses_clock(self) -> bool:
        """Whether the estimated period is longer than that which the schedule was made for."""
        return self.clock_period is not None and self.estimate.period > self.clock_period

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user did not choose and should know."""
        others = [note for note in self.dynamic.notes if not is_period_note(note)]
        missed = []
        if self.clock_period is not None and self.misses_clock:
            found = (
                f"the clock period is expected to be {self.estimate.period:.2f} ns, "
                f"not {self.clock_period:g}"
            )
            why = "a recurrence or a unit takes as long in the static schedule"
            if self.estimate.period - self.estimate.longer <= self.clock_period:
                why = "wires between RAMs, multipliers and logic take as long in a machine so large"
            missed.append(f"{found}: {why}")
        return (*([self.note] if self.note else []), *missed, *others)

    @cached_property
    def rtl(self) -> dict[str, str]:
        """The SystemVerilog and its file list, with the default ports."""
        from loom.emit.boundary import DEFAULT_BOUNDARY

        return self.emit(self.netlist, DEFAULT_BOUNDARY)

    def emit(self, netlist: Netlist, boundary: Boundary) -> dict[str, str]:
        """The SystemVerilog and its file list, for a netlist with the ports: an `Emitter`.

        Refused: what `emit` refuses of names, and slow RAMs with a clock enable.
        """
        return emit_schedule(self.module, self.fsmd, self.inside, netlist, boundary)

    @property
    def cost(self) -> CircuitEstimate:
        """The estimate as that of a dynamic circuit; the longest path is not by units."""
        path = Path(self.estimate.period, (), ())
        target = find_target(self.dynamic.netlist.target)
        return CircuitEstimate(self.estimate.area, path, (), (), target)

    def lines(self) -> Iterator[str]:
        """The estimate, and a line for each pipelined loop: its place, II and length."""
        yield str(self.cost)
        for loop in self.pipelines:
            place = place_of(loop)
            yield f"{place}: II = {loop.ii}, length {loop.depth} cycles"
        for where, number in self.interleaved.taken:
            yield f"{where}: {number} entries interleaved"
        for where in self.flattened.taken:
            yield f"{where}: one loop with the one in it"

    def files(self, boundary: Boundary | None = None) -> dict[str, str]:
        """What `loom compile --style static` writes: relative path to text."""
        from loom.emit.boundary import DEFAULT_BOUNDARY
        from loom.emit.ports import port_files

        chosen = boundary or DEFAULT_BOUNDARY
        return {
            **self.emit(self.netlist, chosen),
            **port_files(self.netlist, chosen, self.signs),
            f"{self.netlist.name}.static.mlir": self.text,
        }

    def runs(
        self, activations: Sequence[Activation], most: int, watch: Watch | None = None
    ) -> Iterator[StaticRun]:
        """The machine's activations, one after the other without reset; `watch` sees each cycle.

        Refused: an activation of more than `most` [cycles] (MODEL_LIMIT).
        """
        words = {each.name: list(each.contents or [0] * each.depth) for each in self.inside}
        words |= {memory.name: [] for memory in self.dynamic.netlist.memories_outside}
        banks = list(banks_outside(self.netlist))
        words |= {bank.name: [] for bank in banks}
        machine = Machine(self.fsmd, words)
        for activation in activations:
            ports = port_names(activation.inputs)
            scalars: list[int] = []
            for name, value in activation.inputs.items():
                if isinstance(value, list):
                    words[ports[name]] = list(value)
                else:
                    scalars.append(value)
            for bank in banks:
                words[bank.name] = words_of_bank(bank, words[bank.array.name])
            signals = [name for name, _ in self.fsmd.inputs]
            run = machine.run(dict(zip(signals, scalars, strict=True)), most, watch)
            words |= {name: list(found) for name, found in gathered(banks, words).items()}
            memories = {
                name: list(words[ports[name]])
                for name, value in activation.inputs.items()
                if isinstance(value, list)
            }
            yield StaticRun(run.cycles, tuple(run.results.values()), memories, run.is_outside)

    def cycles(self, activations: Sequence[Activation], most: int) -> list[int]:
        """Cycles of each activation, as the RTL takes them where nothing outside stalls."""
        return [run.cycles for run in self.runs(activations, most)]

    def spans(self, activation: Activation, most: int) -> tuple[SpanRun, ...]:
        """When each step runs in an activation after reset."""
        recorder = SpanRecorder(self.fsmd.spans)
        next(self.runs([activation], most, recorder))
        return recorder.found()

    def differences(self, activations: Sequence[Activation], most: int) -> Iterator[str]:
        """Where the machine differs from the source program, in words."""
        width = self.dynamic.netlist.index_width
        reference = compile_reference(self.dynamic.source, self.dynamic.top, width)
        outcomes = [
            reference.run(
                [list(v) if isinstance(v, list) else v for v in each.inputs.values()], budget=most
            )
            for each in activations
        ]
        for number, (run, outcome) in enumerate(
            zip(self.runs(activations, most), outcomes, strict=True)
        ):
            if run.results != outcome.results:
                yield f"activation {number}: results {run.results}, not {outcome.results}"
            for name, found in run.memories.items():
                if found != list(outcome.memories[name]):
                    yield f"activation {number}: {name} is {found}, not {outcome.memories[name]}"
            if run.is_outside:
                yield f"activation {number}: an access outside its array"


def compile_static(
    source: ModuleOp, *, top: str | None, options: Options, dynamic: Circuit | None = None
) -> StaticCircuit:
    """The static circuit of the function `top` in a module that `read_program` gave.

    The module is left as it is, but for the directives that the options give its loops.
    `dynamic` is its dynamic circuit, if that is compiled already.
    Refused: an operation that no stage can hold (STATIC_OPERATION), and options that static
    schedules do not follow (STATIC_OPTION).
    """
    place = place_of(top_function(source, top))
    accepted = "--style dynamic for it"
    raise_all([
        LoomError("STATIC_OPTION", place, f"--{option} with --style static", accepted)
        for name, option in DYNAMIC_ONLY.items()
        if getattr(options, name) != getattr(Options(), name)
    ])  # fmt: skip
    raise_all([
        LoomError("STATIC_OPTION", place_of(loop), "a dynamic loop with --style static", accepted)
        for loop in source.walk()
        if isinstance(loop, LOOPS) and STYLE.of(loop) == "dynamic"
    ])  # fmt: skip
    dynamic = dynamic or compile_ports(source, top, options)
    raise_all([
        LoomError("STATIC_OPTION", place, f"{what} with --style static", accepted)
        for what in (
            *unfit_memories(dynamic.netlist),
            *["load-store queues"] * any(arrays_with_queue(dynamic.graph)),
        )
    ])  # fmt: skip
    attempt = partial(schedule_for_clock, source, dynamic, options.unwatched)
    found = find_fastest(attempt, options)
    if options.watch != options.unwatched.watch:  # the passes of that one are seen
        chosen = Trial(interleaves=found.interleaved.chooses, flattens=found.flattened.chooses)
        schedule_circuit(source, dynamic, options, chosen)
    return found


def find_fastest(attempt: Callable[[Trial], StaticCircuit], options: Options) -> StaticCircuit:
    """The circuit of the trials that is the fastest by estimates."""
    best, trial = attempt(FIRST), FIRST
    is_nest, is_while = best.interleaved.is_open, best.flattened.is_open
    for change in [Trial(interleaves=True)] * is_nest + [Trial(flattens=True)] * is_while:
        tried = trial.with_change(change)
        try:
            other = attempt(tried)
        except (LoomError, LoomErrors):  # what a change adds may find no schedule
            continue
        if time_at_clock(other) < time_at_clock(best) * (1 - SAVING):
            best, trial = other, tried
    if options.share == "off" or options.dsp is not None:
        return best
    return share_products(best, lambda cycles: attempt(replace(trial, product_cycles=cycles)))


def schedule_for_clock(
    source: ModuleOp, dynamic: Circuit, options: Options, trial: Trial
) -> StaticCircuit:
    """The static circuit, which meets its clock if that can be."""
    first = schedule_circuit(source, dynamic, options, trial)
    trial = replace(trial, distances=first.estimate.distances)
    return meet_clock(first, lambda period: schedule_circuit(
        source, dynamic, replace(options, clock_period=period), trial
    ))  # fmt: skip


def share_products(apart: StaticCircuit, attempt: Callable[[int], StaticCircuit]) -> StaticCircuit:
    """The circuit; where its multipliers are many, with shared ones if it is as fast then.

    They are many from so many on that wires to them are longer.
    """
    few, _ = find_target(apart.dynamic.netlist.target).blocks.numbers
    if apart.cost.area.multipliers <= few:
        return apart
    found = [apart, *map(attempt, PRODUCT_CYCLES)]
    most = min(map(time_at_clock, found)) * AS_FAST
    fast = [each for each in found if time_at_clock(each) <= most]
    return min(fast, key=lambda each: each.cost.area.multipliers)


def time_at_clock(circuit: StaticCircuit) -> float:
    """How long the circuit is expected to take, at its clock or the longer period [ns]."""
    period = max(circuit.estimate.period, circuit.clock_period or 0.0)
    return expected_cycles(circuit.module) * period


def schedule_circuit(
    source: ModuleOp,
    dynamic: Circuit,
    options: Options,
    trial: Trial = FIRST,
) -> StaticCircuit:
    """The static circuit of a program with these ports, for the clock period of the options."""
    module = source.clone()
    INTERFACE_NOTE.take(module)
    REASSOCIATED.take(module)
    scheduled = schedule_statically(module, options, trial=trial)
    module = scheduled.module
    function = next(
        op for op in module.ops if isinstance(op, func.FuncOp) and not op.is_declaration
    )
    arguments = argument_names(top_function(source, dynamic.top))
    memories, inside = memories_of(arguments, module, function, options.index_width)
    check_requested_ii(source, module)
    fsmd = build_fsmd(function, memories, options.index_width)
    fsmd = with_idle_ports(fsmd, dynamic.netlist)
    used = [each for each in inside if each.name in fsmd.memories]
    return StaticCircuit(
        dynamic, module, fsmd, used, scheduled.interleaved, scheduled.flattened,
        scheduled.period, scheduled.limits, scheduled.note,
    )  # fmt: skip


def meet_clock(first: StaticCircuit, attempt: Callable[[float], StaticCircuit]) -> StaticCircuit:
    """The circuit, or one scheduled for shorter periods that is expected to meet the first's.

    What a schedule takes in placement beyond its units depends on how large it gets, so it is known
    only afterwards. More cycles it takes by `MORE_CYCLES` at most.

    Where RAMs and multipliers are far, wires are most of the longest paths: the first trial only
    makes room for these, the period wanted is shorter by `ROOM`, as such estimates are off by more
    than others, and cycles may be more by `MORE_IN_LARGE` if the time is less.

    One that misses the clock, too, is taken if its time is less by more than its LUTs are more.
    """
    goal, best, far = first.clock_period, first, first.estimate.distances
    if goal is None:
        return first
    wanted = goal
    if far.is_far:
        wanted /= ROOM

    def cost(circuit: StaticCircuit) -> float:
        """What a trial is to lower: the period, or where cycles may be more the time [ns]."""
        cycles = expected_cycles(circuit.module) if far.is_far else 1
        return cycles * max(circuit.estimate.period, wanted)

    most = (MORE_IN_LARGE if far.is_far else MORE_CYCLES) * expected_cycles(first.module)
    period, last = goal, first
    for _ in range(TRIALS):
        if last.estimate.period <= wanted:
            break
        if last is not first or not far.is_far:
            period = round(period * wanted / last.estimate.period, 2)
        try:
            last = attempt(period)
        except (LoomError, LoomErrors):
            break
        if expected_cycles(last.module) > most:
            break
        gain = cost(last) / cost(best)
        is_met = last.estimate.period <= goal
        if gain < 1 and (is_met or gain * last.cost.area.luts <= best.cost.area.luts):
            best = last
    for loop in best.pipelines:
        loop.clock = goal
    return replace(best, clock_period=goal, note=first.note)


def compile_ports(source: ModuleOp, top: str | None, options: Options) -> Circuit:
    """A dynamic circuit with the ports of the static one, which no period and static loop changes.

    Its program is `source`, where the loops have the directives of the options.
    """
    apply_unroll_options(source, options)
    unclocked = replace(
        options, style="dynamic", clock_period=None, dsp=None, schedule="iterative", watch=None
    )
    return replace(
        compile_module(without_requests(source), top=top, options=unclocked), source=source
    )


def without_requests(source: ModuleOp) -> ModuleOp:
    """The program without static loops and requests of an II: what these refuse of a dynamic
    circuit, a static schedule may have."""
    found = source.clone()
    for loop in found.walk():
        if isinstance(loop, LOOPS):
            STYLE.drop(loop)
            II.drop(loop)
    return found


def emit_schedule(
    module: ModuleOp, fsmd: Fsmd, inside: Sequence[Inside], netlist: Netlist, boundary: Boundary
) -> dict[str, str]:
    """The SystemVerilog of a schedule and its machine, with the ports of a netlist."""
    from loom.emit.circuit import outside_memories, require_quick_rams

    if boundary.clock_enable:
        require_quick_rams(netlist)
    loops = [op for op in module.walk() if isinstance(op, PipelineOp)]
    intervals = ", ".join(f"II = {loop.ii}" for loop in loops)
    summary = f"Pipelined loops: {intervals or 'none'}."
    ports = tuple(outside_memories(netlist))
    outline = Outline(
        netlist.name, netlist.ports, ports, inside, summary, boundary,
        controllers=tuple(controllers_of(netlist)),
    )  # fmt: skip
    return emit_machine(fsmd, outline)


def unfit_memories(netlist: Netlist) -> Iterator[str]:
    """The memories for which no machine waits.

    One that stands still takes no answer that is not due: the channel has a slot for each that may
    be under way then. The word of a slow RAM comes meanwhile.
    """
    stands_still = any(memory.kind.answers for memory in netlist.memories_outside)
    for unit in netlist.units if stands_still else ():
        kind, shape = unit.operator.hardware.memory_kind, netlist.shape_by_unit[unit.name]
        if kind is None or not kind.is_outside:
            continue
        name, latency = shape.text("memory"), kind.stated_latency(shape)
        least = kind.latency_of(shape) + 1
        if not kind.answers and latency > 1:
            yield f"{name}, a RAM of latency {latency}, beside arrays behind channels"
        if kind.answers and kind.outstanding_of(shape) < least:
            has = f"{kind.outstanding_of(shape)} requests outstanding"
            yield f"{name} with {has}, fewer than the {least} of its latency,"


def memories_of(
    arguments: Sequence[str], module: ModuleOp, function: func.FuncOp, index_width: int
) -> tuple[dict[SSAValue | str, str], list[Inside]]:
    """The names of all arrays, and those that lie inside the circuit, by those of `arguments`."""
    names: dict[SSAValue | str, str] = {}
    inside: list[Inside] = []
    ports = port_names(arguments)
    taken = set(ports.values())
    for argument, name in zip(function.body.block.args, ports.values(), strict=True):
        if isinstance(argument.type, MemRefType):
            names[argument] = name
            taken |= set(bank_names(name, partition_behind(argument, function, module)))
    for operation in function.walk():
        if isinstance(operation, memref.AllocOp):
            key: SSAValue | str = operation.memref
            hint, contents = name_of(operation.memref), None
        elif isinstance(operation, memref.GetGlobalOp):
            key = hint = operation.name_.string_value()
            contents = global_of(module, hint).initial_value
        else:
            continue
        if key in names:
            continue
        partition = partition_behind(operation.memref, function, module)
        name, number = hint, 0
        while not taken.isdisjoint([name, *bank_names(name, partition)]):
            number += 1
            name = f"{hint}_{number}"
        taken |= {name, *bank_names(name, partition)}
        names[key] = name
        type_ = operation.memref.type
        assert isinstance(type_, MemRefType)
        width, depth = width_of(type_.element_type, index_width), type_.get_shape()[0]
        words = initial_words(contents, depth, width)
        positions = partition.positions if partition is not None else (tuple(range(depth)),)
        for bank, places in zip(bank_names(name, partition), positions, strict=True):
            own = None
            if words is not None:
                own = [0 if at is None else words[at] for at in places]
            inside.append(Inside(bank, width, len(places), own))
    return names, inside


def global_of(module: ModuleOp, name: str) -> memref.GlobalOp:
    """The global of this name."""
    return next(
        op for op in module.ops if isinstance(op, memref.GlobalOp) and op.sym_name.data == name
    )
