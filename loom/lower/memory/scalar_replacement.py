"""Scalar replacement: array elements stay in registers, within blocks and across iterations.

From the innermost loops outward, so that what an inner loop loads before and stores after it can
stay in the next one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from loom.analysis.program.memory_accesses import Accesses
from loom.analysis.program.memory_dependence import Dependences
from loom.analysis.program.requested_order import requested_order
from loom.analysis.program.trip_counts import has_constant_nonzero_trip
from loom.lower.memory.promote_to_iter_args import (
    address_before,
    find_promotable,
    find_read_only_loads,
    load_before,
    promote_to_iter_args,
)
from loom.lower.memory.store_to_load_forwarding import forward_stores, sides_of
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import replace


def replace_scalars(module: ModuleOp, options: Options) -> None:
    """Loads of known elements and stores that are overwritten are gone, as far as blocks show it.

    With a serial memory order every access stays.
    """
    for function in module.ops:
        if (
            isinstance(function, FuncOp)
            and requested_order(function, options.memory_order) != "serial"
        ):
            _ScalarReplacement(function, options).run()


class _ScalarReplacement:
    """One function's rewrite, and what is known of its accesses as they stand."""

    def __init__(self, function: FuncOp, options: Options) -> None:
        self.function = function
        self.options = options
        self.facts: tuple[Accesses, Dependences] | None = None

    def known(self) -> tuple[Accesses, Dependences]:
        """The facts of the function as it stands."""
        if self.facts is None:
            accesses = Accesses(self.function, self.options.index_width)
            self.facts = accesses, Dependences(accesses, "auto")
        return self.facts

    def run(self) -> None:
        """Rewrite the function."""
        levels: dict[int, list[Block]] = {}
        for operation in self.function.walk():
            for block in (block for region in operation.regions for block in region.blocks):
                levels.setdefault(level_of(operation), []).append(block)
        for level in sorted(levels, reverse=True):
            self.run_level(levels[level], level)

    def run_level(self, blocks: list[Block], level: int) -> None:
        """Rewrite the blocks that lie in `level` loops."""
        every, blocks = blocks, [block for block in blocks if accesses_twice(block)]
        changed = [forward_stores(block, *self.known(), level) for block in blocks]
        if any(changed):
            self.facts = None
        loops = [owner for block in blocks if isinstance(owner := block.parent_op(), scf.ForOp)]
        found = [(loop, find_promotable(loop, *self.known(), level - 1)) for loop in loops]
        for loop, elements in found:
            if elements:
                promote_to_iter_args(loop, elements, self.options.index_width)
                self.facts = None
        self.load_before(every, level)

    def load_before(self, blocks: list[Block], level: int) -> None:
        """Elements that a loop with a non-zero trip count only reads are loaded before it."""
        loops = [owner for block in blocks if isinstance(owner := block.parent_op(), scf.ForOp)]
        found = [
            (loop, load)
            for loop in loops
            if has_constant_nonzero_trip(loop)
            for load in find_read_only_loads(loop, *self.known(), level - 1)
        ]
        for loop, load in found:
            place = address_before(loop, load)
            replace(load, load_before(loop, load, place, None, self.options.index_width))
            self.facts = None


def accesses_twice(block: Block) -> bool:
    """True if two accesses stand in the block and its branches: none is known from fewer."""
    return next(islice(accesses_in(block), 1, None), None) is not None


def accesses_in(block: Block) -> Iterator[Operation]:
    """The accesses of a block and of the branches in it."""
    for operation in block.ops:
        if isinstance(operation, memref.LoadOp | memref.StoreOp):
            yield operation
        for side in sides_of(operation):
            yield from accesses_in(side)


def level_of(operation: Operation) -> int:
    """How many loops a block of the operation lies in."""
    holder = operation.parent_op()
    above = level_of(holder) if holder is not None else 0
    return above + isinstance(operation, scf.ForOp | scf.WhileOp)
