"""Products and quotients by powers of two become shifts and masks."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from loom.dialects.types import width_of
from loom.lower.arithmetic import Arithmetic, constant_of, exponent_of, integer_type, replace
from loom.lower.options import Options

BY_POWER = (
    *(arith.MuliOp, arith.DivUIOp, arith.RemUIOp),
    *(arith.DivSIOp, arith.RemSIOp, arith.FloorDivSIOp),
)
SIGNED = (arith.DivSIOp, arith.RemSIOp, arith.FloorDivSIOp)


def reduce_strength(module: ModuleOp, options: Options) -> None:
    """No multiplier or divider has a known power of two, from 2 up, on its right or as factor."""
    for op in list(module.walk()):
        if isinstance(op, BY_POWER):
            reduced = in_shifts(op, width_of(op.result.type, options.index_width))
            if reduced is not None:
                replace(op, reduced)


def in_shifts(
    op: arith.MuliOp
    | arith.DivUIOp
    | arith.RemUIOp
    | arith.DivSIOp
    | arith.RemSIOp
    | arith.FloorDivSIOp,
    width: int,
) -> SSAValue | None:
    """The result of `op` from shifts, or None if its constant is no power of two."""
    value, factor = op.lhs, constant_of(op.rhs)
    if factor is None and isinstance(op, arith.MuliOp):
        value, factor = op.rhs, constant_of(op.lhs)
    if factor is None:
        return None
    if isinstance(op, SIGNED):
        if factor < 0:
            return None
    else:
        factor &= (1 << width) - 1
    shift = exponent_of(factor)
    if not shift or constant_of(value) is not None:
        return None
    steps = Steps(op, width)
    if isinstance(op, arith.MuliOp):
        return steps.by(arith.ShLIOp, value, shift)
    if isinstance(op, arith.DivUIOp):
        return steps.by(arith.ShRUIOp, value, shift)
    if isinstance(op, arith.RemUIOp):
        return steps.by(arith.AndIOp, value, factor - 1)
    if isinstance(op, arith.FloorDivSIOp):
        return steps.by(arith.ShRSIOp, value, shift)
    biased = steps.biased(value, shift)
    if isinstance(op, arith.DivSIOp):
        return steps.by(arith.ShRSIOp, biased, shift)
    return steps.of(arith.SubiOp, value, steps.by(arith.AndIOp, biased, -factor))


class Steps:
    """Builds operations of one type before the operation they replace."""

    def __init__(self, op: Operation, width: int) -> None:
        self.arithmetic = Arithmetic(op)
        self.type = integer_type(op.results[0].type)
        self.width = width

    def of(
        self, class_: type[arith.SignlessIntegerBinaryOperation], lhs: SSAValue, rhs: SSAValue
    ) -> SSAValue:
        """``class_(lhs, rhs)``."""
        return self.arithmetic.insert(class_(lhs, rhs))

    def by(
        self, class_: type[arith.SignlessIntegerBinaryOperation], lhs: SSAValue, rhs: int
    ) -> SSAValue:
        """``class_(lhs, constant)``."""
        return self.of(class_, lhs, self.arithmetic.constant(rhs, self.type))

    def biased(self, value: SSAValue, shift: int) -> SSAValue:
        """The value plus 2^shift - 1 if it is negative: rounding down then rounds towards zero."""
        signs = self.by(arith.ShRSIOp, value, self.width - 1)
        return self.of(arith.AddiOp, value, self.by(arith.ShRUIOp, signs, self.width - shift))
