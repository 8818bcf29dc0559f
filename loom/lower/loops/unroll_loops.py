"""Loop unrolling on request, fully or by a factor.

A directive is followed from the outermost loop inward, so that an inner loop may have as many
iterations as the outer one's index says. Short loops are unrolled from the innermost loop
outward.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from loom.dialects.facts.loop_attributes import HINT, UNROLL
from loom.dialects.facts.places import place_of
from loom.dialects.ops.types import width_of
from loom.errors import LoomError
from loom.lower.loops.replicate_iterations import (
    unroll_fully,
    unroll_known_trip_count,
    unroll_unknown_trip_count,
)
from loom.lower.options import Options
from loom.lower.scalar.known_constants import KnownConstants
from loom.lower.scalar.simplify import simplify

MAX_OPERATIONS = 10_000
"""Operations that the iterations of one loop may become."""
NEVER = 1
"""A loop with this factor is not unrolled."""
Loop = scf.ForOp | scf.WhileOp


def unroll_loops(module: ModuleOp, options: Options) -> None:
    """No loop is left that a directive unrolls, or that is shorter than `unroll_below`."""
    unroller = _Unroller(options)
    for op in module.body.block.ops:
        unroller.inside(op)
    if unroller.found:
        simplify(module, options)


class _Unroller:
    """The rewrite of one module; `found` says whether there was anything to do."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.found = False
        self.copies: dict[Block, int] = {}
        """Unrolled iterations that a loop's body holds of short loops in it."""

    def inside(self, op: Operation) -> None:
        """Rewrite the blocks of an operation."""
        for region in op.regions:
            for block in region.blocks:
                self.block(block)

    def block(self, block: Block) -> None:
        """Rewrite the block and all inside, and what stands in place of a loop."""
        op = block.first_op
        while op is not None:
            before = op.prev_op
            if isinstance(op, Loop) and self.unroll_as_requested(op):
                op = block.first_op if before is None else before.next_op
                continue
            self.inside(op)
            following = op.next_op
            if isinstance(op, scf.ForOp):
                self.unroll_if_short(op)
            op = following

    def unroll_as_requested(self, loop: Loop) -> bool:
        """True if the loop has been replaced as its directive requests."""
        directive = UNROLL.of(loop)
        if directive is None or directive == NEVER:
            return False
        UNROLL.put(loop, NEVER)
        known = KnownConstants(self.options.index_width)
        factor = None if isinstance(directive, str) else directive
        refusal = check_directive(loop, factor, known)
        if refusal is not None:
            if HINT.is_on(loop):
                return False
            raise refusal
        assert isinstance(loop, scf.ForOp)
        return self.unroll(loop, factor, known)

    def unroll(self, loop: scf.ForOp, factor: int | None, known: KnownConstants) -> bool:
        """As `unroll_as_requested`, by a factor or, without one, all iterations."""
        indices, step = known.indices(loop), known.step(loop)
        assert step is not None
        if indices is not None and (factor is None or factor >= len(indices)):
            unroll_fully(loop, indices)
        else:
            assert factor is not None
            # So many iterations at a time that the step is a signed number of the index's type.
            most = (1 << (width_of(loop.lb.type, self.options.index_width) - 1)) - 1
            factor = min(factor, most // step)
            if factor < 2:
                return False
            if indices is None:
                unroll_unknown_trip_count(loop, step, factor)
            else:
                unroll_known_trip_count(loop, indices, factor)
        self.found = True
        return True

    def unroll_if_short(self, loop: scf.ForOp) -> None:
        """Unroll an innermost loop with few iterations and no directive."""
        if not self.options.unroll_below:
            return
        indices = KnownConstants(self.options.index_width).indices(loop)
        if indices is None or UNROLL.is_on(loop) or not is_innermost(loop):
            return
        copies = len(indices) * self.copies.get(loop.body.block, 1)
        if (
            copies > self.options.unroll_below
            or len(indices) * count_operations(loop) > MAX_OPERATIONS
        ):
            return
        holder = loop.parent
        assert holder is not None
        self.copies[holder] = max(copies, self.copies.get(holder, 1))
        unroll_fully(loop, indices)
        self.found = True


def check_directive(loop: Loop, factor: int | None, known: KnownConstants) -> LoomError | None:
    """Why the loop cannot be unrolled by the factor or, without one, whole; None if it can."""
    place = place_of(loop)
    if isinstance(loop, scf.WhileOp):
        what = "a loop to be unrolled that does not count"
        accepted = "a constant step, and an index that provably reaches its bound without wrapping"
    elif known.step(loop) is None:
        what, accepted = "a loop to be unrolled whose step is not known", "constant steps"
    elif factor is None and known.indices(loop) is None:
        what = "a loop to be fully unrolled whose trip count is not known"
        accepted = "constant bounds, or an unroll factor"
    else:
        indices = known.indices(loop)
        copies = factor if indices is None else min(len(indices), factor or len(indices))
        assert copies is not None
        if copies * count_operations(loop) <= MAX_OPERATIONS:
            return None
        what = f"a loop to be unrolled into {copies * count_operations(loop)} operations"
        accepted = f"up to {MAX_OPERATIONS} operations, as of a smaller unroll factor"
    return LoomError("LOWER_LOOP", place, what, accepted)


def count_operations(loop: scf.ForOp) -> int:
    """Operations of one iteration."""
    return sum(1 for _ in loop.walk()) - 1


def is_innermost(loop: scf.ForOp) -> bool:
    """True if no loop is in it."""
    return not any(isinstance(op, Loop) for op in loop.walk() if op is not loop)
