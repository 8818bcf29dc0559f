"""What changes the format of a float, rounds it to an integer, or asks what kind of value it is.

Source: MLIR's arith and math dialect documentation, IEEE 754-2019 sections 5.4.1 and 5.9.
"""

from __future__ import annotations

from collections.abc import Callable

from loom.dialects.floats.formats import Format

Unary = Callable[[int], int]


def convert(source: Format, target: Format) -> Unary:
    """The nearest number of another format; every NaN becomes the canonical one."""

    def function(operand: int) -> int:
        if source.is_nan(operand):
            return target.nan
        sign = source.sign(operand)
        if source.is_infinite(operand):
            return target.infinity | sign << (target.width - 1)
        return target.pack(sign, *source.unpack(operand))

    return function


def from_integer(width: int, is_signed: bool, form: Format) -> Unary:
    """The number nearest to an integer of `width` [bits]; 0 is +0, what overflows infinite."""
    half = 1 << (width - 1) if is_signed else 0

    def function(operand: int) -> int:
        number = (operand ^ half) - half
        return form.pack(int(number < 0), abs(number), 0)

    return function


def integer_limits(width: int, is_signed: bool) -> tuple[int, int]:
    """The least and the largest integer of `width` [bits]."""
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if is_signed else (0, (1 << width) - 1)


def towards_zero(form: Format, bits: int) -> int:
    """The integer part of a finite number."""
    mantissa, exponent = form.unpack(bits)
    whole = mantissa << exponent if exponent >= 0 else mantissa >> -exponent
    return -whole if form.sign(bits) else whole


def to_integer(form: Format, width: int, is_signed: bool) -> Unary:
    """The integer part; what does not fit becomes the nearest limit, NaN 0."""
    least, most = integer_limits(width, is_signed)
    mask = (1 << width) - 1

    def function(operand: int) -> int:
        if form.is_nan(operand):
            return 0
        if form.is_infinite(operand):
            return (least if form.sign(operand) else most) & mask
        return min(max(towards_zero(form, operand), least), most) & mask

    return function


def does_not_fit(form: Format, width: int, is_signed: bool, operand: int) -> str:
    """Why the source has no integer for this number, or the empty string."""
    if form.is_nan(operand):
        return "a conversion of NaN to an integer"
    least, most = integer_limits(width, is_signed)
    if form.is_infinite(operand) or not least <= towards_zero(form, operand) <= most:
        kind = "signed" if is_signed else "unsigned"
        return f"a conversion to {kind} integers of {width} bits of a number outside their range"
    return ""


Direction = Callable[[int, int, int, int], int]
"""From sign, integer part (without sign), rest and half of a unit to 1 where it rounds up."""

FLOOR: Direction = lambda sign, whole, rest, half: int(sign and rest > 0)  # noqa: E731
CEIL: Direction = lambda sign, whole, rest, half: int(not sign and rest > 0)  # noqa: E731
TRUNC: Direction = lambda sign, whole, rest, half: 0  # noqa: E731
AWAY: Direction = lambda sign, whole, rest, half: int(rest >= half)  # noqa: E731
EVEN: Direction = lambda sign, whole, rest, half: int(rest + (whole & 1) > half)  # noqa: E731


def to_integral(direction: Direction) -> Callable[[Format], Unary]:
    """A neighbouring number without fraction, chosen by `direction`; the sign stays, of 0 too."""

    def meaning(form: Format) -> Unary:
        def function(operand: int) -> int:
            if form.is_nan(operand):
                return form.nan
            if form.is_infinite(operand):
                return operand
            mantissa, exponent = form.unpack(operand)
            if exponent >= 0:
                return operand
            whole, rest = mantissa >> -exponent, mantissa & ((1 << -exponent) - 1)
            sign = form.sign(operand)
            whole += direction(sign, whole, rest, 1 << (-exponent - 1))
            return form.pack(sign, whole, 0)

        return function

    return meaning


def is_nan(form: Format) -> Unary:
    """1 for a NaN."""
    return lambda operand: int(form.is_nan(operand))


def is_infinite(form: Format) -> Unary:
    """1 for an infinity."""
    return lambda operand: int(form.is_infinite(operand))


def is_finite(form: Format) -> Unary:
    """1 for a number that is not infinite."""
    return lambda operand: int(form.magnitude(operand) < form.infinity)


def is_normal(form: Format) -> Unary:
    """1 for a finite number that is neither 0 nor subnormal."""
    return lambda operand: int(form.hidden_bit <= form.magnitude(operand) < form.infinity)
