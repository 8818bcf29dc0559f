"""Rows for the float operators borrowed from arith and math.

Every row has the attribute `format`, the float type it computes with; `extf` and `truncf` say with
`to` which one they give. Source: MLIR's arith and math dialect documentation.
"""

from __future__ import annotations

from collections.abc import Callable

from loom.dialects import float_conversions as conversions
from loom.dialects import float_hardware as hardware
from loom.dialects import float_meanings as meanings
from loom.dialects.float_formats import FORMATS, KNOWN_FORMATS, Format
from loom.dialects.float_hardware import Hardware
from loom.dialects.operator import Meaning, Operator, Shape, signature

NO_HARDWARE = Hardware("")
WIDER, NARROWER = "a wider result", "a narrower result"
UNARY = "operand:T -> result:T"
BINARY = "lhs:T rhs:T -> result:T"
TEST = "operand:T -> result:i1"
CAST = "operand:S -> result:T"


def format_of(shape: Shape) -> Format:
    """The format an instance computes with."""
    return KNOWN_FORMATS[shape.text("format")]


def row(
    name: str,
    ports: str,
    summary: str,
    meaning: Callable[[Format], Callable[..., int]],
    made: Hardware = NO_HARDWARE,
) -> Operator:
    """An operator on one format."""
    return Operator(
        name,
        *signature(ports),
        summary,
        made.template,
        lambda shape: meaning(format_of(shape)),
        verilog=made.verilog,
        latency=made.latency("format"),
        attributes=("format",),
        formats={"format": "T"},
        choices={"format": tuple(FORMATS)},
        variant=lambda shape: shape.text("format"),
    )


def between_formats(
    name: str,
    sources: tuple[str, ...],
    targets: tuple[str, ...],
    summary: str,
    made: Hardware,
    accepted: str,
) -> Operator:
    """A conversion from one format to another; `accepted` says how wide the result is."""

    def misfit(shape: Shape) -> tuple[str, str] | None:
        (source,), (target,) = shape.inputs, shape.outputs
        is_right = source < target if accepted == WIDER else source > target
        return None if is_right else (f"{name} from {source} to {target} bits", accepted)

    return Operator(
        name,
        *signature(CAST),
        summary,
        made.template,
        lambda shape: conversions.convert(format_of(shape), KNOWN_FORMATS[shape.text("to")]),
        verilog=made.verilog,
        latency=made.latency("format"),
        attributes=("format", "to"),
        formats={"format": "S", "to": "T"},
        choices={"format": sources, "to": targets},
        variant=lambda shape: f"{shape.text('format')}_to_{shape.text('to')}",
        misfit=misfit,
    )


def from_integer(name: str, is_signed: bool, summary: str, made: Hardware) -> Operator:
    """A conversion of an integer of any width to a float."""
    meaning: Meaning = lambda shape: conversions.from_integer(  # noqa: E731
        shape.inputs[0], is_signed, format_of(shape)
    )
    return Operator(
        name,
        *signature(CAST),
        summary,
        made.template,
        meaning,
        verilog=made.verilog,
        latency=made.latency("format"),
        attributes=("format",),
        formats={"format": "T"},
        choices={"format": tuple(FORMATS)},
        variant=lambda shape: shape.text("format"),
    )


def to_integer(name: str, is_signed: bool, summary: str) -> Operator:
    """A conversion of a float to an integer of any width."""
    made = hardware.integer_target(is_signed)

    def undefined(shape: Shape, operand: int) -> str:
        return conversions.does_not_fit(format_of(shape), shape.outputs[0], is_signed, operand)

    return Operator(
        name,
        *signature(CAST),
        summary,
        made.template,
        lambda shape: conversions.to_integer(format_of(shape), shape.outputs[0], is_signed),
        verilog=made.verilog,
        latency=made.latency("format"),
        attributes=("format",),
        formats={"format": "S"},
        choices={"format": tuple(FORMATS)},
        variant=lambda shape: shape.text("format"),
        undefined=undefined,
    )


ARITHMETIC = (
    row("arith.addf", BINARY, "Sum.", meanings.add, hardware.adder("adds = lhs_sign == rhs_sign;")),
    row(
        "arith.subf",
        BINARY,
        "Difference.",
        meanings.subtract,
        hardware.adder("adds = lhs_sign != rhs_sign;"),
    ),
    row("arith.mulf", BINARY, "Product.", meanings.multiply, hardware.MULTIPLIER),
    row(
        "arith.divf",
        BINARY,
        "Quotient; a number by 0 is infinite.",
        meanings.divide,
        hardware.DIVIDER,
    ),
    row(
        "arith.remf",
        BINARY,
        "What the quotient rounded towards zero leaves, exactly; sign of lhs.",
        meanings.remainder,
    ),
    row(
        "arith.negf",
        UNARY,
        "The other sign, of NaN too.",
        meanings.negate,
        hardware.moved("result = {~operand[T_WIDTH-1], operand[T_WIDTH-2:0]};"),
    ),
    row(
        "arith.maximumf",
        BINARY,
        "The larger, NaN if one is NaN; -0 is below +0.",
        meanings.extreme(max, number_wins=False),
        hardware.chooser(hardware.NAN_OR + "precedes ? rhs : lhs"),
    ),
    row(
        "arith.minimumf",
        BINARY,
        "The smaller, NaN if one is NaN; -0 is below +0.",
        meanings.extreme(min, number_wins=False),
        hardware.chooser(hardware.NAN_OR + "precedes ? lhs : rhs"),
    ),
    row(
        "arith.maxnumf",
        BINARY,
        "The larger, the number if one is NaN; -0 is below +0.",
        meanings.extreme(max, number_wins=True),
        hardware.chooser(hardware.NUMBER_OR + "(rhs_nan | ~precedes) ? lhs : rhs"),
    ),
    row(
        "arith.minnumf",
        BINARY,
        "The smaller, the number if one is NaN; -0 is below +0.",
        meanings.extreme(min, number_wins=True),
        hardware.chooser(hardware.NUMBER_OR + "(rhs_nan | precedes) ? lhs : rhs"),
    ),
    Operator(
        "arith.cmpf",
        *signature("lhs:T rhs:T -> result:i1"),
        "Comparison by predicate; -0 equals +0.",
        hardware.COMPARISON.template,
        lambda shape: meanings.compare(format_of(shape), shape.text("predicate")),
        verilog=hardware.COMPARISON.verilog,
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
        hardware.EXTENSION,
        WIDER,
    ),
    between_formats(
        "arith.truncf",
        ("f32", "f64"),
        ("f16", "bf16", "f32"),
        "The nearest number of a narrower format, ties to even.",
        hardware.TRUNCATION,
        NARROWER,
    ),
    from_integer(
        "arith.sitofp",
        True,
        "The number nearest to a signed integer, ties to even.",
        hardware.integer_source("operand[S_WIDTH-1]"),
    ),
    from_integer(
        "arith.uitofp",
        False,
        "The number nearest to an unsigned integer, ties to even.",
        hardware.integer_source("1'b0"),
    ),
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
    row(
        "math.absf",
        UNARY,
        "Sign 0, of NaN too.",
        meanings.absolute,
        hardware.moved("result = operand & ~(T_WIDTH'(1) << (T_WIDTH - 1));"),
    ),
    row(
        "math.copysign",
        BINARY,
        "lhs with the sign of rhs, of NaN too.",
        meanings.copy_sign,
        hardware.moved("result = lhs ^ ((lhs ^ rhs) & (T_WIDTH'(1) << (T_WIDTH - 1)));"),
    ),
    row(
        "math.sqrt",
        UNARY,
        "Square root; of numbers below 0 NaN.",
        meanings.square_root,
        hardware.SQUARE_ROOT,
    ),
    row(
        "math.fma",
        "a:T b:T c:T -> result:T",
        "a * b + c, rounded once.",
        meanings.fused_multiply_add,
        hardware.FUSED,
    ),
    row(
        "math.floor",
        UNARY,
        "The number without fraction next below.",
        conversions.to_integral(conversions.FLOOR),
        hardware.rounder("inexact_1 & operand_sign_1"),
    ),
    row(
        "math.ceil",
        UNARY,
        "The number without fraction next above.",
        conversions.to_integral(conversions.CEIL),
        hardware.rounder("inexact_1 & ~operand_sign_1"),
    ),
    row(
        "math.trunc",
        UNARY,
        "The number without its fraction.",
        conversions.to_integral(conversions.TRUNC),
        hardware.rounder("1'b0"),
    ),
    row(
        "math.round",
        UNARY,
        "The nearest number without fraction, ties away from zero.",
        conversions.to_integral(conversions.AWAY),
        hardware.rounder("half_1"),
    ),
    row(
        "math.roundeven",
        UNARY,
        "The nearest number without fraction, ties to even.",
        conversions.to_integral(conversions.EVEN),
        hardware.rounder("half_1 & (rest_1 | odd_1)"),
    ),
    row("math.isnan", TEST, "1 for NaN.", conversions.is_nan, hardware.beside_infinity(">")),
    row(
        "math.isinf",
        TEST,
        "1 for infinities.",
        conversions.is_infinite,
        hardware.beside_infinity("=="),
    ),
    row(
        "math.isfinite",
        TEST,
        "1 for numbers that are not infinite.",
        conversions.is_finite,
        hardware.beside_infinity("<"),
    ),
    row(
        "math.isnormal",
        TEST,
        "1 for finite numbers that are neither 0 nor subnormal.",
        conversions.is_normal,
        hardware.test(hardware.normal),
    ),
)

FLOAT_OPERATORS: tuple[Operator, ...] = (*ARITHMETIC, *CONVERSIONS, *FUNCTIONS)
