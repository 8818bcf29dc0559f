"""Values of expressions, with the type that Python gives them, and how they adapt to another."""

from __future__ import annotations

import ast
import struct
from dataclasses import dataclass

from loom.errors import LoomError, Place
from loom.frontend.imperative.tree import Compare, Convert, Expression, Load, Memory, Number
from loom.frontend.imperative.types import TRUTH, Float, Int, Type
from loom.frontend.python.types import PY_BOOL, PY_FLOAT, PY_INT, Scalar

Constant = bool | int | float


@dataclass(frozen=True, slots=True)
class Value:
    """A scalar; `known` is the number of Python's that it is, if that is certain."""

    expression: Expression
    scalar: Scalar
    known: Constant | None = None

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.expression.place


@dataclass(frozen=True, slots=True)
class Array:
    """An array, or the row of one that `indices` name."""

    memory: Memory
    scalar: Scalar
    indices: tuple[Expression, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of its dimensions."""
        return self.memory.shape[len(self.indices) :]

    def at(self, indices: tuple[Expression, ...]) -> Array:
        """The row or element that more indices name."""
        return Array(self.memory, self.scalar, (*self.indices, *indices))

    def load(self, place: Place) -> Value:
        """The value of the element; tables of Python's integers have words of fewer bits."""
        found = Load(self.memory.type, place, self.memory, self.indices)
        return Value(converted(found, self.scalar.type), self.scalar)


Named = Value | Array


def place_in(node: ast.AST, file: str) -> Place:
    """Where the node begins."""
    return Place(file, getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1)


def bits_of(number: float, type_: Float) -> int:
    """The bit pattern of the float nearest to the number."""
    if type_ is Float.DOUBLE:
        (double,) = struct.unpack("<Q", struct.pack("<d", number))
        return int(double)
    try:
        data = struct.pack("<f", number)
    except OverflowError:
        data = struct.pack("<f", float("inf") if number > 0 else float("-inf"))
    (single,) = struct.unpack("<I", data)
    return int(single)


def scalar_of(known: Constant) -> Scalar:
    """The type of a number of Python's."""
    if isinstance(known, bool):
        return PY_BOOL
    return PY_INT if isinstance(known, int) else PY_FLOAT


def constant(known: Constant, place: Place) -> Value:
    """The number as a value; an integer may be larger than the circuit's until it adapts."""
    scalar = scalar_of(known)
    return Value(Number(scalar.type, place, pattern_of(known, scalar.type)), scalar, known)


def pattern_of(known: Constant, type_: Type) -> int:
    """The bit pattern of the number in this type, cut to its width."""
    if isinstance(type_, Float):
        try:
            return bits_of(float(known), type_)
        except OverflowError:
            return bits_of(float("inf") if known > 0 else float("-inf"), type_)
    if type_.is_truth:
        return int(bool(known))
    assert isinstance(known, int)
    return known & ((1 << type_.width) - 1)


def adapt(value: Value, scalar: Scalar) -> Value:
    """The value in another type, as NumPy converts where it computes.

    Refused: a number of Python's that the type does not have (PY_OVERFLOW).
    """
    place, type_ = value.place, scalar.type
    known = value.known
    if known is not None:
        if isinstance(known, int) and isinstance(type_, Int) and not type_.is_truth:
            check_fits(known, scalar, place)
        if not (isinstance(known, float) and isinstance(type_, Int)):
            kept = known if scalar.is_weak and scalar_of(known) == scalar else None
            return Value(Number(type_, place, pattern_of(known, type_)), scalar, kept)
    return Value(converted(value.expression, type_), scalar)


def check_fits(known: int, scalar: Scalar, place: Place) -> None:
    """Refuse a number that the type does not have."""
    type_ = scalar.type
    assert isinstance(type_, Int)
    if not type_.least <= known <= type_.most:
        what = f"the number {known} as {scalar.name}"
        accepted = f"numbers from {type_.least} to {type_.most} here; a wider type"
        raise LoomError("PY_OVERFLOW", place, what, accepted)


def converted(expression: Expression, type_: Type) -> Expression:
    """The expression in another type, as C converts."""
    if expression.type == type_:
        return expression
    if (
        isinstance(expression, Number)
        and isinstance(expression.type, Int)
        and isinstance(type_, Int)
    ):
        number = expression.type.number(expression.pattern)
        pattern = int(number != 0) if type_.is_truth else number & ((1 << type_.width) - 1)
        return Number(type_, expression.place, pattern)
    return Convert(type_, expression.place, expression)


def truth(value: Value) -> Expression:
    """Whether the value is not zero."""
    if value.known is not None:
        return Number(TRUTH, value.place, int(bool(value.known)))
    expression = value.expression
    if isinstance(expression, Convert) and isinstance(expression.value, Compare):
        return expression.value
    return converted(expression, TRUTH)
