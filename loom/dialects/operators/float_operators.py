"""Rows for the float operators borrowed from arith and math.

Every row has the attribute `format`, the float type it computes with; `extf` and `truncf` say with
`to` which one they give. Source: MLIR's arith and math dialect documentation.
"""

from __future__ import annotations

from loom.dialects.floats import arithmetic as meanings
from loom.dialects.floats import conversions, transcendental
from loom.dialects.floats.formats import FORMATS
from loom.dialects.operators import float_hardware as hardware
from loom.dialects.operators.float_rows import (
    BINARY,
    NARROWER,
    TEST,
    UNARY,
    WIDER,
    between_formats,
    format_of,
    from_integer,
    row,
    scaled,
    to_integer,
)
from loom.dialects.operators.operator import Operator, Semantics, Signature, parse_ports

ARITHMETIC = (
    row("arith.addf", BINARY, "Sum.", meanings.add, hardware.adder("adds = lhs_sign == rhs_sign;")),
    row(
        "arith.subf",
        BINARY,
        "Difference.",
        meanings.subtract,
        hardware.adder("adds = lhs_sign != rhs_sign;"),
    ),
    scaled("arith.mulf", "Product.", meanings.multiply),
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
        "Comparison by predicate; -0 equals +0.",
        Signature(
            *parse_ports("lhs:T rhs:T -> result:i1"),
            attributes=("predicate", "format"),
            choices={"predicate": tuple(meanings.PREDICATES), "format": tuple(FORMATS)},
            formats={"format": "T"},
        ),
        Semantics(lambda shape: meanings.compare(format_of(shape), shape.text("predicate"))),
        hardware.COMPARISON,
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
        hardware.moved("result = operand << 1 >> 1;"),
    ),
    row(
        "math.copysign",
        BINARY,
        "lhs with the sign of rhs, of NaN too.",
        meanings.copy_sign,
        hardware.moved("result = (lhs << 1 >> 1) | (rhs >> (T_WIDTH - 1) << (T_WIDTH - 1));"),
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
        hardware.rounder("inexact_3 & operand_sign_3"),
    ),
    row(
        "math.ceil",
        UNARY,
        "The number without fraction next above.",
        conversions.to_integral(conversions.CEIL),
        hardware.rounder("inexact_3 & ~operand_sign_3"),
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
        hardware.rounder("half_3"),
    ),
    row(
        "math.roundeven",
        UNARY,
        "The nearest number without fraction, ties to even.",
        conversions.to_integral(conversions.EVEN),
        hardware.rounder("half_3 & (rest_3 | odd_3)"),
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
TRANSCENDENTAL = (
    row("math.exp", UNARY, "e to the power of the operand.", transcendental.EXP),
    row("math.exp2", UNARY, "2 to the power of the operand.", transcendental.EXP2),
    row("math.expm1", UNARY, "e to the power of the operand, less 1.", transcendental.EXPM1),
    row("math.log", UNARY, "Natural logarithm; below 0 NaN.", transcendental.LOG),
    row("math.log2", UNARY, "Logarithm to the base 2; below 0 NaN.", transcendental.LOG2),
    row("math.log10", UNARY, "Logarithm to the base 10; below 0 NaN.", transcendental.LOG10),
    row("math.log1p", UNARY, "Natural logarithm of 1 + operand.", transcendental.LOG1P),
    row("math.sin", UNARY, "Sine.", transcendental.SIN),
    row("math.cos", UNARY, "Cosine.", transcendental.COS),
    row("math.tan", UNARY, "Tangent.", transcendental.TAN),
    row("math.tanh", UNARY, "Hyperbolic tangent.", transcendental.TANH),
    row(
        "math.powf",
        BINARY,
        "lhs to the power of rhs; 1 where rhs is 0 or lhs is 1, whatever the other.",
        transcendental.power,
    ),
)
"""Without a unit: `exp`, `log`, `sin` and `cos` are expanded, the others wait for a core."""

FLOAT_OPERATORS: tuple[Operator, ...] = (
    *ARITHMETIC,
    *CONVERSIONS,
    *FUNCTIONS,
    *TRANSCENDENTAL,
)
