"""Hand rows for multipliers of every latency that an instance may ask for."""

from __future__ import annotations

from collections.abc import Iterator

from loom.dialects.operators.pipelined_operators import MULTIPLY_LATENCIES
from tests.rows.row import Row, binary, row

MIN64 = -0x8000000000000000


def of_latency(latency: int) -> Iterator[Row]:
    """Products of one digit, of two and of four."""
    yield binary("arith.muli", "i8", (7, 6, 42), (-3, 5, -15), (16, 16, 0), latency=latency)
    yield binary(
        "arith.muli",
        "i32",
        (0x10001, 0x10001, 0x20001),
        (-7, 9, -63),
        (65536, 65536, 0),
        latency=latency,
    )
    yield binary("arith.muli", "i64", (1 << 32, 3 << 30, 3 << 62), (-1, -1, 1), latency=latency)
    yield row(
        "arith.mului_extended",
        "T=i32",
        {"lhs": (-1, 65536, 3), "rhs": (-1, 65536, 4)},
        {"low": (1, 0, 12), "high": (-2, 1, 0)},
        latency=latency,
    )
    yield row(
        "arith.mulsi_extended",
        "T=i8",
        {"lhs": (-1, -128, 100), "rhs": (-1, -128, 100)},
        {"low": (1, 0, 16), "high": (0, 64, 39)},
        latency=latency,
    )
    yield row(
        "arith.mulsi_extended",
        "T=i64",
        {"lhs": (-1, MIN64, 1 << 32), "rhs": (5, MIN64, 1 << 32)},
        {"low": (-5, 0, 0), "high": (-1, 1 << 62, 1)},
        latency=latency,
    )


PRODUCT_ROWS: tuple[Row, ...] = tuple(
    found for latency in MULTIPLY_LATENCIES for found in of_latency(latency)
)
