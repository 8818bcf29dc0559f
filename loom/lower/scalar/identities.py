"""Algebraic identities: operations on a constant, or on one value twice, that compute nothing."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from loom.lower.scalar.arith_builder import constant_of

COMMUTATIVE = (
    *(arith.AddiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp),
    *(arith.MaxSIOp, arith.MaxUIOp, arith.MinSIOp, arith.MinUIOp),
)
KEEPS_AT_ZERO = (
    *(arith.AddiOp, arith.SubiOp, arith.OrIOp, arith.XOrIOp),
    *(arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp),
)
KEEPS_AT_ONE = (
    *(arith.MuliOp, arith.DivSIOp, arith.DivUIOp),
    *(arith.CeilDivSIOp, arith.CeilDivUIOp, arith.FloorDivSIOp),
)
ZERO_AT_ZERO = (arith.MuliOp, arith.AndIOp)
ZERO_AT_ONE = (arith.RemSIOp, arith.RemUIOp)
ZERO_ON_ITSELF = (arith.SubiOp, arith.XOrIOp)
KEEPS_ON_ITSELF = (
    *(arith.AndIOp, arith.OrIOp),
    *(arith.MaxSIOp, arith.MaxUIOp, arith.MinSIOp, arith.MinUIOp),
)
TRUE_ON_ITSELF = {0, 3, 5, 7, 9}
"""Numbers of the predicates that hold between a value and itself: eq, sle, sge, ule, uge."""


def normal_order(op: Operation) -> None:
    """The constant of a commutative operation stands on the right, that of a float product too."""
    if isinstance(op, arith.MulfOp):
        first, second = (isinstance(value.owner, arith.ConstantOp) for value in op.operands)
        is_left = first and not second
    else:
        is_left = isinstance(op, COMMUTATIVE) and constant_of(op.operands[0]) is not None
    if is_left:
        op.operands = (op.operands[1], op.operands[0])


def find_identity(op: Operation, width: int) -> SSAValue | int | None:
    """The operand or the constant that the result always equals, or None.

    `width` of the first operand [bits].
    """
    if isinstance(op, arith.SelectOp):
        return selected_operand(op)
    if len(op.operands) != 2 or len(op.results) != 1:
        return None
    lhs, rhs = op.operands
    if lhs is rhs:
        if isinstance(op, arith.CmpiOp):
            return int(op.predicate.value.data in TRUE_ON_ITSELF)
        if isinstance(op, ZERO_ON_ITSELF):
            return 0
        if isinstance(op, KEEPS_ON_ITSELF):
            return lhs
    number = constant_of(rhs)
    if number is None:
        return None
    number &= (1 << width) - 1
    if number == 0:
        return lhs if isinstance(op, KEEPS_AT_ZERO) else 0 if isinstance(op, ZERO_AT_ZERO) else None
    # The one bit pattern 1 of a width of 1 is also -1: signed operations differ there.
    if number == 1 and width > 1:
        return lhs if isinstance(op, KEEPS_AT_ONE) else 0 if isinstance(op, ZERO_AT_ONE) else None
    if number == (1 << width) - 1 and isinstance(op, arith.AndIOp):
        return lhs
    return None


def selected_operand(op: arith.SelectOp) -> SSAValue | None:
    """The operand that is always selected, or None."""
    if op.lhs is op.rhs:
        return op.lhs
    condition = constant_of(op.cond)
    if condition is None:
        return None
    return op.lhs if condition else op.rhs
