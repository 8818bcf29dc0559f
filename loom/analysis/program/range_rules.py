"""The range of an operation's result from those of its operands, one rule an operation.

A rule gets the operands' ranges and widths [bits] and the result's width. What it gives is dropped
where it does not fit the result: the operation may have wrapped. None: anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from xdsl.dialects import arith
from xdsl.ir import Operation

from loom.analysis.program.interval import Range
from loom.dialects.operators.integer_meanings import PREDICATES
from loom.dialects.ops.index import IndexCastUIOp

Rule = Callable[[Sequence[Range], Sequence[int], int], Range | None]


def of_two(function: Callable[[Range, Range], Range | None]) -> Rule:
    """A rule that asks for no width."""
    return lambda ranges, widths, width: function(ranges[0], ranges[1])


def add(a: Range, b: Range) -> Range:
    """The sum."""
    return Range(a.low + b.low, a.high + b.high)


def subtract(a: Range, b: Range) -> Range:
    """The difference."""
    return Range(a.low - b.high, a.high - b.low)


def multiply(a: Range, b: Range) -> Range:
    """The product."""
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return Range(min(corners), max(corners))


def both_bits(a: Range, b: Range) -> Range | None:
    """The bits that both have: no more than a natural number of them has."""
    limits = [each.high for each in (a, b) if each.is_natural]
    return Range(0, min(limits)) if limits else None


def some_bits(a: Range, b: Range) -> Range | None:
    """Bits of either."""
    bits = max(a.bits, b.bits) - 1
    if a.is_natural and b.is_natural:
        return Range(0, (1 << bits) - 1)
    return Range(-(1 << bits), (1 << bits) - 1)


def different_bits(a: Range, b: Range) -> Range | None:
    """The exclusive or; with -1 it is the complement, -1 - x."""
    for one, other in ((a, b), (b, a)):
        if other.low == other.high == -1:
            return Range(~one.high, ~one.low)
    return some_bits(a, b)


def minimum(a: Range, b: Range) -> Range:
    """The signed minimum."""
    return Range(min(a.low, b.low), min(a.high, b.high))


def maximum(a: Range, b: Range) -> Range:
    """The signed maximum."""
    return Range(max(a.low, b.low), max(a.high, b.high))


def unsigned_minimum(a: Range, b: Range) -> Range | None:
    """The unsigned minimum: no more than a natural number of the two."""
    return both_bits(a, b)


def unsigned_maximum(a: Range, b: Range) -> Range | None:
    """The unsigned maximum, of natural numbers."""
    return maximum(a, b) if a.is_natural and b.is_natural else None


def quotient(a: Range, b: Range) -> Range:
    """A signed quotient, however rounded: no farther from zero than the dividend, or 1."""
    if a.is_natural and b.low > 0:
        return Range(0, a.high)
    most = max(a.magnitude, 1)
    return Range(-most, most)


def unsigned_quotient(a: Range, b: Range) -> Range | None:
    """An unsigned quotient of natural numbers; rounded up it is no larger than the dividend."""
    return Range(0, a.high) if a.is_natural and b.is_natural else None


def remainder(a: Range, b: Range) -> Range:
    """A signed remainder: of the dividend's sign, nearer to zero than the divisor."""
    most = min(a.magnitude, max(b.magnitude - 1, 0))
    return Range(0 if a.is_natural else -most, most if a.high > 0 else 0)


def unsigned_remainder(a: Range, b: Range) -> Range | None:
    """An unsigned remainder: below a divisor that is no negative number."""
    if not b.is_natural:
        return None
    most = max(b.high - 1, 0)
    return Range(0, min(a.high, most) if a.is_natural else most)


def shift_left(ranges: Sequence[Range], widths: Sequence[int], width: int) -> Range | None:
    """By a known number of places."""
    a, by = ranges
    if by.low != by.high or not 0 <= by.low < width:
        return None
    return Range(a.low << by.low, a.high << by.low)


def shift_right(ranges: Sequence[Range], widths: Sequence[int], width: int) -> Range | None:
    """With the sign: nearer to zero, or to -1."""
    a, by = ranges
    if by.low == by.high and 0 <= by.low < width:
        return Range(a.low >> by.low, a.high >> by.low)
    return Range(min(a.low, 0), max(a.high, -1))


def shift_right_unsigned(
    ranges: Sequence[Range], widths: Sequence[int], width: int
) -> Range | None:
    """Without the sign."""
    a, by = ranges
    known = by.low == by.high and 0 <= by.low < width
    if a.is_natural:
        return Range(a.low >> by.low, a.high >> by.low) if known else Range(0, a.high)
    return Range(0, ((1 << width) - 1) >> by.low) if known and by.low else None


def keep_number(ranges: Sequence[Range], widths: Sequence[int], width: int) -> Range | None:
    """The same number, if it fits."""
    return ranges[0]


def read_as_pattern(ranges: Sequence[Range], widths: Sequence[int], width: int) -> Range | None:
    """The number that the bit pattern stands for without a sign, if it fits."""
    a = ranges[0]
    if a.is_natural and widths[0] > 1:
        return a
    return Range(0, (1 << widths[0]) - 1) if widths[0] < width else a


def select(ranges: Sequence[Range], widths: Sequence[int], width: int) -> Range | None:
    """Either of the two."""
    return ranges[1] | ranges[2]


def decided(op: arith.CmpiOp, a: Range, b: Range) -> bool | None:
    """What a comparison of the two always gives, or None if that depends on the numbers."""
    predicate = PREDICATES[op.predicate.value.data]
    if predicate.startswith("u"):
        if not (a.is_natural and b.is_natural):
            return None
        predicate = f"s{predicate[1:]}"
    if predicate in ("sgt", "sge"):
        a, b, predicate = b, a, {"sgt": "slt", "sge": "sle"}[predicate]
    if predicate == "slt":
        return True if a.high < b.low else False if a.low >= b.high else None
    if predicate == "sle":
        return True if a.high <= b.low else False if a.low > b.high else None
    alike = None if a & b is not None else False
    if a == b and a.low == a.high:
        alike = True
    return alike if predicate == "eq" or alike is None else not alike


RULES: Mapping[type[Operation], Rule] = MappingProxyType(
    {
        arith.AddiOp: of_two(add),
        arith.SubiOp: of_two(subtract),
        arith.MuliOp: of_two(multiply),
        arith.AndIOp: of_two(both_bits),
        arith.OrIOp: of_two(some_bits),
        arith.XOrIOp: of_two(different_bits),
        arith.MinSIOp: of_two(minimum),
        arith.MaxSIOp: of_two(maximum),
        arith.MinUIOp: of_two(unsigned_minimum),
        arith.MaxUIOp: of_two(unsigned_maximum),
        arith.DivSIOp: of_two(quotient),
        arith.FloorDivSIOp: of_two(quotient),
        arith.CeilDivSIOp: of_two(quotient),
        arith.DivUIOp: of_two(unsigned_quotient),
        arith.CeilDivUIOp: of_two(unsigned_quotient),
        arith.RemSIOp: of_two(remainder),
        arith.RemUIOp: of_two(unsigned_remainder),
        arith.ShLIOp: shift_left,
        arith.ShRSIOp: shift_right,
        arith.ShRUIOp: shift_right_unsigned,
        arith.ExtSIOp: keep_number,
        arith.TruncIOp: keep_number,
        arith.IndexCastOp: keep_number,
        arith.ExtUIOp: read_as_pattern,
        IndexCastUIOp: read_as_pattern,
        arith.SelectOp: select,
    }
)
"""By operation."""
