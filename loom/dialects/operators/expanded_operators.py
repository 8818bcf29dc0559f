"""Rows of operations without hardware of their own: lowering computes them with others.

Source: LLVM's language reference, "Bit Manipulation Intrinsics" and "Saturation Arithmetic"; MLIR's
math dialect documentation. What the source leaves undefined is the same for both.
"""

from __future__ import annotations

from collections.abc import Callable

from loom.dialects.operators.integer_meanings import Undefined, half_of, mask_of, signed
from loom.dialects.operators.operator import (
    Hardware,
    Meaning,
    Operator,
    Semantics,
    Shape,
    Signature,
    parse_ports,
)

UNARY = "operand:T -> result:T"
BINARY = "lhs:T rhs:T -> result:T"
COMPARISON = "lhs:T rhs:T -> result:S"
FUNNEL = "high:T low:T amount:T -> result:T"


def unsigned_meaning(exact: Callable[..., int]) -> Meaning:
    """Meaning: `exact` of the width and of bit patterns, modulo 2^width of the result."""

    def meaning(shape: Shape) -> Callable[..., int]:
        width, mask = shape.inputs[0], mask_of(shape)
        return lambda *tokens: exact(width, *tokens) & mask

    return meaning


def signed_meaning(exact: Callable[..., int]) -> Meaning:
    """Meaning: `exact` of the width and of signed numbers, modulo 2^width of the result."""
    return unsigned_meaning(
        lambda width, *tokens: exact(width, *(signed(token, width) for token in tokens))
    )


def saturated(width: int, value: int) -> int:
    """The signed number of this width that is closest."""
    half = 1 << (width - 1)
    return max(-half, min(value, half - 1))


def power(shape: Shape) -> Callable[[int, int], int]:
    """The signed power modulo 2^width; one with a negative exponent is rounded towards zero."""
    width, mask = shape.outputs[0], mask_of(shape)

    def raise_to(base: int, exponent: int) -> int:
        base, exponent = signed(base, width), signed(exponent, width)
        if exponent >= 0:
            return pow(base, exponent, 1 << width)
        # Only 1 and -1 have a negative power that is not 0.
        if base == 1 or (base == -1 and exponent % 2 == 0):
            return 1
        return mask if base == -1 else 0

    return raise_to


POWER_UNDEFINED = Undefined(
    lambda s, base, exponent: f"{base} == 0 and {exponent} >= {half_of(s)}",
    lambda *_: "0 to a negative power",
)
SHIFT_UNDEFINED = Undefined(
    lambda s, a, b: f"{b} >= {s.inputs[0]}", lambda *_: "a shift by the width or more"
)


def row(
    name: str, ports: str, summary: str, meaning: Meaning, undefined: Undefined | None = None
) -> Operator:
    """An operation without hardware."""
    semantics = Semantics(meaning, undefined=undefined)
    return Operator(name, summary, Signature(*parse_ports(ports)), semantics, Hardware())


EXPANDED_OPERATORS: tuple[Operator, ...] = (
    row("math.ipowi", BINARY, "Signed power modulo 2^width.", power, POWER_UNDEFINED),
    row(
        "llvm.intr.scmp",
        COMPARISON,
        "-1, 0 or 1 as lhs is below, equal to or above rhs, signed.",
        signed_meaning(lambda w, a, b: (a > b) - (a < b)),
    ),
    row(
        "llvm.intr.ucmp",
        COMPARISON,
        "-1, 0 or 1 as lhs is below, equal to or above rhs, unsigned.",
        unsigned_meaning(lambda w, a, b: (a > b) - (a < b)),
    ),
    row(
        "llvm.intr.fshl",
        FUNNEL,
        "The high half of high and low side by side, shifted left modulo the width.",
        unsigned_meaning(lambda w, a, b, c: (a << w | b) << c % w >> w),
    ),
    row(
        "llvm.intr.fshr",
        FUNNEL,
        "The low half of high and low side by side, shifted right modulo the width.",
        unsigned_meaning(lambda w, a, b, c: (a << w | b) >> c % w),
    ),
    row(
        "llvm.intr.sadd.sat",
        BINARY,
        "The signed number that is closest to the sum.",
        signed_meaning(lambda w, a, b: saturated(w, a + b)),
    ),
    row(
        "llvm.intr.uadd.sat",
        BINARY,
        "The unsigned number that is closest to the sum.",
        unsigned_meaning(lambda w, a, b: min(a + b, (1 << w) - 1)),
    ),
    row(
        "llvm.intr.ssub.sat",
        BINARY,
        "The signed number that is closest to the difference.",
        signed_meaning(lambda w, a, b: saturated(w, a - b)),
    ),
    row(
        "llvm.intr.usub.sat",
        BINARY,
        "The unsigned number that is closest to the difference.",
        unsigned_meaning(lambda w, a, b: max(a - b, 0)),
    ),
    row(
        "llvm.intr.sshl.sat",
        BINARY,
        "The signed number that is closest to lhs times 2^rhs.",
        signed_meaning(lambda w, a, b: saturated(w, a << b % (1 << w))),
        SHIFT_UNDEFINED,
    ),
    row(
        "llvm.intr.ushl.sat",
        BINARY,
        "The unsigned number that is closest to lhs times 2^rhs.",
        unsigned_meaning(lambda w, a, b: min(a << b, (1 << w) - 1)),
        SHIFT_UNDEFINED,
    ),
)
