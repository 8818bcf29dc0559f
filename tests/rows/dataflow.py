"""Hand rows for the dataflow operators.

Letters are tokens: A is 10, B is 11 and so on.
"""

from __future__ import annotations

from tests.rows.row import Row, row

A, B, C, D, E, F, G, H = range(10, 18)
BURSTS = (1, 1, 0, 1, 1, 1, 1, 0)

CARRY = (
    row(
        "dataflow.carry",
        "T=i32",
        {"d": BURSTS, "a": (A, B), "b": (C, D, E, F, G, H)},
        {"o": (A, C, D, B, E, F, G, H)},
    ),
    row(
        "dataflow.carry",
        "T=i8",
        {"d": (0, 0, 1, 0), "a": (1, 2, 3), "b": (200,)},
        {"o": (1, 2, 3, 200)},
        note="zero trips, twice, then one",
    ),
    row("dataflow.carry", "T=i1", {"d": (1, 0), "a": (0,), "b": (1,)}, {"o": (0, 1)}),
    row(
        "dataflow.carry",
        "T=i64",
        {"d": (1, 0), "a": (-1,), "b": (1 << 63,)},
        {"o": (-1, 1 << 63)},
    ),
    row(
        "dataflow.carry",
        "T=none",
        {"d": (1, 1, 0), "a": (0,), "b": (0, 0)},
        {"o": (0, 0, 0)},
        note="control",
    ),
    row(
        "dataflow.carry",
        "T=i32",
        {"d": (1,), "a": (A,), "b": (B,)},
        {"o": (A, B)},
        note="a burst not ended",
        at_rest=False,
    ),
    row(
        "dataflow.carry",
        "T=i8",
        {"d": (1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0), "a": (1, 2, 3, 4, 5, 6),
         "b": (11, 12, 21, 22, 15, 16)},
        {"o": (1, 2, 11, 12, 21, 22, 3, 4, 5, 6, 15, 16)},
        note="two entries in turns: of three iterations, of one, of two",
        lanes=2,
    ),
    row(
        "dataflow.carry",
        "T=none",
        {"d": (1, 1, 1, 0, 0, 0), "a": (0,) * 3, "b": (0,) * 3},
        {"o": (0,) * 6},
        note="control, three entries in turns",
        lanes=3,
    ),
)  # fmt: skip
INVARIANT = (
    row(
        "dataflow.invariant",
        "T=i32",
        {"d": BURSTS, "a": (A, B)},
        {"o": (A, A, A, B, B, B, B, B)},
    ),
    row(
        "dataflow.invariant",
        "T=i8",
        {"d": (0, 1, 0, 0), "a": (1, 255, 3)},
        {"o": (1, 255, 255, 3)},
        note="zero trips emit once",
    ),
    row("dataflow.invariant", "T=i1", {"d": (1, 0), "a": (1,)}, {"o": (1, 1)}),
    row("dataflow.invariant", "T=i64", {"d": (1, 0), "a": (-2,)}, {"o": (-2, -2)}),
    row("dataflow.invariant", "T=none", {"d": (1, 0), "a": (0,)}, {"o": (0, 0)}, note="control"),
)
REPLICATE = (
    row(
        "dataflow.replicate",
        "T=i32",
        {"d": BURSTS, "a": (A, B)},
        {"o": (A, A, B, B, B, B)},
    ),
    row(
        "dataflow.replicate",
        "T=i8",
        {"d": (0, 1, 0, 0), "a": (1, 255, 3)},
        {"o": (255,)},
        note="zero trips emit nothing",
    ),
    row("dataflow.replicate", "T=i1", {"d": (1, 0), "a": (1,)}, {"o": (1,)}),
    row("dataflow.replicate", "T=i64", {"d": (1, 1, 0), "a": (-2,)}, {"o": (-2, -2)}),
    row(
        "dataflow.replicate",
        "T=i8",
        {"d": (0, 1, 1, 0, 0), "a": (1, 2, 3)},
        {"o": (1, 2, 2, 2, 3)},
        note="of a loop that runs",
        rotated=True,
    ),
    row("dataflow.replicate", "T=none", {"d": (1, 0), "a": (0,)}, {"o": (0, 0)}, rotated=True),
    row("dataflow.replicate", "T=none", {"d": (1, 0), "a": (0,)}, {"o": (0,)}, note="control"),
)
GATE = (
    row(
        "dataflow.gate",
        "T=i32",
        {"before_value": (A, B, C, D, E), "before_cond": (1, 1, 1, 1, 0)},
        {"after_value": (A, B, C, D), "after_cond": (1, 1, 1, 0)},
    ),
    row(
        "dataflow.gate",
        "T=i8",
        {"before_value": (1, 2, 3, 4), "before_cond": (0, 1, 0, 0)},
        {"after_value": (2,), "after_cond": (0,)},
        note="zero trips emit nothing",
    ),
    row(
        "dataflow.gate",
        "T=i1",
        {"before_value": (1, 0, 1), "before_cond": (1, 1, 0)},
        {"after_value": (1, 0), "after_cond": (1, 0)},
    ),
    row(
        "dataflow.gate",
        "T=i64",
        {"before_value": (-1, 5), "before_cond": (1, 0)},
        {"after_value": (-1,), "after_cond": (0,)},
    ),
)


def stream(
    step_op: str,
    cont_cond: str,
    bursts: tuple[tuple[int, int, int, tuple[int, ...]], ...],
    *,
    unsigned: bool = False,
    index_width: int = 64,
    note: str = "",
    rotated: bool = False,
) -> Row:
    """A row of (start, step, bound, indices); the last index of each comes with false."""
    starts, steps, bounds, indices = zip(*bursts, strict=True)
    return row(
        "dataflow.stream",
        "",
        {"start": starts, "step": steps, "bound": bounds},
        {
            "index": [index for burst in indices for index in burst],
            "cont": [int(k < len(burst) - 1) for burst in indices for k in range(len(burst))],
        },
        note=note,
        index_width=index_width,
        step_op=step_op,
        cont_cond=cont_cond,
        unsigned=unsigned,
        rotated=rotated,
    )


STREAM = (
    stream("+=", "<", ((0, 1, 5, (0, 1, 2, 3, 4, 5)),)),
    stream("+=", "<", ((3, 1, 3, (3,)), (0, 4, 10, (0, 4, 8, 12))), note="zero trips, then three"),
    stream(">>=", "!=", ((16, 1, 1, (16, 8, 4, 2, 1)),)),
    stream("<<=", "<=", ((1, 1, 8, (1, 2, 4, 8, 16)),)),
    stream("+=", "<", ((-2, 1, 1, (-2, -1, 0, 1)),), note="signed"),
    stream("+=", "<", ((-2, 1, 1, (-2,)),), unsigned=True, note="unsigned"),
    stream("+=", "<=", ((0, 2, 4, (0, 2, 4, 6)), (1, 1, 0, (1,)))),
    stream("+=", "!=", ((0, 3, 9, (0, 3, 6, 9)), (-1, 1, 1, (-1, 0, 1)))),
    stream("-=", ">", ((3, 1, 0, (3, 2, 1, 0)), (1, 1, -2, (1, 0, -1, -2)))),
    stream("-=", ">", ((3, 1, -2, (3,)),), unsigned=True, note="unsigned"),
    stream("-=", ">=", ((4, 2, 0, (4, 2, 0, -2)),)),
    stream("-=", ">=", ((4, 3, 2, (4, 1)), (1, 1, 2, (1,))), unsigned=True),
    stream("*=", "<", ((1, 3, 20, (1, 3, 9, 27)), (5, 2, 5, (5,)))),
    stream("*=", ">", ((-1, 2, -5, (-1, -2, -4, -8)),)),
    stream("/=", ">", ((100, 3, 0, (100, 33, 11, 3, 1, 0)),)),
    stream("/=", "!=", ((-7, 2, 0, (-7, -3, -1, 0)),), note="rounds towards zero"),
    stream("/=", ">=", ((0xF0, 16, 1, (0xF0, 15, 0)),), unsigned=True, index_width=8),
    stream("<<=", "<", ((3, 2, 100, (3, 12, 48, 192)),), unsigned=True, index_width=8),
    stream("<<=", "!=", ((1, 8, 0, (1, 0)),), index_width=8, note="a shift past the width"),
    stream(">>=", "<", ((-16, 2, -1, (-16, -4, -1)),), note="signs come in"),
    stream(">>=", ">", ((0x80, 3, 1, (0x80, 0x10, 2, 0)),), unsigned=True, index_width=8),
    stream(">>=", ">=", ((0x40, 9, 1, (0x40, 0)),), index_width=8, note="a shift past the width"),
    stream("+=", "<", ((120, 1, 127, (*range(120, 128),)),), index_width=8, note="up to the top"),
    stream("+=", "<", ((0, 1, 1, (0, 1)), (0, 1, 2, (0, 1, 2))), index_width=32),
)

ROTATED = (
    ("+=", "<", ((0, 1, 5, (0, 1, 2, 3, 4)), (3, 1, 3, (3,)), (0, 4, 10, (0, 4, 8)))),
    ("+=", "<", ((100, 9, 127, (100, 109, 118)),), 8, "up to the top"),
    ("+=", "!=", ((250, 2, 2, (250, 252, 254, 0)), (1, 1, 2, (1,))), 8, "round the top", True),
    ("+=", "<=", ((0, 2, 4, (0, 2, 4)), (1, 1, 0, (1,)))),
    ("-=", ">", ((3, 1, 0, (3, 2, 1)), (1, 1, -2, (1, 0, -1)))),
    ("-=", ">=", ((4, 3, 2, (4,)), (1, 1, 1, (1,))), 64, "unsigned", True),
    ("*=", "<", ((1, 3, 20, (1, 3, 9)), (5, 2, 5, (5,)))),
    ("/=", ">", ((100, 3, 0, (100, 33, 11, 3, 1)),)),
    ("/=", "!=", ((-7, 2, 0, (-7, -3, -1)),)),
    ("<<=", "<", ((3, 2, 100, (3, 12, 48)),), 8, "unsigned", True),
    (">>=", "<", ((-16, 2, -1, (-16, -4)),)),
    (">>=", "!=", ((16, 1, 1, (16, 8, 4, 2)),)),
)  # fmt: skip
"""Step, test, bursts, index width [bits], note and whether unsigned, of streams of loops that run:
the first index comes whatever its test would be."""
STREAM += tuple(
    stream(step, test, bursts, index_width=width, note=f"rotated {note}".strip(), unsigned=unsigned,
           rotated=True)
    for step, test, bursts, width, note, unsigned in (
        (*each, *(64, "", False)[len(each) - 3:]) for each in ROTATED)
)  # fmt: skip

STREAM += (
    row(
        "dataflow.stream",
        "",
        {"start": (0, 0, 5, 5), "step": (1, 1, 2, 2), "bound": (3, 3, 8, 8)},
        {"index": (0, 0, 1, 1, 2, 2, 5, 5, 7, 7), "cont": (1, 1, 1, 1, 0, 0, 1, 1, 0, 0)},
        note="two entries in turns, of loops that run",
        step_op="+=",
        cont_cond="<",
        unsigned=False,
        lanes=2,
        rotated=True,
    ),
    row(
        "dataflow.stream",
        "",
        {"start": (4,) * 3, "step": (1,) * 3, "bound": (5,) * 3},
        {"index": (4, 4, 4, 5, 5, 5), "cont": (1, 1, 1, 0, 0, 0)},
        note="three entries in turns",
        step_op="+=",
        cont_cond="<",
        unsigned=False,
        lanes=3,
        rotated=False,
    ),
)

FOLDS = (
    ("addi", 0, (3, 250, 4), (5, 6, 7), 1, 18),
    ("subi", 6, (3, 5, 4), (1, 2, 7), 250, 252),
    ("andi", 0xFF, (0x7F, 0x3C, 0xFF), (0x0F, 0x3F, 0x11), 0x3C, 0x01),
    ("ori", 0, (1, 2, 4), (8, 16, 33), 7, 57),
    ("xori", 1, (1, 3, 4), (8, 24, 33), 7, 48),
    ("minsi", 5, (7, -5, 4), (7, 6, 9), -5, 5),
    ("minui", 5, (7, -5, 4), (7, 6, 9), 4, 5),
    ("maxsi", 5, (7, -5, 4), (1, 2, -128), 7, 5),
    ("maxui", 5, (7, -5, 4), (1, 2, 3), 251, 5),
)
"""Operators with what a burst begins with, the operands of two bursts, and their results."""
ACCUMULATE = (
    row(
        "dataflow.accumulate",
        "T=i32",
        {"cond": BURSTS, "initial": (A, B), "operand": (C, D, E, F, G, H)},
        {"result": (A + C + D, B + E + F + G + H)},
        operator="addi",
    ),
    row(
        "dataflow.accumulate",
        "T=i32",
        {"cond": BURSTS, "initial": (A, B), "operand": (1, 2, 3, 4, 5, 6, 7, 8)},
        {"result": (A + 6, B + 30)},
        note="of a loop that runs",
        operator="addi",
        rotated=True,
    ),
    row(
        "dataflow.accumulate",
        "T=i8",
        {"cond": (0, 0, 1, 0), "initial": (1, 2, 3), "operand": (255,)},
        {"result": (1, 2, 2)},
        note="zero trips, twice, then one",
        operator="addi",
    ),
    row(
        "dataflow.accumulate",
        "T=i64",
        {"cond": (0, 1, 0), "initial": (-1, 1 << 62), "operand": (1, 1 << 62, 1 << 62)},
        {"result": (0, 3 << 62)},
        note="each iteration the last",
        operator="addi",
        rotated=True,
    ),
    row(
        "dataflow.accumulate",
        "T=i1",
        {"cond": (1, 1, 0), "initial": (1,), "operand": (1, 1)},
        {"result": (1,)},
        operator="addi",
    ),
    row(
        "dataflow.accumulate",
        "T=i32",
        {"cond": (1,), "initial": (A,), "operand": (B,)},
        {"result": ()},
        note="a burst not ended",
        operator="addi",
        at_rest=False,
    ),
    *(
        row(
            "dataflow.accumulate",
            "T=i8",
            {"cond": (1, 1, 1, 0) * 2, "initial": (first,) * 2, "operand": (*left, *right)},
            {"result": results},
            operator=operator,
        )
        for operator, first, left, right, *results in FOLDS
    ),
)

BROADCAST = (
    row("dataflow.broadcast", "T=i8", {"in": (1, 255)}, {f"out{k}": (1, 255) for k in range(3)}),
    row("dataflow.broadcast", "T=none", {"in": (0, 0)}, {"out0": (0, 0), "out1": (0, 0)}),
    row("dataflow.broadcast", "T=i64", {"in": (-1,)}, {"out0": (-1,)}, note="one way"),
)

DATAFLOW_ROWS: tuple[Row, ...] = (
    *CARRY, *INVARIANT, *REPLICATE, *GATE, *STREAM, *ACCUMULATE, *BROADCAST,
)  # fmt: skip
