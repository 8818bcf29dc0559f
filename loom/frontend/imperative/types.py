"""Types of values in a program of statements: integers with a sign, and floats."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from xdsl.dialects.builtin import Float32Type, Float64Type, IntegerType


@dataclass(frozen=True, slots=True)
class Int:
    """An integer of `width` [bits]; a truth is 0 or 1, and 1 for whatever is converted but 0."""

    width: int
    signed: bool
    is_truth: bool = False

    @property
    def least(self) -> int:
        """The smallest number."""
        return -(1 << (self.width - 1)) if self.signed else 0

    @property
    def most(self) -> int:
        """The largest number."""
        return (1 << (self.width - self.signed)) - 1

    def decode(self, pattern: int) -> int:
        """The number that a bit pattern stands for."""
        pattern &= (1 << self.width) - 1
        return pattern - (1 << self.width) if pattern > self.most else pattern


class Float(Enum):
    """A float of IEEE 754; the value is its width [bits]."""

    SINGLE = 32
    DOUBLE = 64

    @property
    def width(self) -> int:
        """Its width [bits]."""
        return self.value


Type = Int | Float
TRUTH = Int(1, False, is_truth=True)
"""What a comparison gives."""
OFFSET = Int(64, True)
"""Positions in a memory."""


def make_mlir_type(type_: Type) -> IntegerType | Float32Type | Float64Type:
    """The type in MLIR, which knows no signs."""
    if isinstance(type_, Int):
        return IntegerType(type_.width)
    return Float32Type() if type_ is Float.SINGLE else Float64Type()


def is_float(type_: Type) -> bool:
    """True for floats."""
    return isinstance(type_, Float)


def make_integer_type(type_: Int) -> IntegerType:
    """The type of an integer in MLIR."""
    return IntegerType(type_.width)
