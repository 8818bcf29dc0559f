"""Blocks made ready to be lifted: what need not travel from block to block stands where it is used.

Afterwards blocks hand each other scalars only, and none that is the same on every way.
"""

from __future__ import annotations

from xdsl.dialects import arith, cf, memref
from xdsl.dialects.builtin import (
    MemRefType,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Block, Operation, Region

from loom.dialects.facts.assertions import serves_assertions
from loom.dialects.facts.blocks import reverse_post_order, unvarying_arguments
from loom.dialects.ops.index import BoolConstantOp, ConstantOp
from loom.lower.scalar.arith_builder import replace, zero_of

EVERYWHERE = (
    *(arith.ConstantOp, ConstantOp, BoolConstantOp),
    *(memref.AllocOp, memref.AllocaOp, memref.GetGlobalOp),
)
"""Operations that mean the same wherever they stand in a function."""


def drop_assertions(function: FuncOp) -> None:
    """Assertions are gone, with what serves them alone, and what may be anything is 0."""
    if any(isinstance(op, cf.AssertOp) for op in function.walk()):
        found = [op for op in function.walk() if serves_assertions(op)]
        dropped = [op for op in found if op.parent_op() not in found]
        for op in dropped:
            op.detach()
            op.drop_all_references()  # blocks may stand before those that lead to them
        for op in dropped:
            op.erase()
    for op in list(function.walk()):
        if isinstance(op, cf.AssertOp):
            replace(op)
        elif isinstance(op, PoisonOp):
            zero = arith.ConstantOp(zero_of(op.result.type))
            zero.location = op.location
            block = op.parent
            assert block is not None
            block.insert_op_before(zero, op)
            replace(op, zero.result)


def drop_unreachable(region: Region) -> None:
    """No block is left that the first one does not lead to."""
    reachable = set(reverse_post_order(region))
    dead = [block for block in region.blocks if block not in reachable]
    for block in dead:
        for op in list(block.ops):
            op.drop_all_references()
    for block in dead:
        region.detach_block(block)
        block.erase(safe_erase=False)


def replace_invariant_arguments(region: Region) -> None:
    """Arguments that are always the same value are not used; a memref is one of those."""
    for argument, value in unvarying_arguments(reverse_post_order(region)).items():
        argument.replace_all_uses_with(value)


def gather_constants(function: FuncOp) -> None:
    """Constants and memories stand at the start of the function."""
    block = function.body.blocks[0]
    first = block.first_op
    assert first is not None
    movable = [op for op in function.walk() if type(op) in EVERYWHERE and op is not first]
    for op in movable:
        Operation.detach(op)
        block.insert_op_before(op, first)


def copy_views(region: Region) -> None:
    """A view is used in the region's block that it stands in only; other blocks have their own."""
    for view in reversed([op for block in region.blocks for op in block.ops if is_view(op)]):
        copies: dict[Block | None, Operation] = {view.parent: view}
        for number, result in enumerate(view.results):
            if isinstance(result.type, MemRefType):
                for use in list(result.uses):
                    copy = copy_for(use.operation, region, view, copies)
                    use.operation.operands[use.index] = copy.results[number]


def is_view(op: Operation) -> bool:
    """True for what gives a memory another shape."""
    has_memory = any(isinstance(result.type, MemRefType) for result in op.results)
    return has_memory and type(op) not in EVERYWHERE


def copy_for(
    user: Operation, region: Region, view: Operation, copies: dict[Block | None, Operation]
) -> Operation:
    """The view's copy in the block of the region that the user stands in, made where it misses."""
    while user.parent_region() is not region:
        above = user.parent_op()
        assert above is not None
        user = above
    block = user.parent
    assert block is not None and block.first_op is not None
    if block not in copies:
        copies[block] = view.clone()
        copies[block].location = view.location
        block.insert_op_before(copies[block], block.first_op)
    return copies[block]
