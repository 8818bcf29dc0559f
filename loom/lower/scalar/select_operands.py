"""An operation that may be left out has an operand that may be neutral: `x + (c ? y : 0)`.

`select c, x + y, x` waits for the sum and for the condition, and holds x twice until they are
there. Where y is selected instead, x meets one operation: in `if (c) count = count + y` the path
that the loop carries is one adder. A y of 1 is the condition itself. A condition that is made of x
comes later than x + y may: there the select stays behind.

Source: operand selection of predicated operations, Cooper and Torczon, Engineering a Compiler, 7.4.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType, ModuleOp
from xdsl.ir import Operation, SSAValue

from loom.dialects.ops.index import IndexCastUIOp
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic, constant_of, replace

COMMUTATIVE = (arith.AddiOp, arith.OrIOp, arith.XOrIOp)
"""Operations to which zero is neutral on either side."""
NEUTRAL_AT_RIGHT = (arith.SubiOp, arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp)
"""Operations to which zero is neutral as the second operand."""


def select_operands(module: ModuleOp, options: Options) -> None:
    """No select takes an operand of the operation that it takes too, if zero is neutral there."""
    for op in list(module.walk()):
        if isinstance(op, arith.SelectOp):
            select_operand(op)


def select_operand(select: arith.SelectOp) -> None:
    """The select stands before the operation, whose other operand it makes neutral."""
    for chosen, kept, is_true in (
        (select.lhs, select.rhs, True),
        (select.rhs, select.lhs, False),
    ):
        found = other_operand(chosen, kept)
        if found is not None and not is_made_of(select.cond, kept):
            operation, other = found
            type_ = kept.type
            assert isinstance(type_, IntegerType | IndexType)
            make = Arithmetic(select)
            operand = neutral_or(make, select.cond, other, type_, is_true)
            replace(select, make.binary(type(operation), kept, operand))
            return


def other_operand(
    value: SSAValue, kept: SSAValue
) -> tuple[arith.SignlessIntegerBinaryOperation, SSAValue] | None:
    """The operation that the select alone reads, and what it does with `kept`."""
    op = value.owner
    if value.uses.get_length() != 1 or not isinstance(op, COMMUTATIVE + NEUTRAL_AT_RIGHT):
        return None
    if op.lhs is kept:
        return op, op.rhs
    return (op, op.lhs) if op.rhs is kept and isinstance(op, COMMUTATIVE) else None


def is_made_of(value: SSAValue, source: SSAValue) -> bool:
    """True if the value depends on the other one, in the same iteration."""
    work, seen = [value], set[SSAValue]()
    while work:
        each = work.pop()
        if each is source:
            return True
        if each not in seen and isinstance(each.owner, Operation):
            seen.add(each)
            work += each.owner.operands
            work += [v for op in each.owner.walk() for v in op.operands if op is not each.owner]
    return False


def neutral_or(
    make: Arithmetic,
    condition: SSAValue,
    value: SSAValue,
    type_: IntegerType | IndexType,
    is_true: bool,
) -> SSAValue:
    """The value if the condition is `is_true`, else zero."""
    if is_true and constant_of(value) == 1:
        return widen(make, condition, type_)
    sides = (value, make.constant(0, type_)) if is_true else (make.constant(0, type_), value)
    return make.insert(arith.SelectOp(condition, *sides))


def widen(make: Arithmetic, condition: SSAValue, type_: IntegerType | IndexType) -> SSAValue:
    """The condition as 0 or 1."""
    if condition.type == type_:
        return condition
    if isinstance(type_, IndexType):
        return make.insert(IndexCastUIOp.build(operands=[condition], result_types=[type_]))
    return make.insert(arith.ExtUIOp(condition, type_))
