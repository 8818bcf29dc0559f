"""The operation by which several callers share one circuit."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    result_def,
    var_operand_def,
    var_result_def,
)

from loom.dialects.ops.graph_operation import GraphOperation


@irdl_op_definition
class ShareOp(GraphOperation):
    """``%called, %a, %b = handshake.share %returned, %x, %y : R, T``."""

    name = "handshake.share"
    returned = operand_def()
    callers = var_operand_def()
    called = result_def()
    outs = var_result_def()

    def __init__(
        self, returned: SSAValue, callers: Sequence[SSAValue], result_type: Attribute
    ) -> None:
        super().__init__(
            operands=[returned, list(callers)],
            result_types=[callers[0].type, [result_type] * len(callers)],
        )

    def way_of_operand(self, index: int) -> int:
        """The caller, from 1, that operand `index` is of; 0 of what is returned."""
        return index

    def way_of_result(self, index: int) -> int:
        """The caller, from 1, that result `index` is for; -1 of what is called."""
        return index or -1

    def results_after(self, index: int) -> tuple[SSAValue, ...]:
        """The results that come only after the token of operand `index`: its caller's."""
        return (self.results[index],) if index else ()

    def taken_before(self, result: SSAValue) -> tuple[SSAValue, ...]:
        """The operands of which all tokens are taken when all of `result` are there."""
        pairs = zip(self.callers, self.outs, strict=True)
        return tuple(caller for caller, out in pairs if out is result)


OPERATIONS: list[type[Operation]] = [ShareOp]
