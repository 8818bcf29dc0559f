"""Hand rows of the unit that runs a schedule: a loop that adds up the numbers below its operand."""

from tests.rows.row import row
from tools.prove.static_loop import sums_shape

ISLAND_ROWS = (
    row(
        "dataflow.island",
        "T0=i3 R0=i5",
        {"ctrl": (0,) * 6, "in0": (0, 3, 1, -4, 2, 3)},
        {"done": (0,) * 6, "out0": (0, 3, 0, 0, 1, 3)},
        note="no trip, one, two and three",
        **sums_shape().attributes,
    ),
)
