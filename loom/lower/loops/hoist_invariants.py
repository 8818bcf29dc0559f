"""Loop-invariant code motion: a value that does not change in a loop is computed before it.

A value from outside costs a loop one unit that repeats it, so an operation moves only where what it
reads is read by nothing else in the loop: then no more values are repeated than before.
"""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from loom.dialects.operators.catalogue import find
from loom.lower.options import Options


def hoist_invariants(module: ModuleOp, options: Options) -> None:
    """Innermost loops first: what leaves one may leave the next one, too."""
    for op in reversed(list(module.walk())):
        if isinstance(op, scf.ForOp | scf.WhileOp):
            for region in op.regions:
                for block in region.blocks:
                    hoist_block(block, op)


def hoist_block(block: Block, loop: Operation) -> None:
    """Invariant operations of the block stand before the loop, in their order."""
    holder = loop.parent
    assert holder is not None
    for op in list(block.ops):
        if is_movable(op) and all(is_outside(value, loop) for value in op.operands):
            values = {v for v in op.operands if not isinstance(v.owner, arith.ConstantOp)}
            if any(is_freed(value, op, loop) for value in values):
                op.detach()
                holder.insert_op_before(op, loop)


def is_movable(op: Operation) -> bool:
    """True for a pure operation that is defined for all operands: the loop may not run."""
    row = find(op.name)
    return row is not None and row.semantics.meaning is not None and row.semantics.undefined is None


def is_outside(value: SSAValue, loop: Operation) -> bool:
    """True if the value is made before the loop."""
    owner = value.owner
    holder = owner if isinstance(owner, Operation) else owner.parent_op()
    return holder is not None and not loop.is_ancestor(holder)


def is_freed(value: SSAValue, op: Operation, loop: Operation) -> bool:
    """True if the loop reads the value in this operation alone."""
    users = [use.operation for use in value.uses]
    return not any(user is not op and user is not loop and loop.is_ancestor(user) for user in users)
