"""Rows for operators that only move bits: wires, or a selector of one of them.

Source: LLVM's language reference, "Bit Manipulation Intrinsics".
"""

from __future__ import annotations

from loom.dialects.operators.integer_meanings import BIT, unary
from loom.dialects.operators.integer_operators import PLACES, row
from loom.dialects.operators.operator import Operator

SAME = "operand:T -> result:T"
SWAP = (
    "result = operand;\n"
    "for (int i = 0; i < T_WIDTH / 8 * 8; i++) begin : swap\n"
    "  result[i] = operand[T_WIDTH/8*8-8-i/8*8+i%8];\n"
    "end"
)
MIRROR = (
    "for (int i = 0; i < T_WIDTH; i++) begin : mirror\n  result[i] = operand[T_WIDTH-1-i];\nend"
)


def swapped(value: int, width: int) -> int:
    """The whole bytes in the other order, bits above them as they are; the width in [bits]."""
    count = width // 8
    above, bytes_ = value >> 8 * count, value & ((1 << 8 * count) - 1)
    return above << 8 * count | int.from_bytes(bytes_.to_bytes(count, "little"), "big")


def mirrored(value: int, width: int) -> int:
    """The bits in the other order."""
    return int(f"{value:0{width}b}"[::-1], 2)


BIT_OPERATORS: tuple[Operator, ...] = (
    row(
        "dataflow.bit",
        "value:T place:T -> result:i1",
        "The bit of value at place; of place those bits count that places below the width have.",
        BIT,
        PLACES + "result = ((value >> (place & PLACES)) & amount_t'(1)) != '0;",
    ),
    row(
        "llvm.intr.bswap",
        SAME,
        "The whole bytes in the other order; bits above them stay.",
        unary(swapped),
        SWAP,
    ),
    row(
        "llvm.intr.bitreverse",
        SAME,
        "The bits in the other order.",
        unary(mirrored),
        MIRROR,
    ),
)
