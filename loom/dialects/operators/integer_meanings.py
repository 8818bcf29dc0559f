"""What the integer operators mean, as Python functions on unsigned bit patterns.

Source: MLIR's arith, math and index dialect documentation. The `*_undefined` functions say why the
source program has no result for some operands.
"""

from __future__ import annotations

from collections.abc import Callable

from loom.dialects.operators.operator import Meaning, Shape

PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def signed(value: int, width: int) -> int:
    """The bit pattern `value` read as a two's complement number of `width` [bits]."""
    return value - (1 << width) if value >> (width - 1) else value


def wrapped(function: Callable[[int, int], int]) -> Meaning:
    """Meaning: `function` on bit patterns, modulo 2^width of the result."""

    def meaning(shape: Shape) -> Callable[[int, int], int]:
        mask = (1 << shape.outputs[0]) - 1
        return lambda lhs, rhs: function(lhs, rhs) & mask

    return meaning


def wrapped_signed(function: Callable[[int, int], int]) -> Meaning:
    """Meaning: `function` on two's complement numbers, modulo 2^width of the result."""

    def meaning(shape: Shape) -> Callable[[int, int], int]:
        width = shape.inputs[0]
        mask = (1 << shape.outputs[0]) - 1
        half = 1 << (width - 1)
        return lambda lhs, rhs: function((lhs ^ half) - half, (rhs ^ half) - half) & mask

    return meaning


def unary(function: Callable[[int, int], int]) -> Meaning:
    """Meaning: `function(value, width)`, modulo 2^width of the result."""

    def meaning(shape: Shape) -> Callable[[int], int]:
        width = shape.inputs[0]
        mask = (1 << shape.outputs[0]) - 1
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


def division_undefined(shape: Shape, lhs: int, rhs: int) -> str:
    """Why this division has no result in the source, or the empty string."""
    return "a division by zero" if rhs == 0 else ""


def signed_division_undefined(shape: Shape, lhs: int, rhs: int) -> str:
    """Division by zero, and the one quotient that does not fit."""
    width = shape.inputs[0]
    if rhs == (1 << width) - 1 and lhs == 1 << (width - 1) and width > 1:
        return "a signed division that overflows"
    return division_undefined(shape, lhs, rhs)


def shift_undefined(shape: Shape, lhs: int, rhs: int) -> str:
    """Why this shift has no result in the source, or the empty string."""
    width = shape.inputs[0]
    return f"a shift by {rhs} of a value of {width} bits" if rhs >= width else ""


def compare(shape: Shape) -> Callable[[int, int], int]:
    """The predicate's comparison as 0 or 1."""
    half = 1 << (shape.inputs[0] - 1)
    tests: dict[str, Callable[[int, int], int]] = {
        "eq": lambda lhs, rhs: int(lhs == rhs),
        "ne": lambda lhs, rhs: int(lhs != rhs),
        "slt": lambda lhs, rhs: int(lhs ^ half < rhs ^ half),
        "sle": lambda lhs, rhs: int(lhs ^ half <= rhs ^ half),
        "sgt": lambda lhs, rhs: int(lhs ^ half > rhs ^ half),
        "sge": lambda lhs, rhs: int(lhs ^ half >= rhs ^ half),
        "ult": lambda lhs, rhs: int(lhs < rhs),
        "ule": lambda lhs, rhs: int(lhs <= rhs),
        "ugt": lambda lhs, rhs: int(lhs > rhs),
        "uge": lambda lhs, rhs: int(lhs >= rhs),
    }
    return tests[shape.text("predicate")]


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
