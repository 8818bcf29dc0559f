"""Hand rows for sums, products, quotients, extremes, comparisons and roots of floats.

The same numbers stand in every format; what differs between formats is named by `Numbers`.
"""

from __future__ import annotations

import struct

from loom.dialects.floats.formats import FORMATS, Format
from tests.rows.row import Row, row

INF, NAN = float("inf"), float("nan")
Value = int | float
"""A bit pattern, or a number that the format holds."""


def pattern(form: Format, value: Value) -> int:
    """The bit pattern of a number, which the format must hold; integers are patterns."""
    if isinstance(value, int):
        return value
    if value != value:
        return {"f16": 0x7E00, "bf16": 0x7FC0, "f32": 0x7FC00000, "f64": 0x7FF8 << 48}[form.name]
    code = {"f16": "e", "bf16": "f", "f32": "f", "f64": "d"}[form.name]
    raw = struct.pack(f">{code}", value)
    assert struct.unpack(f">{code}", raw)[0] == value
    bits = int.from_bytes(raw, "big")
    if form.name == "bf16":
        assert bits % (1 << 16) == 0
        bits >>= 16
    return bits


class Numbers:
    """Bit patterns at the edges of a format."""

    def __init__(self, form: Format) -> None:
        one = pattern(form, 1.0)
        top = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F800000, "f64": 0x7FF0 << 48}[form.name]
        self.minus = 1 << (form.width - 1)
        self.most = top - 1  # the largest finite number
        self.least = 1  # the smallest subnormal
        self.after_one, self.before_one = one + 1, one - 1
        self.half_step = pattern(form, 2.0 ** -(form.fraction_width + 1))  # half of a step at 1
        self.quiet = top | 3 | 1 << (form.fraction_width - 1)  # a quiet NaN with more bits
        self.signaling = top + 1
        self.normal = 1 << form.fraction_width  # the smallest normal number


def floats(operator: str, form: Format, ports: str, *lines: tuple[Value, ...], **more: str) -> Row:
    """A row of tokens line by line; `ports` in the order of the line, the last is the result."""
    names = ports.split()
    columns = [[pattern(form, value) for value in column] for column in zip(*lines, strict=True)]
    streams = dict(zip(names, columns, strict=True))
    result = {names[-1]: streams.pop(names[-1])}
    return row(operator, f"T={form.name}", streams, result, format=form.name, **more)


def arithmetic(form: Format) -> tuple[Row, ...]:
    """Rows for the four basic operations and the remainder."""
    n = Numbers(form)
    two = "lhs rhs result"
    return (
        floats("arith.addf", form, two, (1.0, 2.0, 3.0), (1.5, -1.5, 0.0), (-0.0, -0.0, -0.0),
               (0.0, -0.0, 0.0), (1.0, n.half_step, 1.0),
               (n.after_one, n.half_step, n.after_one + 1), (n.most, n.most, INF),
               (n.least, n.least, 2), (n.normal, n.least | n.minus, n.normal - 1),
               (INF, -INF, NAN), (INF, 1.0, INF), (-1.0, -INF, -INF), (n.signaling, 1.0, NAN),
               (1.0, n.quiet | n.minus, NAN)),
        floats("arith.subf", form, two, (1.0, 2.0, -1.0), (1.5, 1.5, 0.0), (-0.0, 0.0, -0.0),
               (0.0, 0.0, 0.0), (1.0, n.before_one, n.half_step),
               (INF, INF, NAN), (-INF, INF, -INF), (1.0, n.quiet, NAN)),
        floats("arith.mulf", form, two, (1.5, -2.0, -3.0), (0.0, -5.0, -0.0), (n.most, 2.0, INF),
               (n.least, 0.5, 0.0), (3, 0.5, 2), (1, 1.5, 2), (n.normal, 0.5, n.normal >> 1),
               (n.after_one, n.after_one, n.after_one + 1), (INF, 0.0, NAN), (-INF, 2.0, -INF),
               (n.quiet, 0.0, NAN), (n.most | n.minus, n.most, -INF)),
        floats("arith.divf", form, two, (3.0, 2.0, 1.5), (1.0, -0.0, -INF), (0.0, 0.0, NAN),
               (INF, INF, NAN), (1.0, -INF, -0.0), (n.least, 2.0, 0.0), (3, 2.0, 2),
               (n.most, 0.5, INF), (-7.0, 7.0, -1.0), (n.signaling, 2.0, NAN), (INF, 0.0, INF)),
        floats("arith.remf", form, two, (7.0, 4.0, 3.0), (-7.0, 4.0, -3.0), (7.0, -4.0, 3.0),
               (8.0, -4.0, 0.0), (-8.0, 4.0, -0.0), (n.most, n.least, 0.0), (1.0, INF, 1.0),
               (n.least, n.most, n.least), (1.0, 0.0, NAN), (INF, 2.0, NAN), (-0.0, 3.0, -0.0),
               (n.quiet, 1.0, NAN)),
        floats("math.fma", form, "a b c result", (2.0, 3.0, 4.0, 10.0), (1.0, -1.0, 1.0, 0.0),
               (-0.0, 1.0, -0.0, -0.0), (INF, 0.0, 1.0, NAN), (INF, 1.0, -INF, NAN),
               (2.0, 3.0, -INF, -INF), (n.most, 2.0, n.most | n.minus, n.most),
               (n.after_one, n.after_one, -1.0, square_step(form)), (1.0, n.quiet, 1.0, NAN)),
        floats("math.sqrt", form, "operand result", (4.0, 2.0), (2.25, 1.5), (-0.0, -0.0),
               (-1.0, NAN), (INF, INF), (-INF, NAN), (n.before_one, n.before_one),
               (n.after_one, 1.0), (n.quiet | n.minus, NAN)),
    )  # fmt: skip


def square_step(form: Format) -> int:
    """(1 + s)^2 - 1 = 2 s + s^2 for one step s at 1, whose s^2 is half of the last bit of 2 s."""
    return pattern(form, 2.0 ** (1 - form.fraction_width))


def signs_and_extremes(form: Format) -> tuple[Row, ...]:
    """Rows for what moves bits, and for the larger and smaller of two."""
    n = Numbers(form)
    two = "lhs rhs result"
    plain = ((1.0, 2.0), (-1.0, -2.0), (-0.0, 0.0), (0.0, -0.0), (INF, n.most), (-INF, 1.0))
    larger = (2.0, -1.0, 0.0, 0.0, INF, 1.0)
    smaller = (1.0, -2.0, -0.0, -0.0, n.most, -INF)
    ones = ((NAN, 1.0, 1.0), (1.0, n.signaling, 1.0), (n.quiet, n.signaling, NAN))
    nans = ((NAN, 1.0, NAN), (1.0, n.signaling, NAN), (n.quiet | n.minus, 0.0, NAN))
    return (
        floats("arith.negf", form, "operand result", (1.0, -1.0), (0.0, -0.0), (-INF, INF),
               (n.quiet, n.quiet | n.minus), (n.signaling | n.minus, n.signaling)),
        floats("math.absf", form, "operand result", (-1.0, 1.0), (-0.0, 0.0), (2.0, 2.0),
               (-INF, INF), (n.signaling | n.minus, n.signaling)),
        floats("math.copysign", form, two, (1.0, -0.0, -1.0), (-1.0, 2.0, 1.0), (-INF, -1.0, -INF),
               (n.quiet, -1.0, n.quiet | n.minus), (3.0, n.quiet | n.minus, -3.0)),
        floats("arith.maximumf", form, two,
               *((*pair, wins) for pair, wins in zip(plain, larger, strict=True)), *nans),
        floats("arith.minimumf", form, two,
               *((*pair, wins) for pair, wins in zip(plain, smaller, strict=True)), *nans),
        floats("arith.maxnumf", form, two,
               *((*pair, wins) for pair, wins in zip(plain, larger, strict=True)), *ones),
        floats("arith.minnumf", form, two,
               *((*pair, wins) for pair, wins in zip(plain, smaller, strict=True)), *ones),
    )  # fmt: skip


def transcendental(form: Format) -> tuple[Row, ...]:
    """Rows for exponentials, logarithms, powers and angles, where results are known exactly."""
    n = Numbers(form)
    one = "operand result"
    top = float((1 << (form.exponent_width - 1)) - 1)  # the exponent of the largest power of 2
    least = 1.0 - top - form.fraction_width  # of the smallest number
    step = 2.0**-form.fraction_width
    near_zero = ((n.least, n.least), (n.least | n.minus, n.least | n.minus), (0.0, 0.0),
                 (-0.0, -0.0), (n.quiet, NAN))  # fmt: skip
    below = ((0.0, -INF), (-0.0, -INF), (-1.0, NAN), (-INF, NAN), (INF, INF), (n.signaling, NAN))
    limits = ((INF, INF), (n.most, INF), (n.quiet, NAN))
    return (
        floats("math.exp", form, one, (0.0, 1.0), (-0.0, 1.0), (n.least, 1.0), (-INF, 0.0),
               (n.most | n.minus, 0.0), (n.minus | n.half_step, n.before_one), *limits),
        floats("math.exp2", form, one, (3.0, 8.0), (-2.0, 0.25), (0.0, 1.0), (top, 2.0**top),
               (top + 1.0, INF), (least, 1), (least - 1.0, 0.0), (-INF, 0.0), *limits),
        floats("math.expm1", form, one, (-INF, -1.0), (n.most | n.minus, -1.0), *limits,
               *near_zero),
        floats("math.log", form, one, (1.0, 0.0), (n.after_one, pattern(form, step) - 1), *below),
        floats("math.log2", form, one, (8.0, 3.0), (0.25, -2.0), (1.0, 0.0), (1, least), *below),
        floats("math.log10", form, one, (10.0, 1.0), (100.0, 2.0), (1.0, 0.0), *below),
        floats("math.log1p", form, one, (-1.0, -INF), (-2.0, NAN), (-INF, NAN), (INF, INF),
               (-step, -step - step * step), *near_zero),
        floats("math.sin", form, one, (INF, NAN), (-INF, NAN), *near_zero),
        floats("math.cos", form, one, (0.0, 1.0), (-0.0, 1.0), (n.least, 1.0), (INF, NAN),
               (-INF, NAN), (n.quiet, NAN)),
        floats("math.tan", form, one, (INF, NAN), (-INF, NAN), *near_zero),
        floats("math.tanh", form, one, (INF, 1.0), (-INF, -1.0), (n.most, 1.0),
               (n.most | n.minus, -1.0), *near_zero),
        floats("math.powf", form, "lhs rhs result", (2.0, 3.0, 8.0), (-2.0, 3.0, -8.0),
               (-2.0, 2.0, 4.0), (9.0, 0.5, 3.0), (4.0, -1.5, 0.125), (-8.0, 0.5, NAN),
               (n.quiet, 0.0, 1.0), (1.0, n.signaling, 1.0), (n.quiet, 1.0, NAN),
               (2.0, n.quiet, NAN), (0.0, -1.0, INF), (-0.0, -1.0, -INF), (-0.0, -2.0, INF),
               (-0.0, 3.0, -0.0), (0.0, 0.5, 0.0), (INF, 2.0, INF), (-INF, 3.0, -INF),
               (-INF, -3.0, -0.0), (INF, -0.5, 0.0), (-1.0, INF, 1.0), (-1.0, -INF, 1.0),
               (0.5, INF, 0.0), (-2.0, INF, INF), (0.5, -INF, INF), (2.0, least - 1.0, 0.0),
               (2.0, least, 1), (n.most, 2.0, INF), (n.least, 2.0, 0.0), (n.most, -2.0, 0.0)),
    )  # fmt: skip


# Less, less by sign, equal, equal zeros, greater, infinite, unordered, unordered with itself.
PAIRS = ((1.0, 2.0), (-2.0, 1.0), (3.0, 3.0), (-0.0, 0.0), (-1.0, -2.0), (INF, 1.0), (NAN, 1.0),
         (NAN, NAN))  # fmt: skip
HOLDS = {
    "false": "00000000",
    "oeq": "00110000",
    "ogt": "00001100",
    "oge": "00111100",
    "olt": "11000000",
    "ole": "11110000",
    "one": "11001100",
    "ord": "11111100",
    "ueq": "00110011",
    "ugt": "00001111",
    "uge": "00111111",
    "ult": "11000011",
    "ule": "11110011",
    "une": "11001111",
    "uno": "00000011",
    "true": "11111111",
}
COMPARISONS = tuple(
    floats(
        "arith.cmpf",
        form,
        "lhs rhs result",
        *((*pair, int(bit)) for pair, bit in zip(PAIRS, holds, strict=True)),
        predicate=predicate,
    )
    for form in FORMATS.values()
    for predicate, holds in HOLDS.items()
)

FLOAT_ROWS: tuple[Row, ...] = (
    *(row for form in FORMATS.values() for row in arithmetic(form)),
    *(row for form in FORMATS.values() for row in signs_and_extremes(form)),
    *(row for form in FORMATS.values() for row in transcendental(form)),
    *COMPARISONS,
)
