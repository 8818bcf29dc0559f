"""The remainder of floats as a program of integers: words before a loop, in it and behind it.

Source: the division of integers by shifts and subtractions, Knuth, The Art of Computer Programming,
volume 2, section 4.3.1, with one bit of the quotient an iteration. The remainder is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from loom.dialects.floats.elementary.functions import Parts, normalize, resize
from loom.dialects.floats.elementary.words import Word, argument
from loom.dialects.floats.formats import FORMATS, Format


@dataclass(frozen=True)
class Remainder:
    """The words of a remainder.

    The loop begins with `first` and runs `trips` times; `rest` is what an iteration gets, `next`
    what it gives, and `left` what the last one gives. `trips` has its two highest bits clear.
    """

    dividend: Word
    divisor: Word
    first: Word
    trips: Word
    rest: Word
    next: Word
    left: Word
    result: Word


@lru_cache(maxsize=8)
def remainder_of(name: str) -> Remainder:
    """The remainder of numbers of a format.

    An iteration takes the divisor away if it fits, and doubles: the rest is below twice the
    divisor, whose highest bit is 1. Small dividends, infinities, zeros and NaN take none.
    """
    form = FORMATS[name]
    one, other = (Parts(form, argument(form.width)) for _ in range(2))
    size = form.fraction_width + 1
    divisor, moved = normalize(significand(other))
    moved = other.is_zero.select(0, moved)
    exponents = form.exponent_width + 3
    steps = exponent(one).wide(exponents) + resize(moved, exponents)
    steps = steps - exponent(other).wide(exponents) + 1
    is_below = one.size.below(other.size)
    has_none = one.is_nan | other.is_nan | one.is_infinite | other.is_zero
    wide = divisor.wide(size + 1)
    rest, left = argument(size + 1), argument(size + 1)
    smaller = rest.below(wide).select(rest, rest - wide)
    magnitude = pack(form, (left >> 1).low(size), moved, exponent(other))
    sign = one.pattern & form.sign_bit
    result = is_below.select(one.pattern, magnitude.wide(form.width) | sign)
    return Remainder(
        one.pattern, other.pattern, significand(one).wide(size + 1),
        (is_below | has_none).select(0, steps), rest, smaller << 1, left,
        has_none.select(form.nan, result),
    )  # fmt: skip


def significand(parts: Parts) -> Word:
    """The fraction, below a 1 for a normal number."""
    width = parts.form.fraction_width
    is_normal = parts.exponent.equals(0) ^ 1
    return parts.fraction.wide(width + 1) | (is_normal.wide(width + 1) << width)


def exponent(parts: Parts) -> Word:
    """The exponent field, 1 for subnormals, which count as numbers with that one do."""
    field = parts.exponent
    return field | field.equals(0).wide(field.width)


def pack(form: Format, rest: Word, moved: Word, field: Word) -> Word:
    """The magnitude of a rest that the divisor left.

    Of a subnormal divisor, which was `moved`, it moves back, and is subnormal itself. Of another
    one it moves up until its highest bit is 1, but not below the least exponent.
    """
    width = form.width - 1
    number = rest >> resize(moved, rest.width)
    below = field - 1
    step = 1 << ((rest.width - 1).bit_length() - 1)
    while step:
        is_clear = number.top(step).equals(0) & (below.below(step) ^ 1)
        number = is_clear.select(number << step, number)
        below = is_clear.select(below - step, below)
        step //= 2
    # A leading 1 counts the exponent field up.
    found = (below.wide(width) << form.fraction_width) + number.wide(width)
    return rest.equals(0).select(0, found)
