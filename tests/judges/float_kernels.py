"""The examples with floats in plain Python: the host's binary64, rounded to the format by `struct`.

Rounding a sum, product or quotient twice gives what rounding once gives, since binary64 has more
than twice the bits of binary32 (Figueroa, When is double rounding innocuous?, 1995).
"""

from __future__ import annotations

import math
import random
import struct
from fractions import Fraction
from typing import Any

Inputs = dict[str, Any]
Expected = dict[str, Any]
Shown = float | str


def rounded(value: float, code: str) -> float:
    """The nearest number of binary16 (code e) or binary32 (f), infinity beyond the largest."""
    try:
        found: float = struct.unpack(code, struct.pack(code, value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return found


def single(value: float) -> float:
    return rounded(value, "f")


def half(value: float) -> float:
    return rounded(value, "e")


def shown(value: float) -> Shown:
    """The number as a bundle has it."""
    return value if math.isfinite(value) else str(value)


def drawn(rng: random.Random, count: int, high: float, code: str) -> list[Shown]:
    return [rounded(rng.uniform(-high, high), code) for _ in range(count)]


def read(values: list[Shown]) -> list[float]:
    return [float(value) for value in values]


def draw_dot(rng: random.Random) -> list[Inputs]:
    rows: list[Inputs] = [{name: drawn(rng, 32, 3.0, "f") for name in "ab"} for _ in range(2)]
    return [*rows, {"a": [single(3e38)] * 32, "b": [1.0] * 31 + ["inf"]}]


def dot_f32(a: list[Shown], b: list[Shown]) -> Expected:
    total = 0.0
    for x, y in zip(read(a), read(b), strict=True):
        total = single(total + single(x * y))
    return {"results": [shown(total)]}


def newton_f32(x: Shown) -> Expected:
    value = guess = float(x)
    steps = 0
    while True:
        quotient = value / guess if guess else math.nan  # 0 / 0: no other guess is 0
        better = single(single(guess + single(quotient)) * 0.5)
        if not better < guess:
            return {"results": [shown(better), steps]}
        guess, steps = better, steps + 1


def draw_polynomial(rng: random.Random) -> list[Inputs]:
    sizes = {"coefficients": 6, "points": 16}
    return [
        {name: drawn(rng, count, 2.0, "d") for name, count in sizes.items()}
        | {"values": [0.0] * 16}
        for _ in range(2)
    ]


def polynomial_f64(coefficients: list[float], points: list[float], values: list[float]) -> Expected:
    found = []
    for x in points:
        value = 0.0
        for c in coefficients:
            value = float(Fraction(value) * Fraction(x) + Fraction(c))  # one rounding
        found.append(value)
    return {"memories": {"values": found}}


def draw_smooth(rng: random.Random) -> list[Inputs]:
    rows = []
    for special in (None, "nan", "inf"):
        samples = drawn(rng, 34, 10.0, "e")
        if special:
            samples[9] = special
        rows.append({"samples": samples, "smooth": [0.0] * 32, "limit": 6.0})
    return rows


def smooth_f16(samples: list[Shown], smooth: list[float], limit: float) -> Expected:
    s = read(samples)
    found = []
    for k in range(32):
        sides = single(s[k] + s[k + 2])
        total = half(single(single(sides * 0.25) + single(s[k + 1] * 0.5)))
        found.append(total if math.isnan(total) else max(min(total, limit), -limit))
    return {"memories": {"smooth": [shown(value) for value in found]}}
