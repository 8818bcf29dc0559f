"""Bit-width reduction of one operation: a rule for each kind that has one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, i1
from xdsl.ir import Attribute, Operation, SSAValue

from loom.analysis.program.range_rules import decided
from loom.dialects.ops.index import IndexCastUIOp
from loom.lower.scalar.arith_builder import Arithmetic, constant_of
from loom.lower.scalar.width_rewriter import Widths

Rule = Callable[[Operation, Widths], Operation | None]


def narrow_operation(op: Operation, widths: Widths) -> Operation | None:
    """The operation made anew, which stands nowhere yet; None where it keeps its widths.

    What it needs stands before `op`. Its result has the type that the result's range needs.
    """
    rule = RULES.get(type(op))
    if rule is None or not all(widths.width(operand.type) for operand in op.operands):
        return None
    if type(op) not in CASTS and widths.width(op.operands[-1].type) <= 1:
        return None
    if not isinstance(op, arith.CmpiOp) and widths.width(op.results[0].type) <= 1:
        return None
    return rule(op, widths)


def retype(op: Operation, type_: Attribute, operands: list[SSAValue]) -> Operation:
    """The same operation in another type."""
    return type(op).create(
        operands=operands, result_types=[type_], properties=op.properties.copy(),
        attributes=op.attributes.copy(),
    )  # fmt: skip


def cast_operands(op: Operation, type_: Attribute, widths: Widths) -> list[SSAValue]:
    """The operands in one type."""
    return [widths.as_type(operand, type_, op) for operand in op.operands]


def common_type(op: Operation, widths: Widths, spare: int = 0) -> IntegerType | None:
    """A type for operands and result, `spare` bits wider; None if it is no narrower."""
    values = [v for v in (*op.operands, *op.results) if widths.width(v.type) > 1]
    bits = max(widths.of(value).bits for value in values) + spare
    old = widths.original.get(op.operands[0], op.operands[0].type)
    return IntegerType(bits) if bits < widths.width(old) else None


def narrow_ring(op: Operation, widths: Widths) -> Operation | None:
    """The low bits of sums, products and bits depend on the low bits of the operands alone."""
    type_ = widths.narrow_type(op.results[0])
    if type_ == op.results[0].type:
        return None
    return retype(op, type_, cast_operands(op, type_, widths))


def narrow_comparison(op: Operation, widths: Widths) -> Operation | None:
    """A sign extension keeps both orders. What ranges decide is a constant."""
    assert isinstance(op, arith.CmpiOp)
    truth = decided(op, *map(widths.of, op.operands))
    if truth is not None:
        return arith.ConstantOp(IntegerAttr(truth, i1, truncate_bits=True))
    type_ = common_type(op, widths)
    if type_ is None:
        return None
    return retype(op, op.results[0].type, cast_operands(op, type_, widths))


def narrow_in_type(op: Operation, type_: IntegerType | None, widths: Widths) -> Operation | None:
    """The operation in `type_`, and its result cut to what that needs."""
    if type_ is None:
        return None
    return truncate_result(op, retype(op, type_, cast_operands(op, type_, widths)), widths)


def truncate_result(op: Operation, new: Operation, widths: Widths) -> Operation:
    """`new`, which stands for `op`, or what cuts its result to the bits that it needs."""
    type_, wished = new.results[0].type, widths.narrow_type(op.results[0])
    if widths.width(wished) >= widths.width(type_):
        return new
    assert isinstance(wished, IntegerType)
    value = Arithmetic(op).insert(new)
    if isinstance(type_, IndexType):
        return arith.IndexCastOp(value, wished)
    return arith.TruncIOp(value, wished)


def narrow_min_max(op: Operation, widths: Widths) -> Operation | None:
    """Minimum and maximum: a sign extension keeps their order."""
    return narrow_in_type(op, common_type(op, widths), widths)


def narrow_division(op: Operation, widths: Widths) -> Operation | None:
    """A bit wider: the smallest number has no opposite."""
    return narrow_in_type(op, common_type(op, widths, 1), widths)


def narrow_unsigned_division(op: Operation, widths: Widths) -> Operation | None:
    """Where no operand is negative: a sign extension would change its pattern."""
    natural = all(widths.of(operand).is_natural for operand in op.operands)
    return narrow_in_type(op, common_type(op, widths), widths) if natural else None


def narrow_left_shift(op: Operation, widths: Widths) -> Operation | None:
    """By a known number of places, in the result's width."""
    return narrow_shift(op, widths.narrow_type(op.results[0]), widths)


def narrow_right_shift(op: Operation, widths: Widths) -> Operation | None:
    """By a known number of places, in the operand's width."""
    value = op.operands[0]
    if isinstance(op, arith.ShRUIOp) and not widths.of(value).is_natural:
        return None
    return narrow_shift(op, value.type, widths)


def narrow_shift(op: Operation, type_: Attribute, widths: Widths) -> Operation | None:
    """The shift in `type_`, its result cut."""
    places = constant_of(op.operands[1])
    if places is None or not 0 <= places < widths.width(type_):
        return None
    assert isinstance(type_, IntegerType | IndexType)
    value = widths.as_type(op.operands[0], type_, op)
    return truncate_result(
        op, retype(op, type_, [value, Arithmetic(op).constant(places, type_)]), widths
    )


def narrow_select(op: Operation, widths: Widths) -> Operation | None:
    """One of two in the result's width."""
    type_ = widths.narrow_type(op.results[0])
    if type_ == op.results[0].type:
        return None
    condition, *sides = op.operands
    return retype(op, type_, [condition, *(widths.as_type(side, type_, op) for side in sides)])


def narrow_cast(op: Operation, widths: Widths) -> Operation | None:
    """A cast that keeps the number: straight from the operand's width to the result's."""
    value, type_ = op.operands[0], widths.narrow_type(op.results[0])
    if value.type == type_:
        return forward_operand(op, value)
    cast = widths.as_type(value, type_, op).owner
    assert isinstance(cast, Operation)
    cast.detach()
    return cast


def narrow_unsigned_cast(op: Operation, widths: Widths) -> Operation | None:
    """A cast that takes the bits without a sign."""
    value, type_ = op.operands[0], widths.narrow_type(op.results[0])
    if widths.width(value.type) > 1 and widths.of(value).is_natural:
        return narrow_cast(op, widths)
    before = widths.original.get(value, value.type)
    if widths.width(type_) <= widths.width(before) or not isinstance(type_, IntegerType):
        return None
    value = widths.as_type(value, before, op)
    if isinstance(before, IndexType):
        return IndexCastUIOp(value, type_)
    return arith.ExtUIOp(value, type_)


def forward_operand(op: Operation, value: SSAValue) -> Operation | None:
    """The operand, as an operation that `simplify` removes: it has another type for its users."""
    if not isinstance(value.type, IntegerType):
        return None
    return arith.OrIOp(value, Arithmetic(op).constant(0, value.type))


CASTS: Mapping[type[Operation], Rule] = MappingProxyType(
    {
        arith.ExtSIOp: narrow_cast,
        arith.TruncIOp: narrow_cast,
        arith.IndexCastOp: narrow_cast,
        arith.ExtUIOp: narrow_unsigned_cast,
        IndexCastUIOp: narrow_unsigned_cast,
    }
)
RULES: Mapping[type[Operation], Rule] = MappingProxyType(
    {
        **dict.fromkeys((arith.AddiOp, arith.SubiOp, arith.MuliOp), narrow_ring),
        **dict.fromkeys((arith.AndIOp, arith.OrIOp, arith.XOrIOp), narrow_ring),
        **dict.fromkeys(
            (arith.MinSIOp, arith.MaxSIOp, arith.MinUIOp, arith.MaxUIOp), narrow_min_max
        ),
        **dict.fromkeys((arith.DivSIOp, arith.RemSIOp), narrow_division),
        **dict.fromkeys((arith.FloorDivSIOp, arith.CeilDivSIOp), narrow_division),
        **dict.fromkeys(
            (arith.DivUIOp, arith.RemUIOp, arith.CeilDivUIOp), narrow_unsigned_division
        ),
        **dict.fromkeys((arith.ShRSIOp, arith.ShRUIOp), narrow_right_shift),
        arith.ShLIOp: narrow_left_shift,
        arith.CmpiOp: narrow_comparison,
        arith.SelectOp: narrow_select,
        **CASTS,
    }
)
"""By operation; the result of any other keeps its width, and its operands get theirs back."""
