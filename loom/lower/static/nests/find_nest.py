"""Which counted loops in each other become one pipeline: where one is right, and no slower.

Bounds of inner loops are constants, values from outside the nest, or made of counters of the loops
around by few operations without a register. Those of the second loop may be loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from xdsl.dialects import arith, memref, scf
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from loom.dialects.facts.arrays import is_behind_channel
from loom.dialects.facts.loop_attributes import EXACT_TYPE, NONZERO_TRIP, is_unsigned
from loom.lower.scalar.arith_builder import constant_of
from loom.lower.static.build_pipeline import (
    Builder,
    holds_loop,
    is_combinational,
    loops_around,
)
from loom.lower.static.nests.first_loads import Pair, pairs_of
from loom.lower.static.nests.prefetch_bounds import can_prefetch
from loom.lower.static.units import CASTS, is_pipelined

MOST_OPERATORS = 3
"""Operators that a bound may be made by, in a chain with the counters' own."""
SHIFTS = (arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp)
OPERATORS = (
    arith.AddiOp, arith.SubiOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp, arith.CmpiOp,
    arith.SelectOp, arith.MinSIOp, arith.MaxSIOp, arith.MinUIOp, arith.MaxUIOp, *SHIFTS,
)  # fmt: skip
"""Operators of bounds: defined for all operands, shifts by constants alone."""


@dataclass(frozen=True)
class Level:
    """One loop of a nest; of an inner one `slice` are the operations of the nest for its bounds.

    They stand in their order. `runs` says that the loop runs at least once where it is reached;
    `loads` are the loads of the outermost loop that its bounds are made of.
    """

    loop: scf.ForOp
    step: int
    runs: bool = False
    slice: tuple[Operation, ...] = ()
    loads: tuple[memref.LoadOp, ...] = ()
    pairs: tuple[Pair, ...] = ()
    """Loads of the loop around that have this loop's first iteration for themselves."""

    @property
    def trip_count(self) -> int | None:
        """The iterations of a loop with constant bounds."""
        low, high = constant_of(self.loop.lb), constant_of(self.loop.ub)
        if low is None or high is None or (is_unsigned(self.loop) and min(low, high) < 0):
            return None
        return -(-(high - low) // self.step)

    @property
    def least_trips(self) -> int:
        """So many iterations of the pipeline at least are an entry of the loop."""
        return self.trip_count or 1


def find_nest(loop: scf.ForOp, builder: Builder, *, has_pairs: bool = False) -> list[Level] | None:
    """The loops of a nest, outermost first, if one pipeline of them is right.

    With `has_pairs` only a nest whose innermost loop has an iteration for loads of that around it.

    What a loop carries is made in a cycle without a register, so that the choice of its first value
    costs no iteration. A load before an inner loop meets no store of the nest before the end of
    that loop, and its memory is not loaded in the inner loop. That the II is no longer than that of
    the innermost loop alone is not asked here.
    """
    levels: list[Level] = []
    current: scf.ForOp | None = loop
    while current is not None:
        level = level_of(current, levels, builder)
        if level is None:
            return None
        levels.append(level)
        inner = [op for op in current.body.block.ops if holds_loop(op)]
        if len(inner) > 1 or (inner and not isinstance(inner[0], scf.ForOp)):
            return None
        first = inner[0] if inner else None
        assert first is None or isinstance(first, scf.ForOp)
        current = first
    if len(levels) > 2 and levels[1].loads:
        return None
    if len(levels) < 2 or not all(carries_quickly(level.loop, builder) for level in levels):
        return None
    if has_pairs:
        around, last = levels[-2:]
        pairs = pairs_of(around.loop, last.loop, last.step, builder)
        if not pairs or any(level.loads for level in levels):
            return None
        levels[-1] = replace(last, runs=True, pairs=pairs)
    couples = pairwise(levels)
    if not all(may_repeat(outer.loop, inner, builder) for outer, inner in couples):
        return None
    return levels


def level_of(loop: scf.ForOp, around: Sequence[Level], builder: Builder) -> Level | None:
    """The loop as a level in others; None if it counts past its type, or its bounds are others.

    A step of 1 ends at the bound, which its type holds.
    """
    step = constant_of(loop.step)
    if step is None or step < 1:
        return None
    trips = Level(loop, step).trip_count
    if around and trips is not None:
        return Level(loop, step, runs=True) if trips > 0 else None
    if step > 1 and not EXACT_TYPE.is_on(loop):
        return None
    if not around:
        return Level(loop, step)
    found: list[Operation] = []
    blocks = [level.loop.body.block for level in around]
    loads: list[memref.LoadOp] = []
    for bound in (loop.lb, loop.ub):
        own: list[Operation] = []
        if not add_slice(bound, blocks, own, loads):
            return None
        if sum(not isinstance(op, CASTS) for op in own) > MOST_OPERATORS:
            return None
        found += [op for op in own if op not in found]
    if loads and not (
        step == 1 and len(around) == 1 and can_prefetch(around[0].loop, loads, builder.order)
    ):
        return None
    runs = NONZERO_TRIP.is_on(loop) or loop in builder.running
    return Level(loop, step, runs, tuple(found), tuple(loads))


def add_slice(
    value: SSAValue,
    blocks: Sequence[object],
    found: list[Operation],
    loads: list[memref.LoadOp] | None = None,
) -> bool:
    """Add the operations in these blocks that make a value; whether counters alone are needed.

    If there is a list for them, loads may be needed too.
    """
    owner = value.owner
    if isinstance(value, BlockArgument):
        return value.block not in blocks or value.index == 0
    assert isinstance(owner, Operation)
    if owner.parent not in blocks or isinstance(owner, arith.ConstantOp) or owner in found:
        return True
    if loads is not None and isinstance(owner, memref.LoadOp):
        if owner not in loads:
            loads.append(owner)
        own: list[Operation] = []
        is_of_counters = add_slice(owner.indices[0], blocks, own)
        return is_of_counters and sum(not isinstance(op, CASTS) for op in own) <= MOST_OPERATORS
    is_defined = isinstance(owner, OPERATORS) and is_combinational(owner)
    if isinstance(owner, SHIFTS):
        is_defined &= constant_of(owner.operands[1]) is not None
    if not (is_defined or isinstance(owner, CASTS)):
        return False
    if not all(add_slice(operand, blocks, found, loads) for operand in owner.operands):
        return False
    found.append(owner)
    return True


def may_repeat(outer: scf.ForOp, inner: Level, builder: Builder) -> bool:
    """Whether loads before an inner loop give the same in each of its iterations, at no cost.

    A store behind the inner loop comes in its last iteration, when the load has been made. Loads of
    its bounds are made ahead.
    """
    order = builder.order
    operations = list(outer.body.block.ops)
    place = operations.index(inner.loop)
    before = [op for op in walk_each(operations[:place]) if isinstance(op, memref.LoadOp)]
    elsewhere = {*inner.loads, *(pair.first for pair in inner.pairs)}
    before = [op for op in before if op not in elsewhere]
    behind = set(walk_each(operations[place + 1 :]))
    depth = loops_around(outer) + 1
    for load in before:
        if is_behind_channel(load.memref):
            return False  # a request is seen
        for other in walk_each(operations):
            if other is load or not isinstance(other, memref.LoadOp | memref.StoreOp):
                continue
            if order.root(load) != order.root(other):
                continue
            if isinstance(other, memref.LoadOp):
                return False
            if other in behind:
                continue
            if order.known.may_conflict(order.access(load), order.access(other), depth):
                return False
    return True


def walk_each(operations: Iterable[Operation]) -> Iterator[Operation]:
    """The operations and all inside them."""
    for operation in operations:
        yield from operation.walk()


def carries_quickly(loop: scf.ForOp, builder: Builder) -> bool:
    """Whether no carried value comes from an operator with a register."""
    end = loop.body.block.last_op
    assert end is not None
    made = [value.op for value in end.operands if isinstance(value, OpResult)]
    return not any(is_pipelined(op, builder.units.options) for op in made if not op.regions)
