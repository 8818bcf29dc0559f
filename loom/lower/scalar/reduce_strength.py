"""Quotients by powers of two become shifts, products by simple constants shifts and adds."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from loom.dialects.ops.types import width_of
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import (
    Arithmetic,
    constant_of,
    exponent_of,
    replace,
    signed_digits,
)

BY_POWER = (
    *(arith.MuliOp, arith.DivUIOp, arith.RemUIOp),
    *(arith.DivSIOp, arith.RemSIOp, arith.FloorDivSIOp),
)
MOST_ADDERS = 2
"""Adders that a product by a constant may take: more are slower than a multiplier's stages."""
SIGNED = (arith.DivSIOp, arith.RemSIOp, arith.FloorDivSIOp)


def reduce_strength(module: ModuleOp, options: Options) -> None:
    """No divider has a known power of two, no multiplier a factor of few signed digits."""
    for op in list(module.walk()):
        if isinstance(op, BY_POWER):
            reduced = build_shifts(op, width_of(op.result.type, options.index_width))
            if reduced is not None:
                replace(op, reduced)


def build_shifts(
    op: arith.MuliOp
    | arith.DivUIOp
    | arith.RemUIOp
    | arith.DivSIOp
    | arith.RemSIOp
    | arith.FloorDivSIOp,
    width: int,
) -> SSAValue | None:
    """The result of `op` from shifts and few adders, or None if its constant does not allow it."""
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
    if constant_of(value) is not None:
        return None
    if isinstance(op, arith.MuliOp):
        return multiply_by_shifts(op, value, factor, width)
    steps = Steps(op, width)
    shift = exponent_of(factor)
    if not shift:
        return None
    if isinstance(op, arith.DivUIOp):
        return steps.with_constant(arith.ShRUIOp, value, shift)
    if isinstance(op, arith.RemUIOp):
        return steps.with_constant(arith.AndIOp, value, factor - 1)
    if isinstance(op, arith.FloorDivSIOp):
        return steps.with_constant(arith.ShRSIOp, value, shift)
    biased = steps.add_bias(value, shift)
    if isinstance(op, arith.DivSIOp):
        return steps.with_constant(arith.ShRSIOp, biased, shift)
    return steps.binary(arith.SubiOp, value, steps.with_constant(arith.AndIOp, biased, -factor))


def multiply_by_shifts(
    place: Operation, value: SSAValue, factor: int, width: int
) -> SSAValue | None:
    """`value` times a constant bit pattern from shifts and few adders before `place`, or None."""
    return Steps(place, width).product(value, factor)


class Steps(Arithmetic):
    """Builds operations of one width [bits] before the operation they replace."""

    def __init__(self, place: Operation, width: int) -> None:
        super().__init__(place)
        self.width = width

    def product(self, value: SSAValue, factor: int) -> SSAValue | None:
        """The product from shifts and at most `MOST_ADDERS` adders, or None.

        `factor` is a bit pattern; modulo 2^width it may also be read as a negative number.
        """
        # A digit at `width` stands only in the longer of the two: no shift is as wide.
        digits = min(signed_digits(factor), signed_digits(factor - (1 << self.width)), key=len)
        # A positive term goes first: it needs no zero to be subtracted from.
        digits.sort(key=lambda digit: (-digit[1], -digit[0]))
        if not digits or digits[0][1] < 0 or len(digits) - 1 > MOST_ADDERS:
            return None
        terms = [self.with_constant(arith.ShLIOp, value, k) if k else value for k, _ in digits]
        total = terms[0]
        for term, (_, sign) in zip(terms[1:], digits[1:], strict=True):
            total = self.binary(arith.AddiOp if sign > 0 else arith.SubiOp, total, term)
        return total

    def add_bias(self, value: SSAValue, shift: int) -> SSAValue:
        """The value plus 2^shift - 1 if it is negative: rounding down then rounds towards zero."""
        signs = self.with_constant(arith.ShRSIOp, value, self.width - 1)
        return self.binary(
            arith.AddiOp, value, self.with_constant(arith.ShRUIOp, signs, self.width - shift)
        )
