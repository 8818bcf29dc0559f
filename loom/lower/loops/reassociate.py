"""Reassociation: chains of one operation become trees; carried values join last.

Sums, products, and, or, exclusive or, least and greatest of integers do not depend on the order of
their operands, also where they wrap around. Floats do: they stay as they are.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import count

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from loom.dialects.facts.instances import hardware_of
from loom.dialects.facts.loop_attributes import UNROLLED
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic, replace
from loom.lower.scalar.identities import COMMUTATIVE

LAST = 1_000_000
"""The depth of a value that the loop carries."""


def reassociate(module: ModuleOp, options: Options) -> None:
    """No chain of three and more is left in the unrolled iterations."""
    for op in list(module.walk()):
        if UNROLLED.drop(op):
            for block in blocks_of(op):
                Reassociation(block).run()


def blocks_of(op: Operation) -> Iterator[Block]:
    """The blocks of the operation, and those of branches in it."""
    for region in op.regions:
        for block in region.blocks:
            yield block
            for inner in block.ops:
                if isinstance(inner, scf.IfOp):
                    yield from blocks_of(inner)


class Reassociation:
    """One block's rewrite; a value's depth is how many operations of the block come before it."""

    def __init__(self, block: Block) -> None:
        self.block = block
        holder = block.parent_op()
        # Neither arguments nor an index depend on a previous iteration.
        skipped = len(block.args) if isinstance(holder, FuncOp) else isinstance(holder, scf.ForOp)
        self.depths: dict[SSAValue, int] = dict.fromkeys(block.args[skipped:], LAST)

    def run(self) -> None:
        """Rewrite the block."""
        for op in list(self.block.ops):
            if isinstance(op, COMMUTATIVE) and self.follows(op) is None:
                leaves = list(self.leaves(op))
                if len(leaves) > 2:
                    self.rebuild(op, leaves)
                    continue
            used = [value for inner in op.walk() for value in inner.operands]
            depth = 1 + max((self.depths.get(value, 0) for value in used), default=0)
            self.depths |= dict.fromkeys(op.results, depth)

    def follows(self, op: Operation) -> Operation | None:
        """The operation of the same kind, in the block, that alone reads the result."""
        uses = list(op.results[0].uses)
        if len(uses) != 1:
            return None
        user = uses[0].operation
        return user if is_alike(op, user) else None

    def leaves(self, op: Operation) -> Iterator[SSAValue]:
        """The operands of the whole chain."""
        left = list(reversed(op.operands))
        while left:
            value = left.pop()
            owner = value.owner
            if isinstance(owner, Operation) and is_alike(owner, op) and self.follows(owner):
                left += reversed(owner.operands)
            else:
                yield value

    def rebuild(self, op: Operation, leaves: list[SSAValue]) -> None:
        """The shallowest leaves are joined first."""
        number = count()
        heap = [(self.depths.get(value, 0), next(number), value) for value in leaves]
        heapq.heapify(heap)
        arithmetic = Arithmetic(op)
        while len(heap) > 1:
            first, second = heapq.heappop(heap), heapq.heappop(heap)
            joined = type(op).create(
                operands=[first[2], second[2]],
                result_types=[op.results[0].type],
                properties=op.properties,
                attributes=op.attributes,
            )
            depth = max(first[0], second[0]) + 1
            heapq.heappush(heap, (depth, next(number), arithmetic.insert(joined)))
        depth, _, total = heap[0]
        self.depths[total] = depth
        replace(op, total)


def is_alike(op: Operation, other: Operation) -> bool:
    """True if the two are one operation in one block, with the same hardware."""
    return (
        type(op) is type(other)
        and op.parent is other.parent
        and hardware_of(op) == hardware_of(other)
    )
