"""Where registers are placed so that loops are fastest: a mixed integer program.

Source: docs/spec/buffering.md, "Optimal placement", first and last problem. A binary variable says
of each channel whether a registered buffer stands on it. Signals arrive when units are through; on
a channel with a register they start anew. Tokens of a loop keep a rate th: with a potential of each
unit, an edge that takes `latency` cycles and carries m tokens ahead asks ``a(target) - a(source) +
m >= th * latency``, and th more with a register. Rates weigh by the depth of their loops, then
registers count. Cycles that no register cuts are found and forbidden until there is none. With the
registers fixed, a second program places the least transparent buffers.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from xdsl.ir import SSAValue

from loom.analysis.schedule.event_graph import Edge, EventGraph, Node
from loom.analysis.schedule.loop_members import iterations_ahead
from loom.analysis.schedule.milp import LinearProgram, Terms, Variable
from loom.analysis.schedule.place_registers import find_cycles
from loom.analysis.schedule.register_slack import DEEPER
from loom.analysis.timing.clocked_units import Buffer, Clock, ClockedUnits
from loom.analysis.timing.static_timing import Signal, Step, Waypoint, steps_of
from loom.dialects.ops.types import width_of

REGISTER, FIFO, BIT = 1e-3, 1e-4, 1e-6
"""What a registered and a transparent buffer and each bit of the former weigh against a rate."""


def value_on(edge: Edge) -> SSAValue:
    """The value that goes along an edge."""
    return edge.operation.operands[edge.index]


class Placement:
    """The first program: registers, rates of loops, and every signal in time.

    Edges of `held` have a transparent buffer, if no register, whose delays count.
    """

    def __init__(self, graph: EventGraph, clock: Clock | None, held: Set[Edge]) -> None:
        self.graph = graph
        self.program = LinearProgram()
        self.registers = {edge: self.program.variable(0, 1, whole=True) for edge in graph.edges}
        self.costs: dict[Variable, float] = {}
        for edge, register in self.registers.items():
            width = width_of(value_on(edge).type, graph.index_width)
            self.costs[register] = REGISTER + BIT * width
        self._rates()
        if clock is not None:
            self._in_time(clock, held)

    def _in_time(self, clock: Clock, held: Set[Edge]) -> None:
        """Data, valid and ready are, whatever buffers stand."""
        fifos = {edge: self.program.variable(0, 1, whole=True) for edge in self.graph.edges}
        for edge, fifo in fifos.items():
            self.costs[fifo] = FIFO
            if edge in held:
                self.program.at_least(1, {fifo: 1, self.registers[edge]: 1})
        add_arrivals(self.program, self.graph, clock, self.registers, fifos)

    def _rates(self) -> None:
        """Each loop has a rate that its cycles of units allow."""
        closing, loops = self.graph.closing, self.graph.loops
        for loop, edges in self.graph.edges_by_loop.items():
            rate = self.program.variable(0, 1)
            self.costs[rate] = -(DEEPER ** len(loops[loop]))
            potential: dict[Node, Variable] = {}
            for edge in edges:
                ahead = iterations_ahead(edge, loop, closing)
                if ahead is not None:
                    self._rate_on(edge, ahead, rate, potential)

    def _rate_on(
        self, edge: Edge, ahead: int, rate: Variable, potential: dict[Node, Variable]
    ) -> None:
        """What one edge asks of the rate."""
        for node in (edge.source, edge.target):
            if node not in potential:
                potential[node] = self.program.variable(float("-inf"))
                self.program.at_least(-1, {rate: -float(node.timing.interval)})
        through = self.program.variable(0)
        self.program.at_least(-1, {through: 1, rate: -1, self.registers[edge]: -1})
        terms = {rate: -float(edge.latency), through: -1.0}
        if edge.source is not edge.target:
            terms |= {potential[edge.target]: 1.0, potential[edge.source]: -1.0}
        self.program.at_least(-ahead, terms)

    def chosen(self) -> set[Edge] | None:
        """The edges that get a register; None if nothing is in time."""
        paths = [edge for edge in self.graph.edges if edge.goes_on]
        while (found := self.program.minimize(self.costs)) is not None:
            registered = {
                edge for edge, register in self.registers.items() if found[register] > 0.5
            }
            cycles = list(find_cycles([edge for edge in paths if edge not in registered]))
            if not cycles:
                return registered
            for cycle in cycles:
                self.program.at_least(1, {self.registers[edge]: 1 for edge in cycle})
        return None


def place_ready_fifos(
    graph: EventGraph, clock: Clock | None, registered: Set[Edge], held: Set[Edge]
) -> set[Edge] | None:
    """The least edges that need a transparent buffer besides those of `held`, which have one.

    None if ready is not in time wherever they stand.
    """
    program = LinearProgram()
    open_ = [edge for edge in graph.edges if edge not in registered and edge not in held]
    fifos = {edge: program.variable(0, 1, whole=True) for edge in open_}
    if clock is not None:
        fixed = {edge: program.variable(1, 1) for edge in held if edge not in registered}
        stands = {edge: program.variable(int(edge in registered), int(edge in registered))
                  for edge in graph.edges}  # fmt: skip
        add_arrivals(program, graph, clock, stands, {**fifos, **fixed})
    paths = [edge for edge in open_ if not edge.cuts_ready]
    while (found := program.minimize(dict.fromkeys(fifos.values(), 1.0))) is not None:
        registered = {edge for edge, fifo in fifos.items() if found[fifo] > 0.5}
        cycles = list(find_cycles([edge for edge in paths if edge not in registered]))
        if not cycles:
            return registered
        for cycle in cycles:
            program.at_least(1, {fifos[edge]: 1 for edge in cycle})
    return None


@dataclass(frozen=True)
class Arrivals:
    """When signals arrive: the program, its variables by signal, the latest time [ns]."""

    program: LinearProgram
    times: dict[Waypoint, Variable]
    latest: float

    def time(self, signal: Waypoint) -> Variable:
        """When the signal arrives at the latest [ns]."""
        if signal not in self.times:
            self.times[signal] = self.program.variable(0, self.latest)
        return self.times[signal]

    def after(self, signal: Waypoint, delay: float, more: Terms) -> None:
        """The signal arrives `delay` after the sum `more` or later."""
        terms = {self.time(signal): 1.0, **{each: -factor for each, factor in more.items()}}
        self.program.at_least(delay, terms)

    def before_register(self, signal: Signal, taken: Terms) -> None:
        """The signal arrives so early that the sum `taken` still fits before the period ends."""
        terms = {self.time(signal): -1.0, **{each: -factor for each, factor in taken.items()}}
        self.program.at_least(-self.latest, terms)


def add_arrivals(
    program: LinearProgram,
    graph: EventGraph,
    clock: Clock,
    registers: Mapping[Edge, Variable],
    fifos: Mapping[Edge, Variable],
) -> None:
    """Every path is in time; each variable is 1 where its buffer stands."""
    values = {value_on(edge) for edge in graph.edges}
    units = ClockedUnits(graph.block, graph.index_width, graph.cores, clock, values)
    arrivals = Arrivals(program, {}, clock.period - clock.overhead)
    for stage in units.stages:
        for step in steps_of(stage, clock.overhead):
            add_step(arrivals, step)
    for edge in graph.edges:
        on_edge = ChannelTimes(arrivals, units, value_on(edge))
        on_edge.forwards(registers[edge], fifos.get(edge))
        on_edge.backwards(registers[edge], fifos.get(edge))


def add_step(arrivals: Arrivals, step: Step) -> None:
    """A piece of path through a unit."""
    before, after = step.before, step.signal
    if after is not None:
        arrivals.after(after, step.delay, {} if before is None else {arrivals.time(before): 1.0})
    elif before is not None:
        program, latest = arrivals.program, arrivals.latest
        program.at_least(step.delay - latest, {arrivals.time(before): -1.0})


class ChannelTimes:
    """The two sides of a channel on which a buffer may stand."""

    def __init__(self, arrivals: Arrivals, units: ClockedUnits, value: SSAValue) -> None:
        self.arrivals = arrivals
        self.value = value
        overhead = units.clock.overhead
        self.seq = without_overhead(units.of_buffer(value, Buffer(True, 2)), overhead)
        self.fifo = without_overhead(units.of_buffer(value, Buffer(False, 2)), overhead)

    def forwards(self, register: Variable, fifo: Variable | None) -> None:
        """Data and valid pass, later behind a transparent buffer, or start anew at a register."""
        arrivals = self.arrivals
        for kind in ("data", "valid"):
            made, read = ((self.value, False), kind), ((self.value, True), kind)
            passed = {arrivals.time(made): 1.0, register: -arrivals.latest}
            if fifo is not None:
                passed[fifo] = self.fifo.get(f"{kind}>{kind}", 0.0)
            arrivals.after(read, 0.0, passed)
            self._register(made, read, kind, self.seq, register)

    def backwards(self, register: Variable, fifo: Variable | None) -> None:
        """Ready passes, or starts anew at either buffer."""
        arrivals = self.arrivals
        read, made = ((self.value, True), "ready"), ((self.value, False), "ready")
        passed = {arrivals.time(read): 1.0, register: -arrivals.latest}
        if fifo is not None:
            passed[fifo] = -arrivals.latest
            self._register(read, made, "ready", self.fifo, fifo)
        arrivals.after(made, 0.0, passed)
        self._register(read, made, "ready", self.seq, register)

    def _register(
        self, into: Signal, out: Signal, kind: str, delays: Mapping[str, float], stands: Variable
    ) -> None:
        """Where the buffer stands, one side ends in its register and the other starts there."""
        self.arrivals.before_register(into, {stands: delays.get(f"{kind}>register", 0.0)})
        self.arrivals.after(out, 0.0, {stands: delays.get(f"register>{kind}", 0.0)})


def without_overhead(delays: Mapping[str, float], overhead: float) -> Mapping[str, float]:
    """The delays without what each holds besides the unit [ns]."""
    return {name: max(0.0, delay - overhead) for name, delay in delays.items()}
