"""Rows for the integer operators that take several cycles: multipliers and dividers."""

from __future__ import annotations

from loom.dialects.operators.integer_meanings import (
    DIVISION_UNDEFINED,
    MULTIPLY,
    SIGNED_DIVISION_UNDEFINED,
    UNSIGNED_QUOTIENT,
    UNSIGNED_REMAINDER,
    ceiled_division,
    extended_product,
    floored_division,
    truncated_division,
    truncated_remainder,
    wrapped,
    wrapped_signed,
)
from loom.dialects.operators.operator import (
    Hardware,
    Meaning,
    Operator,
    Semantics,
    Shape,
    Signature,
    parse_ports,
)

BINARY = "lhs:T rhs:T -> result:T"


DIGIT = 16
"""Factors that one DSP block of any family multiplies [bits]."""
MULTIPLY_LATENCIES = tuple(range(1, 9))
"""Of a multiplier, where an instance states one [cycles]."""


def multiply_latency(shape: Shape) -> int:
    """1 to 8 as the instance states, else operands, products of digits, an adder tree [cycles]."""
    return chosen_latency(shape, 0)


def corrected_latency(shape: Shape) -> int:
    """1 to 8 as the instance states, else one addend more, for the sign [cycles]."""
    return chosen_latency(shape, 1)


def chosen_latency(shape: Shape, more: int) -> int:
    """The attribute `latency`, or a register wherever a multiplier can have one [cycles].

    Those stand behind the operands, behind the products of digits and behind each level of an adder
    tree, whose addends are two a digit, or one for a single digit, and `more`.
    """
    if "latency" in shape.attributes:
        return shape.integer("latency")
    digits = -(-shape.inputs[0] // DIGIT)
    addends = more + (1 if digits == 1 else 2 * digits)
    return 2 + (addends - 1).bit_length()


FORMS = ("pipelined", "iterative")
"""Of a divider: a stage a bit, or one stage that is used again for each bit."""


def divide_latency(shape: Shape) -> int:
    """Width + 2: absolute values, a step a bit, the sign [cycles]."""
    return shape.inputs[0] + 2


def divide_interval(shape: Shape) -> int:
    """A token a cycle, or one division at a time [cycles]."""
    return divide_latency(shape) if form_of(shape) else 1


def form_of(shape: Shape) -> str:
    """The form of a divider that is not the usual one, else an empty word."""
    form = shape.attributes.get("form", FORMS[0])
    return "" if form == FORMS[0] else str(form)


def division(
    name: str, index: str, kind: str, rounding: str, meaning: Meaning, summary: str
) -> Operator:
    """A divider: `kind` is quotient or remainder, `rounding` as in the template."""
    is_signed = not name.endswith("ui")
    overflows = is_signed and kind == "quotient"
    return Operator(
        name,
        summary,
        Signature(*parse_ports(BINARY), defaults={"form": FORMS[0]}, aliases=(f"index.{index}",)),
        Semantics(
            meaning, undefined=SIGNED_DIVISION_UNDEFINED if overflows else DIVISION_UNDEFINED
        ),
        Hardware(
            "primitives/divide",
            f"{'signed' if is_signed else 'unsigned'} {kind} {rounding}",
            latency=divide_latency,
            interval=divide_interval,
            options={"form": FORMS},
            forms={FORMS[1]: "primitives/divide_iterative"},
            variant=form_of,
        ),
    )


def multiplier(
    name: str, ports: str, summary: str, meaning: Meaning, verilog: str, index: str = ""
) -> Operator:
    """A pipelined product of digits: `verilog` says signed or unsigned, low half or both."""
    return Operator(
        name,
        summary,
        Signature(*parse_ports(ports), aliases=(f"index.{index}",) if index else ()),
        Semantics(meaning),
        Hardware(
            "primitives/multiply",
            verilog,
            latency=corrected_latency if verilog == "signed both" else multiply_latency,
            options={"latency": MULTIPLY_LATENCIES},
        ),
    )


PIPELINED_OPERATORS: tuple[Operator, ...] = (
    multiplier(
        "arith.muli",
        BINARY,
        "Product modulo 2^width.",
        MULTIPLY,
        "unsigned low",
        index="mul",
    ),
    multiplier(
        "arith.mului_extended",
        "lhs:T rhs:T -> low:T high:T",
        "Both halves of the unsigned product.",
        extended_product(False),
        "unsigned both",
    ),
    multiplier(
        "arith.mulsi_extended",
        "lhs:T rhs:T -> low:T high:T",
        "Both halves of the signed product.",
        extended_product(True),
        "signed both",
    ),
    division(
        "arith.divsi",
        "divs",
        "quotient",
        "truncate",
        wrapped_signed(truncated_division),
        "Signed quotient, rounded towards zero.",
    ),
    division(
        "arith.divui",
        "divu",
        "quotient",
        "truncate",
        UNSIGNED_QUOTIENT,
        "Unsigned quotient.",
    ),
    division(
        "arith.remsi",
        "rems",
        "remainder",
        "truncate",
        wrapped_signed(truncated_remainder),
        "Signed remainder, sign of lhs.",
    ),
    division(
        "arith.remui",
        "remu",
        "remainder",
        "truncate",
        UNSIGNED_REMAINDER,
        "Unsigned remainder.",
    ),
    division(
        "arith.ceildivsi",
        "ceildivs",
        "quotient",
        "ceiling",
        wrapped_signed(ceiled_division),
        "Signed quotient, rounded up.",
    ),
    division(
        "arith.ceildivui",
        "ceildivu",
        "quotient",
        "ceiling",
        wrapped(ceiled_division),
        "Unsigned quotient, rounded up.",
    ),
    division(
        "arith.floordivsi",
        "floordivs",
        "quotient",
        "floor",
        wrapped_signed(floored_division),
        "Signed quotient, rounded down.",
    ),
)
