"""Floats as text: the decimal or hexadecimal literal of a bit pattern, and back.

A decimal is read as MLIR reads it: first to binary64, then to the format.
"""

from __future__ import annotations

import struct

from loom.dialects.floats.conversions import convert
from loom.dialects.floats.formats import FORMATS, Format

DOUBLE = FORMATS["f64"]
MOST_DIGITS = 17
"""Digits that tell any two numbers of binary64 apart."""


def double_pattern(number: float) -> int:
    """The bit pattern of a Python float, which is binary64."""
    return int.from_bytes(struct.pack(">d", number), "big")


def double_of(pattern: int) -> float:
    """The Python float of a binary64 pattern, NaNs with all their bits."""
    (number,) = struct.unpack(">d", pattern.to_bytes(8, "big"))
    assert isinstance(number, float)
    return number


def nearest(number: float, form: Format) -> int:
    """The pattern nearest to a Python float, ties to even."""
    return convert(DOUBLE, form)(double_pattern(number))


def number_of(pattern: int, form: Format) -> float:
    """The Python float that a pattern stands for; binary64 holds every number of every format."""
    return double_of(convert(form, DOUBLE)(pattern))


def decimal(pattern: int, form: Format) -> str:
    """The decimal of the fewest digits, always with a point, that reads back; finite only."""
    number = number_of(pattern, form)
    texts = (f"{number:.{digits}e}" for digits in range(MOST_DIGITS))
    shortest = next(text for text in texts if nearest(float(text), form) == pattern)
    mantissa, e, exponent = repr(float(shortest)).partition("e")
    return f"{mantissa}{'' if '.' in mantissa else '.0'}{e}{exponent}"


def hexadecimal(pattern: int, form: Format) -> str:
    """The bit pattern with all its digits."""
    return f"0x{pattern:0{form.width // 4}X}"


def literal(pattern: int, form: Format) -> str:
    """The pattern as MLIR writes it: a decimal, or for what is no finite number the pattern."""
    if form.magnitude(pattern) < form.infinity:
        return decimal(pattern, form)
    return hexadecimal(pattern, form)
