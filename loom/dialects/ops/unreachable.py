"""Terminators that a program never reaches: those of the ub and the llvm dialect."""

from __future__ import annotations

from xdsl.dialects.ub import UnreachableOp
from xdsl.irdl import IRDLOperation, irdl_op_definition, traits_def
from xdsl.traits import IsTerminator


@irdl_op_definition
class LlvmUnreachableOp(IRDLOperation):
    """``llvm.unreachable``: nothing ever comes here, as with ``ub.unreachable``."""

    name = "llvm.unreachable"
    traits = traits_def(IsTerminator())
    assembly_format = "attr-dict"


Unreachable = UnreachableOp | LlvmUnreachableOp
"""Terminators that a program never reaches."""
