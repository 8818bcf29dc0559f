"""Bit patterns as the numbers that people and bundles write, and back.

Integers are signed numbers, a single bit 0 or 1. Floats are the decimals of the fewest digits that
read back, and the words nan, inf and -inf; a NaN that is not the canonical one is its pattern, as
``0x7FC00001``.
"""

from __future__ import annotations

from loom.dialects.floats.formats import FORMATS, Format
from loom.dialects.floats.text import decimal, hexadecimal, nearest

FLOATS = 'numbers, "nan", "inf", "-inf" and bit patterns such as "0x3C00"'


def as_signed(word: int, width: int) -> int:
    """A bit pattern as a two's complement number; a single bit stays 0 or 1."""
    return word - (1 << width) if width > 1 and word >> (width - 1) else word


def value_of(word: int, type_: str, width: int) -> int | float | str:
    """The bit pattern as JSON holds it; `type_` as the netlist writes it."""
    form = FORMATS.get(type_)
    return as_signed(word, width) if form is None else float_value(word, form)


def float_value(word: int, form: Format) -> float | str:
    """A float as JSON holds it."""
    named = {form.nan: "nan", form.infinity: "inf", form.infinity | form.sign_bit: "-inf"}
    if form.is_nan(word) or form.is_infinite(word):
        return named.get(word) or hexadecimal(word, form)
    return float(decimal(word, form))


def float_pattern(value: object, form: Format) -> int | None:
    """The pattern nearest to a JSON value, or the one it names; None where it is no such value.

    A number whose nearest pattern is infinite has none.
    """
    named = {"nan": form.nan, "inf": form.infinity, "-inf": form.infinity | form.sign_bit}
    if isinstance(value, str):
        return named[value] if value in named else written_pattern(value, form)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, int):
        pattern = form.pack(int(value < 0), abs(value), 0)
    else:
        pattern = nearest(value, form)
    return None if form.is_infinite(pattern) else pattern


def written_pattern(text: str, form: Format) -> int | None:
    """The bit pattern that ``0x..`` says, or None where it is none of the format."""
    try:
        pattern = int(text, 16) if text.startswith("0x") else -1
    except ValueError:
        return None
    return pattern if 0 <= pattern < 1 << form.width else None
