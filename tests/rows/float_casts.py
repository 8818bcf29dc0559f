"""Hand rows for conversions of floats, rounding to integers, and questions about floats."""

from __future__ import annotations

from loom.dialects.floats.formats import FORMATS, Format
from tests.rows.floats import INF, NAN, Numbers, Value, floats, pattern
from tests.rows.row import Row, row


def cast(operator: str, source: str, target: str, *lines: tuple[Value, Value]) -> Row:
    """A row of (operand, result); a float beside an integer type is refused by `pattern`."""
    forms = [FORMATS.get(source), FORMATS.get(target)]
    columns = [
        [value if form is None else pattern(form, value) for value in column]
        for form, column in zip(forms, zip(*lines, strict=True), strict=True)
    ]
    formats = [name for name in (source, target) if name in FORMATS]
    attributes = dict(zip(("format", "to"), formats, strict=False))
    types = f"S={source} T={target}"
    assert all(isinstance(token, int) for column in columns for token in column)
    return row(operator, types, {"operand": columns[0]}, {"result": columns[1]}, **attributes)  # type: ignore[arg-type]


BETWEEN = (
    cast("arith.extf", "f16", "f32", (1.5, 1.5), (1, 2.0**-24), (-INF, -INF), (0x7D01, NAN),
         (-0.0, -0.0), (0x7BFF, 65504.0)),
    cast("arith.extf", "bf16", "f32", (1.5, 1.5), (1, 2.0**-133), (0xFFC1, NAN)),
    cast("arith.extf", "f32", "f64", (0x3F800001, 1.0 + 2.0**-23), (1, 2.0**-149), (INF, INF)),
    cast("arith.extf", "f16", "f64", (-2.0, -2.0), (0x03FF, 1023 * 2.0**-24)),
    cast("arith.truncf", "f64", "f32", (1.0 + 2.0**-24, 1.0), (1.0 + 3 * 2.0**-24, 0x3F800002),
         (1e300, INF), (-1e-300, -0.0), (2.0**-150, 0.0), (1.5 * 2.0**-149, 2), (NAN, NAN)),
    cast("arith.truncf", "f64", "f16", (65519.0, 0x7BFF), (65520.0, INF), (2.0**-25, 0.0),
         # Rounded first to binary32 this would be a tie, and go to 1.
         (1.0 + 2.0**-11 + 2.0**-40, 0x3C01), (-INF, -INF)),
    cast("arith.truncf", "f32", "bf16", (0x3F808000, 1.0), (0x3F818000, 0x3F82),
         (0x3F808001, 0x3F81), (0x7F7FFFFF, INF), (0x7F800001, NAN)),
    cast("arith.truncf", "f32", "f16", (0x33000000, 0.0), (0x33000001, 1), (-1.5, -1.5)),
)  # fmt: skip
INTEGERS = (
    cast("arith.sitofp", "i1", "f16", (1, -1.0), (0, 0.0)),
    cast("arith.sitofp", "i32", "f16", (65519, 0x7BFF), (65520, INF), (-2049, -2048.0)),
    cast("arith.sitofp", "i8", "bf16", (-128, -128.0), (127, 127.0)),
    cast("arith.sitofp", "i64", "f32", (0, 0.0), (-1, -1.0), (16777217, 16777216.0),
         # Rounded first to binary64 this would be a tie, and go down.
         ((1 << 62) + (1 << 38) + 1, 0x5E800001), (-(1 << 63), -(2.0**63))),
    cast("arith.sitofp", "i64", "f64", ((1 << 53) + 1, 2.0**53), (-7, -7.0)),
    cast("arith.uitofp", "i1", "f16", (1, 1.0)),
    cast("arith.uitofp", "i16", "bf16", (65535, 65536.0), (257, 256.0), (259, 260.0)),
    cast("arith.uitofp", "i32", "f32", (-1, 2.0**32), (5, 5.0)),
    cast("arith.uitofp", "i64", "f64", (-1, 2.0**64), (0, 0.0)),
    cast("arith.fptosi", "f16", "i8", (-1.5, -1), (127.5, 127), (-128.5, -128), (1, 0),
         (128.0, 127), (-INF, -128), (NAN, 0)),
    cast("arith.fptosi", "bf16", "i16", (-32768.0, -32768), (32768.0, 32767)),
    cast("arith.fptosi", "f32", "i32", (2.0**31, 0x7FFFFFFF), (-(2.0**31), -0x80000000),
         (0x4EFFFFFF, 0x7FFFFF80), (-0.0, 0)),
    cast("arith.fptosi", "f64", "i64", (-(2.0**63), -(1 << 63)), (1e300, (1 << 63) - 1),
         (123456789.75, 123456789)),
    cast("arith.fptosi", "f64", "i1", (-1.0, 1), (0.5, 0), (1.0, 0)),
    cast("arith.fptoui", "f16", "i8", (255.0, 255), (256.0, 255), (-0.5, 0), (-1.0, 0), (NAN, 0)),
    cast("arith.fptoui", "bf16", "i1", (1.0, 1), (0.5, 0), (2.0, 1)),
    cast("arith.fptoui", "f32", "i32", (0x4F7FFFFF, 0xFFFFFF00), (INF, -1), (-INF, 0)),
    cast("arith.fptoui", "f64", "i64", (2.0**63, 1 << 63), (2.0**64, -1)),
)  # fmt: skip


def integral(form: Format) -> tuple[Row, ...]:
    """Rows for rounding to numbers without fraction."""
    n = Numbers(form)
    ports = "operand result"
    same = ((INF, INF), (-INF, -INF), (n.signaling, NAN), (-0.0, -0.0), (n.most, n.most),
            (3.0, 3.0))  # fmt: skip
    return (
        floats("math.floor", form, ports, (1.5, 1.0), (-1.5, -2.0), (n.least, 0.0),
               (n.least | n.minus, -1.0), (n.before_one, 0.0), *same),
        floats("math.ceil", form, ports, (1.5, 2.0), (-1.5, -1.0), (n.least, 1.0),
               (n.least | n.minus, -0.0), (n.after_one, 2.0), *same),
        floats("math.trunc", form, ports, (1.5, 1.0), (-1.5, -1.0), (-0.5, -0.0),
               (n.before_one, 0.0), (7.75, 7.0), *same),
        floats("math.round", form, ports, (0.5, 1.0), (1.5, 2.0), (2.5, 3.0), (-2.5, -3.0),
               (0.25, 0.0), (-0.25, -0.0), (n.before_one, 1.0), *same),
        floats("math.roundeven", form, ports, (0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (-2.5, -2.0),
               (-3.5, -4.0), (-0.5, -0.0), (0.75, 1.0), *same),
    )  # fmt: skip


def questions(form: Format) -> tuple[Row, ...]:
    """Rows for the kinds of values."""
    n = Numbers(form)
    of = (1.0, -0.0, n.least, n.normal, n.most | n.minus, -INF, n.quiet | n.minus, n.signaling)
    answers = {"isnan": "00000011", "isinf": "00000100", "isfinite": "11111000",
               "isnormal": "10011000"}  # fmt: skip
    return tuple(
        floats(f"math.{name}", form, "operand result",
               *((value, int(bit)) for value, bit in zip(of, bits, strict=True)))
        for name, bits in answers.items()
    )  # fmt: skip


FLOAT_CAST_ROWS: tuple[Row, ...] = (
    *BETWEEN,
    *INTEGERS,
    *(row for form in FORMATS.values() for row in (*integral(form), *questions(form))),
)
