"""Hand rows for the operators that come in graphs from other compilers, and for what they add."""

from __future__ import annotations

from tests.rows.row import Row, row

MERGES = (
    row("handshake.merge", "T=i8", {"in0": (1, 255)}, {"out": (1, 255)}, note="one way"),
    row("handshake.merge", "T=i32", {"in0": (), "in1": (7, -8)}, {"out": (7, -8)}),
    row("handshake.merge", "T=i1", {"in0": (1, 0), "in1": (), "in2": ()}, {"out": (1, 0)}),
    row("handshake.merge", "T=none", {"in0": (), "in1": (0,)}, {"out": (0,)}),
    row(
        "handshake.merge",
        "T=i64",
        {"in0": (5,), "in1": (5,)},
        {"out": (5, 5)},
        note="two at once, of which no order shows",
    ),
    row(
        "handshake.control_merge",
        "T=i8 S=index",
        {"in0": (), "in1": (), "in2": (200, 3)},
        {"out": (200, 3), "index": (2, 2)},
    ),
    row(
        "handshake.control_merge",
        "T=none S=i1",
        {"in0": (), "in1": (0, 0)},
        {"out": (0, 0), "index": (1, 1)},
    ),
    row(
        "handshake.control_merge",
        "T=none S=index",
        {"in0": (0, 0, 0)},
        {"out": (0, 0, 0), "index": (0, 0, 0)},
        note="one way",
    ),
)
MUXES = (
    row(
        "handshake.mux",
        "S=index T=i8",
        {"select": (0, 2, 3, -1), "in0": (1,), "in1": (), "in2": (2, 3, 4)},
        {"out": (1, 2, 3, 4)},
        note="a number beyond names the last",
    ),
    row(
        "handshake.mux",
        "S=i1 T=i8",
        {"select": (0, 1), "in0": (1, 2)},
        {"out": (1, 2)},
        note="one way",
    ),
    row(
        "handshake.mux",
        "S=i2 T=none",
        {"select": (3, 1), "in0": (), "in1": (0,), "in2": (0,)},
        {"out": (0, 0)},
    ),
)
SHARES = (
    row(
        "handshake.share",
        "R=i8 T=i16",
        {"returned": (5, 6, 7), "in0": (1, 2, -3)},
        {"called": (1, 2, -3), "out0": (5, 6, 7)},
        note="one caller",
    ),
    row(
        "handshake.share",
        "R=i1 T=i64",
        {"returned": (1, 0), "in0": (), "in1": (-1, 4), "in2": ()},
        {"called": (-1, 4), "out0": (), "out1": (1, 0), "out2": ()},
    ),
    row(
        "handshake.share",
        "R=i32 T=i32",
        {"returned": (9, 9), "in0": (8,), "in1": (8,)},
        {"called": (8, 8), "out0": (9,), "out1": (9,)},
        note="two at once, of which no order shows",
    ),
)
FORKS = (
    row("handshake.lazy_fork", "T=i8", {"in": (1, 2)}, {"out0": (1, 2), "out1": (1, 2)}),
    row("handshake.lazy_fork", "T=none", {"in": (0,)}, {f"out{k}": (0,) for k in range(3)}),
    row(
        "handshake.join",
        "T0=i32 T1=none T2=i1",
        {"in0": (7, 8), "in1": (0, 0), "in2": (1, 0)},
        {"out": (0, 0)},
        note="of data",
    ),
    row(
        "handshake.sync",
        "T0=i32 T1=none T2=i1",
        {"in0": (7, -8), "in1": (0, 0), "in2": (1, 0)},
        {"out0": (7, -8), "out1": (0, 0), "out2": (1, 0)},
    ),
    row("handshake.sync", "T0=none", {"in0": (0, 0)}, {"out0": (0, 0)}, note="one control token"),
    row("handshake.sync", "T0=i64", {"in0": (-1,)}, {"out0": (-1,)}, note="one way"),
)
ENDS = (
    row("handshake.source", "", {}, {"out": (0, 0, 0)}),
    row("handshake.never", "T=i8", {}, {"out": ()}),
    row("handshake.never", "T=none", {}, {"out": ()}),
)
TUPLES = (
    row(
        "handshake.pack",
        "T0=i8 T1=i4 P=i12",
        {"in0": (0xAB, 1), "in1": (0xC, 2)},
        {"tuple": (0xABC, 0x012)},
    ),
    row(
        "handshake.pack",
        "T0=i8 T1=none T2=i1 P=i9",
        {"in0": (0xFF,), "in1": (0,), "in2": (0,)},
        {"tuple": (0x1FE,)},
        note="a control token among them",
    ),
    row("handshake.pack", "T0=i64 P=i64", {"in0": (-1,)}, {"tuple": (-1,)}, note="one element"),
    row(
        "handshake.unpack",
        "P=i12 T0=i8 T1=i4",
        {"tuple": (0xABC, 0x012)},
        {"out0": (0xAB, 1), "out1": (0xC, 2)},
    ),
    row(
        "handshake.unpack",
        "P=i9 T0=i8 T1=none T2=i1",
        {"tuple": (0x1FE,)},
        {"out0": (0xFF,), "out1": (0,), "out2": (0,)},
        note="a control token among them",
    ),
    row("handshake.unpack", "P=i64 T0=i64", {"tuple": (-1,)}, {"out0": (-1,)}, note="one element"),
)
INITIAL = (
    row(
        "handshake.buffer",
        "T=i8",
        {"in": (1, 2, 3)},
        {"out": (200, 100, 1, 2, 3)},
        kind="seq",
        slots=3,
        initial=(200, 100),
    ),
    row(
        "handshake.buffer",
        "T=i8",
        {"in": (1, 2, 3)},
        {"out": (7, 8, 1, 2, 3)},
        note="full at reset",
        kind="seq",
        slots=2,
        initial=(7, 8),
    ),
    row(
        "handshake.buffer",
        "T=none",
        {"in": (0,)},
        {"out": (0, 0)},
        kind="seq",
        slots=2,
        initial=(0,),
    ),
)

ROUTING_ROWS: tuple[Row, ...] = (*MERGES, *MUXES, *SHARES, *FORKS, *ENDS, *TUPLES, *INITIAL)
