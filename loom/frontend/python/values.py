"""Values of expressions, with the type that Python gives them, and their conversions."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from xdsl.dialects import arith

from loom.errors import LoomError, Place
from loom.frontend.imperative.conversions import convert_expression
from loom.frontend.imperative.tree import Apply, Compare, Convert, Expression, Load, Memory, Number
from loom.frontend.imperative.types import OFFSET, TRUTH, Float, Int, Type
from loom.frontend.python.types import PY_BOOL, PY_FLOAT, PY_INT, ArgumentType, ArrayType, Scalar

Constant = bool | int | float


@dataclass(frozen=True, slots=True)
class Value:
    """A scalar; `known` is its number where that is a constant of Python's."""

    expression: Expression
    scalar: Scalar
    known: Constant | None = None

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.expression.place


@dataclass(frozen=True, slots=True)
class Span:
    """The positions of one dimension that a slice takes: `size` of them, `step` apart.

    `moved` is what only the run tells of where they start, beside `start`.
    """

    start: int
    step: int
    size: int
    moved: Expression | None = None

    def find_position(self, index: Expression) -> Expression:
        """The position of the element with this index in the slice."""
        if (self.start, self.step, self.moved) == (0, 1, None):
            return index
        place = index.place
        known = isinstance(index, Number) and isinstance(index.type, Int)
        if isinstance(index, Number) and known:
            assert isinstance(index.type, Int)
            number = self.start + self.step * index.type.decode(index.pattern)
            position: Expression = Number(OFFSET, place, encode_constant(number, OFFSET))
            return position if self.moved is None else add_offsets(position, self.moved)
        position = scale_offset(index, self.step)
        if self.start:
            start = Number(OFFSET, place, encode_constant(self.start, OFFSET))
            position = add_offsets(position, start)
        return position if self.moved is None else add_offsets(position, self.moved)

    def narrow(self, inner: Span) -> Span:
        """The slice of this slice."""
        moved = None if inner.moved is None else scale_offset(inner.moved, self.step)
        if moved is None or self.moved is None:
            moved = moved or self.moved
        else:
            moved = add_offsets(moved, self.moved)
        return Span(
            self.start + self.step * inner.start, self.step * inner.step, inner.size, moved
        )  # fmt: skip


def scale_offset(value: Expression, step: int) -> Expression:
    """The value times the step, as an offset."""
    scaled, place = convert_expression(value, OFFSET), value.place
    if step == 1:
        return scaled
    factor = Number(OFFSET, place, encode_constant(step, OFFSET))
    return Apply(OFFSET, place, arith.MuliOp, (scaled, factor))


def add_offsets(first: Expression, second: Expression) -> Expression:
    """The sum of two offsets."""
    return Apply(OFFSET, first.place, arith.AddiOp, (first, second))


@dataclass(frozen=True, slots=True)
class Array:
    """An array, or what `indices` and slices of its first dimensions select of one."""

    memory: Memory
    scalar: Scalar
    indices: tuple[Expression | Span, ...] = ()

    @property
    def dimensions(self) -> tuple[Expression | Span, ...]:
        """An index or a slice for each dimension of the memory."""
        whole = (Span(0, 1, size) for size in self.memory.shape[len(self.indices) :])
        return (*self.indices, *whole)

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of its dimensions; () for an element."""
        return tuple(each.size for each in self.dimensions if isinstance(each, Span))

    @property
    def address(self) -> tuple[Expression, ...]:
        """The indices of the element."""
        return tuple(each for each in self.dimensions if not isinstance(each, Span))

    def select(self, *indices: Expression | Span) -> Array:
        """What more indices and slices select, of the first dimensions that are left."""
        given, found = list(indices), list[Expression | Span]()
        for each in self.dimensions:
            if isinstance(each, Span) and given:
                one = given.pop(0)
                each = each.narrow(one) if isinstance(one, Span) else each.find_position(one)
            found.append(each)
        return Array(self.memory, self.scalar, tuple(found))

    def load(self, place: Place) -> Value:
        """The value of the element; tables of Python's integers have elements of fewer bits."""
        element = Load(self.memory.type, place, self.memory, self.address)
        return Value(convert_expression(element, self.scalar.type), self.scalar)


Named = Value | Array
"""What a name stands for."""


def find_argument_type(argument: Named) -> ArgumentType:
    """The type of an argument."""
    if isinstance(argument, Array):
        return ArrayType(argument.scalar, argument.shape)
    return argument.scalar


def encode_float(number: float, type_: Float) -> int:
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


def encode_constant(known: Constant, type_: Type) -> int:
    """The bit pattern of the number in this type, truncated to its width."""
    if isinstance(type_, Float):
        try:
            return encode_float(float(known), type_)
        except OverflowError:
            return encode_float(float("inf") if known > 0 else float("-inf"), type_)
    if type_.is_truth:
        return int(bool(known))
    assert isinstance(known, int)
    return known & ((1 << type_.width) - 1)


def find_constant_type(known: Constant) -> Scalar:
    """The type of a number of Python's."""
    if isinstance(known, bool):
        return PY_BOOL
    return PY_INT if isinstance(known, int) else PY_FLOAT


def make_constant(known: Constant, place: Place) -> Value:
    """The number as a value; an integer may be larger than the circuit's until it adapts."""
    scalar = find_constant_type(known)
    return Value(Number(scalar.type, place, encode_constant(known, scalar.type)), scalar, known)


def adapt_value(value: Value, scalar: Scalar) -> Value:
    """The value in another type, as NumPy converts where it computes.

    Refused: a number of Python's that the type does not have (PY_OVERFLOW).
    """
    place, type_ = value.place, scalar.type
    known = value.known
    if known is not None:
        if isinstance(known, int) and isinstance(type_, Int) and not type_.is_truth:
            check_fits(known, scalar, place)
        if not (isinstance(known, float) and isinstance(type_, Int)):
            still_known = known if scalar.is_weak and find_constant_type(known) == scalar else None
            return Value(Number(type_, place, encode_constant(known, type_)), scalar, still_known)
    return Value(convert_expression(value.expression, type_), scalar)


def check_fits(known: int, scalar: Scalar, place: Place) -> None:
    """Refuse a number that the type does not have."""
    type_ = scalar.type
    assert isinstance(type_, Int)
    if not type_.least <= known <= type_.most:
        what = f"the number {known} as {scalar.name}"
        accepted = f"numbers from {type_.least} to {type_.most} here; a wider type"
        raise LoomError("PY_OVERFLOW", place, what, accepted)


def check_nonzero(value: Value) -> Expression:
    """Whether the value is not zero."""
    if value.known is not None:
        return Number(TRUTH, value.place, int(bool(value.known)))
    expression = value.expression
    if isinstance(expression, Convert) and isinstance(expression.value, Compare):
        return expression.value
    return convert_expression(expression, TRUTH)
