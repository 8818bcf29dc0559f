"""Operators without hardware of their own become operators that have some: math.ipowi."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.math import IPowIOp
from xdsl.ir import Block, SSAValue

from loom.dialects.ops.types import width_of
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic, constant_of, integer_type, replace

SHORT_CHAIN = 6
"""Multipliers that a constant power may take side by side; above, one loop takes two."""


def expand_operators(module: ModuleOp, options: Options) -> None:
    """Every pure operation left has a row in the catalogue."""
    for op in list(module.walk()):
        if isinstance(op, IPowIOp):
            width = width_of(op.result.type, options.index_width)
            exponent = constant_of(op.rhs)
            if exponent is not None and exponent >= 0 and multipliers(exponent) <= SHORT_CHAIN:
                replace(op, chain(op, exponent))
            else:
                replace(op, squaring_loop(op, width))


def multipliers(exponent: int) -> int:
    """Products that squaring takes for a constant exponent."""
    return max(exponent.bit_length() + exponent.bit_count() - 2, 0)


def chain(op: IPowIOp, exponent: int) -> SSAValue:
    """The power as products of squares."""
    arithmetic = Arithmetic(op)
    result: SSAValue | None = None
    square = op.lhs
    while exponent:
        if exponent & 1:
            result = square if result is None else arithmetic.binary(arith.MuliOp, result, square)
        exponent >>= 1
        if exponent:
            square = arithmetic.binary(arith.MuliOp, square, square)
    return arithmetic.constant(1, integer_type(op.result.type)) if result is None else result


def squaring_loop(op: IPowIOp, width: int) -> SSAValue:
    """The power by a loop over the exponent's bits.

    A negative exponent leaves something only of 1 and -1, whose powers repeat with period 2: the
    loop then runs with exponent 2 or 3 and, for any other base, with base 0.
    """
    type_ = integer_type(op.result.type)
    before = Arithmetic(op)
    if width == 1:
        return before.constant(1, type_)  # 0 to the power -1 is undefined, all else is 1
    zero, one, two, three = (before.constant(number, type_) for number in range(4))
    negative = before.compare("slt", op.rhs, zero)
    plus_one = before.binary(arith.AddiOp, op.lhs, one)
    is_unit = before.compare("ult", plus_one, three)
    keeps = before.select(is_unit, op.lhs, zero)
    base = before.select(negative, keeps, op.lhs)
    odd = before.binary(arith.AndIOp, op.rhs, one)
    parity = before.binary(arith.OrIOp, odd, two)
    exponent = before.select(negative, parity, op.rhs)
    test = Block(arg_types=[type_] * 3)
    step = Block(arg_types=[type_] * 3)
    loop = scf.WhileOp([base, exponent, one], [type_] * 3, [test], [step])
    left = arith.CmpiOp(test.args[1], zero, "ne")
    test.add_ops([left, scf.ConditionOp(left.result, *test.args)])
    fill(step, one, zero)
    before.put(loop)
    for block in (test, step):
        for inner in block.ops:
            inner.location = op.location
    return loop.results[2]


def fill(step: Block, one: SSAValue, zero: SSAValue) -> None:
    """One iteration: take the lowest bit of the exponent, square the base."""
    base, exponent, result = step.args
    bit = arith.AndIOp(exponent, one)
    is_set = arith.CmpiOp(bit.result, zero, "ne")
    product = arith.MuliOp(result, base)
    kept = arith.SelectOp(is_set.result, product.result, result)
    square = arith.MuliOp(base, base)
    rest = arith.ShRUIOp(exponent, one)
    end = scf.YieldOp(square.result, rest.result, kept.result)
    step.add_ops([bit, is_set, product, kept, square, rest, end])
