"""Exponentials, logarithms and angles of exact numbers, as near as is asked.

The operand is number * 2^exponent, exactly. A result is n * 2^e, right within `SLACK` units of n.
"""

from __future__ import annotations

from loom.dialects.floats.fixed_point import (
    exponential,
    half_pi,
    ln2,
    ln10,
    logarithm,
    sine_and_cosine,
)

Near = tuple[int, int]
"""A number n * 2^e as n and e."""

SLACK = 16
"""How far a result is off at most [units of n]."""
GUARD = 32
"""Bits that a function finds besides those it gives, so that `SLACK` holds [bits]."""
FAR = 1 << 13
"""An exponent whose exponential no format holds, not even as a subnormal."""
POLE = 128
"""Twice the bits by which a number of binary64 may be near a multiple of pi / 2 [bits]."""


def fixed(number: int, exponent: int, bits: int) -> int:
    """number * 2^exponent with `bits` after the point, rounded down."""
    shift = exponent + bits
    return number << shift if shift >= 0 else number >> -shift


def limited(number: int, exponent: int) -> Near:
    """The number itself, or one of its sign that is FAR."""
    if abs(number).bit_length() + exponent < FAR.bit_length():
        return number, exponent
    return (-FAR if number < 0 else FAR), 0


def exp(number: int, exponent: int, bits: int) -> Near:
    """e to the power of the operand."""
    wide = bits + GUARD
    whole, rest = divmod(fixed(*limited(number, exponent), wide), ln2(wide))
    return exponential(rest, wide) >> GUARD, whole - bits


def exp2(number: int, exponent: int, bits: int) -> Near:
    """2 to the power of the operand."""
    wide = bits + GUARD
    whole, rest = divmod(fixed(*limited(number, exponent), wide), 1 << wide)
    return exponential(rest * ln2(wide) >> wide, wide) >> GUARD, whole - bits


def expm1(number: int, exponent: int, bits: int) -> Near:
    """e to the power of the operand, less 1."""
    power, unit = exp(number, exponent, bits)
    if unit >= 0:
        return power, unit  # 1 is less than a unit
    return power - (1 << -unit), unit


def tanh(number: int, exponent: int, bits: int) -> Near:
    """The hyperbolic tangent: (1 - p) / (1 + p) of p = e to the power of -2 times the operand."""
    power, unit = exp(-abs(number), exponent + 1, bits + GUARD)
    one = 1 << -unit
    found = ((one - power) << bits) // (one + power)
    return (-found if number < 0 else found), -bits


def fixed_ln(number: int, exponent: int, bits: int) -> int:
    """The natural logarithm with `bits` after the point."""
    wide = bits + GUARD
    length = number.bit_length() - 1
    length += number << 1 >> length == 3  # from 3/4 of the next power of two on
    mantissa = fixed(number, -length, wide)
    return (logarithm(mantissa, wide) + (exponent + length) * ln2(wide)) >> GUARD


def ln(number: int, exponent: int, bits: int) -> Near:
    """The natural logarithm."""
    return fixed_ln(number, exponent, bits), -bits


def log1p(number: int, exponent: int, bits: int) -> Near:
    """The natural logarithm of the operand and 1."""
    unit = min(exponent, 0)
    return ln((number << (exponent - unit)) + (1 << -unit), unit, bits)


def log2(number: int, exponent: int, bits: int) -> Near:
    """The logarithm to the base 2."""
    wide = bits + GUARD
    return (fixed_ln(number, exponent, wide) << bits) // ln2(wide), -bits


def log10(number: int, exponent: int, bits: int) -> Near:
    """The logarithm to the base 10."""
    wide = bits + GUARD
    return (fixed_ln(number, exponent, wide) << bits) // ln10(wide), -bits


def sine_cosine(number: int, exponent: int, bits: int) -> tuple[int, int]:
    """Sine and cosine, with `bits` after the point."""
    wide = bits + GUARD + max(0, abs(number).bit_length() + exponent)
    quarter = half_pi(wide)
    quarters, rest = divmod(fixed(number, exponent, wide) + quarter // 2, quarter)
    sine, cosine = sine_and_cosine((rest - quarter // 2) >> (wide - bits), bits)
    return ((sine, cosine), (cosine, -sine), (-sine, -cosine), (-cosine, sine))[quarters & 3]


def sin(number: int, exponent: int, bits: int) -> Near:
    """The sine."""
    return sine_cosine(number, exponent, bits + GUARD)[0] >> GUARD, -bits


def cos(number: int, exponent: int, bits: int) -> Near:
    """The cosine."""
    return sine_cosine(number, exponent, bits + GUARD)[1] >> GUARD, -bits


def tan(number: int, exponent: int, bits: int) -> Near:
    """The tangent: the quotient of sine and cosine, which is small near a pole."""
    sine, cosine = sine_cosine(number, exponent, bits + GUARD + POLE)
    return (sine << bits) // cosine, -bits


def power(base: Near, number: int, exponent: int, bits: int) -> Near:
    """A positive base, which is exact, to the power of the operand."""
    wide = bits + GUARD + max(0, abs(number).bit_length() + exponent)
    return exp(number * fixed_ln(*base, wide), exponent - wide, bits)
