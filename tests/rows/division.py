"""Hand rows for quotients and remainders; undefined divisions are not among them."""

from __future__ import annotations

from dataclasses import replace

from tests.rows.row import Row, binary

MAX32, MIN32 = 0x7FFFFFFF, -0x80000000
MAX64, MIN64 = 0x7FFFFFFFFFFFFFFF, -0x8000000000000000

PIPELINED_ROWS: tuple[Row, ...] = (
    binary("arith.divsi", "i8", (7, 2, 3), (-7, 2, -3), (7, -2, -3), (-7, -2, 3), (-128, 1, -128)),
    binary("arith.divsi", "i32", (MIN32, 2, -0x40000000), (MAX32, -1, -MAX32), (0, -9, 0)),
    binary("arith.divsi", "i64", (MIN64, MAX64, -1), (MAX64, MIN64, 0), (-1, 2, 0)),
    binary("arith.divsi", "i1", (0, 1, 0)),
    binary("arith.divui", "i1", (1, 1, 1), (0, 1, 0)),
    binary("arith.divui", "i8", (255, 16, 15), (128, 255, 0), (200, 3, 66), (9, 9, 1)),
    binary("arith.divui", "i32", (-1, 2, MAX32), (MIN32, 3, 0x2AAAAAAA)),
    binary("arith.divui", "i64", (-1, 10, 0x1999999999999999), (5, -1, 0)),
    binary("arith.remsi", "i8", (7, 2, 1), (-7, 2, -1), (7, -2, 1), (-7, -2, -1), (-128, -1, 0)),
    binary("arith.remsi", "i32", (MIN32, 3, -2), (MAX32, 10, 7)),
    binary("arith.remsi", "i64", (MIN64, 10, -8), (5, MIN64, 5)),
    binary("arith.remsi", "i1", (1, 1, 0)),
    binary("arith.remui", "i1", (1, 1, 0)),
    binary("arith.remui", "i8", (255, 16, 15), (128, 255, 128), (200, 7, 4)),
    binary("arith.remui", "i64", (-1, 10, 5), (3, -1, 3)),
    binary("arith.ceildivsi", "i8", (7, 2, 4), (-7, 2, -3), (7, -2, -3), (-7, -2, 4), (6, 2, 3)),
    binary("arith.ceildivsi", "i32", (MIN32, 3, -0x2AAAAAAA), (1, MAX32, 1), (-1, MAX32, 0)),
    binary("arith.ceildivsi", "i64", (MIN64, 2, -0x4000000000000000), (1, MIN64, 0)),
    binary("arith.ceildivsi", "i1", (0, 1, 0)),
    binary("arith.ceildivui", "i1", (1, 1, 1), (0, 1, 0)),
    binary(
        "arith.ceildivui", "i8", (7, 2, 4), (255, 16, 16), (0, 9, 0), (1, 255, 1), (254, 2, 127)
    ),
    binary("arith.ceildivui", "i64", (-1, 2, 1 << 63), (1, -1, 1)),
    binary("arith.floordivsi", "i8", (7, 2, 3), (-7, 2, -4), (7, -2, -4), (-7, -2, 3), (-6, 2, -3)),
    binary("arith.floordivsi", "i32", (MIN32, 3, -0x2AAAAAAB), (1, MAX32, 0), (-1, MAX32, -1)),
    binary("arith.floordivsi", "i64", (MIN64, MAX64, -2), (1, MIN64, -1)),
    binary("arith.floordivsi", "i1", (0, 1, 0)),
)
DIVISION_ROWS: tuple[Row, ...] = (
    *PIPELINED_ROWS,
    *(replace(row, attributes={"form": "iterative"}) for row in PIPELINED_ROWS),
)
