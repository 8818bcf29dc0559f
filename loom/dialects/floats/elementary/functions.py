"""The four functions for a format: what is read, how far is computed, how a result is rounded.

Source of the methods: Muller, Elementary Functions, chapters on table-based methods and range
reduction; Payne and Hanek, Radian reduction for trigonometric functions, 1983. A function is a
fixed-point number with `precision` bits more or less right, rounded once to nearest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from loom.dialects.floats import fixed_point
from loom.dialects.floats.elementary.words import Program, Word, argument, compile_program, constant
from loom.dialects.floats.formats import FORMATS, Format

EXACT = 64
"""Bits of a table or constant that are right besides those that are used [bits]."""


@dataclass(frozen=True)
class Accuracy:
    """How far a format is computed.

    `precision`: bits of a result before it is rounded. `terms`: of each polynomial, the highest
    power. `near`: 2^-near is less than the distance of any number from a multiple of pi / 2, in
    units of pi / 2, that is not near 0.
    """

    precision: int
    exp_terms: int
    log_terms: int
    angle_terms: int
    near: int


NARROW = Accuracy(precision=34, exp_terms=3, log_terms=4, angle_terms=6, near=32)
ACCURACY: dict[str, Accuracy] = {
    "f16": NARROW,
    "bf16": NARROW,
    "f32": NARROW,
    "f64": Accuracy(precision=64, exp_terms=6, log_terms=8, angle_terms=9, near=62),
}
"""By format; the others have no circuits."""


@dataclass(frozen=True)
class Parts:
    """An operand of a format, taken apart. `size` is the pattern without its sign."""

    form: Format
    pattern: Word

    @property
    def sign(self) -> Word:
        """1 for minus."""
        return self.pattern.sign()

    @property
    def size(self) -> Word:
        """The pattern without its sign."""
        return self.pattern.low(self.form.width - 1)

    @property
    def exponent(self) -> Word:
        """The exponent field."""
        return self.size.top(self.form.exponent_width)

    @property
    def fraction(self) -> Word:
        """The fraction field."""
        return self.pattern.low(self.form.fraction_width)

    @property
    def is_nan(self) -> Word:
        """1 for NaNs."""
        return self.size.constant(self.form.infinity).below(self.size)

    @property
    def is_infinite(self) -> Word:
        """1 for both infinities."""
        return self.size.equals(self.form.infinity)

    @property
    def is_zero(self) -> Word:
        """1 for both zeros."""
        return self.size.equals(0)

    @property
    def significand(self) -> Word:
        """The fraction below a leading 1, as of a normal number."""
        width = self.form.fraction_width
        return self.fraction.wide(width + 1) | (1 << width)


def bias_of(form: Format) -> int:
    """The exponent field of 1."""
    return form.one >> form.fraction_width


def round_normal(form: Format, number: Word, field: Word) -> Word:
    """The magnitude nearest to a word whose highest bit is 1; `field` is that bit's exponent.

    A number in the middle of two is rounded up: no result is there, but for exact ones.
    """
    width = form.width - 1
    # The leading bit, and a carry above it, count the exponent up.
    return ((field - 1) << form.fraction_width) + resize(nearest(number, form), width)


def nearest(number: Word, form: Format) -> Word:
    """The nearest significand, in one bit more for a carry; the middle is rounded up."""
    kept = form.fraction_width + 2
    return (number.top(kept).wide(kept + 1) + 1) >> 1


def normalize(number: Word) -> tuple[Word, Word]:
    """The number shifted until its highest bit is 1, and by how much: less than the width.

    In steps of powers of two, between which a circuit can have registers. 0 stays 0.
    """
    zeros: Word | None = None
    step = 1 << ((number.width - 1).bit_length() - 1)
    while step:
        is_clear = number.top(step).equals(0)
        number = is_clear.select(number << step, number)
        zeros = (
            is_clear
            if zeros is None
            else (zeros.wide(zeros.width + 1) << 1) | is_clear.wide(zeros.width + 1)
        )
        step //= 2
    assert zeros is not None
    return number, zeros


def resize(word: Word, width: int) -> Word:
    """The low bits, or the same number in more."""
    return word.low(width) if width <= word.width else word.wide(width)


def multiply(one: Word, other: Word, drop: int, width: int) -> Word:
    """The product without its `drop` low bits, which then fits the width.

    Numbers of unlike length are multiplied in pieces, so that no multiplier has idle digits, and
    no word is wider than `WIDEST`.
    """
    least, most = sorted(-(-each.width // DIGIT) for each in (one, other))
    size = max(one.width, other.width)
    if least == most and 2 * size <= WIDEST:
        return resize(one.wide(size).product(other.wide(size)) >> drop, width)
    size = DIGIT * min(least, PIECE)
    return multiply_pieces(cut(one, size), cut(other, size), drop, width)


def cut(word: Word, size: int) -> list[Word]:
    """Pieces of so many bits, the low one first."""
    return [resize(word >> low, size) for low in range(0, word.width, size)]


def multiply_pieces(one: list[Word], other: list[Word], drop: int, width: int) -> Word:
    """The product of numbers in pieces of one size, without its `drop` low bits."""
    size = one[0].width
    # Column by column, each with what the one before carries.
    wide = 2 * size + DIGIT
    carry: Word | None = None
    columns: list[Word] = []
    last = len(one) + len(other) - 2
    for column in range(last + 1):
        for k, piece in enumerate(one):
            if 0 <= column - k < len(other):
                part = piece.product(other[column - k]).wide(wide)
                carry = part if carry is None else carry + part
        assert carry is not None
        columns.append(carry if column == last else carry.low(size))
        carry = carry >> size
    kept, skipped = columns[drop // size :], drop % size
    found = (kept[0] >> skipped).low(min(width, kept[0].width))
    found = resize(found, width)
    for number, each in enumerate(kept[1:], 1):
        place = number * size - skipped
        if place < width:
            found = found | (resize(each, width) << place)
    return found


DIGIT = 18
"""Bits of a multiplier block's operands."""
PIECE = 3
"""Digits of a piece at most."""
WIDEST = 128
"""Bits of a word: what C computes with."""


def horner(numbers: list[Word], variable: Word, drops: list[int], minus: bool) -> Word:
    """The polynomial with these coefficients, the first one is that of power 0; of x, or of -x.

    The coefficient of power k has `drops[k]` fewer bits than that of power 0.
    """
    total = numbers[-1]
    for power in range(len(numbers) - 2, -1, -1):
        here = numbers[power]
        apart = drops[power + 1] - drops[power]
        # As many bits of the variable as the total has.
        taken = min(variable.width, total.width + 2)
        product = multiply(total, variable.top(taken), taken - apart, here.width)
        total = here - product if minus else here + product
    return total


# Exponential

EXP_BITS = 8
"""Bits of the exponent, after the point, by which its power is looked up."""


def exp(form: Format) -> Program:
    """2 to the power of x * log2(e): the whole part is the exponent, eight bits more a table."""
    accuracy = ACCURACY[form.name]
    parts, precision = Parts(form, argument(form.width)), accuracy.precision
    whole, bias = form.exponent_width, bias_of(form)
    width = whole + precision
    # The magnitude with `precision` bits after the point, below 2^whole.
    field = parts.exponent.wide(width)
    away = (field.constant(bias + whole - 1) - field).least(width - 1)
    magnitude = (parts.significand.wide(width) << (width - form.fraction_width - 1)) >> away
    scale = precision + whole
    log2e = (1 << (2 * scale + EXACT)) // fixed_point.ln2(scale + EXACT)
    product = multiply(magnitude, constant(scale + 1, log2e), scale, width + 2)
    signed = parts.sign.select(product.constant(0) - product, product)
    # Whole part, table index, and what is left: all that follows is positive.
    power = signed.top(whole + 2)
    index = signed.bits(precision - EXP_BITS, EXP_BITS)
    rest = signed.low(precision - EXP_BITS)
    table, numbers, drops = exp_tables(precision, accuracy.exp_terms)
    entry = index.look_up(table, precision)
    small = horner([constant(*each) for each in numbers], rest, drops, minus=False)
    full = entry.wide(precision + 1) | (1 << precision)
    result = full + multiply(full, small, precision + EXP_EXTRA, precision + 1)
    return Program(
        parts.pattern, exp_specials(parts, result, power, away_from(parts, bias + whole))
    )


def away_from(parts: Parts, field: int) -> Word:
    """1 if the exponent is at least this one."""
    return parts.exponent.constant(field - 1).below(parts.exponent)


EXP_EXTRA = 2
"""Bits of the polynomial below those of the result."""


def exp_tables(precision: int, terms: int) -> tuple[list[int], list[tuple[int, int]], list[int]]:
    """2^(j / 256) - 1 by j, and 2^(f / 256) - 1 as a polynomial of f: width and number of each
    coefficient, the bits that it has less than a result."""
    wide = precision + EXACT
    ln2 = fixed_point.ln2(wide)
    table = [
        (fixed_point.exponential((ln2 * j) >> EXP_BITS, wide) >> EXACT) - (1 << precision)
        for j in range(1 << EXP_BITS)
    ]
    step, total = ln2 >> EXP_BITS, 1 << wide
    numbers = [(1, 0)]
    for power in range(1, terms + 1):
        total = (total * step >> wide) // power
        number = total >> (EXACT - EXP_EXTRA)
        numbers.append((number.bit_length() + 1, number))
    # The polynomial has no constant term, and is below its first coefficient twice.
    numbers[0] = (numbers[1][0] + 1, 0)
    return table, numbers, [0] * len(numbers)


def exp_specials(parts: Parts, result: Word, power: Word, is_far: Word) -> Word:
    """The result rounded, subnormal or infinite where it is; that of infinities and NaN."""
    form = parts.form
    bias, width = bias_of(form), form.width - 1
    wide = max(power.width, width, result.width.bit_length()) + 2
    field = power.wide_signed(wide) + bias
    is_low = field.sign() | field.equals(0)
    least = result.width - 1
    shift = is_low.select((field.constant(1) - field).least(least), field.constant(0))
    shifted = result >> resize(shift, result.width)
    above = resize(is_low.select(field.constant(0), field - 1), width)
    magnitude = (above << form.fraction_width) + resize(nearest(shifted, form), width)
    overflows = (field.sign() ^ 1) & field.constant(2 * bias).below(field)
    magnitude = overflows.select(form.infinity, magnitude)
    far = parts.sign.select(0, magnitude.constant(form.infinity))
    magnitude = is_far.select(far, magnitude)
    return parts.is_nan.select(form.nan, magnitude.wide(form.width))


# Logarithm

LOG_BITS = 7
"""Bits of the fraction by which a reciprocal is looked up."""


def log(form: Format) -> Program:
    """e * ln(2) - ln(c) + ln(1 + r) with r = m * c - 1 exactly, c a short reciprocal of m."""
    accuracy = ACCURACY[form.name]
    parts, precision = Parts(form, argument(form.width)), accuracy.precision
    fraction, bias = form.fraction_width, bias_of(form)
    digits = fraction + 1
    # A subnormal is shifted until it has its leading bit.
    is_subnormal = parts.exponent.equals(0)
    raw = parts.fraction.wide(digits)
    shifted, zeros = normalize(raw)
    number = is_subnormal.select(shifted, parts.significand)
    wide = form.exponent_width + 2
    normal = parts.exponent.wide(wide) - bias
    exponent = is_subnormal.select(normal + 1 - resize(zeros, wide), normal)
    index = number.bits(fraction - LOG_BITS, LOG_BITS)
    point = fraction + LOG_BITS + 2
    after = point + precision  # bits of a product with r after the point
    total_bits = digits + precision - 1  # of the sum, after the point
    shorts, logs = log_tables(total_bits)
    short = index.look_up(shorts, LOG_BITS + 3)
    product = multiply(number, short, 0, digits + LOG_BITS + 3)
    is_below = product.below(1 << point)
    one = product.constant(1 << point)
    rest = resize(is_below.select(one - product, product - one), point - LOG_BITS + 1)
    series = log_series(rest, is_below, point, precision, accuracy.log_terms)
    width = total_bits + form.exponent_width + 1
    own = multiply(rest, series, after - total_bits, width)
    own = is_below.select(own.constant(0) - own, own)
    # The exponent counts from the least one on, so that it is positive.
    ln2 = constant(total_bits, fixed_point.ln2(total_bits + EXACT) >> EXACT)
    least = 2 - bias - digits
    scaled = multiply(resize(exponent - least, form.exponent_width + 1), ln2, 0, width)
    total = scaled + (least * ln2.value) + index.look_up(logs, total_bits).wide(width) + own
    sign = total.sign()
    size = sign.select(total.constant(0) - total, total)
    shifted, zeros = normalize(size)
    most = constant(form.width - 1, bias + form.exponent_width)
    magnitude = round_normal(form, shifted, most - resize(zeros, form.width - 1))
    signed = magnitude.wide(form.width) | (sign.wide(form.width) << (form.width - 1))
    signed = size.equals(0).select(0, signed)
    signed = parts.is_infinite.select(form.infinity, signed)
    signed = (parts.sign | parts.is_nan).select(form.nan, signed)
    return Program(parts.pattern, parts.is_zero.select(form.infinity | form.sign_bit, signed))


def log_series(size: Word, is_below: Word, point: int, precision: int, terms: int) -> Word:
    """ln(1 + r) / r with `precision` bits after the point, by the size of r and its sign.

    1 - r / 2 + r^2 / 3 - ...; r is below 2^-LOG_BITS and has `point` bits after the point.
    """
    total: Word | None = None
    before = 0
    for power in range(terms, -1, -1):
        # A term of this power is multiplied by r so often: it has fewer bits.
        kept = max(8, precision - power * (LOG_BITS - 1))
        here = constant(kept + 2, (1 << kept) // (power + 1))
        if total is not None:
            short = min(point, before + LOG_BITS)
            factor = size >> (point - short)
            product = multiply(
                total, resize(factor, size.width - point + short), short + before - kept, kept + 2
            )
            # Inverted where it is added: that is one unit of the last bit too much.
            signs = is_below.select(product.constant(-1), product.constant(0))
            here = here - (product ^ signs)
        total, before = here, kept
    assert total is not None
    return total


def log_tables(bits: int) -> tuple[list[int], list[int]]:
    """By the first bits of m: c with LOG_BITS + 2 bits after the point, and -ln(c).

    c is 1 and 1/2 at the ends, so that nothing cancels near 1.
    """
    one, count = 1 << (LOG_BITS + 2), 1 << LOG_BITS
    shorts = [round(one * 2 * count / (2 * count + 2 * j + 1)) for j in range(count)]
    shorts[0], shorts[-1] = one, one // 2
    ln2 = fixed_point.ln2(bits + EXACT)
    wide = bits + EXACT

    def minus_log(short: int) -> int:
        # `logarithm` takes numbers from 3/4 to 3/2.
        doubled = 4 * short < 3 * one
        found = fixed_point.logarithm((short << (wide + doubled)) // one, wide)
        return (ln2 * doubled - found) >> EXACT

    logs = [minus_log(short) for short in shorts]
    logs[0], logs[-1] = 0, ln2 >> EXACT
    return shorts, logs


# Sine and cosine


def sin(form: Format) -> Program:
    """The sine."""
    return angle(form, is_cosine=False)


def cos(form: Format) -> Program:
    """The cosine."""
    return angle(form, is_cosine=True)


def angle(form: Format, *, is_cosine: bool) -> Program:
    """The operand in quadrants by a window of 2 / pi for its exponent, then a polynomial.

    Only the last two bits of the whole quadrants count, and the window has no others: the product
    with the significand is exact up to its last bits, however large the operand is.
    """
    accuracy = ACCURACY[form.name]
    parts, precision = Parts(form, argument(form.width)), accuracy.precision
    fraction, bias = form.fraction_width, bias_of(form)
    digits = fraction + 1
    tiny = (digits + 12) // 2  # below 2^-tiny the sine is the operand, the cosine 1
    first, last = bias - tiny, (1 << form.exponent_width) - 2
    after = accuracy.near + precision
    field = parts.exponent
    is_tiny = field.below(first)
    index = is_tiny.select(0, (field - first).least(last - first))
    turned = quadrants(index, parts.significand, (first, last), bias, after)
    centred = turned + (1 << (after - 1))
    quadrant = centred.top(2)
    offset = centred.low(after)
    is_below = offset.sign() ^ 1
    half = offset ^ (1 << (after - 1))  # the distance from the quadrant's centre, signed
    distance = is_below.select(half.constant(0) - half, half)
    around = quadrant + 1 if is_cosine else quadrant
    odd = around.low(1)
    shifted, zeros = normalize(distance)
    lead = shifted.top(precision)
    short = distance.top(precision)
    square = multiply(short, short, precision, precision)
    value = angle_series(square, odd, precision, accuracy.angle_terms)
    factor = odd.select(1 << precision, lead.wide(precision + 1))
    product = multiply(value, factor, precision, precision + 1)
    # From 0.7 to 1.57 with `precision` bits after the point: the leading bit is one of two.
    is_large = product.sign()
    number = is_large.select(product, product << 1)
    scale = resize(zeros, form.width - 1)
    scale = odd.select(0, scale)
    exponent = is_large.wide(form.width - 1) + (bias - 1) - scale
    magnitude = round_normal(form, number, exponent)
    sign = around.sign() ^ ((odd ^ 1) & is_below)
    if not is_cosine:
        sign = sign ^ parts.sign
    found = magnitude.wide(form.width) | (sign.wide(form.width) << (form.width - 1))
    found = is_tiny.select(form.one if is_cosine else parts.pattern, found)
    return Program(parts.pattern, (parts.is_nan | parts.is_infinite).select(form.nan, found))


def quadrants(
    index: Word, significand: Word, fields: tuple[int, int], bias: int, after: int
) -> Word:
    """The operand times 2 / pi modulo 4, with `after` bits after the point."""
    digits = significand.width
    first, last = fields
    bits = after + digits  # of the windows, after the point
    most = last - bias - digits + 1
    inverse = (1 << (2 * (bits + most + EXACT))) // fixed_point.half_pi(bits + most + EXACT)
    mask = (1 << (bits + 2)) - 1
    windows = [
        (inverse >> (most + EXACT - (field - bias - digits + 1))) & mask
        for field in range(first, last + 1)
    ]
    size = DIGIT * min(-(-digits // DIGIT), PIECE)
    pieces = [
        index.look_up([each >> low & ((1 << size) - 1) for each in windows], size)
        for low in range(0, bits + 2, size)
    ]
    return multiply_pieces(cut(significand, size), pieces, digits, after + 2)


def angle_series(square: Word, is_cosine: Word, precision: int, terms: int) -> Word:
    """cos(d) or sin(d) / d of d quadrants, by the square of d, which is at most 1/4."""
    wide = precision + EXACT
    quarter = fixed_point.half_pi(wide)
    sines, cosines = [quarter], [1 << wide]
    for power in range(1, terms + 1):
        cosines.append((sines[-1] * quarter >> wide) // (2 * power))
        sines.append((cosines[-1] * quarter >> wide) // (2 * power + 1))
    total: Word | None = None
    before = 0
    for power in range(terms, -1, -1):
        # A term of this power is multiplied by the square so often: it has fewer bits.
        kept = precision - 2 * power + 2 if power else precision
        pair = [each[power] >> (wide - kept) for each in (sines, cosines)]
        width = max(each.bit_length() for each in pair)
        sine, cosine = (constant(width, each) for each in pair)
        here = is_cosine.select(cosine, sine)
        if total is not None:
            taken = min(square.width, total.width + 2)
            less = before - kept
            here = here - multiply(total, square.top(taken), taken + less, width)
        total, before = here, kept
    assert total is not None
    return total


PROGRAMS: dict[str, Callable[[Format], Program]] = {
    "math.exp": exp,
    "math.log": log,
    "math.sin": sin,
    "math.cos": cos,
}
"""The functions with circuits, by the names of their operators."""


@lru_cache(maxsize=64)
def program_of(name: str, form: str) -> Program:
    """The program of an operator for a format, by its name."""
    return PROGRAMS[name](FORMATS[form])


@lru_cache(maxsize=64)
def function_of(name: str, form: str) -> Callable[[int], int]:
    """The function of patterns that the program computes."""
    return compile_program(program_of(name, form))
