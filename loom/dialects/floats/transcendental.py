"""Exponentials, logarithms, powers and angles, rounded right: meanings of rows without hardware.

A result is enclosed ever more narrowly until both ends round to the same number (Ziv's strategy).
That ends, as none of these functions gives the middle of two numbers, or 0, but for operands that
are found beforehand. Specials are those of C (ISO 9899, annex F.10), to whose functions MLIR lowers
these operations; NaNs are canonical.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt

from loom.dialects.floats import bracketing as near
from loom.dialects.floats.arithmetic import Binary, Unary
from loom.dialects.floats.bracketing import SLACK, Near
from loom.dialects.floats.elementary.functions import ACCURACY, function_of
from loom.dialects.floats.formats import Format

Find = Callable[[int, int, int], Near]
Special = Callable[[Format, int], int | None]


def nearest(form: Format, find: Callable[[int], Near]) -> int:
    """The pattern nearest to the number that `find` gives with so many bits."""
    bits = form.fraction_width + 32
    while True:
        number, exponent = find(bits)
        low, high = number - SLACK, number + SLACK
        if (low < 0) == (high < 0):
            sign = int(low < 0)
            found = form.pack(sign, abs(low), exponent)
            if found == form.pack(sign, abs(high), exponent):
                return found
        bits *= 2


def signed(form: Format, operand: int) -> Near:
    """The number of a finite pattern."""
    mantissa, exponent = form.unpack(operand)
    return (-mantissa if form.sign(operand) else mantissa), exponent


def whole(form: Format, operand: int) -> int | None:
    """The number of a finite pattern if it is an integer."""
    number, exponent = signed(form, operand)
    if exponent >= 0:
        return number << exponent
    return None if number & ((1 << -exponent) - 1) else number >> -exponent


def function_of_one(find: Find, special: Special) -> Callable[[Format], Unary]:
    """A function of one operand; `special` knows the numbers that `find` is not meant for."""

    def meaning(form: Format) -> Unary:
        def function(operand: int) -> int:
            if form.is_nan(operand):
                return form.nan
            found = special(form, operand)
            if found is not None:
                return found
            number, exponent = signed(form, operand)
            return nearest(form, lambda bits: find(number, exponent, bits))

        return function

    return meaning


def exponential_specials(form: Format, operand: int) -> int | None:
    """1 at zero, nothing at minus infinity."""
    if form.is_infinite(operand):
        return 0 if form.sign(operand) else operand
    return None if form.magnitude(operand) else form.one


def exp2_specials(form: Format, operand: int) -> int | None:
    """Powers of a whole exponent are exact, or so small that they may lie in the middle."""
    if form.is_infinite(operand):
        return exponential_specials(form, operand)
    exponent = whole(form, operand)
    if exponent is None:
        return None
    return form.pack(0, 1, max(-near.FAR, min(exponent, near.FAR)))


def expm1_specials(form: Format, operand: int) -> int | None:
    """-1 at minus infinity; zeros stay."""
    if form.is_infinite(operand):
        return form.one | form.sign_bit if form.sign(operand) else operand
    return None if form.magnitude(operand) else operand


def logarithm_specials(form: Format, operand: int) -> int | None:
    """Minus infinity at both zeros, 0 at 1, no number below."""
    if not form.magnitude(operand):
        return form.infinity | form.sign_bit
    if form.sign(operand):
        return form.nan
    if form.is_infinite(operand):
        return operand
    return 0 if operand == form.one else None


def log1p_specials(form: Format, operand: int) -> int | None:
    """Minus infinity at -1, no number below; zeros stay."""
    if not form.magnitude(operand):
        return operand
    if form.sign(operand) and form.magnitude(operand) >= form.one:
        return form.infinity | form.sign_bit if form.magnitude(operand) == form.one else form.nan
    return operand if form.is_infinite(operand) else None


def sine_specials(form: Format, operand: int) -> int | None:
    """Zeros stay; no number at the infinities."""
    if form.is_infinite(operand):
        return form.nan
    return None if form.magnitude(operand) else operand


def cosine_specials(form: Format, operand: int) -> int | None:
    """1 at zero; no number at the infinities."""
    return sine_specials(form, operand) if form.magnitude(operand) else form.one


def tanh_specials(form: Format, operand: int) -> int | None:
    """Zeros stay; 1 with the operand's sign at the infinities."""
    if form.is_infinite(operand):
        return form.one | (operand & form.sign_bit)
    return None if form.magnitude(operand) else operand


def power(form: Format) -> Binary:
    """lhs to the power of rhs; of negative numbers only whole powers are numbers."""

    def function(lhs: int, rhs: int) -> int:
        if not form.magnitude(rhs) or lhs == form.one:
            return form.one  # of a NaN too
        if form.is_nan(lhs) or form.is_nan(rhs):
            return form.nan
        base = form.magnitude(lhs)
        if form.is_infinite(rhs):
            return infinite_power(form, base, rhs)
        exponent = whole(form, rhs)
        sign = form.sign(lhs) if exponent is not None and exponent & 1 else 0
        if base in (0, form.infinity):
            grows = (base != 0) == (form.sign(rhs) == 0)
            return sign << (form.width - 1) | (form.infinity if grows else 0)
        if form.sign(lhs) and exponent is None:
            return form.nan
        return sign << (form.width - 1) | positive_power(form, base, rhs)

    return function


def infinite_power(form: Format, base: int, rhs: int) -> int:
    """The magnitude `base` to the power of an infinity."""
    if base == form.one:
        return form.one
    return form.infinity if (base > form.one) == (form.sign(rhs) == 0) else 0


def positive_power(form: Format, base: int, rhs: int) -> int:
    """The power of a finite magnitude that is not 0 with a finite exponent that is not 0."""
    number, exponent = form.unpack(base)
    shift = (number & -number).bit_length() - 1
    odd, unit = number >> shift, exponent + shift
    power, scale = signed(form, rhs)
    exact = exact_power(form, odd, unit, power, scale)
    if exact is not None:
        return exact
    return nearest(form, lambda bits: near.power((odd, unit), power, scale, bits))


def exact_power(form: Format, odd: int, unit: int, power: int, scale: int) -> int | None:
    """odd * 2^unit to the power of power * 2^scale, if that has few enough bits to be in the middle
    of two numbers; `odd` is odd.

    An exponent with a fraction asks for a root, which must be exact; one below 0 for an inverse,
    which only powers of two have; and an odd number of many bits is in no middle.
    """
    shift = (power & -power).bit_length() - 1
    power, scale = power >> shift, scale + shift
    while scale < 0:
        root = isqrt(odd)
        if root * root != odd or unit & 1:
            return None
        odd, unit, scale = root, unit // 2, scale + 1
    if odd == 1:
        limit = near.FAR
        return form.pack(0, 1, max(-limit, min(unit * power << min(scale, 16), limit)))
    if power < 0 or scale > 16 or odd.bit_length() * power << scale > 8 * form.width:
        return None
    times = power << scale
    return form.pack(0, odd**times, unit * times)


def programmed(name: str, find: Find, special: Special) -> Callable[[Format], Unary]:
    """What circuits of the format compute (`elementary`); rounded right where there are none."""
    exact = function_of_one(find, special)
    return lambda form: function_of(name, form.name) if form.name in ACCURACY else exact(form)


EXP = programmed("math.exp", near.exp, exponential_specials)
EXP2 = function_of_one(near.exp2, exp2_specials)
EXPM1 = function_of_one(near.expm1, expm1_specials)
LOG = programmed("math.log", near.ln, logarithm_specials)
LOG2 = function_of_one(near.log2, logarithm_specials)
LOG10 = function_of_one(near.log10, logarithm_specials)
LOG1P = function_of_one(near.log1p, log1p_specials)
SIN = programmed("math.sin", near.sin, sine_specials)
COS = programmed("math.cos", near.cos, cosine_specials)
TAN = function_of_one(near.tan, sine_specials)
TANH = function_of_one(near.tanh, tanh_specials)
