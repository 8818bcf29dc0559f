"""The dialect `sat`: arithmetic that ends at the largest number instead of wrapping around.

LOOM has no hardware for it and needs none: an operation is expanded as soon as it is read.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyAttr, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Dialect, Operation
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from loom import AddedDialect


@irdl_op_definition
class AddOp(IRDLOperation):
    """The sum of two unsigned integers, or the largest one where that does not hold it."""

    name = "sat.addui"
    T: ClassVar = VarConstraint("T", AnyAttr())
    lhs = operand_def(T)
    rhs = operand_def(T)
    total = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($total)"


def expand(module: ModuleOp) -> None:
    """Every `sat.addui` is an addition, a comparison and a select."""
    for operation in [op for op in module.walk() if isinstance(op, AddOp)]:
        type_ = operation.total.type
        assert isinstance(type_, IntegerType)
        total = arith.AddiOp(operation.lhs, operation.rhs)
        wraps = arith.CmpiOp(total.result, operation.lhs, "ult")
        largest = arith.ConstantOp(IntegerAttr(-1, type_))
        chosen = arith.SelectOp(wraps.result, largest.result, total.result)
        replace(operation, [total, wraps, largest, chosen])


def replace(operation: AddOp, made: list[Operation]) -> None:
    """The operations stand in its place, the last one gives its result."""
    block = operation.parent
    assert block is not None
    for each in made:
        each.location = operation.location
        block.insert_op_before(each, operation)
    operation.total.replace_all_uses_with(made[-1].results[0])
    operation.detach()
    operation.erase()


SATURATING = AddedDialect(Dialect("sat", [AddOp]), expand)
