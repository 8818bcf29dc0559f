"""IEEE 754 once more, from exact fractions: the second opinion on the float meanings.

Rounding looks for the neighbours of the exact value by bisection over the patterns; of loom only
the widths of the formats are used.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache

from loom.dialects.floats.formats import Format

INF = math.inf
Value = Fraction | float | None
"""An exact number, an infinity, or None for NaN; the sign of 0 goes beside it."""


@cache
def magnitude(form: Format, pattern: int) -> Fraction:
    """The number of a pattern without sign; that of infinity counts as the next power of two."""
    field, fraction = divmod(pattern, 1 << form.fraction_width)
    bias = (1 << (form.exponent_width - 1)) - 1
    part = Fraction(fraction, 1 << form.fraction_width)
    if field == 0:
        return part * Fraction(2) ** (1 - bias)
    return (1 + part) * Fraction(2) ** (field - bias)


def infinity(form: Format) -> int:
    return (2**form.exponent_width - 1) * 2**form.fraction_width


def split(form: Format, bits: int) -> tuple[int, Value]:
    """Sign and value of a pattern."""
    sign, rest = divmod(bits, 1 << (form.exponent_width + form.fraction_width))
    if rest > infinity(form):
        return sign, None
    if rest == infinity(form):
        return sign, -INF if sign else INF
    return sign, -magnitude(form, rest) if sign else magnitude(form, rest)


def largest(form: Format, fits: Callable[[Fraction], bool]) -> int:
    """The largest pattern up to infinity whose number fits; smaller ones must fit too."""
    low, high = 0, infinity(form)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(magnitude(form, middle)):
            low = middle
        else:
            high = middle - 1
    return low


def join(form: Format, sign: int, value: Value, root: bool = False) -> int:
    """The nearest pattern, ties to even; `root` rounds the root of the value instead."""
    top = infinity(form)
    if value is None:
        return top + 2 ** (form.fraction_width - 1)
    bits = top
    if isinstance(value, Fraction):
        power = 2 if root else 1
        exact = abs(value)
        bits = largest(form, lambda number: number**power <= exact)
        if bits < top:
            middle = (magnitude(form, bits) + magnitude(form, bits + 1)) / 2
            if exact > middle**power or (exact == middle**power and bits % 2):
                bits += 1
    return bits + (sign << (form.width - 1))


def signed(form: Format, value: Value, zero_sign: int) -> int:
    """The pattern of a value; `zero_sign` is the sign of an exact 0."""
    sign = zero_sign if value == 0 else int(value is not None and value < 0)
    return join(form, sign, value)


def add(form: Format, a: int, b: int) -> int:
    (sign_a, x), (sign_b, y) = split(form, a), split(form, b)
    if x is None or y is None or {x, y} == {INF, -INF}:
        return join(form, 0, None)
    return signed(form, x + y, sign_a & sign_b)


def negative(form: Format, a: int) -> int:
    return (a + (1 << (form.width - 1))) % (1 << form.width)


def subtract(form: Format, a: int, b: int) -> int:
    return add(form, a, negative(form, b))


def product(x: Value, y: Value) -> Value:
    if x is None or y is None or {abs(x), abs(y)} == {INF, 0}:
        return None
    if INF in (abs(x), abs(y)):
        return INF if (x > 0) == (y > 0) else -INF
    return x * y


def multiply(form: Format, a: int, b: int) -> int:
    (sign_a, x), (sign_b, y) = split(form, a), split(form, b)
    return signed(form, product(x, y), sign_a ^ sign_b)


def divide(form: Format, a: int, b: int) -> int:
    (sign_a, x), (sign_b, y) = split(form, a), split(form, b)
    sign = sign_a ^ sign_b
    if x is None or y is None or (x == 0 and y == 0) or (abs(x) == INF and abs(y) == INF):
        return join(form, 0, None)
    if abs(x) == INF or y == 0:
        return join(form, sign, INF)
    return join(form, sign, Fraction(0) if abs(y) == INF else Fraction(x) / Fraction(y))


def remainder(form: Format, a: int, b: int) -> int:
    (sign, x), (_, y) = split(form, a), split(form, b)
    if x is None or y is None or abs(x) == INF or y == 0:
        return join(form, 0, None)
    if abs(y) == INF:
        return a
    return signed(form, x - y * math.trunc(Fraction(x) / Fraction(y)), sign)


def fma(form: Format, a: int, b: int, c: int) -> int:
    (sign_a, x), (sign_b, y), (sign_c, z) = split(form, a), split(form, b), split(form, c)
    xy = product(x, y)
    if xy is None or z is None or {xy, z} == {INF, -INF}:
        return join(form, 0, None)
    # Python would first make a float of the fraction beside an infinity.
    infinite = next((v for v in (xy, z) if abs(v) == INF), None)
    return signed(form, infinite or xy + z, (sign_a ^ sign_b) & sign_c)


def square_root(form: Format, a: int) -> int:
    sign, x = split(form, a)
    if x == 0:
        return a
    return join(form, 0, None if x is None or sign else x, root=True)


def nearest_whole(rounded: Callable[[Fraction], int]) -> Callable[[Format, int], int]:
    def function(form: Format, a: int) -> int:
        sign, x = split(form, a)
        if not isinstance(x, Fraction):
            return join(form, sign if x else 0, x)
        return join(form, sign, Fraction(rounded(x)))

    return function


def away(x: Fraction) -> int:
    return math.floor(abs(x) + Fraction(1, 2)) * (-1 if x < 0 else 1)


def extreme(larger: bool, number_wins: bool) -> Callable[[Format, int, int], int]:
    def function(form: Format, a: int, b: int) -> int:
        (sign_a, x), (sign_b, y) = split(form, a), split(form, b)
        if x is None or y is None:
            left = b if x is None else a
            return left if number_wins and not (x is None and y is None) else join(form, 0, None)
        a_is_larger = x > y or (x == y and sign_a < sign_b)
        return a if a_is_larger == larger else b

    return function


def convert(source: Format, target: Format, a: int) -> int:
    sign, x = split(source, a)
    return join(target, 0 if x is None else sign, x)


def holds(form: Format, predicate: str, a: int, b: int) -> int:
    (_, x), (_, y) = split(form, a), split(form, b)
    if predicate in ("true", "false"):
        return int(predicate == "true")
    if x is None or y is None:
        return int(predicate.startswith("u"))
    words = {"eq": x == y, "ne": x != y, "gt": x > y, "ge": x >= y, "lt": x < y, "le": x <= y,
             "rd": True, "no": False}  # fmt: skip
    return int(words[predicate[1:]])


def kind(name: str, form: Format, a: int) -> int:
    _, x = split(form, a)
    finite = isinstance(x, Fraction)
    bias = 2 ** (form.exponent_width - 1) - 1
    normal = isinstance(x, Fraction) and abs(x) >= Fraction(2) ** (1 - bias)
    answers = {"isnan": x is None, "isfinite": finite, "isnormal": normal}
    return int(answers.get(name, x is not None and not finite))


BINARY = {
    "arith.addf": add,
    "arith.subf": subtract,
    "arith.mulf": multiply,
    "arith.divf": divide,
    "arith.remf": remainder,
    "arith.maximumf": extreme(larger=True, number_wins=False),
    "arith.minimumf": extreme(larger=False, number_wins=False),
    "arith.maxnumf": extreme(larger=True, number_wins=True),
    "arith.minnumf": extreme(larger=False, number_wins=True),
}
UNARY = {
    "math.sqrt": square_root,
    "math.floor": nearest_whole(math.floor),
    "math.ceil": nearest_whole(math.ceil),
    "math.trunc": nearest_whole(math.trunc),
    "math.round": nearest_whole(away),
    "math.roundeven": nearest_whole(round),
}
QUESTIONS = ("isnan", "isinf", "isfinite", "isnormal")
