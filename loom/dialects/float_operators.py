"""Rows for the float operators borrowed from arith and math.

Every row has the attribute `format`, the float type it computes with; `extf` and `truncf` say with
`to` which one they give. Source: MLIR's arith and math dialect documentation.
"""

from __future__ import annotations

from collections.abc import Callable

from loom.dialects import float_conversions as conversions
from loom.dialects import float_meanings as meanings
from loom.dialects.float_formats import FORMATS, Format
from loom.dialects.operator import Meaning, Operator, Shape, signature

UNARY = "operand:T -> result:T"
BINARY = "lhs:T rhs:T -> result:T"
TEST = "operand:T -> result:i1"
CAST = "operand:S -> result:T"


def format_of(shape: Shape) -> Format:
    """The format an instance computes with."""
    return FORMATS[shape.text("format")]


def row(
    name: str, ports: str, summary: str, meaning: Callable[[Format], Callable[..., int]]
) -> Operator:
    """An operator on one format."""
    return Operator(
        name,
        *signature(ports),
        summary,
        "",
        lambda shape: meaning(format_of(shape)),
        attributes=("format",),
        formats={"format": "T"},
        choices={"format": tuple(FORMATS)},
        variant=lambda shape: shape.text("format"),
    )


def between_formats(
    name: str, sources: tuple[str, ...], targets: tuple[str, ...], summary: str
) -> Operator:
    """A conversion from one format to another."""
    return Operator(
        name,
        *signature(CAST),
        summary,
        "",
        lambda shape: conversions.convert(format_of(shape), FORMATS[shape.text("to")]),
        attributes=("format", "to"),
        formats={"format": "S", "to": "T"},
        choices={"format": sources, "to": targets},
        variant=lambda shape: f"{shape.text('format')}_to_{shape.text('to')}",
    )


def from_integer(name: str, is_signed: bool, summary: str) -> Operator:
    """A conversion of an integer of any width to a float."""
    meaning: Meaning = lambda shape: conversions.from_integer(  # noqa: E731
        shape.inputs[0], is_signed, format_of(shape)
    )
    return Operator(
        name,
        *signature(CAST),
        summary,
        "",
        meaning,
        attributes=("format",),
        formats={"format": "T"},
        choices={"format": tuple(FORMATS)},
        variant=lambda shape: shape.text("format"),
    )


def to_integer(name: str, is_signed: bool, summary: str) -> Operator:
    """A conversion of a float to an integer of any width."""

    def undefined(shape: Shape, operand: int) -> str:
        return conversions.does_not_fit(format_of(shape), shape.outputs[0], is_signed, operand)

    return Operator(
        name,
        *signature(CAST),
        summary,
        "",
        lambda shape: conversions.to_integer(format_of(shape), shape.outputs[0], is_signed),
        attributes=("format",),
        formats={"format": "S"},
        choices={"format": tuple(FORMATS)},
        variant=lambda shape: shape.text("format"),
        undefined=undefined,
    )


ARITHMETIC = (
    row("arith.addf", BINARY, "Sum.", meanings.add),
    row("arith.subf", BINARY, "Difference.", meanings.subtract),
    row("arith.mulf", BINARY, "Product.", meanings.multiply),
    row("arith.divf", BINARY, "Quotient; a number by 0 is infinite.", meanings.divide),
    row(
        "arith.remf",
        BINARY,
        "What the quotient rounded towards zero leaves, exactly; sign of lhs.",
        meanings.remainder,
    ),
    row("arith.negf", UNARY, "The other sign, of NaN too.", meanings.negate),
    row(
        "arith.maximumf",
        BINARY,
        "The larger, NaN if one is NaN; -0 is below +0.",
        meanings.extreme(max, number_wins=False),
    ),
    row(
        "arith.minimumf",
        BINARY,
        "The smaller, NaN if one is NaN; -0 is below +0.",
        meanings.extreme(min, number_wins=False),
    ),
    row(
        "arith.maxnumf",
        BINARY,
        "The larger, the number if one is NaN; -0 is below +0.",
        meanings.extreme(max, number_wins=True),
    ),
    row(
        "arith.minnumf",
        BINARY,
        "The smaller, the number if one is NaN; -0 is below +0.",
        meanings.extreme(min, number_wins=True),
    ),
    Operator(
        "arith.cmpf",
        *signature("lhs:T rhs:T -> result:i1"),
        "Comparison by predicate; -0 equals +0.",
        "",
        lambda shape: meanings.compare(format_of(shape), shape.text("predicate")),
        attributes=("predicate", "format"),
        formats={"format": "T"},
        choices={"predicate": tuple(meanings.PREDICATES), "format": tuple(FORMATS)},
        variant=lambda shape: f"{shape.text('predicate')}_{shape.text('format')}",
    ),
)
CONVERSIONS = (
    between_formats(
        "arith.extf",
        ("f16", "bf16", "f32"),
        ("f32", "f64"),
        "The same number in a wider format; exact.",
    ),
    between_formats(
        "arith.truncf",
        ("f32", "f64"),
        ("f16", "bf16", "f32"),
        "The nearest number of a narrower format, ties to even.",
    ),
    from_integer("arith.sitofp", True, "The number nearest to a signed integer, ties to even."),
    from_integer("arith.uitofp", False, "The number nearest to an unsigned integer, ties to even."),
    to_integer(
        "arith.fptosi",
        True,
        "The signed integer part; what does not fit is undefined, hardware takes the nearest"
        " integer that does, and 0 for NaN.",
    ),
    to_integer(
        "arith.fptoui",
        False,
        "The unsigned integer part; what does not fit is undefined, hardware takes the nearest"
        " integer that does, and 0 for NaN.",
    ),
)
FUNCTIONS = (
    row("math.absf", UNARY, "Sign 0, of NaN too.", meanings.absolute),
    row("math.copysign", BINARY, "lhs with the sign of rhs, of NaN too.", meanings.copy_sign),
    row("math.sqrt", UNARY, "Square root; of numbers below 0 NaN.", meanings.square_root),
    row(
        "math.fma",
        "a:T b:T c:T -> result:T",
        "a * b + c, rounded once.",
        meanings.fused_multiply_add,
    ),
    row(
        "math.floor",
        UNARY,
        "The number without fraction next below.",
        conversions.to_integral(conversions.FLOOR),
    ),
    row(
        "math.ceil",
        UNARY,
        "The number without fraction next above.",
        conversions.to_integral(conversions.CEIL),
    ),
    row(
        "math.trunc",
        UNARY,
        "The number without its fraction.",
        conversions.to_integral(conversions.TRUNC),
    ),
    row(
        "math.round",
        UNARY,
        "The nearest number without fraction, ties away from zero.",
        conversions.to_integral(conversions.AWAY),
    ),
    row(
        "math.roundeven",
        UNARY,
        "The nearest number without fraction, ties to even.",
        conversions.to_integral(conversions.EVEN),
    ),
    row("math.isnan", TEST, "1 for NaN.", conversions.is_nan),
    row("math.isinf", TEST, "1 for infinities.", conversions.is_infinite),
    row("math.isfinite", TEST, "1 for numbers that are not infinite.", conversions.is_finite),
    row(
        "math.isnormal",
        TEST,
        "1 for finite numbers that are neither 0 nor subnormal.",
        conversions.is_normal,
    ),
)

FLOAT_OPERATORS: tuple[Operator, ...] = (*ARITHMETIC, *CONVERSIONS, *FUNCTIONS)
