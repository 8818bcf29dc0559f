"""Hand rows for sums, products, bits, shifts, extremes and comparisons."""

from __future__ import annotations

from tests.rows.row import Row, binary, row, unary

MAX8, MIN8 = 127, -128
MAX32, MIN32 = 0x7FFFFFFF, -0x80000000
MAX64, MIN64 = 0x7FFFFFFFFFFFFFFF, -0x8000000000000000

SUMS = (
    binary("arith.addi", "i1", (0, 0, 0), (0, 1, 1), (1, 1, 0)),
    binary("arith.addi", "i8", (1, 2, 3), (MAX8, 1, MIN8), (-1, 1, 0), (200, 100, 44)),
    binary("arith.addi", "i32", (MAX32, 1, MIN32), (-5, 3, -2), (0xFFFFFFFF, 2, 1)),
    binary("arith.addi", "i64", (MAX64, 1, MIN64), (-1, -1, -2), (1 << 63, 1 << 63, 0)),
    binary("arith.addi", "index", (7, -8, -1), (1 << 40, 1, (1 << 40) + 1)),
    binary("arith.subi", "i1", (0, 1, 1), (1, 1, 0)),
    binary("arith.subi", "i8", (1, 2, -1), (MIN8, 1, MAX8), (0, MIN8, MIN8)),
    binary("arith.subi", "i32", (0, 1, 0xFFFFFFFF), (MIN32, 1, MAX32)),
    binary("arith.subi", "i64", (0, 1, -1), (MIN64, 1, MAX64), (5, 5, 0)),
    row(
        "arith.addui_extended",
        "T=i8",
        {"lhs": (200, 1, 255, 255), "rhs": (55, 1, 1, 255)},
        {"sum": (255, 2, 0, 254), "overflow": (0, 0, 1, 1)},
    ),
    row(
        "arith.addui_extended",
        "T=i1",
        {"lhs": (0, 1, 1), "rhs": (0, 0, 1)},
        {"sum": (0, 1, 0), "overflow": (0, 0, 1)},
    ),
    row(
        "arith.addui_extended",
        "T=i64",
        {"lhs": (MAX64, -1), "rhs": (1, 1)},
        {"sum": (MIN64, 0), "overflow": (0, 1)},
    ),
)
PRODUCTS = (
    binary("arith.muli", "i1", (1, 1, 1), (1, 0, 0)),
    binary("arith.muli", "i8", (7, 6, 42), (16, 16, 0), (-3, 5, -15), (MIN8, -1, MIN8)),
    binary("arith.muli", "i32", (65536, 65536, 0), (-7, 9, -63), (0x10001, 0x10001, 0x20001)),
    binary("arith.muli", "i64", (1 << 32, 1 << 32, 0), (-1, -1, 1), (3, -(1 << 61), 5 << 61)),
    row(
        "arith.mului_extended",
        "T=i8",
        {"lhs": (255, 16, 3), "rhs": (255, 16, 4)},
        {"low": (1, 0, 12), "high": (254, 1, 0)},
    ),
    row(
        "arith.mului_extended",
        "T=i64",
        {"lhs": (-1, 1 << 63), "rhs": (-1, 2)},
        {"low": (1, 0), "high": (-2, 1)},
    ),
    row(
        "arith.mului_extended",
        "T=i1",
        {"lhs": (1, 1), "rhs": (1, 0)},
        {"low": (1, 0), "high": (0, 0)},
    ),
    row(
        "arith.mulsi_extended",
        "T=i8",
        {"lhs": (-1, -128, -128, 100), "rhs": (-1, -128, 1, 100)},
        {"low": (1, 0, -128, 16), "high": (0, 64, -1, 39)},
    ),
    row(
        "arith.mulsi_extended",
        "T=i32",
        {"lhs": (-1, MIN32, 65536), "rhs": (5, MIN32, 65536)},
        {"low": (-5, 0, 0), "high": (-1, 0x40000000, 1)},
    ),
    row("arith.mulsi_extended", "T=i1", {"lhs": (1,), "rhs": (1,)}, {"low": (1,), "high": (0,)}),
)
BITS = (
    binary("arith.andi", "i1", (1, 1, 1), (1, 0, 0)),
    binary("arith.andi", "i8", (0xF0, 0x3C, 0x30), (-1, 0x5A, 0x5A)),
    binary("arith.andi", "i64", (-1, MIN64, MIN64), (0x0F0F, 0x00FF, 0x000F)),
    binary("arith.ori", "i1", (0, 0, 0), (0, 1, 1)),
    binary("arith.ori", "i8", (0xF0, 0x3C, 0xFC), (0, 0, 0)),
    binary("arith.ori", "i32", (0xFFFF0000, 0x1234, 0xFFFF1234)),
    binary("arith.xori", "i1", (1, 1, 0), (1, 0, 1)),
    binary("arith.xori", "i8", (0xF0, 0x3C, 0xCC), (-1, 0x55, 0xAA)),
    binary("arith.xori", "i64", (-1, 1, -2)),
    binary("arith.shli", "i1", (1, 0, 1), (0, 0, 0)),
    binary("arith.shli", "i8", (1, 7, 128), (0xFF, 4, 0xF0), (0x55, 0, 0x55)),
    binary("arith.shli", "i64", (1, 63, MIN64), (3, 62, 3 << 62)),
    binary("arith.shrui", "i1", (1, 0, 1)),
    binary("arith.shrui", "i8", (0x80, 7, 1), (0xFF, 4, 0x0F), (0x55, 0, 0x55)),
    binary("arith.shrui", "i32", (MIN32, 31, 1), (-1, 1, MAX32)),
    binary("arith.shrui", "i64", (-1, 63, 1)),
    binary("arith.shrsi", "i1", (1, 0, 1)),
    binary("arith.shrsi", "i8", (0x80, 7, 0xFF), (0x7F, 4, 0x07), (-9, 1, -5)),
    binary("arith.shrsi", "i32", (MIN32, 31, -1), (-2, 1, -1), (MAX32, 30, 1)),
    binary("arith.shrsi", "i64", (MIN64, 63, -1), (-256, 4, -16)),
    unary("math.absi", "T=i8", (-5, 5), (5, 5), (0, 0), (MIN8, MIN8), (MAX8, MAX8)),
    unary("math.absi", "T=i1", (0, 0), (1, 1)),
    unary("math.absi", "T=i64", (MIN64, MIN64), (-MAX64, MAX64)),
    unary("math.ctlz", "T=i8", (0, 8), (1, 7), (0x80, 0), (0x10, 3), (255, 0)),
    unary("math.ctlz", "T=i1", (0, 1), (1, 0)),
    unary("math.ctlz", "T=i64", (0, 64), (1, 63), (MIN64, 0)),
    unary("math.cttz", "T=i8", (0, 8), (1, 0), (0x80, 7), (0x18, 3)),
    unary("math.cttz", "T=i1", (0, 1), (1, 0)),
    unary("math.cttz", "T=i32", (0, 32), (MIN32, 31), (6, 1)),
    unary("math.ctpop", "T=i8", (0, 0), (255, 8), (0x5A, 4)),
    unary("math.ctpop", "T=i1", (0, 0), (1, 1)),
    unary("math.ctpop", "T=i64", (-1, 64), (MIN64, 1)),
)
EXTREMES = (
    binary("arith.maxsi", "i1", (0, 1, 0), (1, 1, 1)),
    binary("arith.maxsi", "i8", (MIN8, MAX8, MAX8), (-1, 0, 0), (-2, -1, -1)),
    binary("arith.maxsi", "i64", (MIN64, -1, -1), (MAX64, 0, MAX64)),
    binary("arith.minsi", "i1", (0, 1, 1), (0, 0, 0)),
    binary("arith.minsi", "i8", (MIN8, MAX8, MIN8), (-1, 0, -1), (3, 2, 2)),
    binary("arith.minsi", "i32", (MIN32, 0, MIN32)),
    binary("arith.maxui", "i1", (0, 1, 1), (0, 0, 0)),
    binary("arith.maxui", "i8", (MIN8, MAX8, MIN8), (-1, 0, -1), (3, 2, 3)),
    binary("arith.maxui", "i32", (MIN32, MAX32, MIN32)),
    binary("arith.minui", "i1", (0, 1, 0), (1, 1, 1)),
    binary("arith.minui", "i8", (MIN8, MAX8, MAX8), (-1, 0, 0), (3, 2, 2)),
    binary("arith.minui", "i64", (-1, 1, 1)),
)

# Pairs of i8: below, equal, above; then a negative left and a negative right side.
PAIRS = ((3, 5), (5, 5), (7, 5), (-1, 1), (1, -1), (MIN8, MAX8))
RESULTS = {
    "eq": (0, 1, 0, 0, 0, 0),
    "ne": (1, 0, 1, 1, 1, 1),
    "slt": (1, 0, 0, 1, 0, 1),
    "sle": (1, 1, 0, 1, 0, 1),
    "sgt": (0, 0, 1, 0, 1, 0),
    "sge": (0, 1, 1, 0, 1, 0),
    "ult": (1, 0, 0, 0, 1, 0),
    "ule": (1, 1, 0, 0, 1, 0),
    "ugt": (0, 0, 1, 1, 0, 1),
    "uge": (0, 1, 1, 1, 0, 1),
}
COMPARISONS = (
    *(
        binary(
            "arith.cmpi",
            "i8",
            *((lhs, rhs, result) for (lhs, rhs), result in zip(PAIRS, results, strict=True)),
            predicate=predicate,
        )
        for predicate, results in RESULTS.items()
    ),
    binary("arith.cmpi", "i1", (0, 1, 0), (1, 0, 1), (1, 1, 0), predicate="slt"),
    binary("arith.cmpi", "i1", (0, 1, 1), (1, 0, 0), (1, 1, 0), predicate="ult"),
    binary("arith.cmpi", "i32", (MIN32, MAX32, 1), (0, 0, 1), predicate="sle"),
    binary("arith.cmpi", "i64", (MIN64, MAX64, 1), (-1, 0, 1), predicate="slt"),
    binary("arith.cmpi", "i64", (MIN64, MAX64, 1), (0, -1, 0), predicate="uge"),
    row(
        "arith.select",
        "T=i8",
        {"condition": (1, 0, 1), "true_value": (10, 20, 30), "false_value": (40, 50, 60)},
        {"result": (10, 50, 30)},
    ),
    row(
        "arith.select",
        "T=i1",
        {"condition": (1, 0), "true_value": (0, 0), "false_value": (1, 1)},
        {"result": (0, 1)},
    ),
    row(
        "arith.select",
        "T=i64",
        {"condition": (0, 1), "true_value": (MAX64, MIN64), "false_value": (-1, 7)},
        {"result": (-1, MIN64)},
    ),
)

ARITHMETIC_ROWS: tuple[Row, ...] = (*SUMS, *PRODUCTS, *BITS, *EXTREMES, *COMPARISONS)
