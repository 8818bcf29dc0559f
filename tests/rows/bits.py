"""Hand rows for operators that only move bits."""

from __future__ import annotations

from tests.rows.row import Row, row, unary


def bit(type_: str, *triples: tuple[int, int, int]) -> Row:
    """A row of (value, place, bit)."""
    value, place, result = zip(*triples, strict=True)
    inputs = {"value": value, "place": place}
    return row("dataflow.bit", f"T={type_}", inputs, {"result": result})


BIT_ROWS: tuple[Row, ...] = (
    bit("i8", (0b10010110, 0, 0), (0b10010110, 1, 1), (0b10010110, 7, 1), (0b10010110, 8, 0)),
    bit("i32", (1 << 31, 31, 1), (1 << 31, 30, 0), (-1, 17, 1), (~(1 << 17), 17, 0), (2, 33, 1)),
    bit("i20", (1 << 19, 19, 1), (-1, 20, 0), (-1, 31, 0), (1, 32, 1)),
    bit("i1", (1, 0, 1), (1, 1, 1), (0, 1, 0)),
    bit("i64", (1 << 63, 63, 1), (1 << 40, 40, 1), (1 << 40, 41, 0)),
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
