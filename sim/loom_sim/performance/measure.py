"""A kernel runs with every channel profiled, and is held against its lower bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from xdsl.dialects.builtin import ModuleOp

from loom.analysis.timing.area_estimate import estimate_circuit
from loom.dialects.facts.loop_attributes import LOOPS
from loom.dialects.facts.places import place_of
from loom.errors import Place
from loom.lower.options import Options
from loom.lower.pipeline import normalize
from loom.model.bundles.activation import Activation
from loom.model.limits.dataflow_limit import DataflowLimit, dataflow_limit
from loom.model.limits.timestamps import LoopTotals
from loom.model.reference.reference import Outcome
from loom.netlist.netlist import Netlist
from loom_sim.jobs import Run, SimOptions
from loom_sim.kernel import Kernel, KernelReport, cosimulate_kernels
from loom_sim.performance.netlist_loops import NetlistLoop, loops_of
from loom_sim.performance.performance import Bounds, ChannelUse, LoopUse, Performance
from loom_sim.performance.static_loops import StaticLoop, is_same_place, static_loops_of
from loom_sim.placement.place_circuit import Placed


@dataclass(frozen=True)
class Subject:
    """What is reported on: the file's name and text, its kernel, and what it runs."""

    file: str
    text: str
    kernel: Kernel
    activations: Sequence[Activation]
    lowering: Options
    limiting_units: Mapping[Place, tuple[str, ...]] = field(default_factory=dict)
    """The units that bind each innermost loop, if that is known."""
    around: Mapping[Place, Place] = field(default_factory=dict)
    """The next loop around each loop, if that is known."""


def measure_performance(
    subject: Subject, options: SimOptions, placed: Placed | None = None
) -> Performance:
    """The performance of a kernel on its activations; source, model and RTL are compared too.

    `placed` is what place and route of its netlist gave, if it ran.
    """
    kernel, netlist = subject.kernel, subject.kernel.netlist
    (run,) = cosimulate_kernels([kernel], [subject.activations], replace(options, profile=True))
    run.refuse_cut_off(options.max_cycles)
    program = program_of(subject)
    limits = limits_of(subject, program)
    totals = divide_by_lanes(loop_totals(limits), netlist)
    rows = [
        *(loop_use(loop, subject.text, run.rtl.runs, totals) for loop in loops_of(netlist)),
        *(static_use(loop, subject.text, totals) for loop in static_loops_of(netlist, program)),
    ]
    shown = [row.place for row in rows]
    loops = tuple(
        replace(row, around=outer_of(row.place, subject, program, shown))
        for row in sorted(rows, key=lambda row: (row.place.line, row.place.column))
    )
    return Performance(
        subject.file,
        subject.text,
        netlist,
        run,
        bounds_of(run, limits, totals) if kernel.source is not None else None,
        loops,
        longest_chain(limits),
        channel_uses(netlist, run.rtl.runs),
        estimate_circuit(netlist),
        placed,
        critical_units(loops, subject.limiting_units),
    )


def critical_units(
    loops: Sequence[LoopUse], limiting_units: Mapping[Place, tuple[str, ...]]
) -> tuple[str, ...]:
    """The units that bind the loop whose iterations take most cycles, of those that are known."""
    known = {(place.line, place.column): units for place, units in limiting_units.items()}
    timed = [
        ((loop.iterations or 0) * (loop.ii or 0.0), known[loop.place.line, loop.place.column])
        for loop in loops
        if (loop.place.line, loop.place.column) in known
    ]
    return max(timed, default=(0.0, ()))[1]


def program_of(subject: Subject) -> ModuleOp | None:
    """The program in normal form; None where no program is known."""
    if subject.kernel.source is None:
        return None
    normal = subject.kernel.source.clone()
    normalize(normal, subject.lowering)
    return normal


def limits_of(subject: Subject, program: ModuleOp | None) -> list[DataflowLimit | None]:
    """What dependences allow, by activation; nothing where no program is known."""
    if program is None:
        return []
    netlist = subject.kernel.netlist
    width, latencies = subject.lowering.index_width, least_latencies(netlist)
    slow = slow_accesses(netlist)
    return [
        dataflow_limit(program, list(activation.inputs.values()), width, latencies, slow)
        for activation in subject.activations
    ]


def slow_accesses(netlist: Netlist) -> dict[str, int]:
    """The cycles of an access to each memory outside at which it takes more than one [cycles]."""
    found: dict[str, int] = {}
    for unit in netlist.units:
        kind = unit.operator.hardware.memory_kind
        if kind is not None and kind.is_outside:
            cycles = kind.latency_of(netlist.shape_by_unit[unit.name])
            if cycles > 1:
                found[str(unit.attributes["memory"])] = cycles
    return found


def least_latencies(netlist: Netlist) -> dict[str, int]:
    """The least latency of each operator's units [cycles].

    What became other operators, as a division by a constant does, is not among them.
    """
    found: dict[str, int] = {}
    for unit in netlist.units:
        name, shape = unit.operator.name, netlist.shape_by_unit[unit.name]
        latency = unit.operator.hardware.latency_of(shape)
        found[name] = min(latency, found.get(name, latency))
    return found


def loop_totals(limits: Sequence[DataflowLimit | None]) -> dict[Place, LoopTotals]:
    """The loops' totals of all activations, by place; a run that is too long gives none."""
    found: dict[Place, LoopTotals] = {}
    if None in limits:
        return found
    for limit in limits:
        assert limit is not None
        for place, totals in limit.loops.items():
            found[place] = found[place] + totals if place in found else totals
    return found


def divide_by_lanes(totals: dict[Place, LoopTotals], netlist: Netlist) -> dict[Place, LoopTotals]:
    """The loops' totals, where of entries that take turns each may go on when all others have."""
    lanes = {(loop.place.line, loop.place.column): loop.lanes for loop in loops_of(netlist)}
    return {
        place: replace(each, steps=each.steps * lanes.get((place.line, place.column), 1))
        for place, each in totals.items()
    }


def longest_chain(limits: Sequence[DataflowLimit | None]) -> tuple[tuple[Place, str, int], ...]:
    """The steps of the longest chains of dependences, largest first."""
    steps: Counter[tuple[Place, str]] = Counter()
    for limit in limits:
        for place, name, cycles in limit.path if limit is not None else ():
            steps[place, name] += cycles
    return tuple((place, name, cycles) for (place, name), cycles in steps.most_common())


def bounds_of(
    run: KernelReport,
    limits: Sequence[DataflowLimit | None],
    totals: Mapping[Place, LoopTotals],
) -> Bounds:
    """The bounds of all activations together; of the program as written if a run is too long."""
    uses: Counter[str] = Counter()
    ports = 0
    known = [limit for limit in limits if limit is not None]
    if len(known) == len(limits):
        for limit in known:
            uses.update(limit.uses)
            ports += max((1, *limit.uses.values()))
    else:
        for outcome in run.model.outcomes:
            uses.update(uses_as_written(outcome))
            ports += outcome.bound
    port = max(uses, key=lambda name: uses[name], default="nothing")
    slowest = max(totals, key=lambda place: min_cycles(totals[place]), default=None)
    return Bounds(
        ports,
        port if uses[port] else "nothing",
        None if slowest is None else min_cycles(totals[slowest]),
        ""
        if slowest is None
        else f"the loop at line {slowest.line}: {format_limit(totals[slowest])}",
        sum(limit.cycles for limit in known) if len(known) == len(limits) else None,
    )


def uses_as_written(outcome: Outcome) -> Counter[str]:
    """The uses of ports and loops that the source reference counted."""
    uses: Counter[str] = Counter()
    for name, (loads, stores) in outcome.accesses.items():
        uses[f"loads of {name}"] += loads
        uses[f"stores of {name}"] += stores
    for name, count in outcome.iterations.items():
        uses[f"iterations of the loop at {name}"] += count
    return uses


def min_ii_of_ports(totals: LoopTotals) -> tuple[float, str]:
    """The least cycles an iteration for the busiest memory port, and which one that is."""
    found = max(totals.accesses.items(), key=lambda item: item[1], default=None)
    if found is None or not totals.rounds:
        return 1.0, ""
    (memory, kind), count = found
    return max(1.0, count / totals.rounds), f"{kind} of {memory}"


def min_ii(totals: LoopTotals) -> float:
    """The least cycles from an iteration to the next."""
    return max(min_ii_of_ports(totals)[0], totals.min_ii)


def min_cycles(totals: LoopTotals) -> int:
    """The least cycles of all rounds of a loop."""
    return round(min_ii(totals) * totals.rounds)


def format_limit(totals: LoopTotals) -> str:
    """The resource or dependence that limits the II, as text."""
    ports, name = min_ii_of_ports(totals)
    if totals.min_ii > ports:
        return f"a recurrence of {totals.min_ii:.3g} cycles"
    if ports > 1:
        return f"{ports:.3g} {name} per iteration"
    return "II >= 1"


def loop_use(
    loop: NetlistLoop,
    text: str,
    runs: Sequence[Run],
    totals: Mapping[Place, LoopTotals],
) -> LoopUse:
    """One loop's row."""
    between = intervals = tokens = 0
    for run in runs:
        for condition in loop.conditions:
            profile = run.profile[condition]
            between += profile.between
            intervals += profile.intervals
            tokens += run.tokens[condition]
    known = next((t for place, t in totals.items() if is_same_place(place, loop.place)), None)
    return LoopUse(
        loop.place,
        line_of(text, loop.place),
        0 if known is None else known.depth,
        tokens - intervals if known is None else known.entries,
        (tokens if loop.rotated else intervals) if known is None else known.iterations,
        between / intervals if intervals else None,
        None if known is None else min_ii(known),
        None if known is None else min_ii_of_ports(known)[0],
        None if known is None else known.min_ii,
        "" if known is None else format_limit(known),
        conditions=loop.conditions,
        lanes=loop.lanes,
    )


def static_use(loop: StaticLoop, text: str, totals: Mapping[Place, LoopTotals]) -> LoopUse:
    """The row of a loop with a schedule, whose II this is; its counts are the program's."""
    known = loop.totals(totals)
    return LoopUse(
        loop.place,
        line_of(text, loop.place),
        0 if known is None else known.depth,
        None if known is None else known.entries,
        None if known is None else known.iterations,
        float(loop.ii),
        None if known is None else min_ii(known),
        None if known is None else min_ii_of_ports(known)[0],
        None if known is None else known.min_ii,
        "" if known is None else format_limit(known),
        length=loop.length,
    )


def line_of(text: str, place: Place) -> str:
    """The line of a place, without the space around it."""
    lines = text.splitlines()
    return lines[place.line - 1].strip() if 0 < place.line <= len(lines) else ""


def outer_of(
    place: Place, subject: Subject, program: ModuleOp | None, shown: Sequence[Place]
) -> Place | None:
    """The next loop around a loop of the circuit, else the next one of the program with a row."""
    found = next((o for p, o in subject.around.items() if is_same_place(p, place)), None)
    if found is not None or program is None:
        return found
    loops = (op for op in program.walk() if isinstance(op, LOOPS))
    loop = next((op for op in loops if is_same_place(place_of(op), place)), None)
    holder = None if loop is None else loop.parent_op()
    while holder is not None:
        if isinstance(holder, LOOPS) and any(is_same_place(place_of(holder), p) for p in shown):
            return place_of(holder)
        holder = holder.parent_op()
    return None


def channel_uses(netlist: Netlist, runs: Sequence[Run]) -> dict[str, ChannelUse]:
    """What every channel did."""
    return {
        channel.name: ChannelUse(
            sum(run.tokens[channel.name] for run in runs),
            sum(run.profile[channel.name].waits for run in runs),
        )
        for channel in netlist.channels
    }
