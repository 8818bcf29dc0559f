"""Hand rows for casts between widths."""

from __future__ import annotations

from tests.rows.row import Row, unary

CAST_ROWS: tuple[Row, ...] = (
    unary("arith.extsi", "S=i1 T=i8", (0, 0), (1, -1)),
    unary("arith.extsi", "S=i8 T=i32", (127, 127), (-128, -128), (-1, -1)),
    unary("arith.extsi", "S=i32 T=i64", (0x80000000, -0x80000000), (5, 5)),
    unary("arith.extui", "S=i1 T=i8", (0, 0), (1, 1)),
    unary("arith.extui", "S=i8 T=i32", (127, 127), (-128, 128), (-1, 255)),
    unary("arith.extui", "S=i32 T=i64", (0x80000000, 0x80000000)),
    unary("arith.trunci", "S=i8 T=i1", (2, 0), (3, 1), (255, 1)),
    unary("arith.trunci", "S=i32 T=i8", (0x1234, 0x34), (-1, -1), (0x180, 0x80)),
    unary("arith.trunci", "S=i64 T=i32", (1 << 32, 0), (-2, -2)),
    unary("arith.index_cast", "S=i8 T=index", (127, 127), (-1, -1)),
    unary("arith.index_cast", "S=i1 T=index", (1, -1), (0, 0)),
    unary("arith.index_cast", "S=index T=i8", (0x1FF, -1), (-2, -2)),
    unary("arith.index_cast", "S=i64 T=index", (-3, -3), (1 << 62, 1 << 62)),
    unary("arith.index_castui", "S=i8 T=index", (127, 127), (-1, 255)),
    unary("arith.index_castui", "S=i1 T=index", (1, 1)),
    unary("arith.index_castui", "S=index T=i32", (-1, 0xFFFFFFFF), (1 << 32, 0)),
    unary("arith.index_castui", "S=index T=i64", (-1, -1)),
    unary("arith.bitcast", "S=i32 T=i32", (-1, -1), (0x12345678, 0x12345678)),
    unary("arith.bitcast", "S=i1 T=i1", (1, 1), (0, 0)),
    unary("arith.bitcast", "S=i64 T=i64", (1 << 63, 1 << 63)),
)
