"""Python text for affine expressions: signed indices that wrap around.

Where the values are known to stay small nothing is cut, so that what usually happens is fast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

from loom.model.reference.generator import FunctionWriter
from loom.model.reference.views import is_literal


@dataclass(frozen=True, slots=True)
class Number:
    """A literal or an expression of a signed index that is known to lie from `low` to `high`."""

    text: str
    low: int
    high: int


def operand_of(writer: FunctionWriter, op: Operation, value: SSAValue) -> Number:
    """The operand of a map as a number."""
    text = writer.signed(value, op)
    if is_literal(text):
        return Number(text, int(text), int(text))
    half = 1 << (writer.program.index_width - 1)
    low, high = writer.bounded.get(value, (-half, half))
    return Number(text, low, high - 1)


def evaluate(
    writer: FunctionWriter,
    op: Operation,
    expression: AffineExpr,
    dims: Sequence[Number],
    symbols: Sequence[Number],
) -> Number:
    """The expression's value; sums and products wrap around at the width of an index."""
    if isinstance(expression, AffineConstantExpr):
        value = wrapped(writer, expression.value)
        return Number(str(value), value, value)
    if isinstance(expression, AffineDimExpr):
        return dims[expression.position]
    if isinstance(expression, AffineSymExpr):
        return symbols[expression.position]
    assert isinstance(expression, AffineBinaryOpExpr)
    lhs, rhs = (
        evaluate(writer, op, side, dims, symbols) for side in (expression.lhs, expression.rhs)
    )
    kind = expression.kind
    if kind in DIVISIONS and rhs.low <= 0:
        number = writer.program.faults.number(op)
        writer.line(f"if {rhs.text} <= 0: illegal({number}, {NOT_POSITIVE!r})")
    if is_literal(lhs.text) and is_literal(rhs.text) and (rhs.low > 0 or kind not in DIVISIONS):
        value = wrapped(writer, FOLDS[kind](lhs.low, rhs.low))
        return Number(str(value), value, value)
    low, high = RANGES[kind](lhs, rhs)
    text = TEXTS[kind].format(lhs=lhs.text, rhs=rhs.text)
    half = 1 << (writer.program.index_width - 1)
    if low < -half or high >= half:
        text = f"({text} + {half} & {2 * half - 1}) - {half}"
        low, high = -half, half - 1
    return Number(short(writer, text), low, high)


def wrapped(writer: FunctionWriter, value: int) -> int:
    """The value as a signed index."""
    half = 1 << (writer.program.index_width - 1)
    return (value + half) % (2 * half) - half


def short(writer: FunctionWriter, text: str) -> str:
    """The text in parentheses, or the name of a variable for a long one."""
    if len(text) < LONGEST_EXPRESSION:
        return f"({text})"
    name = writer.program.fresh("x")
    writer.line(f"{name} = {text}")
    return name


def product_range(lhs: Number, rhs: Number) -> tuple[int, int]:
    """Where the exact product lies."""
    corners = [a * b for a in (lhs.low, lhs.high) for b in (rhs.low, rhs.high)]
    return min(corners), max(corners)


def quotient_range(lhs: Number, rhs: Number) -> tuple[int, int]:
    """Where a quotient by 1 or more lies."""
    return min(lhs.low, 0), max(lhs.high, 0)


RANGES: dict[AffineBinaryOpKind, Callable[[Number, Number], tuple[int, int]]] = {
    AffineBinaryOpKind.Add: lambda lhs, rhs: (lhs.low + rhs.low, lhs.high + rhs.high),
    AffineBinaryOpKind.Mul: product_range,
    AffineBinaryOpKind.Mod: lambda _, rhs: (0, max(rhs.high - 1, 0)),
    AffineBinaryOpKind.FloorDiv: quotient_range,
    AffineBinaryOpKind.CeilDiv: quotient_range,
}
TEXTS = {
    AffineBinaryOpKind.Add: "{lhs} + {rhs}",
    AffineBinaryOpKind.Mul: "{lhs} * {rhs}",
    AffineBinaryOpKind.Mod: "{lhs} % {rhs}",
    AffineBinaryOpKind.FloorDiv: "{lhs} // {rhs}",
    AffineBinaryOpKind.CeilDiv: "-(-({lhs}) // {rhs})",
}
FOLDS = {
    AffineBinaryOpKind.Add: lambda a, b: a + b,
    AffineBinaryOpKind.Mul: lambda a, b: a * b,
    AffineBinaryOpKind.Mod: lambda a, b: a % b,
    AffineBinaryOpKind.FloorDiv: lambda a, b: a // b,
    AffineBinaryOpKind.CeilDiv: lambda a, b: -(-a // b),
}
DIVISIONS = (AffineBinaryOpKind.Mod, AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.CeilDiv)
LONGEST_EXPRESSION = 300
"""Characters of an expression before it gets a line of its own: Python's nesting is bounded."""
NOT_POSITIVE = "a divisor that is not positive"


def numbers_of(
    writer: FunctionWriter, op: Operation, map_: AffineMap, operands: Sequence[SSAValue]
) -> list[Number]:
    """The map's results for the operands, dimensions first."""
    numbers = [operand_of(writer, op, operand) for operand in operands]
    dims, symbols = numbers[: map_.num_dims], numbers[map_.num_dims :]
    return [evaluate(writer, op, result, dims, symbols) for result in map_.results]


def results_of(
    writer: FunctionWriter, op: Operation, map_: AffineMap, operands: Sequence[SSAValue]
) -> list[str]:
    """The map's results for the operands, dimensions first, as signed expressions."""
    return [number.text for number in numbers_of(writer, op, map_, operands)]
