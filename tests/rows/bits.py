"""Hand rows for operators that only move bits."""

from __future__ import annotations

from tests.rows.row import Row, unary

BIT_ROWS: tuple[Row, ...] = (
    unary("llvm.intr.bswap", "T=i16", (0x1234, 0x3412), (0x00FF, 0xFF00), (-1, -1)),
    unary("llvm.intr.bswap", "T=i32", (0x12345678, 0x78563412), (1, 0x01000000)),
    unary("llvm.intr.bswap", "T=i48", (0x112233445566, 0x665544332211)),
    unary("llvm.intr.bswap", "T=i1", (0, 0), (1, 1)),
    unary("llvm.intr.bswap", "T=i20", (0x71234, 0x73412)),
    unary("llvm.intr.bswap", "T=i64", (0x0102030405060708, 0x0807060504030201)),
    unary("llvm.intr.bitreverse", "T=i1", (0, 0), (1, 1)),
    unary("llvm.intr.bitreverse", "T=i7", (1, 64), (0b1100000, 0b0000011), (0b0001000, 0b0001000)),
    unary("llvm.intr.bitreverse", "T=i8", (1, 128), (0x1E, 0x78), (-1, -1)),
    unary("llvm.intr.bitreverse", "T=i64", (1, 1 << 63), (0xF0, 0x0F << 56)),
)
