"""What the float operators compute, as functions on unsigned bit patterns of one format.

Every result is the exact one, rounded once to nearest, ties to even. A result that is no number is
the canonical quiet NaN; operations that only move bits (`negate`, `absolute`, `copy_sign`) keep
whatever pattern they are given. Source: MLIR's arith and math dialect documentation, IEEE 754-2019.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt

from loom.dialects.floats.formats import Format

Unary = Callable[[int], int]
Binary = Callable[[int, int], int]
Ternary = Callable[[int, int, int], int]


def add(form: Format) -> Binary:
    """The sum; exact cancellation gives +0."""
    one = fused_multiply_add(form)
    return lambda lhs, rhs: one(lhs, form.one, rhs)


def subtract(form: Format) -> Binary:
    """The difference: the sum with the negated right operand."""
    total = add(form)
    return lambda lhs, rhs: total(lhs, rhs ^ form.sign_bit)


def fused_multiply_add(form: Format) -> Ternary:
    """``a * b + c``, rounded once."""

    def function(a: int, b: int, c: int) -> int:
        if form.is_nan(a) or form.is_nan(b) or form.is_nan(c):
            return form.nan
        sign, sign_c = form.sign(a ^ b), form.sign(c)
        if form.is_infinite(a) or form.is_infinite(b):
            opposed = form.is_infinite(c) and sign != sign_c
            if opposed or not form.magnitude(a) or not form.magnitude(b):
                return form.nan
            return form.infinity | sign << (form.width - 1)
        if form.is_infinite(c):
            return c
        (mantissa_a, exponent_a), (mantissa_b, exponent_b) = form.unpack(a), form.unpack(b)
        mantissa_c, exponent_c = form.unpack(c)
        exponent = min(exponent_a + exponent_b, exponent_c)
        product = mantissa_a * mantissa_b << (exponent_a + exponent_b - exponent)
        addend = mantissa_c << (exponent_c - exponent)
        total = (-product if sign else product) + (-addend if sign_c else addend)
        if total == 0:
            return (sign & sign_c) << (form.width - 1)
        return form.pack(int(total < 0), abs(total), exponent)

    return function


def multiply(form: Format) -> Binary:
    """The product."""

    def function(lhs: int, rhs: int) -> int:
        if form.is_nan(lhs) or form.is_nan(rhs):
            return form.nan
        sign = form.sign(lhs ^ rhs)
        if form.is_infinite(lhs) or form.is_infinite(rhs):
            if not form.magnitude(lhs) or not form.magnitude(rhs):
                return form.nan
            return form.infinity | sign << (form.width - 1)
        (mantissa, exponent), (factor, scale) = form.unpack(lhs), form.unpack(rhs)
        return form.pack(sign, mantissa * factor, exponent + scale)

    return function


def divide(form: Format) -> Binary:
    """The quotient; a number by 0 is infinite, 0 by 0 no number."""

    def function(lhs: int, rhs: int) -> int:
        sign = form.sign(lhs ^ rhs)
        a, b = form.magnitude(lhs), form.magnitude(rhs)
        neither = a == b and a in (0, form.infinity)
        if form.is_nan(lhs) or form.is_nan(rhs) or neither:
            return form.nan
        if a == form.infinity or b == 0:
            return form.infinity | sign << (form.width - 1)
        if a == 0 or b == form.infinity:
            return sign << (form.width - 1)
        (mantissa, exponent), (divisor, scale) = form.unpack(lhs), form.unpack(rhs)
        # Two bits more than the fraction holds, and one that says whether something is left.
        shift = form.fraction_width + 3 + divisor.bit_length()
        quotient, rest = divmod(mantissa << shift, divisor)
        return form.pack(sign, quotient << 1 | (rest != 0), exponent - scale - shift - 1)

    return function


def remainder(form: Format) -> Binary:
    """What the quotient rounded towards zero leaves, exactly, with the sign of `lhs`."""

    def function(lhs: int, rhs: int) -> int:
        invalid = form.is_infinite(lhs) or not form.magnitude(rhs)
        if form.is_nan(lhs) or form.is_nan(rhs) or invalid:
            return form.nan
        if form.is_infinite(rhs):
            return lhs
        (mantissa, exponent), (divisor, scale) = form.unpack(lhs), form.unpack(rhs)
        least = min(exponent, scale)
        rest = (mantissa << (exponent - least)) % (divisor << (scale - least))
        return form.pack(form.sign(lhs), rest, least)

    return function


def square_root(form: Format) -> Unary:
    """The square root; that of -0 is -0, that of other negative numbers no number."""

    def function(operand: int) -> int:
        if form.is_nan(operand) or (form.sign(operand) and form.magnitude(operand)):
            return form.nan
        if not form.magnitude(operand) or form.is_infinite(operand):
            return operand
        mantissa, exponent = form.unpack(operand)
        shift = 2 * form.fraction_width + 6 + (exponent & 1)
        mantissa <<= shift
        root = isqrt(mantissa)
        return form.pack(0, root << 1 | (root * root != mantissa), (exponent - shift) // 2 - 1)

    return function


def negate(form: Format) -> Unary:
    """The other sign, of NaNs too."""
    return lambda operand: operand ^ form.sign_bit


def absolute(form: Format) -> Unary:
    """Sign 0, of NaNs too."""
    return form.magnitude


def copy_sign(form: Format) -> Binary:
    """The magnitude of `lhs` with the sign of `rhs`, of NaNs too."""
    return lambda lhs, rhs: form.magnitude(lhs) | rhs & form.sign_bit


def order(form: Format, bits: int) -> int:
    """An integer that orders numbers as their values, and -0 before +0."""
    magnitude = form.magnitude(bits)
    return ~magnitude if bits & form.sign_bit else magnitude


def extreme(pick: Callable[..., int], number_wins: bool) -> Callable[[Format], Binary]:
    """The larger or smaller operand as `pick` says, -0 below +0.

    With one NaN the result is the other operand if `number_wins`, else NaN.
    """

    def meaning(form: Format) -> Binary:
        def function(lhs: int, rhs: int) -> int:
            numbers = [bits for bits in (lhs, rhs) if not form.is_nan(bits)]
            if not numbers or (len(numbers) == 1 and not number_wins):
                return form.nan
            return pick(numbers, key=lambda bits: order(form, bits))

        return function

    return meaning


PREDICATES: dict[str, tuple[bool, bool, bool, bool]] = {
    "false": (False, False, False, False),
    "oeq": (False, True, False, False),
    "ogt": (False, False, True, False),
    "oge": (False, True, True, False),
    "olt": (True, False, False, False),
    "ole": (True, True, False, False),
    "one": (True, False, True, False),
    "ord": (True, True, True, False),
    "ueq": (False, True, False, True),
    "ugt": (False, False, True, True),
    "uge": (False, True, True, True),
    "ult": (True, False, False, True),
    "ule": (True, True, False, True),
    "une": (True, False, True, True),
    "uno": (False, False, False, True),
    "true": (True, True, True, True),
}
"""Whether a predicate holds where lhs is less, equal, greater, or one operand is NaN; the order is
that of MLIR's numbers for them."""


def compare(form: Format, predicate: str) -> Binary:
    """1 where the predicate holds; -0 equals +0."""
    less, equal, greater, unordered = map(int, PREDICATES[predicate])

    def function(lhs: int, rhs: int) -> int:
        if form.is_nan(lhs) or form.is_nan(rhs):
            return unordered
        if lhs == rhs or not form.magnitude(lhs | rhs):
            return equal
        return less if order(form, lhs) < order(form, rhs) else greater

    return function
