"""Quotients and remainders by constants become products with a reciprocal, shifts and few adders.

Every division rests on one of natural numbers, `Division.divide_natural`. With s the sign of t, all
ones or none, and d above 0:

- floor(t / d) is ``floor((t ^ s) / d) ^ s``: t ^ s is t, or -1 - t where t is negative;
- rounded towards zero, x / d is floor((x + (s & (d - 1))) / d);
- rounded up, x / d is floor((x + d - 1) / d);
- by -d the dividend or the quotient changes its sign;
- a remainder is x - q * d in its own few low bits.

The numbers that the dividend can be (`analysis.program.value_ranges`) decide the widths.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from loom.analysis.program.interval import Range, whole
from loom.analysis.program.value_ranges import Ranges, value_ranges
from loom.dialects.facts.instances import PREFIX
from loom.dialects.ops.index import IndexCastUIOp
from loom.dialects.ops.types import width_of
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import (
    Arithmetic,
    constant_of,
    exponent_of,
    integer_type,
    replace,
)
from loom.lower.scalar.reciprocal import digits, find_reciprocal
from loom.lower.scalar.reduce_strength import multiply_by_shifts
from loom.lower.scalar.simplify import simplify

UNSIGNED = (arith.DivUIOp, arith.RemUIOp, arith.CeilDivUIOp)
DIVISIONS = (
    *UNSIGNED,
    *(arith.DivSIOp, arith.RemSIOp, arith.FloorDivSIOp, arith.CeilDivSIOp),
)
Divided = (
    arith.DivUIOp
    | arith.RemUIOp
    | arith.CeilDivUIOp
    | arith.DivSIOp
    | arith.RemSIOp
    | arith.FloorDivSIOp
    | arith.CeilDivSIOp
)


def divide_by_constants(module: ModuleOp, options: Options) -> None:
    """No divider has a constant divisor but 0, or one of the user's hardware."""
    changed = False
    for function in module.ops:
        if not isinstance(function, FuncOp):
            continue
        divisions = [op for op in function.walk() if is_rewritten(op, options)]
        ranges = value_ranges(function, options.index_width) if divisions else {}
        for op in divisions:
            assert isinstance(op, Divided)
            replace(op, Division(op, options.index_width, ranges).divide())
            changed = True
    if changed:
        simplify(module, options)


def is_rewritten(op: Operation, options: Options) -> bool:
    """A division by a known number that names no hardware; widths of 1 stay as they are."""
    if not isinstance(op, DIVISIONS) or op.name in options.cores:
        return False
    if any(name.startswith(PREFIX) for name in op.attributes):
        return False
    width = width_of(op.result.type, options.index_width)
    divisor = constant_of(op.rhs)
    return width > 1 and divisor is not None and divisor & ((1 << width) - 1) != 0


@dataclass(frozen=True)
class Bounded:
    """A value and the numbers that it can be; read without a sign if none is negative."""

    value: SSAValue
    range: Range


class Division:
    """Builds the result of one division before it."""

    def __init__(self, op: Divided, index_width: int, ranges: Ranges) -> None:
        self.op, self.index_width = op, index_width
        self.arithmetic = Arithmetic(op)
        self.width = width_of(op.result.type, index_width)
        divisor = constant_of(op.rhs)
        assert divisor is not None
        half = 1 << (self.width - 1)
        pattern = divisor & (2 * half - 1)
        known = ranges.get(op.lhs) or whole(self.width)
        if isinstance(op, UNSIGNED):
            self.divisor = pattern
            known = known if known.is_natural else Range(0, 2 * half - 1)
        else:
            self.divisor = pattern - 2 * half if pattern >= half else pattern
        self.dividend = Bounded(op.lhs, known)

    def divide(self) -> SSAValue:
        """The result, in the operation's type."""
        op = self.op
        if isinstance(op, arith.RemUIOp | arith.RemSIOp):
            found = self.take_remainder(self.truncate())
        elif isinstance(op, arith.DivUIOp):
            found = self.truncate()
        elif isinstance(op, arith.CeilDivUIOp):
            found = self.round_up()
        elif isinstance(op, arith.DivSIOp):
            found = self.truncate()
            if self.divisor < 0:
                found = self.subtract_from(0, found)
        elif self.divisor > 0:
            more = self.divisor - 1 if isinstance(op, arith.CeilDivSIOp) else 0
            found = self.round_down(self.add(self.dividend, more))
        else:
            more = -self.divisor - 1 if isinstance(op, arith.CeilDivSIOp) else 0
            found = self.round_down(self.subtract_from(more, self.dividend))
        value = self.resize(found, self.width)
        if isinstance(op.result.type, IndexType):
            # As wide as the index: no sign is added.
            value = self.arithmetic.insert(arith.IndexCastOp(value, op.result.type))
        return value

    def truncate(self) -> Bounded:
        """The dividend by the divisor's magnitude, rounded towards zero."""
        range_, divisor = self.dividend.range, abs(self.divisor)
        if range_.is_natural:
            return self.divide_natural(self.dividend, divisor)
        value = self.resize(self.dividend, self.width)
        more = self.arithmetic.with_constant(arith.AndIOp, self.spread_sign(value), divisor - 1)
        low, high = min(range_.low + divisor - 1, 0), max(range_.high, divisor - 2, 0)
        return self.round_down(
            Bounded(self.arithmetic.binary(arith.AddiOp, value, more), Range(low, high))
        )

    def round_up(self) -> Bounded:
        """The dividend, a natural number, by the divisor, rounded up."""
        high, more = self.dividend.range.high, self.divisor - 1
        if digits((high + more).bit_length()) == digits(high.bit_length()):
            return self.divide_natural(self.add(self.dividend, more), self.divisor)
        quotient = self.truncate()
        rest = self.take_remainder(quotient)
        zero = self.arithmetic.constant(0, integer_type(rest.value.type))
        left = Bounded(self.arithmetic.compare("ne", rest.value, zero), Range(0, 1))
        range_ = Range(0, -(-high // self.divisor))
        terms = (self.resize(each, range_.high.bit_length()) for each in (quotient, left))
        return Bounded(self.arithmetic.binary(arith.AddiOp, *terms), range_)

    def round_down(self, number: Bounded) -> Bounded:
        """A number by the divisor's magnitude, rounded down."""
        range_, divisor = number.range, abs(self.divisor)
        if range_.is_natural:
            return self.divide_natural(number, divisor)
        quotients = Range(range_.low // divisor, range_.high // divisor)
        value = self.resize(number, max(range_.bits, 2))
        places = exponent_of(divisor)
        if places is not None:
            places = min(places, width_of(value.type) - 1)  # no shift of all bits: the sign is left
            shifted = (
                self.arithmetic.with_constant(arith.ShRSIOp, value, places) if places else value
            )
            return Bounded(self.resize(Bounded(shifted, quotients), quotients.bits), quotients)
        sign = self.spread_sign(value)
        size = Range(0, max(range_.high, -1 - range_.low))
        natural = Bounded(self.arithmetic.binary(arith.XOrIOp, value, sign), size)
        found = self.resize(self.divide_natural(natural, divisor), quotients.bits)
        sign = self.resize(Bounded(sign, Range(-1, 0)), quotients.bits)
        return Bounded(self.arithmetic.binary(arith.XOrIOp, found, sign), quotients)

    def take_remainder(self, quotient: Bounded) -> Bounded:
        """What the quotient by the divisor's magnitude leaves of the dividend, in its low bits."""
        range_, divisor = self.dividend.range, abs(self.divisor)
        low = 0 if range_.is_natural else max(1 - divisor, range_.low)
        rests = Range(low, min(divisor - 1, max(range_.high, 0)))
        if range_.is_natural and range_.high < divisor:
            return self.dividend
        bits = max(rests.high.bit_length() if rests.is_natural else rests.bits, 1)
        value, whole_ = self.resize(self.dividend, bits), self.resize(quotient, bits)
        product = self.multiply(whole_, divisor)
        return Bounded(self.arithmetic.binary(arith.SubiOp, value, product), rests)

    def divide_natural(self, number: Bounded, divisor: int) -> Bounded:
        """A number that is not negative by a divisor, rounded down."""
        largest = number.range.high
        quotients = Range(0, largest // divisor)
        if divisor == 1:
            return number
        if largest < divisor:
            return Bounded(self.arithmetic.constant(0, IntegerType(1)), quotients)
        bits = largest.bit_length()
        value = self.resize(number, bits)
        places = exponent_of(divisor)
        if places is not None:
            return Bounded(self.shift(value, bits, places, quotients), quotients)
        if largest < 2 * divisor:
            bound = self.arithmetic.constant(divisor, IntegerType(bits))
            return Bounded(self.arithmetic.compare("uge", value, bound), quotients)
        found = find_reciprocal(divisor, largest)
        if found.before:
            bits -= found.before
            left = Range(0, largest >> found.before)
            value = self.shift(value, left.high.bit_length() + found.before, found.before, left)
            bits = left.high.bit_length()
        if not found.wraps:
            return Bounded(
                self.multiply_high(value, bits, found.factor, found.shift, quotients), quotients
            )
        # (2^bits + factor) * u >> shift, whose sum has a bit too many: the mean of u and the high
        # half has not.
        half = Range(0, (1 << bits) - 1)
        high = self.multiply_high(value, bits, found.factor, bits, half)
        high = self.resize(Bounded(high, half), bits)
        rest = self.arithmetic.with_constant(
            arith.ShRUIOp, self.arithmetic.binary(arith.SubiOp, value, high), 1
        )
        mean = self.arithmetic.binary(arith.AddiOp, rest, high)
        return Bounded(self.shift(mean, bits, found.shift - bits - 1, quotients), quotients)

    def multiply_high(
        self, value: SSAValue, bits: int, factor: int, shift: int, results: Range
    ) -> SSAValue:
        """``value * factor >> shift`` of a value of so many bits, read without a sign.

        One product of twice the width, or both halves of one, whichever has fewer DSP blocks.
        """
        natural = Bounded(value, Range(0, (1 << bits) - 1))
        width, half = bits + factor.bit_length(), max(bits, factor.bit_length())
        by_shifts = self.by_shifts(self.resize(natural, width), factor)
        if by_shifts is not None:
            return self.shift(by_shifts, width, shift, results)
        if digits(width) * (digits(width) + 1) // 2 <= digits(half) ** 2 or half < 2:
            return self.shift(
                self.multiply(self.resize(natural, width), factor), width, shift, results
            )
        factor <<= max(half - shift, 0)
        assert factor < 1 << half, "a scaled reciprocal is below 1"
        constant = self.arithmetic.constant(factor, IntegerType(half))
        both = arith.MulUIExtendedOp(self.resize(natural, half), constant)
        self.arithmetic.put(both)
        return self.shift(both.high, half, max(shift - half, 0), results)

    def multiply(self, value: SSAValue, factor: int) -> SSAValue:
        """The product modulo 2^width of the value's type."""
        product = self.by_shifts(value, factor)
        return (
            self.arithmetic.with_constant(arith.MuliOp, value, factor)
            if product is None
            else product
        )

    def by_shifts(self, value: SSAValue, factor: int) -> SSAValue | None:
        """That product from shifts and few adders, or None."""
        width = width_of(value.type)
        factor &= (1 << width) - 1
        if factor == 0:
            return self.arithmetic.constant(0, IntegerType(width))
        return multiply_by_shifts(self.op, value, factor, width)

    def add(self, number: Bounded, more: int) -> Bounded:
        """``number + more``, in a type that holds it."""
        if not more:
            return number
        range_ = Range(number.range.low + more, number.range.high + more)
        value = self.resize(number, bits_of(number.range | range_))
        return Bounded(self.arithmetic.with_constant(arith.AddiOp, value, more), range_)

    def subtract_from(self, start: int, number: Bounded) -> Bounded:
        """``start - number``, in a type that holds it."""
        range_ = Range(start - number.range.high, start - number.range.low)
        width = bits_of(number.range | range_ | Range(start, start))
        constant = self.arithmetic.constant(start, IntegerType(width))
        return Bounded(
            self.arithmetic.binary(arith.SubiOp, constant, self.resize(number, width)), range_
        )

    def spread_sign(self, value: SSAValue) -> SSAValue:
        """All ones if the value is negative, else none."""
        return self.arithmetic.with_constant(arith.ShRSIOp, value, width_of(value.type) - 1)

    def shift(self, value: SSAValue, width: int, places: int, results: Range) -> SSAValue:
        """The bits of the value from `places` on, in the type of the results."""
        assert width_of(value.type) == width
        if places >= width:
            return self.arithmetic.constant(0, IntegerType(bits_of(results)))
        shifted = self.arithmetic.with_constant(arith.ShRUIOp, value, places) if places else value
        return self.resize(Bounded(shifted, results), bits_of(results))

    def resize(self, number: Bounded, width: int) -> SSAValue:
        """The number in an integer type of `width` [bits], or its low bits."""
        value, type_ = number.value, IntegerType(width)
        if value.type == type_:
            return value
        if isinstance(value.type, IndexType):
            cast = IndexCastUIOp if number.range.is_natural else arith.IndexCastOp
            return self.arithmetic.insert(cast(value, type_))
        if width_of(value.type) > width:
            return self.arithmetic.insert(arith.TruncIOp(value, type_))
        extend = arith.ExtUIOp if number.range.is_natural else arith.ExtSIOp
        return self.arithmetic.insert(extend(value, type_))


def bits_of(range_: Range) -> int:
    """The width in which the range is read: with a sign only if it has negative numbers [bits]."""
    return max(range_.high.bit_length(), 1) if range_.is_natural else range_.bits
