"""Hand rows for the handshake operators and the memories."""

from __future__ import annotations

from dataclasses import replace

from loom.dialects.operators.catalogue import CATALOGUE
from tests.rows.row import Row, row

OUT_OF_RANGE = "RT_MEMORY_ADDRESS_OUT_OF_RANGE"

ROUTING = (
    row("handshake.fork", "T=i32", {"in": (1, -2)}, {"out0": (1, -2)}, note="one way"),
    row("handshake.fork", "T=i8", {"in": (1, 255)}, {f"out{k}": (1, 255) for k in range(3)}),
    row("handshake.fork", "T=none", {"in": (0, 0)}, {"out0": (0, 0), "out1": (0, 0)}),
    row("handshake.fork", "T=i1", {"in": (1, 0)}, {"out0": (1, 0), "out1": (1, 0)}),
    row("handshake.fork", "T=i64", {"in": (-1,)}, {"out0": (-1,), "out1": (-1,)}),
    row("handshake.join", "T0=none", {"in0": (0, 0)}, {"out": (0, 0)}, note="one way"),
    row(
        "handshake.join",
        "T0=none T1=none T2=none",
        {"in0": (0, 0), "in1": (0, 0), "in2": (0, 0)},
        {"out": (0, 0)},
    ),
    row("handshake.sink", "T=i32", {"in": (1, 2, 3)}, {}),
    row("handshake.sink", "T=none", {"in": (0,)}, {}),
    row("handshake.constant", "T=i8", {"ctrl": (0, 0)}, {"result": (200, 200)}, value=200),
    row("handshake.constant", "T=i1", {"ctrl": (0,)}, {"result": (1,)}, value=1),
    row(
        "handshake.constant",
        "T=i64",
        {"ctrl": (0, 0)},
        {"result": (1 << 63, 1 << 63)},
        value=1 << 63,
    ),
    row(
        "handshake.cond_br",
        "T=i32",
        {"condition": (1, 0, 0, 1), "data": (1, 2, 3, 4)},
        {"true_result": (1, 4), "false_result": (2, 3)},
    ),
    row(
        "handshake.cond_br",
        "T=none",
        {"condition": (0, 1), "data": (0, 0)},
        {"true_result": (0,), "false_result": (0,)},
    ),
    row(
        "handshake.cond_br",
        "T=i1",
        {"condition": (1, 0), "data": (0, 1)},
        {"true_result": (0,), "false_result": (1,)},
    ),
    row(
        "handshake.cond_br",
        "T=i64",
        {"condition": (1, 0), "data": (-1, 1 << 63)},
        {"true_result": (-1,), "false_result": (1 << 63,)},
    ),
    row(
        "handshake.mux",
        "S=i1 T=i32",
        {"select": (1, 0, 0, 1), "in0": (1, 2), "in1": (3, 4)},
        {"out": (3, 1, 2, 4)},
    ),
    row(
        "handshake.mux",
        "S=index T=i8",
        {"select": (2, 0, 1), "in0": (1,), "in1": (2,), "in2": (255,)},
        {"out": (255, 1, 2)},
    ),
    row(
        "handshake.mux",
        "S=i1 T=none",
        {"select": (1, 0), "in0": (0,), "in1": (0,)},
        {"out": (0, 0)},
    ),
    row(
        "handshake.mux",
        "S=i1 T=i64",
        {"select": (0, 1), "in0": (-1,), "in1": (1 << 63,)},
        {"out": (-1, 1 << 63)},
    ),
)
MANY = tuple(range(1, 101))
"""More tokens than a buffer has that keeps most of its words in a RAM."""
BITS = tuple(n * n // 3 % 2 for n in MANY)
BUFFERS = tuple(
    row(
        "handshake.buffer",
        f"T={type_}",
        {"in": tokens},
        {"out": tokens},
        kind=kind,
        slots=slots,
    )
    for kind, slots in (
        *(("seq", 1), ("seq", 2), ("fifo", 1), ("fifo", 2), ("fifo", 5)),
        ("stage", 1),
        ("stage", 3),
    )
    for type_, tokens in (("i1", (1, 0, 1)), ("i32", (1, -2, 3, -4)), ("none", (0, 0, 0)))
) + tuple(
    row("handshake.buffer", f"T={type_}", {"in": tokens}, {"out": tokens}, kind=kind, slots=slots)
    for kind in ("seq", "fifo")
    for type_, slots, tokens in (("i32", 40, MANY), ("i1", 17, BITS), ("none", 17, (0,) * 50))
)
ACCESSES = (
    row(
        "handshake.load",
        "A=index T=i32",
        {"address": (3, 1), "data_in": (30, -10), "ctrl": (0, 0)},
        {"data": (30, -10), "address_out": (3, 1)},
    ),
    row(
        "handshake.load",
        "A=index T=i1",
        {"address": (0,), "data_in": (1,), "ctrl": (0,)},
        {"data": (1,), "address_out": (0,)},
        index_width=8,
    ),
    row(
        "handshake.store",
        "A=index T=i32",
        {"address": (3, 1), "data": (30, -10), "ctrl": (0, 0)},
        {"data_out": (30, -10), "address_out": (3, 1)},
    ),
    row(
        "handshake.store",
        "A=index T=i64",
        {"address": (0,), "data": (-1,), "ctrl": (0,)},
        {"data_out": (-1,), "address_out": (0,)},
        index_width=32,
    ),
)
KINDS = {
    name: operator.hardware.memory_kind
    for name, operator in CATALOGUE.items()
    if operator.hardware.memory_kind is not None
}
"""The kinds of memory, by the operators that serve them."""
MEMORIES = tuple(
    found
    for operator, kind in KINDS.items()
    for found in (
        row(
            operator,
            "A=index T=i32",
            {"ld_address0": (2, 0, 1)},
            {"ld_data0": (7, 5, 6), "ld_done0": (0, 0, 0)},
            note="one reader",
            before=(5, 6, 7),
            after=(5, 6, 7),
            stores=0,
            loads=1,
        ),
        row(
            operator,
            "A=index T=i8",
            {"st_data0": (1, 255), "st_address0": (1, 3)},
            {"st_done0": (0, 0)},
            note="one writer",
            before=(0, 0, 0, 0),
            after=(0, 1, 0, 255),
            stores=1,
            loads=0,
        ),
        row(
            operator,
            "A=index T=i1",
            {"st_data0": (1,), "st_address0": (0,), "ld_address0": (1,), "ld_address1": (1, 2)},
            {
                "ld_data0": (1,),
                "ld_data1": (1, 0),
                "st_done0": (0,),
                "ld_done0": (0,),
                "ld_done1": (0, 0),
            },
            note="a writer and two readers of other words",
            before=(0, 1, 0),
            after=(1, 1, 0),
            stores=1,
            loads=2,
        ),
        row(
            operator,
            "A=index T=i64",
            {"ld_address0": (0, 2, 1)},
            {"ld_data0": (5, 0, 1 << 63), "ld_done0": (0, 0, 0)},
            note="an address outside reads 0",
            before=(5, 1 << 63),
            after=(5, 1 << 63),
            errors=(OUT_OF_RANGE,),
            stores=0,
            loads=1,
        ),
        row(
            operator,
            "A=index T=i32",
            {"st_data0": (9, 8), "st_address0": (2, 1)},
            {"st_done0": (0, 0)},
            note="an address outside writes nothing",
            before=(5, 6),
            after=(5, 8),
            errors=(OUT_OF_RANGE,),
            stores=1,
            loads=0,
        ),
    )
    if kind.is_written or not found.attributes["stores"]
)

SLOW_MEMORIES = tuple(
    replace(found, attributes={**found.attributes, "latency": latency})
    for found in MEMORIES
    if len(KINDS[found.operator].latencies) > 1
    for latency in ((1, 40) if KINDS[found.operator].answers else KINDS[found.operator].latencies)
)

FEW_OUTSTANDING = tuple(
    replace(found, attributes={**found.attributes, "outstanding": count})
    for found in MEMORIES
    if KINDS[found.operator].answers
    for count in (1, 2)
)

IN_WIDE_WORDS = tuple(
    replace(found, attributes={**found.attributes, "pack": bits})
    for found in MEMORIES
    if KINDS[found.operator].answers
    if found.note in ("one reader", "one writer", "an address outside writes nothing")
    for bits in (32, 64, 128)
)

TWICE_A_CYCLE = tuple(
    replace(found, attributes={**found.attributes, "ports": 2})
    for found in MEMORIES
    if 2 in KINDS[found.operator].read_ports
)

HANDSHAKE_ROWS: tuple[Row, ...] = (
    *ROUTING, *BUFFERS, *ACCESSES, *MEMORIES, *SLOW_MEMORIES, *FEW_OUTSTANDING, *IN_WIDE_WORDS,
    *TWICE_A_CYCLE,
)  # fmt: skip
