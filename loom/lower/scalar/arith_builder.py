"""Index arithmetic placed before an operation, folded where the numbers are known."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

INDEX = IndexType()
Combine = type[arith.SignlessIntegerBinaryOperation] | type[arith.FloatingPointLikeBinaryOperation]
"""Operations of two operands and a result of one type."""
Number = int | SSAValue
"""A value of type index, or a constant one."""

MOST_ADDERS = 3
"""Adders and subtractors that a product by a constant may take before a multiplier is smaller."""


def constant_of(value: SSAValue) -> int | None:
    """The integer that an arith.constant always gives, or None."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return int(owner.value.value.data)
    return None


def zero_of(type_: Attribute) -> IntegerAttr | FloatAttr:
    """The number 0 of a type."""
    if isinstance(type_, AnyFloat):
        return FloatAttr(0.0, type_)
    assert isinstance(type_, IntegerType | IndexType)
    return IntegerAttr(0, type_)


def replace(op: Operation, *values: SSAValue) -> None:
    """Every user of `op` uses `values` instead, and `op` is gone."""
    for result, value in zip(op.results, values, strict=True):
        if value.name_hint is None:
            value.name_hint = result.name_hint
        result.replace_all_uses_with(value)
    op.detach()
    op.erase()


def signed_digits(number: int) -> list[tuple[int, int]]:
    """The fewest (shift, sign) with ``number == sum(sign << shift)``: canonical signed digits."""
    digits: list[tuple[int, int]] = []
    shift = 0
    while number:
        if number & 1:
            sign = 2 - (number & 3)
            digits.append((shift, sign))
            number -= sign
        number >>= 1
        shift += 1
    return digits


def add_once(value: SSAValue) -> SSAValue:
    """A sum of a sum and two constants becomes one of their sum: half as long a chain."""
    operation = value.owner
    if not isinstance(operation, arith.AddiOp) or not isinstance(operation.lhs.owner, arith.AddiOp):
        return value
    inner, second = operation.lhs.owner, constant_of(operation.rhs)
    first = constant_of(inner.rhs)
    if first is None or second is None:
        return value
    total = IntegerAttr(first + second, integer_type(operation.rhs.type), truncate_bits=True)
    constant = arith.ConstantOp(total)
    block = operation.parent
    assert block is not None
    block.insert_op_before(constant, operation)
    operation.operands = [inner.lhs, constant.result]
    return value


class Arithmetic:
    """Builds operations before `anchor`, with its place."""

    def __init__(self, anchor: Operation) -> None:
        self.anchor = anchor

    def put(self, op: Operation) -> None:
        """`op` stands before the anchor."""
        block = self.anchor.parent
        assert block is not None
        op.location = self.anchor.location
        block.insert_op_before(op, self.anchor)

    def insert(self, op: Operation) -> SSAValue:
        """The first result of `op`, which now stands before the anchor."""
        self.put(op)
        return op.results[0]

    def constant(self, value: int, type_: IntegerType | IndexType = INDEX) -> SSAValue:
        """A constant, modulo 2^width of its type."""
        return self.insert(arith.ConstantOp(IntegerAttr(value, type_, truncate_bits=True)))

    def number(self, value: Number) -> Number:
        """The integer that the value always is, else the value."""
        if isinstance(value, int):
            return value
        known = constant_of(value)
        return value if known is None else known

    def value(self, number: Number) -> SSAValue:
        """The number as a value."""
        return self.constant(number) if isinstance(number, int) else number

    def binary(self, class_: Combine, *sides: Number) -> SSAValue:
        """``class_(lhs, rhs)``."""
        lhs, rhs = map(self.value, sides)
        return self.insert(class_(lhs, rhs))

    def with_constant(self, class_: Combine, lhs: SSAValue, rhs: int) -> SSAValue:
        """``class_(lhs, constant)``, in the type of `lhs`."""
        return self.insert(class_(lhs, self.constant(rhs, integer_type(lhs.type))))

    def add(self, lhs: Number, rhs: Number) -> Number:
        """The sum."""
        if isinstance(lhs, int) and isinstance(rhs, int):
            return lhs + rhs
        if lhs == 0:
            return rhs
        return lhs if rhs == 0 else self.binary(arith.AddiOp, lhs, rhs)

    def subtract(self, lhs: Number, rhs: Number) -> Number:
        """The difference."""
        if isinstance(lhs, int) and isinstance(rhs, int):
            return lhs - rhs
        return lhs if rhs == 0 else self.binary(arith.SubiOp, lhs, rhs)

    def multiply(self, lhs: Number, rhs: Number) -> Number:
        """The product; by a constant as shifts and few adders where that is enough."""
        if isinstance(lhs, int):
            return lhs * rhs if isinstance(rhs, int) else self._multiply_by(rhs, lhs)
        if isinstance(rhs, int):
            return self._multiply_by(lhs, rhs)
        return self.binary(arith.MuliOp, lhs, rhs)

    def _multiply_by(self, value: SSAValue, factor: int) -> Number:
        digits = signed_digits(factor)
        # A positive term goes first: it needs no zero to be subtracted from.
        digits.sort(key=lambda digit: (-digit[1], -digit[0]))
        adders = len(digits) - (1 if digits and digits[0][1] > 0 else 0)
        if adders > MOST_ADDERS:
            return self.binary(arith.MuliOp, value, factor)
        total: Number = 0
        for shift, sign in digits:
            term = self.binary(arith.ShLIOp, value, shift) if shift else value
            total = self.add(total, term) if sign > 0 else self.subtract(total, term)
        return total

    def compare(self, predicate: str, lhs: Number, rhs: Number) -> SSAValue:
        """An i1."""
        return self.insert(arith.CmpiOp(self.value(lhs), self.value(rhs), predicate))

    def select(self, condition: SSAValue, true: Number, false: Number) -> SSAValue:
        """One of two values."""
        return self.insert(arith.SelectOp(condition, self.value(true), self.value(false)))

    def floor_divide(self, lhs: Number, rhs: Number) -> Number:
        """The quotient rounded down; `rhs` is positive."""
        if isinstance(lhs, int) and isinstance(rhs, int):
            return lhs // rhs
        shift = exponent_of(rhs)
        if shift is not None:
            return lhs if shift == 0 else self.binary(arith.ShRSIOp, lhs, shift)
        return self.binary(arith.FloorDivSIOp, lhs, rhs)

    def ceil_divide(self, lhs: Number, rhs: Number) -> Number:
        """The quotient rounded up; `rhs` is positive."""
        if isinstance(lhs, int) and isinstance(rhs, int):
            return -(-lhs // rhs)
        if exponent_of(rhs) is None or rhs == 1:
            return lhs if rhs == 1 else self.binary(arith.CeilDivSIOp, lhs, rhs)
        # One more than rounded down where something is left; unlike adding before the shift this
        # holds for every operand.
        left = self.compare("ne", self.modulo(lhs, rhs), 0)
        return self.add(self.floor_divide(lhs, rhs), self.widen(left))

    def modulo(self, lhs: Number, rhs: Number) -> Number:
        """What rounding the quotient down leaves, never negative; `rhs` is positive."""
        if isinstance(lhs, int) and isinstance(rhs, int):
            return lhs % rhs
        if exponent_of(rhs) is not None:
            assert isinstance(rhs, int)
            return self.binary(arith.AndIOp, lhs, rhs - 1) if rhs > 1 else 0
        left = self.binary(arith.RemSIOp, lhs, rhs)
        return self.select(self.compare("slt", left, 0), self.add(left, rhs), left)

    def widen(self, bit: SSAValue) -> SSAValue:
        """0 or 1 as an index."""
        return self.select(bit, 1, 0)


def exponent_of(number: Number) -> int | None:
    """k if the number is known to be 2^k, else None."""
    if isinstance(number, int) and number > 0 and number & (number - 1) == 0:
        return number.bit_length() - 1
    return None


def integer_type(type_: Attribute) -> IntegerType | IndexType:
    """The type of a scalar, which the front end has let through."""
    assert isinstance(type_, IntegerType | IndexType)
    return type_
