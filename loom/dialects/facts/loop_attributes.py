"""Facts about loops: the directives of the user, and what passes prove of a loop."""

from __future__ import annotations

from xdsl.dialects import affine, memref, scf
from xdsl.ir import Operation

from loom.dialects.facts.fact import Fact, mark, number, number_or_word, word

LOOPS = (scf.ForOp, affine.ForOp, scf.WhileOp)
"""The operations that may have directives."""
ACCESSES = (memref.LoadOp, memref.StoreOp, affine.LoadOp, affine.StoreOp)
"""The operations that may have an order."""

FULL = "full"
UNROLL = number_or_word("loom.unroll", 1, FULL, f'a number of 1 and more, or "{FULL}"')
"""Unroll the loop by this factor, or fully."""
FLATTEN = mark("loom.flatten")
"""Flatten the loop and the one in it into one loop."""
INTERCHANGE = mark("loom.interchange")
"""Interchange the loop with the one in it."""
II = number("loom.ii", 1, "a number of 1 and more")
"""The largest initiation interval that the loop may have [cycles]."""
INTERLEAVE = number("loom.interleave", 1, "a number of 1 and more")
"""So many iterations of the loop take turns in the loop in it; 1: never."""
PARTIAL_SUMS = number("loom.partial_sums", 1, "a number of 1 and more")
"""The loop's float sums are so many partial sums; 1: they keep the order of their terms."""
PIPELINE = mark("loom.pipeline")
"""Iterations overlap, as they do in any case."""
HINT = mark("loom.hint")
"""The other directives are followed where that is possible, and are no errors where it is not."""
MEMORY_ORDER = word("loom.memory_order", "serial", "tokens", "comparators", "queue", "auto")
"""Of the top function: whether all accesses of a memory are ordered, or those that may alias; by
tokens alone, or where that may be by comparing addresses. Of a load or a store: the same of it."""
STYLE = word("loom.style", "static", "dynamic", "auto")
"""Of the top function: one schedule for the whole, handshakes, or what costs less of both.

Of a loop in a dynamic circuit: a schedule of its own, or not.
"""
OF_LOOP = ("static", "dynamic")
"""The styles of a loop."""
OF_FUNCTIONS = (MEMORY_ORDER, STYLE)
"""The directives of functions."""

DIRECTIVES: tuple[Fact[int | str] | Fact[int] | Fact[bool], ...] = (
    UNROLL, FLATTEN, INTERCHANGE, INTERLEAVE, PARTIAL_SUMS, II, PIPELINE, HINT,
)  # fmt: skip
"""The directives of loops."""
RESHAPING = (FLATTEN, INTERCHANGE)
"""Directives that change the iterations of inner loops, too."""

LANES = number("loom.lanes", 2, "a number of 2 and more")
"""Of an inner loop: entries that take turns in it."""
ENTRY_BEGIN = number("loom.entry_begin", 2, "a number of 2 and more")
"""Of an access in a static schedule: it is made in the first iterations of entries that so many
innermost loops around it interleave. None begins there with what another one has ended with."""
ENTRY_END = number("loom.entry_end", 2, "a number of 2 and more")
"""The same in the last iterations."""
ITERATIONS = number("loom.iterations", 1, "a number of 1 and more")
"""Of a loop whose trip count is not known: so many iterations are expected."""
UNROLLED = mark("loom.unrolled")
"""Of a loop or function: it holds copies of a body, until sums are reassociated."""
NONZERO_TRIP = mark("loom.nonzero_trip")
"""The loop runs at least once wherever it is reached."""
EXACT_TYPE = mark("loom.exact")
"""The loop's own type holds every number that its stream gets to see."""
UNSIGNED = mark("unsignedCmp")
"""The loop compares its index unsigned: MLIR's own attribute."""


def required_ii(loop: Operation) -> int | None:
    """The II that the loop may have at most; None: any, as with a hint [cycles]."""
    return None if HINT.is_on(loop) else II.of(loop)


def is_unsigned(loop: Operation) -> bool:
    """True if the loop compares unsigned."""
    return UNSIGNED.is_on(loop) or UNSIGNED.name in loop.properties
