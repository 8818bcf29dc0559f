"""Assumptions, and regions that only bound a lifetime, are gone."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from loom.dialects.ops import affine_more, memref_more
from loom.dialects.ops.llvm_intrinsics import AssumeOp, ExpectOp
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import replace
from loom.lower.structure.move_blocks import move_before

SILENT = (affine_more.PrefetchOp, memref_more.PrefetchOp, AssumeOp)
"""Operations without results."""
SAME = (memref.AssumeAlignmentOp, memref.MemorySpaceCastOp, memref_more.DistinctObjectsOp)
"""Operations that give each operand back."""


def drop_assumptions(module: ModuleOp, options: Options) -> None:
    """No prefetch, assumption about values or memrefs, or memref.alloca_scope is left."""
    for op in list(module.walk()):
        drop_assumption(op)


def drop_assumption(op: Operation) -> None:
    """The operation is gone if it only states an assumption."""
    if isinstance(op, SILENT):
        replace(op)
    elif isinstance(op, SAME):
        replace(op, *op.operands)
    elif isinstance(op, ExpectOp):
        replace(op, op.val)
    elif isinstance(op, memref.AllocaScopeOp):
        replace(op, *move_before(op.scope.block, op))
