"""How far a value that a loop carries can go: its increment in an iteration by the trip count.

Where each iteration adds to the value what lies between two numbers, it is no further from its
initial value than so many increments. Sums, differences, branches and inner loops are followed from
the argument of the iteration to what it gives the next one. If every such number fits the type,
none wraps round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, OpResult, SSAValue

from loom.analysis.program.interval import Range

NONE = Range(0, 0)
"""The value itself: no increment."""
RangeOf = Callable[[SSAValue], Range]
CountOf = Callable[[scf.ForOp], int | None]
"""The most iterations of a loop, or None."""


def increment(value: SSAValue, start: SSAValue, of: RangeOf, count: CountOf) -> Range | None:
    """How much more `value` can be than `start`, which it is computed of; None if unknown."""
    if value is start:
        return NONE
    owner = value.owner
    if not isinstance(value, OpResult) or not isinstance(owner, Operation):
        return None
    match owner:
        case arith.AddiOp():
            for one, other in ((owner.lhs, owner.rhs), (owner.rhs, owner.lhs)):
                found = increment(one, start, of, count)
                if found is not None:
                    more = of(other)
                    return Range(found.low + more.low, found.high + more.high)
            return None
        case arith.SubiOp():
            found, less = increment(owner.lhs, start, of, count), of(owner.rhs)
            return found and Range(found.low - less.high, found.high - less.low)
        case arith.SelectOp():
            return either([owner.lhs, owner.rhs], start, of, count)
        case scf.IfOp():
            ends = [region.block.last_op for region in owner.regions if region.blocks]
            return either([end.operands[value.index] for end in ends if end], start, of, count)
        case scf.ForOp():
            found = increment(owner.iter_args[value.index], start, of, count)
            inner = found and grow(owner, value.index, of, count)
            return inner and found and Range(found.low + inner.low, found.high + inner.high)
        case _:
            return None


def either(
    values: Sequence[SSAValue], start: SSAValue, of: RangeOf, count: CountOf
) -> Range | None:
    """The increment of a value that is one of these."""
    found = [increment(each, start, of, count) for each in values]
    known = [each for each in found if each is not None]
    if len(known) < len(found) or not known:
        return None
    return Range(min(each.low for each in known), max(each.high for each in known))


def grow(loop: scf.ForOp, number: int, of: RangeOf, count: CountOf) -> Range | None:
    """How much more carried value `number` can be than its initial one; None if unknown."""
    end, most = loop.body.block.last_op, count(loop)
    assert end is not None
    if most is None:
        return None
    one = increment(end.operands[number], loop.body.block.args[1 + number], of, count)
    return one and Range(min(0, most * one.low), max(0, most * one.high))
