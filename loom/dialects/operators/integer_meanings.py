"""What the integer operators mean, as functions on unsigned bit patterns.

Source: MLIR's arith, math and index dialect documentation. An `Expression` is a function as Python
text: the reference interpreter copies it into the text of a program, everything else calls it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from loom.dialects.operators.operator import Meaning, Shape

PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
OPERANDS = ("a", "b", "c")
"""Names of the operands where an expression is compiled."""


@cache
def compiled(text: str, count: int) -> Callable[..., Any]:
    """The function of `count` operands whose result is the expression `text`."""
    function: Callable[..., Any] = eval(f"lambda {', '.join(OPERANDS[:count])}: {text}", {})
    return function


@dataclass(frozen=True)
class Expression:
    """A meaning as text: `write` gives it from an instance and a name or number an operand."""

    write: Callable[..., str]

    def __call__(self, shape: Shape) -> Callable[..., int]:
        """The function of an instance."""
        count = len(shape.inputs)
        return compiled(self.write(shape, *OPERANDS[:count]), count)


@dataclass(frozen=True)
class Undefined:
    """Why the source has no result: the `reason` where the expression `write` holds."""

    write: Callable[..., str]
    reason: Callable[..., str]

    def __call__(self, shape: Shape, *tokens: int) -> str:
        """Why these operands have no result, or the empty string."""
        test = compiled(self.write(shape, *OPERANDS[: len(tokens)]), len(tokens))
        return self.reason(shape, *tokens) if test(*tokens) else ""


def mask_of(shape: Shape) -> int:
    """All ones in the width of the result."""
    return (1 << shape.outputs[0]) - 1


def half_of(shape: Shape) -> int:
    """The sign bit of the first operand."""
    return 1 << (shape.inputs[0] - 1)


def modular(sign: str) -> Expression:
    """The sum, difference or product modulo 2^width."""
    return Expression(lambda s, a, b: f"{a} {sign} {b} & {mask_of(s)}")


def bitwise(sign: str) -> Expression:
    """What leaves no bit above the width."""
    return Expression(lambda s, a, b: f"{a} {sign} {b}")


def extreme(sign: str, *, is_signed: bool) -> Expression:
    """The first operand where it stands in the relation to the second, else the second."""

    def write(shape: Shape, a: str, b: str) -> str:
        flip = f" ^ {half_of(shape)}" if is_signed else ""
        return f"{a} if {a}{flip} {sign} {b}{flip} else {b}"

    return Expression(write)


RELATIONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def comparison(shape: Shape, a: str, b: str) -> str:
    """1 where the predicate holds, else 0."""
    predicate = shape.text("predicate")
    flip = f" ^ {half_of(shape)}" if predicate[0] == "s" else ""
    sign = RELATIONS[predicate if predicate in RELATIONS else predicate[1:]]
    return f"1 if {a}{flip} {sign} {b}{flip} else 0"


def truncation(shape: Shape, a: str) -> str:
    """The low bits, or all of them."""
    return a if shape.outputs[0] >= shape.inputs[0] else f"{a} & {mask_of(shape)}"


def sign_extension(shape: Shape, a: str) -> str:
    """The same number in a wider type; the low bits in a narrower one."""
    if shape.outputs[0] <= shape.inputs[0]:
        return truncation(shape, a)
    return f"({a} ^ {half_of(shape)}) - {half_of(shape)} & {mask_of(shape)}"


def places_of(shape: Shape, b: str) -> str:
    """The bits of an amount that a shift looks at: those that amounts below the width have."""
    return f"({b} & {(1 << (shape.inputs[0] - 1).bit_length()) - 1})"


def left_shift(shape: Shape, a: str, b: str) -> str:
    """The bit pattern times a power of 2."""
    return f"({a} << {places_of(shape, b)}) & {mask_of(shape)}"


def right_shift(shape: Shape, a: str, b: str) -> str:
    """The bit pattern divided by a power of 2, rounded down."""
    return f"{a} >> {places_of(shape, b)}"


def bit_at(shape: Shape, a: str, b: str) -> str:
    """The bit at a place, which a shift by it makes the lowest one."""
    return f"{right_shift(shape, a, b)} & 1"


def arithmetic_right_shift(shape: Shape, a: str, b: str) -> str:
    """The number of a bit pattern divided by a power of 2, rounded down."""
    half = half_of(shape)
    return f"(({a} ^ {half}) - {half} >> {places_of(shape, b)}) & {mask_of(shape)}"


def step_left(shape: Shape, a: str, b: str) -> str:
    """0 from an amount of the width on, which a shift by a large number would not find."""
    return f"({a} << {b}) & {mask_of(shape)} if {b} < {shape.inputs[0]} else 0"


def arithmetic_step_right(shape: Shape, a: str, b: str) -> str:
    """The number of a bit pattern divided by a power of 2, rounded down."""
    half = half_of(shape)
    return f"(({a} ^ {half}) - {half} >> {b}) & {mask_of(shape)}"


ADD, SUBTRACT, MULTIPLY = modular("+"), modular("-"), modular("*")
SHIFT_LEFT, SHIFT_RIGHT = Expression(left_shift), Expression(right_shift)
SHIFT_RIGHT_SIGNED = Expression(arithmetic_right_shift)
BIT = Expression(bit_at)
STEP_LEFT, STEP_RIGHT = Expression(step_left), bitwise(">>")
STEP_RIGHT_SIGNED = Expression(arithmetic_step_right)
"""Of a stream, which looks at the whole amount."""
COMPARE = Expression(comparison)
SELECT = Expression(lambda _, condition, a, b: f"{a} if {condition} else {b}")
TRUNCATE, SIGN_EXTEND = Expression(truncation), Expression(sign_extension)
UNSIGNED_QUOTIENT = Expression(lambda _, a, b: f"{a} // {b} if {b} else 0")
UNSIGNED_REMAINDER = Expression(lambda _, a, b: f"{a} % {b} if {b} else {a}")


def signed(value: int, width: int) -> int:
    """The bit pattern `value` read as a two's complement number of `width` [bits]."""
    return value - (1 << width) if value >> (width - 1) else value


def wrapped(function: Callable[[int, int], int]) -> Meaning:
    """Meaning: `function` on bit patterns, modulo 2^width of the result."""

    def meaning(shape: Shape) -> Callable[[int, int], int]:
        mask = mask_of(shape)
        return lambda lhs, rhs: function(lhs, rhs) & mask

    return meaning


def wrapped_signed(function: Callable[[int, int], int]) -> Meaning:
    """Meaning: `function` on two's complement numbers, modulo 2^width of the result."""

    def meaning(shape: Shape) -> Callable[[int, int], int]:
        mask, half = mask_of(shape), half_of(shape)
        return lambda lhs, rhs: function((lhs ^ half) - half, (rhs ^ half) - half) & mask

    return meaning


def unary(function: Callable[[int, int], int]) -> Meaning:
    """Meaning: `function(value, width)`, modulo 2^width of the result."""

    def meaning(shape: Shape) -> Callable[[int], int]:
        width, mask = shape.inputs[0], mask_of(shape)
        return lambda value: function(value, width) & mask

    return meaning


def truncated_division(lhs: int, rhs: int) -> int:
    """Quotient rounded towards zero; 0 for a division by zero, which the source forbids."""
    if rhs == 0:
        return 0
    quotient = abs(lhs) // abs(rhs)
    return quotient if (lhs < 0) == (rhs < 0) else -quotient


def truncated_remainder(lhs: int, rhs: int) -> int:
    """What a truncated division leaves, with the sign of `lhs`."""
    return lhs - rhs * truncated_division(lhs, rhs)


def floored_division(lhs: int, rhs: int) -> int:
    """Quotient rounded down; 0 for a division by zero."""
    return lhs // rhs if rhs else 0


def ceiled_division(lhs: int, rhs: int) -> int:
    """Quotient rounded up; 0 for a division by zero."""
    return -(-lhs // rhs) if rhs else 0


def overflow_test(shape: Shape, a: str, b: str) -> str:
    """Division by zero, and the one quotient that does not fit."""
    if shape.inputs[0] == 1:
        return f"{b} == 0"
    return f"{b} == 0 or {b} == {mask_of(shape)} and {a} == {half_of(shape)}"


DIVISION_UNDEFINED = Undefined(lambda _, a, b: f"{b} == 0", lambda *_: "a division by zero")
SIGNED_DIVISION_UNDEFINED = Undefined(
    overflow_test,
    lambda _, lhs, rhs: "a signed division that overflows" if rhs else "a division by zero",
)
SHIFT_UNDEFINED = Undefined(
    lambda s, a, b: f"{b} >= {s.inputs[0]}",
    lambda s, lhs, rhs: f"a shift by {rhs} of a value of {s.inputs[0]} bits",
)


def add_with_overflow(shape: Shape) -> Callable[[int, int], tuple[int, int]]:
    """Sum modulo 2^width and the carry out."""
    width = shape.inputs[0]
    mask = (1 << width) - 1
    return lambda lhs, rhs: ((lhs + rhs) & mask, (lhs + rhs) >> width)


def extended_product(is_signed: bool) -> Meaning:
    """Low and high half of the product of full width."""

    def meaning(shape: Shape) -> Callable[[int, int], tuple[int, int]]:
        width = shape.inputs[0]
        mask = (1 << width) - 1

        def multiply(lhs: int, rhs: int) -> tuple[int, int]:
            product = signed(lhs, width) * signed(rhs, width) if is_signed else lhs * rhs
            return product & mask, (product >> width) & mask

        return multiply

    return meaning
