"""Transcendental functions once more, in decimals of many digits: a second opinion.

Python's decimal module has exponentials, logarithms and powers; sine and cosine are sums here. The
digits are so many more than a pattern has that what they leave off decides no rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, getcontext, localcontext
from fractions import Fraction
from functools import cache

from loom.dialects.floats.formats import Format
from tests.judges.float_oracle import INF, Value, join, split

BEYOND = 3000
"""An exponent whose exponential no format holds."""
EXACT = 1200
"""Digits that every number of binary64 needs at most."""


def many(digits: int) -> Context:
    return Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)


def digits_for(x: Fraction) -> int:
    """Digits for a result of a small or large operand: 60 besides those that cancel."""
    size = abs(abs(x.numerator).bit_length() - x.denominator.bit_length())
    return 122 + size // 100 * 62


@cache
def pi(digits: int) -> Decimal:
    """By the means of Gauss and Legendre."""
    with localcontext(many(digits + 10)):
        a, b, t, p = Decimal(1), 1 / Decimal(2).sqrt(), Decimal("0.25"), 1
        for _ in range(digits.bit_length()):
            mean = (a + b) / 2
            b = (a * b).sqrt()
            t -= p * (a - mean) ** 2
            a, p = mean, 2 * p
        return (a + b) ** 2 / (4 * t)


def sine(x: Decimal, quarters: int = 0) -> Decimal:
    """The sine of x and so many quarters of a turn."""
    half = pi(getcontext().prec) / 2
    turns = (x / half).to_integral_value()
    x -= turns * half
    quarters = (quarters + int(turns)) % 4
    number = 1 - quarters % 2
    term, total = x**number, Decimal(0)
    while total + term != total:
        total += term
        number += 2
        term *= -x * x / (number * (number - 1))
    return -total if quarters >= 2 else total


def hyperbolic(x: Decimal) -> Decimal:
    """The hyperbolic tangent."""
    power = (2 * x).exp()
    return (power - 1) / (power + 1)


KNOWN: dict[str, Callable[[Decimal], Decimal]] = {
    "exp": Decimal.exp,
    "exp2": lambda x: Decimal(2) ** x,
    "expm1": lambda x: x.exp() - 1,
    "log": Decimal.ln,
    "log2": lambda x: x.ln() / Decimal(2).ln(),
    "log10": Decimal.log10,
    "log1p": lambda x: (x + 1).ln(),
    "sin": sine,
    "cos": lambda x: sine(x, 1),
    "tan": lambda x: sine(x) / sine(x, 1),
    "tanh": hyperbolic,
}
AT_INFINITIES: dict[str, tuple[Value, Value]] = {
    "exp": (Fraction(0), INF),
    "exp2": (Fraction(0), INF),
    "expm1": (Fraction(-1), INF),
    "tanh": (Fraction(-1), Fraction(1)),
    **dict.fromkeys(("log", "log2", "log10", "log1p"), (None, INF)),
    **dict.fromkeys(("sin", "cos", "tan"), (None, None)),
}
AT_ZERO: dict[str, Value] = {
    **dict.fromkeys(("exp", "exp2", "cos"), Fraction(1)),
    **dict.fromkeys(("log", "log2", "log10"), -INF),
}
BORDER = {"log": 0, "log2": 0, "log10": 0, "log1p": -1}
"""Where a logarithm becomes infinite; below it there is none."""


def decimal(x: Fraction) -> Decimal:
    """A number of a format, which a decimal of enough digits is too."""
    return many(EXACT).divide(Decimal(x.numerator), Decimal(x.denominator))


def value_of(name: str, x: Fraction) -> Value:
    """The function of a number that is not 0."""
    if name in BORDER and x <= BORDER[name]:
        return -INF if x == BORDER[name] else None
    if name.startswith("exp") or name == "tanh":
        x = max(Fraction(-BEYOND), min(x, Fraction(BEYOND)))
    exact = decimal(x)
    with localcontext(many(digits_for(x))):
        return Fraction(KNOWN[name](exact))


def oracle(name: str) -> Callable[[Format, int], int]:
    def function(form: Format, a: int) -> int:
        _, x = split(form, a)
        if x is None:
            return join(form, 0, None)
        if x in (INF, -INF):
            found = AT_INFINITIES[name][x == INF]
        elif x == 0:
            if name not in AT_ZERO:
                return a
            found = AT_ZERO[name]
        else:
            assert isinstance(x, Fraction)
            found = value_of(name, x)
        return join(form, int(found is not None and found < 0), found)

    return function


def power(form: Format, a: int, b: int) -> int:
    (sign, x), (_, y) = split(form, a), split(form, b)
    if y == 0 or x == 1:
        return join(form, 0, Fraction(1))
    if x is None or y is None:
        return join(form, 0, None)
    whole = y if isinstance(y, Fraction) and y.denominator == 1 else None
    odd = sign if whole is not None and whole % 2 else 0
    if abs(y) == INF:
        grows = (abs(x) > 1) == (y > 0)
        return join(form, 0, Fraction(1) if abs(x) == 1 else INF if grows else Fraction(0))
    if x == 0 or abs(x) == INF:
        return join(form, odd, INF if (x != 0) == (y > 0) else Fraction(0))
    assert isinstance(x, Fraction) and isinstance(y, Fraction)
    if x < 0 and whole is None:
        return join(form, 0, None)
    base, exponent = decimal(abs(x)), decimal(y)
    with localcontext(many(200)):
        logarithm = exponent * base.ln()
        if abs(logarithm) > BEYOND:
            return join(form, odd, Fraction(2) ** (BEYOND if logarithm > 0 else -BEYOND))
        return join(form, odd, Fraction(base**exponent))


TRANSCENDENTAL = {f"math.{name}": oracle(name) for name in KNOWN}
