"""Which loops in each other become one pipeline: those that take no more cycles so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from xdsl.dialects import memref, scf
from xdsl.ir import Operation

from loom.dialects.ops.staticlogic import PipelineOp
from loom.lower.static.build_pipeline import Builder, build_for
from loom.lower.static.nests.build_nest import build_nest
from loom.lower.static.nests.find_nest import Level, find_nest
from loom.lower.static.nests.first_loads import Pair


def choose_nest(loop: scf.ForOp, builder: Builder) -> Sequence[Level] | None:
    """The loops from this one on that are one pipeline; None if they are slower so.

    Loads of the loop around the innermost one have an iteration of that for themselves where this
    is faster.
    """
    plain, paired = find_nest(loop, builder), find_nest(loop, builder, has_pairs=True)
    if paired is None:
        return plain if plain is not None and is_no_slower(plain, builder) else None
    alone, interval = interval_alone(paired, builder), interval_of(paired, builder)
    if plain is None:
        return paired if interval <= alone else None
    known, trips = interval_of(plain, builder), plain[-1].trip_count
    if trips is not None:
        return paired if interval * (trips + 1) < known * trips else plain
    if interval <= alone and interval < known:
        return paired
    return plain if is_no_slower(plain, builder) else None


def is_no_slower(levels: Sequence[Level], builder: Builder) -> bool:
    """Whether the II is that of the innermost loop alone, asked where trip counts are not known.

    The distance of a dependence over an outer loop is then one iteration, as far as anybody knows;
    accesses of outer loops take ports, and flags may come late.
    """
    if all(level.trip_count is not None for level in levels[1:]):
        return True
    return interval_of(levels, builder) <= interval_alone(levels, builder)


def interval_alone(levels: Sequence[Level], builder: Builder) -> int:
    """The II of the innermost loop alone [cycles]."""

    def build(copies: Sequence[Level], apart: Builder) -> None:
        build_for(copies[-1].loop, apart)

    return interval_built(levels, builder, build)


def interval_of(levels: Sequence[Level], builder: Builder) -> int:
    """The II of the nest as one pipeline [cycles]."""
    return interval_built(levels, builder, build_nest)


def interval_built(
    levels: Sequence[Level], builder: Builder, build: Callable[[Sequence[Level], Builder], None]
) -> int:
    """The II of the one pipeline that is built of a copy, which is gone afterwards [cycles]."""
    outer, apart = levels[0].loop, replace(builder, limits=[], order=builder.order.apart())
    before = outer.prev_op
    build(copy_levels(levels, builder), apart)
    found: int | None = None
    while (operation := outer.prev_op) is not None and operation is not before:
        pipelines = [op for op in operation.walk() if isinstance(op, PipelineOp)]
        for pipeline in pipelines:
            found = pipeline.ii
        operation.detach()
        operation.erase()
    assert found is not None
    return found


def copy_levels(levels: Sequence[Level], builder: Builder) -> list[Level]:
    """The levels of a copy of the nest in front of it; its accesses are known."""
    outer = levels[0].loop
    copied = outer.clone()
    assert outer.parent is not None
    outer.parent.insert_op_before(copied, outer)
    copies = dict(zip(outer.walk(), copied.walk(), strict=True))
    for old, new in copies.items():
        if builder.order.accesses.access_of(old) is not None:
            builder.order.accesses.add_copy(old, new)
    found: list[Level] = []
    for level in levels:
        loop = copies[level.loop]
        assert isinstance(loop, scf.ForOp)
        slice_ = tuple(copies[op] for op in level.slice)
        loads = tuple(load_of(copies, op) for op in level.loads)
        pairs = tuple(Pair(*(load_of(copies, op) for op in pair)) for pair in level.pairs)
        found.append(Level(loop, level.step, level.runs, slice_, loads, pairs))
    return found


def load_of(copies: Mapping[Operation, Operation], load: memref.LoadOp) -> memref.LoadOp:
    """The copy of a load."""
    found = copies[load]
    assert isinstance(found, memref.LoadOp)
    return found
