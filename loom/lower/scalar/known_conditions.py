"""What is known of conditions where one of them holds, or does not.

Where `a & b` holds both do; where it does not, there are two ways: `a` does not, or it does and `b`
does not. A value that is selected by a known condition is one of the two.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from loom.lower.scalar.arith_builder import constant_of

Truths = dict[SSAValue, bool]
"""i1 values that are known."""
EQUAL, UNEQUAL = 0, 1
"""Predicates of `arith.cmpi`."""
MOST_WAYS = 8
"""More ways to the value of a condition are not looked at, nor longer chains of conditions."""


def selected(value: SSAValue, truths: Truths) -> SSAValue:
    """What a value is behind selects whose conditions are known."""
    while isinstance(value.owner, arith.SelectOp) and value.owner.cond in truths:
        value = value.owner.lhs if truths[value.owner.cond] else value.owner.rhs
    return value


def ways_to(value: SSAValue, truth: bool, depth: int = MOST_WAYS) -> list[Truths]:
    """What is known of i1 values where this one is so: one of the ways, each complete."""
    owner = value.owner
    ways: list[Truths] = [{}]
    if not depth:
        return [{value: truth}]
    if isinstance(owner, arith.AndIOp | arith.OrIOp):
        lhs, rhs = (ways_to(each, truth, depth - 1) for each in owner.operands)
        if truth is isinstance(owner, arith.OrIOp):  # one side is enough
            ways = [*lhs, *both(ways_to(owner.lhs, not truth, depth - 1), rhs)]
        else:
            ways = both(lhs, rhs)
    elif isinstance(owner, arith.XOrIOp | arith.CmpiOp) and (flips := flips_at(owner)) is not None:
        ways = ways_to(owner.lhs, truth ^ flips, depth - 1)
    elif isinstance(owner, arith.SelectOp):
        ways = [
            way
            for is_first, side in ((True, owner.lhs), (False, owner.rhs))
            if bit_of(side) in (None, truth)
            for way in both(
                ways_to(owner.cond, is_first, depth - 1), ways_to(side, truth, depth - 1)
            )
        ]
    if len(ways) > MOST_WAYS:
        ways = [{}]
    return [{**way, value: truth} for way in ways]


def both(ones: Sequence[Truths], others: Sequence[Truths]) -> list[Truths]:
    """The ways of both that do not contradict each other."""
    return [
        {**one, **other}
        for one in ones
        for other in others
        if all(one.get(value, truth) is truth for value, truth in other.items())
    ]


def flips_at(op: arith.XOrIOp | arith.CmpiOp) -> bool | None:
    """Whether the result is not the first operand, both i1 values; None if that depends."""
    bit = bit_of(op.rhs) if op.lhs.type == i1 else None
    if bit is None or isinstance(op, arith.XOrIOp):
        return bit
    return {EQUAL: not bit, UNEQUAL: bit}.get(op.predicate.value.data)


def bit_of(value: SSAValue) -> bool | None:
    """The bit that an i1 always is, or None."""
    known = constant_of(value)
    return None if known is None else bool(known & 1)
