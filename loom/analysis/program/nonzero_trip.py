"""Whether a counted loop has a non-zero trip count: by constants, ranges or guards around it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.ir import SSAValue

from loom.analysis.program.trip_counts import constant_of, has_constant_nonzero_trip
from loom.analysis.program.value_ranges import Ranges
from loom.dialects.facts.loop_attributes import is_unsigned

SIGNED_LESS = {2: (0, 1), 4: (1, 0)}
SIGNED_NOT_LESS = {5: (0, 1), 3: (1, 0)}
UNSIGNED_LESS = {6: (0, 1), 8: (1, 0)}
UNSIGNED_NOT_LESS = {9: (0, 1), 7: (1, 0)}
"""By the predicate of an ``arith.cmpi``, which operands are the lesser and the greater: where it
holds, and for `NOT` where it does not."""


@dataclass(frozen=True)
class Less:
    """One value is less than another, by its comparison."""

    lesser: SSAValue
    greater: SSAValue
    unsigned: bool


def has_nonzero_trip(loop: scf.ForOp, ranges: Ranges) -> bool:
    """True if the loop is known to run at least once wherever it is reached.

    That the first index lies before the bound follows from constants, by the `ranges` of both, or
    by a loop or a branch around it that compares numbers at least as far apart.
    """
    unsigned = is_unsigned(loop)
    return (
        has_constant_nonzero_trip(loop)
        or is_less_by(loop.lb, loop.ub, 1, unsigned, ranges)
        or any(
            less.unsigned == unsigned
            and is_at_most(loop.lb, less.lesser, unsigned, ranges)
            and is_at_most(less.greater, loop.ub, unsigned, ranges)
            for less in enclosing_comparisons(loop)
        )
    )


def enclosing_comparisons(loop: scf.ForOp) -> Iterator[Less]:
    """The comparisons of loops and branches around a loop that hold where it is reached."""
    block = loop.parent
    while block is not None:
        holder = block.parent_op()
        if isinstance(holder, scf.ForOp):
            unsigned = is_unsigned(holder)
            yield Less(holder.lb, holder.ub, unsigned)
            yield Less(holder.body.block.args[0], holder.ub, unsigned)
        elif isinstance(holder, scf.IfOp) and isinstance(holder.cond.owner, arith.CmpiOp):
            yield from implied_order(holder.cond.owner, block.parent is holder.true_region)
        block = None if holder is None else holder.parent


def implied_order(test: arith.CmpiOp, holds: bool) -> Iterator[Less]:
    """The order of operands where a comparison holds, or where it does not."""
    predicate = int(test.predicate.value.data)
    kinds = (SIGNED_LESS, UNSIGNED_LESS) if holds else (SIGNED_NOT_LESS, UNSIGNED_NOT_LESS)
    for unsigned, kind in zip((False, True), kinds, strict=True):
        if predicate in kind:
            lesser, greater = (test.operands[place] for place in kind[predicate])
            yield Less(lesser, greater, unsigned)


def is_at_most(low: SSAValue, high: SSAValue, unsigned: bool, ranges: Ranges) -> bool:
    """True if `low` is known to be no more than `high`."""
    number = constant_of(low)
    if low is high or (number is not None and number == constant_of(high)):
        return True
    return is_less_by(low, high, 0, unsigned, ranges)


def is_less_by(low: SSAValue, high: SSAValue, apart: int, unsigned: bool, ranges: Ranges) -> bool:
    """True if ranges show that `high` is at least `apart` more than `low`."""
    lower, upper = ranges.get(low), ranges.get(high)
    if lower is None or upper is None or (unsigned and (lower.low < 0 or upper.low < 0)):
        return False
    return lower.high + apart <= upper.low
