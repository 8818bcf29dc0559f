"""The place of a call in a graph, until the circuit that its callers share is there."""

from __future__ import annotations

from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def


@irdl_op_definition
class PlaceholderOp(IRDLOperation):
    """A token of `given` is called, a token of `out` comes back."""

    name = "loom.placeholder"
    given = operand_def()
    out = result_def()

    def __init__(self, given: SSAValue, type_: Attribute) -> None:
        super().__init__(operands=[given], result_types=[type_])
