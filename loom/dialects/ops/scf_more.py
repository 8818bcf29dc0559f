"""Operations of the scf dialect that xDSL has no classes for: scf.forall and its terminator.

Source: MLIR's documentation of the scf dialect.
"""

from __future__ import annotations

from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, DenseArrayBase, IndexType, i64
from xdsl.ir import Operation
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsTerminator, NoTerminator
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class InParallelOp(IRDLOperation):
    """``scf.forall.in_parallel { .. }``: ends a body; what it holds builds tensors."""

    name = "scf.forall.in_parallel"
    region = region_def("single_block")
    traits = traits_def(IsTerminator(), NoTerminator())


@irdl_op_definition
class ForallOp(IRDLOperation):
    """``scf.forall (%i, %j) = (0, %a) to (%n, 4) step (1, 2) { .. }``."""

    name = "scf.forall"
    lower = var_operand_def(IndexType)
    upper = var_operand_def(IndexType)
    step = var_operand_def(IndexType)
    outputs = var_operand_def()
    static_lower = prop_def(DenseArrayBase.constr(i64), prop_name="staticLowerBound")
    static_upper = prop_def(DenseArrayBase.constr(i64), prop_name="staticUpperBound")
    static_step = prop_def(DenseArrayBase.constr(i64), prop_name="staticStep")
    mapping = opt_prop_def(ArrayAttr)
    res = var_result_def()
    body = region_def("single_block")
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def verify_(self) -> None:
        """Refuse bounds and steps that are not one for each dimension."""
        rank = len(self.static_lower)
        for static, dynamic in (
            (self.static_lower, self.lower),
            (self.static_upper, self.upper),
            (self.static_step, self.step),
        ):
            values = static.get_values()
            if len(values) != rank:
                raise VerifyException(f"{len(values)} bounds or steps for {rank} dimensions")
            if values.count(DYNAMIC_INDEX) != len(dynamic):
                raise VerifyException("a number of operands that the static bounds do not ask for")


OPERATIONS: list[type[Operation]] = [ForallOp, InParallelOp]
