"""Operations of the index dialect become their twins in arith, as the catalogue pairs them."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Operation

from loom.dialects.facts.instances import hardware_of
from loom.dialects.operators.catalogue import find
from loom.dialects.ops.index import (
    BinaryOp,
    BoolConstantOp,
    CastSOp,
    CastUOp,
    CmpOp,
    ConstantOp,
    IndexCastUIOp,
    SizeOfOp,
)
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic, replace

BINARY_TWINS: dict[str, type[arith.SignlessIntegerBinaryOperation]] = {
    class_.name: class_
    for class_ in arith.Arith.operations
    if issubclass(class_, arith.SignlessIntegerBinaryOperation)
}


def lower_index(module: ModuleOp, options: Options) -> None:
    """No operation of the index dialect is left."""
    for op in list(module.walk()):
        new = twin(op, options.index_width)
        if new is not None:
            new.attributes |= hardware_of(op)
            Arithmetic(op).put(new)
            replace(op, *new.results)


def twin(op: Operation, index_width: int) -> Operation | None:
    """The operation of arith that does what `op` of the index dialect does; None for others."""
    if isinstance(op, SizeOfOp):
        return arith.ConstantOp(IntegerAttr(index_width, IndexType(), truncate_bits=True))
    if isinstance(op, ConstantOp):
        return arith.ConstantOp(IntegerAttr(op.value.value.data, IndexType()))
    if isinstance(op, BoolConstantOp):
        return arith.ConstantOp(IntegerAttr(op.value.value.data, IntegerType(1)))
    if isinstance(op, CmpOp):
        return arith.CmpiOp(op.lhs, op.rhs, op.pred.data.value)
    if isinstance(op, CastSOp):
        return arith.IndexCastOp(op.input, op.output.type)
    if isinstance(op, CastUOp):
        return IndexCastUIOp(op.input, op.output.type)
    if not isinstance(op, BinaryOp):
        return None
    row = find(op.name)
    assert row is not None
    return BINARY_TWINS[row.name](op.lhs, op.rhs)
