"""Which loops of a dynamic circuit are static, where that is left to `auto`: by time and area.

A static loop is one unit with a schedule of its own. Its entries follow each other, so that it
costs cycles where they are short or wait for other loops: the models say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from loom.dialects.facts.loop_attributes import HINT, II, INTERLEAVE, LOOPS, STYLE
from loom.dialects.facts.places import place_of
from loom.errors import LoomError, LoomErrors, Place
from loom.front.api import compile_module
from loom.front.circuit import Circuit
from loom.front.static_circuit import DYNAMIC_ONLY
from loom.front.styles.compare import FEW_FOR_CHANGES
from loom.front.styles.orders import compared
from loom.front.styles.runs import at_its_clock, budget_of, dynamic_cycles, dynamic_runs
from loom.front.styles.styled import Choice, Prediction, Styled
from loom.frontend.functions import reachable, top_function
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.timed.simulate import TimedRun

MORE_CYCLES, MORE_AT_ENDS = 1.02, 2
"""A circuit with static loops takes so many times the cycles of the one without, at most, and two
more an activation for the start and end of a loop. But for these two it takes no more time."""


LESS_LUTS = 0.97
"""Each static loop saves so much of the LUTs: the circuit has so many times those before."""


MOST_LOOPS = 8
"""So many loops are tried."""


MOST_UNITS = 6000
"""Loops that are tried by units of the circuit, at most: it is compiled for each of them."""


def loops_of(source: ModuleOp) -> list[Operation]:
    """The loops of a program, in the order of its text. A loop's number is its place here."""
    return [op for op in source.walk() if isinstance(op, LOOPS)]


def loops_to_try(dynamic: Circuit, options: Options) -> list[int]:
    """The numbers of the loops whose style is left to `auto`, from outside to inside.

    None of a function whose style is not, and where static schedules do not follow the options.
    """
    plain = Options()
    if options.passes or any(getattr(options, n) != getattr(plain, n) for n in DYNAMIC_ONLY):
        return []
    reached, _ = reachable(dynamic.source, top_function(dynamic.source, dynamic.top))
    found: list[tuple[int, int]] = []
    for number, loop in enumerate(loops_of(dynamic.source)):
        around = list(list_around(loop))
        if function_of(loop) not in reached or any(STYLE.is_on(op) for op in (loop, *around)):
            continue
        if not any(asks_otherwise(op) for op in loop.walk()):
            found.append((len(around), number))
    most = min(MOST_LOOPS, MOST_UNITS // max(1, len(dynamic.netlist.units)))
    return [number for _, number in sorted(found)[:most]]


def list_around(loop: Operation) -> Iterator[Operation]:
    """The loops around a loop, from inside to outside."""
    holder = loop.parent_op()
    while holder is not None:
        if isinstance(holder, LOOPS):
            yield holder
        holder = holder.parent_op()


def function_of(loop: Operation) -> FuncOp:
    """The function that a loop is in."""
    holder = loop.parent_op()
    while not isinstance(holder, FuncOp):
        assert holder is not None
        holder = holder.parent_op()
    return holder


def asks_otherwise(op: Operation) -> bool:
    """Whether an operation says a style, or requests what is of dynamic loops: an II, which is
    checked of these, or iterations that take turns."""
    is_interleaved = (INTERLEAVE.of(op) or 1) > 1 and not HINT.is_on(op)
    return STYLE.is_on(op) or II.is_on(op) or is_interleaved


def with_static_loops(source: ModuleOp, numbers: Sequence[int]) -> ModuleOp:
    """The program with the style static at these loops."""
    found = source.clone()
    loops = loops_of(found)
    for number in numbers:
        STYLE.put(loops[number], "static")
    return found


def choose_loops(
    dynamic: Circuit,
    choice: Choice,
    options: Options,
    given: Sequence[Activation],
    are_drawn: bool,
) -> Styled:
    """The circuit, or one with the static loops that cost no cycles and time, and save LUTs.

    One loop after the other is tried, and kept or not; none in a static one. Drawn inputs that end
    soon say nothing of them.
    """
    otherwise = Styled(dynamic, choice)
    numbers = loops_to_try(dynamic, options)
    if not numbers:
        return otherwise
    budget = budget_of(dynamic)
    runs = dynamic_runs(dynamic, given, budget)
    if runs is None:
        return otherwise
    theirs = at_its_clock(dynamic, sum(run.cycles for run in runs), budget)
    if are_drawn and theirs.cycles is not None and theirs.cycles < FEW_FOR_CHANGES:
        return otherwise
    loops = loops_of(dynamic.source)
    trial = Trial(dynamic, options, given, runs, theirs)
    taken, static = Candidate(dynamic, theirs, trial.fast.cost.counts[0]), list[int]()
    for number in numbers:
        if any(loops[each] in list_around(loops[number]) for each in static):
            continue
        found = trial.look([*static, number], taken)
        if found is not None:
            taken = found
            static.append(number)
    if not static:
        return otherwise
    places = [place_of(loops[number]) for number in sorted(static)]
    way = f"static loops at {list_lines(places)}"
    said = compared(dynamic, choice, way, taken.takes, "without", theirs)
    said = replace(said, mixed=taken.takes, static_loops=tuple(map(str, places)))
    return Styled(taken.circuit, said)


def list_lines(places: Sequence[Place]) -> str:
    """The lines of places, each once."""
    found = dict.fromkeys(str(place.line) if place.line else place.file for place in places)
    return f"line{'s' * (len(found) > 1)} {', '.join(found)}"


@dataclass(frozen=True)
class Candidate:
    """A circuit, what it takes, and the LUTs of the one without a clock."""

    circuit: Circuit
    takes: Prediction
    fast_luts: int


@dataclass(frozen=True)
class Trial:
    """What circuits with static loops are compared with: the one without, and what it takes."""

    dynamic: Circuit
    options: Options
    given: Sequence[Activation]
    runs: Sequence[TimedRun]
    without: Prediction

    @cached_property
    def fast(self) -> Circuit:
        """The circuit without static loops and clock."""
        return self.compile_fast(self.dynamic.source)

    @cached_property
    def most_fast(self) -> int:
        """The cycles that one with static loops may take without a clock [cycles]."""
        cycles = dynamic_cycles(self.fast, self.given, self.without.budget)
        return self.more(self.without.budget if cycles is None else cycles)

    def compile_fast(self, source: ModuleOp) -> Circuit:
        """The circuit without a clock, which takes little time to compile."""
        options = replace(self.options, clock_period=None)
        return compile_module(source, top=self.dynamic.top, options=options)

    def more(self, cycles: int) -> int:
        """The cycles that a circuit with static loops may take where one without takes so many."""
        return int(MORE_CYCLES * cycles) + MORE_AT_ENDS * len(self.given)

    def look(self, numbers: Sequence[int], before: Candidate) -> Candidate | None:
        """The circuit with these static loops, if it is better than the one before.

        Without a clock it is that, too: this is asked first. None, too, of loops that no static
        schedule holds, or that do not reach the clock period that is asked for.
        """
        source = with_static_loops(self.dynamic.source, numbers)
        try:
            fast = self.compile_fast(source)
            luts = fast.cost.counts[0]
            if luts > LESS_LUTS * before.fast_luts:
                return None
            cycles = dynamic_cycles(fast, self.given, self.most_fast)
            if cycles is None or cycles > self.most_fast:
                return None
            found = fast
            if self.options.clock_period is not None:
                found = compile_module(source, top=self.dynamic.top, options=self.options)
        except (LoomError, LoomErrors):
            return None
        runs = dynamic_runs(found, self.given, self.without.budget)
        if runs is None or not do_alike(runs, self.runs):
            return None
        takes = at_its_clock(found, sum(run.cycles for run in runs), self.without.budget)
        if self.takes_longer(takes) or takes.luts > LESS_LUTS * before.takes.luts:
            return None
        return Candidate(found, takes, luts) if takes_no_more(found, before.circuit) else None

    def takes_longer(self, takes: Prediction) -> bool:
        """Whether a circuit takes more cycles than it may, or more time."""
        assert takes.cycles is not None and self.without.cycles is not None
        at_ends = MORE_AT_ENDS * len(self.given) * takes.period
        is_longer = takes.time > self.without.time + at_ends
        return is_longer or takes.cycles > self.more(self.without.cycles)


def do_alike(runs: Sequence[TimedRun], others: Sequence[TimedRun]) -> bool:
    """Whether activations give the same results and leave the same arrays."""
    found, wanted = ([(run.outputs, run.memories) for run in each] for each in (runs, others))
    return found == wanted


def takes_no_more(found: Circuit, other: Circuit) -> bool:
    """Whether a circuit has no more multipliers and block RAMs than another one."""
    pairs = zip(found.cost.counts[2:], other.cost.counts[2:], strict=True)
    return all(ours <= theirs for ours, theirs in pairs)
