"""A static schedule as charts: what starts when in each step, and what takes each port and unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import memref, scf
from xdsl.ir import Block, Operation, SSAValue

from loom.dialects.facts.arrays import (
    banks_of_access,
    partition_of_access,
    ports_of_access,
    said_name,
)
from loom.dialects.facts.places import place_of
from loom.dialects.ops.staticlogic import PipelineOp, StageOp, latency_of, sharers_of
from loom.netlist.fsmd.steps import PLAIN, Step, steps_of


@dataclass(frozen=True)
class Bar:
    """An operation that starts in cycle `start` and gives its result `latency` cycles later.

    At latency 0 it is a part of a chain in its cycle.
    """

    text: str
    line: int
    start: int
    latency: int


@dataclass(frozen=True)
class Reservation:
    """A port or kind of unit: `lines` are those of the operations in each cycle modulo II."""

    resource: str
    lines: tuple[tuple[int, ...], ...]
    count: int
    """How many of them there are."""

    @property
    def share(self) -> float:
        """The part of its cycles in which it is taken, while an iteration issues every II."""
        taken = sum(min(len(slot), self.count) for slot in self.lines)
        return taken / (self.count * len(self.lines))


@dataclass(frozen=True)
class Chart:
    """The operations of a run of stages, or of one iteration of a pipeline, which has an II."""

    bars: tuple[Bar, ...]
    length: int
    ii: int | None = None
    reservations: tuple[Reservation, ...] = ()


def charts_of(block: Block) -> Iterator[Chart | None]:
    """For each step of a function, in the order of the machine's spans: its chart.

    None of loops and branches with steps in them, which follow.
    """
    for step in steps_of(block):
        yield chart_of(step)
        first = step.operations[0]
        if isinstance(first, scf.ForOp | scf.WhileOp | scf.IfOp):
            for region in first.regions:
                for inner in region.blocks:
                    yield from charts_of(inner)


def chart_of(step: Step) -> Chart | None:
    """The chart of one step."""
    first = step.operations[0]
    if isinstance(first, PipelineOp):
        bars = tuple(bars_of(first.stage_ops))
        return Chart(bars, first.depth, first.ii, tuple(reservations_of(first)))
    stages = [each for each in step.operations if isinstance(each, StageOp)]
    if not stages:
        return None
    bars = tuple(bars_of(stages))
    ends = [stage.start + 1 for stage in stages]
    return Chart(bars, max([*ends, *(bar.start + max(1, bar.latency) for bar in bars)]))


def bars_of(stages: Sequence[StageOp]) -> Iterator[Bar]:
    """The operations of stages by start, without those that are wires."""
    for stage in sorted(stages, key=lambda each: each.start):
        for op in stage.ops:
            if not isinstance(op, PLAIN):
                yield Bar(text_of(op), place_of(op).line, stage.start, latency_of(op))


def text_of(op: Operation) -> str:
    """An operation by its name, its array and its result."""
    if isinstance(op, memref.LoadOp | memref.StoreOp):
        verb = "load" if isinstance(op, memref.LoadOp) else "store"
        return f"{verb} {array_of(op.memref)}"
    word = op.name.rpartition(".")[2]
    hint = op.results[0].name_hint if op.results else None
    return f"{word} {hint}" if hint else word


def array_of(memory: SSAValue) -> str:
    """The name of an array in the text."""
    owner = memory.owner
    if isinstance(owner, memref.GetGlobalOp):
        return str(owner.name_.string_value())
    said = said_name(owner) if isinstance(owner, Operation) else ""
    return said or memory.name_hint or "array"


def ports_of(op: memref.LoadOp | memref.StoreOp) -> Iterator[str]:
    """The ports that an access takes: those of all banks that it may go to."""
    port = "read port" if isinstance(op, memref.LoadOp) else "write port"
    port += "s" * (ports_of_access(op) > 1)
    name = f"{array_of(op.memref)}: {port}"
    is_whole = partition_of_access(op) is None
    for bank in banks_of_access(op):
        yield name if is_whole else f"{name}, bank {bank}"


def reservations_of(loop: PipelineOp) -> Iterator[Reservation]:
    """The ports and the pipelined units of a pipeline, in the order of their first use."""
    taken: dict[str, list[list[int]]] = {}
    most: dict[str, int] = {}  # operations that one of them serves; 0: all
    ports: dict[str, int] = {}
    for start, op in loop.scheduled:
        if isinstance(op, memref.LoadOp | memref.StoreOp):
            names, sharers = list(ports_of(op)), 0
            ports.update(dict.fromkeys(names, ports_of_access(op)))
        elif latency_of(op) and not isinstance(op, PLAIN):
            sharers = sharers_of(op)
            names = [op.name.rpartition(".")[2] + (", shared" if sharers > 1 else "")]
        else:
            continue
        for name in names:
            slots = taken.setdefault(name, [[] for _ in range(loop.ii)])
            slots[start % loop.ii].append(place_of(op).line)
            most[name] = sharers
    for name, slots in taken.items():
        sharers, widest = most[name], max(map(len, slots))
        count = max(widest, -(-sum(map(len, slots)) // sharers)) if sharers else ports[name]
        yield Reservation(name, tuple(map(tuple, slots)), count)
