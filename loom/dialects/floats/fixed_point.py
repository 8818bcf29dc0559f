"""Constants and functions as fixed-point integers of any length: `n` stands for n / 2^bits.

Every function errs by a few units of its last bit; whoever rounds a result takes more bits than
that. Source: Brent and Zimmermann, Modern Computer Arithmetic, sections 4.2 to 4.4.
"""

from __future__ import annotations

from functools import lru_cache
from math import isqrt

GUARD = 16
"""Bits that a sum of as many terms as a result has bits may lose [bits]."""


@lru_cache(maxsize=64)
def ln2(bits: int) -> int:
    """The natural logarithm of 2."""
    return 2 * inverse_tangent(3, bits + GUARD, alternate=False) >> GUARD


@lru_cache(maxsize=64)
def ln10(bits: int) -> int:
    """The natural logarithm of 10: that of 1.25 and three times that of 2."""
    wide = bits + GUARD
    return (2 * inverse_tangent(9, wide, alternate=False) + 3 * ln2(wide)) >> GUARD


@lru_cache(maxsize=64)
def half_pi(bits: int) -> int:
    """Half of pi, by Machin's sum of two arc tangents."""
    wide = bits + GUARD
    quarter = 4 * inverse_tangent(5, wide, alternate=True)
    return 2 * (quarter - inverse_tangent(239, wide, alternate=True)) >> GUARD


def inverse_tangent(divisor: int, bits: int, *, alternate: bool) -> int:
    """The arc tangent of 1 / divisor; without signs that alternate the hyperbolic one."""
    power = (1 << bits) // divisor
    total, number = power, 1
    while power:
        power //= divisor * divisor
        number += 2
        total += -(power // number) if alternate and number & 2 else power // number
    return total


def exponential(exponent: int, bits: int) -> int:
    """e to the power of `exponent`, which is from 0 to 1."""
    halvings = isqrt(bits)
    wide = bits + halvings + GUARD
    small = exponent << GUARD  # which is exponent / 2^halvings with `wide` bits
    total = term = 1 << wide
    number = 1
    while term:
        term = (term * small >> wide) // number
        total += term
        number += 1
    for _ in range(halvings):
        total = total * total >> wide
    return total >> (wide - bits)


def logarithm(number: int, bits: int) -> int:
    """The natural logarithm of `number`, which is from 3/4 to 3/2."""
    wide, one = bits + GUARD, 1 << bits
    ratio = ((number - one) << wide) // (number + one)
    square = ratio * ratio >> wide
    total, power, divisor = 0, ratio, 1
    while power not in (0, -1):
        total += power // divisor
        power = power * square >> wide
        divisor += 2
    return 2 * total >> GUARD


def sine_and_cosine(angle: int, bits: int) -> tuple[int, int]:
    """Sine and cosine of `angle`, which is from -1 to 1."""
    wide = bits + GUARD
    angle <<= GUARD
    square = angle * angle >> wide
    sums = []
    for term, number in ((angle, 1), (1 << wide, 0)):
        total = 0
        while term not in (0, -1):
            total += term
            number += 2
            term = -(term * square >> wide) // (number * (number - 1))
        sums.append(total >> GUARD)
    return sums[0], sums[1]
