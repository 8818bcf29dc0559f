"""Intrinsics of the llvm dialect become operators that have hardware."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Operation, SSAValue

from loom.dialects.ops.llvm_intrinsics import (
    TWINS,
    FshlOp,
    FshrOp,
    IntrinsicOp,
    SAddSatOp,
    SCmpOp,
    SShlSatOp,
    SSubSatOp,
    UAddSatOp,
    UCmpOp,
    UShlSatOp,
    USubSatOp,
)
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic, constant_of, replace


def expand_intrinsics(module: ModuleOp, options: Options) -> None:
    """Of the llvm dialect only what has a row in the catalogue is left."""
    for op in list(module.walk()):
        if isinstance(op, IntrinsicOp) and type(op) in EXPANSIONS:
            replace(op, EXPANSIONS[type(op)](Steps(op)))


class Steps:
    """Builds the value of an intrinsic before it, of its operands' type."""

    def __init__(self, op: IntrinsicOp) -> None:
        self.arithmetic = Arithmetic(op)
        self.operands = list(op.arguments)
        self.result = op.res.type
        type_ = op.arguments[0].type
        assert isinstance(type_, IntegerType)
        self.type = type_
        self.width = int(type_.width.data)

    def constant(self, value: int) -> SSAValue:
        """A constant."""
        return self.arithmetic.constant(value, self.type)

    def of(
        self,
        class_: type[arith.SignlessIntegerBinaryOperation],
        lhs: SSAValue,
        rhs: SSAValue | int,
    ) -> SSAValue:
        """``class_(lhs, rhs)``."""
        right = self.constant(rhs) if isinstance(rhs, int) else rhs
        return self.arithmetic.insert(class_(lhs, right))

    def compare(self, predicate: str, lhs: SSAValue, rhs: SSAValue | int) -> SSAValue:
        """An i1."""
        right = self.constant(rhs) if isinstance(rhs, int) else rhs
        return self.arithmetic.insert(arith.CmpiOp(lhs, right, predicate))

    def select(self, condition: SSAValue, true: SSAValue, false: SSAValue) -> SSAValue:
        """One of two values."""
        return self.arithmetic.insert(arith.SelectOp(condition, true, false))

    def limit(self, value: SSAValue) -> SSAValue:
        """The largest number, or for a negative value the least."""
        sign = self.of(arith.ShRSIOp, value, self.width - 1)
        return self.of(arith.XOrIOp, sign, (1 << (self.width - 1)) - 1)


def twin(class_: Callable[..., Operation]) -> Callable[[Steps], SSAValue]:
    """The operation of arith or math with the same meaning."""
    return lambda steps: steps.arithmetic.insert(class_(*steps.operands))


def three_way(less: str, more: str) -> Callable[[Steps], SSAValue]:
    """-1, 0 or 1 by two comparisons."""

    def expand(steps: Steps) -> SSAValue:
        result = steps.result
        assert isinstance(result, IntegerType)
        lhs, rhs = steps.operands
        minus, zero, one = (steps.arithmetic.constant(n, result) for n in (-1, 0, 1))
        upper = steps.select(steps.compare(more, lhs, rhs), one, zero)
        return steps.select(steps.compare(less, lhs, rhs), minus, upper)

    return expand


def funnel(is_left: bool) -> Callable[[Steps], SSAValue]:
    """Two shifts and an or: a shift by the whole width is one by 1 and one by the rest."""

    def expand(steps: Steps) -> SSAValue:
        high, low, given = steps.operands
        width = steps.width
        if width == 1:
            return high if is_left else low  # any amount is 0 modulo 1
        known = constant_of(given)
        if known is not None:
            amount, rest = steps.constant(known % width), steps.constant(width - 1 - known % width)
        elif width & (width - 1) == 0:
            amount = steps.of(arith.AndIOp, given, width - 1)
            rest = steps.of(arith.XOrIOp, amount, width - 1)
        else:
            amount = steps.of(arith.RemUIOp, given, width)
            rest = steps.of(arith.SubiOp, steps.constant(width - 1), amount)
        if is_left:
            upper = steps.of(arith.ShLIOp, high, amount)
            lower = steps.of(arith.ShRUIOp, steps.of(arith.ShRUIOp, low, 1), rest)
        else:
            upper = steps.of(arith.ShLIOp, steps.of(arith.ShLIOp, high, 1), rest)
            lower = steps.of(arith.ShRUIOp, low, amount)
        return steps.of(arith.OrIOp, upper, lower)

    return expand


def unsigned_sum(steps: Steps) -> SSAValue:
    """All ones where the sum has a carry."""
    lhs, rhs = steps.operands
    total = arith.AddUIExtendedOp(lhs, rhs)
    steps.arithmetic.put(total)
    return steps.select(total.overflow, steps.constant(-1), total.sum)


def unsigned_difference(steps: Steps) -> SSAValue:
    """0 where the difference is negative."""
    lhs, rhs = steps.operands
    return steps.of(arith.SubiOp, steps.of(arith.MaxUIOp, lhs, rhs), rhs)


def signed_sum(steps: Steps) -> SSAValue:
    """The limit where both operands have a sign that the sum has not."""
    lhs, rhs = steps.operands
    total = steps.of(arith.AddiOp, lhs, rhs)
    changes = [steps.of(arith.XOrIOp, side, total) for side in (lhs, rhs)]
    wrong = steps.compare("slt", steps.of(arith.AndIOp, *changes), 0)
    return steps.select(wrong, steps.limit(lhs), total)


def signed_difference(steps: Steps) -> SSAValue:
    """The limit where the operands' signs differ and the difference has the second one's."""
    lhs, rhs = steps.operands
    total = steps.of(arith.SubiOp, lhs, rhs)
    changes = [steps.of(arith.XOrIOp, lhs, other) for other in (rhs, total)]
    wrong = steps.compare("slt", steps.of(arith.AndIOp, *changes), 0)
    return steps.select(wrong, steps.limit(lhs), total)


def signed_shift(steps: Steps) -> SSAValue:
    """The limit where shifting back does not give the operand."""
    lhs, rhs = steps.operands
    shifted = steps.of(arith.ShLIOp, lhs, rhs)
    wrong = steps.compare("ne", steps.of(arith.ShRSIOp, shifted, rhs), lhs)
    return steps.select(wrong, steps.limit(lhs), shifted)


def unsigned_shift(steps: Steps) -> SSAValue:
    """All ones where shifting back does not give the operand."""
    lhs, rhs = steps.operands
    shifted = steps.of(arith.ShLIOp, lhs, rhs)
    wrong = steps.compare("ne", steps.of(arith.ShRUIOp, shifted, rhs), lhs)
    return steps.select(wrong, steps.constant(-1), shifted)


EXPANSIONS: dict[type[IntrinsicOp], Callable[[Steps], SSAValue]] = {
    **{intrinsic: twin(class_) for intrinsic, class_ in TWINS.items()},
    SCmpOp: three_way("slt", "sgt"),
    UCmpOp: three_way("ult", "ugt"),
    FshlOp: funnel(is_left=True),
    FshrOp: funnel(is_left=False),
    SAddSatOp: signed_sum,
    UAddSatOp: unsigned_sum,
    SSubSatOp: signed_difference,
    USubSatOp: unsigned_difference,
    SShlSatOp: signed_shift,
    UShlSatOp: unsigned_shift,
}
"""How each intrinsic without a row is computed."""
