"""Hand rows for the operators that keep the order of accesses to a memory."""

from __future__ import annotations

from tests.rows.row import Row, row

DISAMBIGUATE = (
    row(
        "dataflow.disambiguate",
        "T=i8",
        {"address": (1, 2, 3, 2, 1, 1), "done": (0,) * 6},
        {"clear": (0,) * 6},
        depth=3,
    ),
    row(
        "dataflow.disambiguate",
        "T=i10",
        {"address": (1023, 1023, 1023, 0), "done": (0,) * 4},
        {"clear": (0,) * 4},
        note="one address",
        depth=2,
    ),
    row(
        "dataflow.disambiguate",
        "T=i1",
        {"address": (0, 1, 0, 1, 1, 0, 0), "done": (0,) * 7},
        {"clear": (0,) * 7},
        note="one bit",
        depth=8,
    ),
    row(
        "dataflow.disambiguate",
        "T=i64",
        {"address": (1 << 63,), "done": ()},
        {"clear": (0,)},
        note="a store not done",
        depth=2,
        at_rest=False,
    ),
)

FORWARD_STORE = (
    row(
        "dataflow.forward_store",
        "A=i8 T=i32",
        {
            "address": (1, 2, 1, 1, 3, 2),
            "datum": (50, 60, 7, 9, 70, 8),
            "value": (7, 8, 9, 10, 11, 12),
            "done": (0,) * 6,
        },
        {"clear": (0,) * 6, "loaded": (50, 60, 7, 9, 70, 8)},
        depth=4,
    ),
    row(
        "dataflow.forward_store",
        "A=i10 T=i8",
        {
            "address": (1023,) * 20,
            "datum": range(100, 120),
            "value": range(101, 121),
            "done": (0,) * 20,
        },
        {"clear": (0,) * 20, "loaded": range(100, 120)},
        note="one address",
        depth=2,
    ),
    row(
        "dataflow.forward_store",
        "A=i1 T=i1",
        {
            "address": (0, 1, 0, 1, 1, 0, 0),
            "datum": (1, 0, 0, 1, 0, 1, 1),
            "value": (0, 1, 1, 0, 1, 1, 0),
            "done": (0,) * 7,
        },
        {"clear": (0,) * 7, "loaded": (1, 0, 0, 1, 0, 1, 1)},
        note="one bit",
        depth=8,
    ),
    row(
        "dataflow.forward_store",
        "A=i64 T=i64",
        {"address": (1 << 63,), "datum": (5,), "value": (6,), "done": ()},
        {"clear": (0,), "loaded": (5,)},
        note="a store not done",
        depth=4,
        at_rest=False,
    ),
)

FORWARD_QUEUE = (
    row(
        "dataflow.forward_queue",
        "A=i8 T=i32",
        {
            "address": (1, 2, 1, 1, 3, 2),
            "store0": (2, 1, 1, 3, 2, 9),
            "datum": (50, 7, 8, 9, 10, 11),
            "value0": (7, 8, 9, 10, 11, 12),
            "done0": (0,) * 6,
        },
        {"clear": (0,) * 6, "loaded": (50, 7, 8, 9, 10, 11)},
        depth=4,
    ),
    row(
        "dataflow.forward_queue",
        "A=i10 T=i8",
        {
            "address": (1023,) * 20,
            "store0": (1023,) * 20,
            "datum": range(100, 120),
            "value0": range(101, 121),
            "done0": (0,) * 20,
        },
        {"clear": (0,) * 20, "loaded": range(100, 120)},
        note="one address",
        depth=2,
    ),
    row(
        "dataflow.forward_queue",
        "A=i1 T=i1",
        {
            "address": (0, 1, 0, 1, 1, 0, 0),
            "store0": (1, 0, 1, 1, 0, 0, 1),
            "datum": (1, 0, 1, 1, 0, 1, 1),
            "value0": (0, 1, 1, 0, 1, 1, 0),
            "done0": (0,) * 7,
        },
        {"clear": (0,) * 7, "loaded": (1, 0, 1, 1, 0, 1, 1)},
        note="one bit",
        depth=8,
    ),
    row(
        "dataflow.forward_queue",
        "A=i64 T=i64",
        {
            "address": (1 << 63, 5),
            "store0": (5,),
            "datum": (5, 1 << 63),
            "value0": (1 << 63,),
            "done0": (0,),
        },
        {"clear": (0, 0), "loaded": (5, 1 << 63)},
        note="an address of a store that has not come",
        depth=4,
        at_rest=False,
    ),
    row(
        "dataflow.forward_queue",
        "A=i8 T=i32",
        {
            "address": (1, 2, 1, 3, 2, 9),
            "store0": (1, 1, 3, 2, 9, 9),
            "store1": (2, 1, 3, 1, 2, 9),
            "datum": (50, 60, 70, 80, 90, 11),
            "value0": (7, 8, 9, 10, 11, 12),
            "value1": (20, 21, 22, 23, 24, 25),
            "done0": (0,) * 6,
            "done1": (0,) * 6,
        },
        {"clear": (0,) * 6, "loaded": (50, 60, 70, 80, 90, 11)},
        note="two stores",
        depth=4,
    ),
)

STORE_QUEUE = (
    row(
        "dataflow.store_queue",
        "T=i8",
        {"address": (1, 2, 3, 2, 1, 1), "store": (2, 3, 3, 1, 1, 9), "done": (0,) * 6},
        {"clear": (0,) * 6},
        depth=3,
    ),
    row(
        "dataflow.store_queue",
        "T=i10",
        {"address": (1023,) * 4, "store": (1023,) * 4, "done": (0,) * 4},
        {"clear": (0,) * 4},
        note="one address",
        depth=2,
    ),
    row(
        "dataflow.store_queue",
        "T=i1",
        {"address": (0, 1, 0, 1, 1, 0, 0), "store": (1, 1, 0, 0, 1, 0, 1), "done": (0,) * 7},
        {"clear": (0,) * 7},
        note="one bit",
        depth=8,
    ),
    row(
        "dataflow.store_queue",
        "T=i64",
        {"address": (1 << 63,), "store": (5,), "done": ()},
        {"clear": (0,)},
        note="a store not done",
        depth=2,
        at_rest=False,
    ),
    row(
        "dataflow.store_queue",
        "T=i8",
        {"address": (7,), "store": (), "done": ()},
        {"clear": (0,)},
        note="a load before its store",
        depth=2,
        at_rest=False,
    ),
    row(
        "dataflow.store_queue",
        "T=i8",
        {"address": range(100, 112), "store": range(100, 112), "done": (0,) * 12},
        {"clear": (0,) * 12},
        note="stores far ahead",
        depth=5,
    ),
    row(
        "dataflow.store_queue",
        "T=i8",
        {"address": (1, 2, 3, 2, 1, 1), "store": (2, 2, 1, 3, 2, 9), "done": (0,) * 6},
        {"clear": (0,) * 6},
        note="a store before each load, once at its address",
        depth=3,
        distance=0,
    ),
    row(
        "dataflow.store_queue",
        "T=i10",
        {"address": (1023,) * 4, "store": (1023,) * 4, "done": (0,) * 4},
        {"clear": (0,) * 4},
        note="a store before each load, at its address",
        depth=2,
        distance=0,
    ),
    row(
        "dataflow.store_queue",
        "T=i64",
        {"address": (1 << 63, 5), "store": (1 << 63, 5), "done": (0,)},
        {"clear": (0,)},
        note="a store before its load is not done",
        depth=2,
        distance=0,
        at_rest=False,
    ),
    row(
        "dataflow.store_queue",
        "T=i8",
        {"address": (7,), "store": (), "done": ()},
        {"clear": ()},
        note="a load waits for its store",
        depth=2,
        distance=0,
        at_rest=False,
    ),
)

LOAD_STORE_QUEUE = (
    row(
        "dataflow.load_store_queue",
        "A=i4 T=i8",
        {
            "group0": (0,) * 4, "end": (0,), "address0": (1, 2, 1, 1), "address1": (1, 1, 3, 1),
            "value1": (5, 6, 7, 8), "loaded": (9, 0, 6, 6), "stored": (0,) * 4,
        },
        {
            "allocated0": (0,) * 4, "ended": (0,), "data0": (9, 0, 6, 6),
            "load_address": (1, 2, 1, 1), "store_value": (5, 6, 7, 8),
            "store_address": (1, 1, 3, 1),
        },
        note="a load of the youngest store's address",
        groups="ls",
        depth=3,
        outstanding=2,
    ),
    row(
        "dataflow.load_store_queue",
        "A=i1 T=i32",
        {
            "group0": (0,) * 3, "group1": (), "end": (0, 0), "address0": (1, 0, 1),
            "value0": (-1, -2, -3), "address1": (1, 0, 0), "address2": (),
            "loaded": (-1, -2, -2), "stored": (0,) * 3,
        },
        {
            "allocated0": (0,) * 3, "allocated1": (), "ended": (0, 0), "data1": (-1, -2, -2),
            "data2": (), "load_address": (1, 0, 0), "store_value": (-1, -2, -3),
            "store_address": (1, 0, 1),
        },
        note="a load behind its store, a group that is not taken, two ends",
        groups="sl,l",
        depth=2,
        outstanding=2,
    ),
    row(
        "dataflow.load_store_queue",
        "A=i10 T=i1",
        {
            "group0": (0,), "end": (), "address0": (7,), "address1": (1023,), "address2": (7,),
            "value2": (1,), "address3": (8,), "value3": (0,), "loaded": (1, 0), "stored": (0,),
        },
        {
            "allocated0": (0,), "ended": (), "data0": (1,), "data1": (0,),
            "load_address": (7, 1023), "store_value": (1, 0), "store_address": (7, 8),
        },
        note="a store not done",
        groups="llss",
        depth=2,
        outstanding=2,
    ),
)  # fmt: skip

ORDERING_ROWS: tuple[Row, ...] = (
    *DISAMBIGUATE, *FORWARD_STORE, *FORWARD_QUEUE, *STORE_QUEUE, *LOAD_STORE_QUEUE,
)  # fmt: skip
