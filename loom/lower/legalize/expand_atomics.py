"""Atomic accesses become a load, what they compute, and a store."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp

from loom.dialects.ops.atomic_kinds import KINDS
from loom.dialects.ops.memref_more import GenericAtomicRMWOp
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic, replace
from loom.lower.structure.move_blocks import move_before


def expand_atomics(module: ModuleOp, options: Options) -> None:
    """No atomic access is left: alone in its circuit, a program needs none."""
    for op in list(module.walk()):
        if isinstance(op, memref.AtomicRMWOp | GenericAtomicRMWOp):
            expand(op)


def expand(op: memref.AtomicRMWOp | GenericAtomicRMWOp) -> None:
    """The result is the element before the write."""
    arithmetic = Arithmetic(op)
    old = arithmetic.insert(memref.LoadOp.get(op.memref, op.indices))
    if isinstance(op, GenericAtomicRMWOp):
        (new,) = move_before(op.atomic_body.block, op, [old])
    else:
        combining = KINDS[op.kind.value.data].operation
        new = op.value if combining is None else arithmetic.binary(combining, old, op.value)
    arithmetic.put(memref.StoreOp.get(new, op.memref, op.indices))
    replace(op, old)
