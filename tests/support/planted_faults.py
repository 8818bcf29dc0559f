"""Small circuits with faults planted in their SystemVerilog, for co-simulation to find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loom_sim import Activation, Job

from loom.emit import emit
from loom.netlist.netlist import Netlist
from tests.golden.designs import sum_of_array
from tests.support.netlists import NetlistBuilder

TICK = """
  logic tick_q;

  always_ff @(posedge clk_i) begin : toggle
    tick_q <= rst_ni & ~tick_q;
  end

"""
"""A net that is high in every other cycle."""
BUFFER = "rtl/loom_buffer_seq_2.sv"
LEFT, RIGHT = (1, 2, 7, 4, 250, 9, 10, 11), (0, 1, 0, 3, 30, 5, 6, 7)
SUMS = (1, 3, 7, 7, 24, 14, 16, 18)


@dataclass(frozen=True)
class Fault:
    """A change of one file: each text is there once and becomes the other."""

    path: str
    changes: Mapping[str, str]

    def plant(self, files: Mapping[str, str]) -> dict[str, str]:
        """The files with the fault."""
        text = files[self.path]
        for old, new in self.changes.items():
            assert text.count(old) == 1, (old, text)
            text = text.replace(old, new)
        return {**files, self.path: text}


WITHDRAWN = Fault(
    BUFFER,
    {
        "  logic front_moves;\n": f"  logic front_moves;{TICK}",
        "out_valid_o = front_full_q;": "out_valid_o = front_full_q & tick_q;",
        "~front_full_q | out_ready_i;": "~front_full_q | (out_ready_i & tick_q);",
    },
)
CHANGED = Fault(
    BUFFER,
    {
        "  logic front_moves;\n": f"  logic front_moves;{TICK}",
        "out_data_o = front_q;": "out_data_o = front_q ^ T_WIDTH'(tick_q);",
    },
)
LOST = Fault(
    BUFFER,
    {
        "  logic front_moves;\n": (
            "  logic front_moves, kept;\n\n  assign kept = in_valid_i & in_data_i != 7;\n"
        ),
        "front_full_d = ~front_moves | back_full_q | in_valid_i;": (
            "front_full_d = ~front_moves | back_full_q | kept;"
        ),
        "back_full_d = ~front_moves & (back_full_q | in_valid_i);": (
            "back_full_d = ~front_moves & (back_full_q | kept);"
        ),
    },
)
DOUBLED = Fault(
    BUFFER,
    {
        "  logic front_moves;\n": f"  logic front_moves;{TICK}",
        "~front_full_q | out_ready_i;": "~front_full_q | (out_ready_i & tick_q);",
    },
)
WRONG = Fault(BUFFER, {"out_data_o = front_q;": "out_data_o = front_q & ~T_WIDTH'(8);"})
WAITING = Fault(
    BUFFER, {"out_valid_o = front_full_q;": "out_valid_o = front_full_q & out_ready_i;"}
)
STUCK = Fault(
    BUFFER,
    {
        "out_valid_o = front_full_q;": "out_valid_o = front_full_q & front_q != 24;",
        "~front_full_q | out_ready_i;": "~front_full_q | (out_ready_i & front_q != 24);",
    },
)
STRAY = Fault(
    "rtl/sum_of_array.sv",
    {
        ".rd_addr_o(a_rd_addr_o)": ".rd_addr_o(nowhere)",
        "  logic error_1;\n": (
            "  // verilator lint_off UNUSEDSIGNAL\n  logic [4:0] nowhere;\n"
            "  assign a_rd_addr_o = 5'd29;\n  logic error_1;\n"
        ),
    },
)


def adder(name: str = "adder") -> Netlist:
    """Sums of 8 bits through a buffer of two slots; each sum goes to a sink too."""
    it = NetlistBuilder(name)
    left, right = it.port("input", "left", "i8"), it.port("input", "right", "i8")
    total = it.port("output", "total", "i8")
    it.unit("add", "arith.addi")
    it.connect(left, "add.lhs", "i8", "left_in")
    it.connect(right, "add.rhs", "i8", "right_in")
    it.unit("split", "handshake.fork")
    it.connect("add.result", "split.in", "i8", "sums")
    it.unit("keep", "handshake.buffer", kind="seq", slots=2)
    it.connect("split.out0", "keep.in", "i8", "to_keep")
    it.connect("keep.out", total, "i8", "kept")
    it.unit("drop", "handshake.sink")
    it.connect("split.out1", "drop.in", "i8", "to_drop")
    return it.build()


def adder_job(fault: Fault | None = None, activations: int = 1, **more: Sequence[int]) -> Job:
    """Eight sums an activation, with a fault or without; `more` replaces what is expected."""
    netlist = adder()
    files = emit(netlist) if fault is None else fault.plant(emit(netlist))
    expected: dict[str, Sequence[int]] = {"total": SUMS, **more}
    activation = Activation({"left": LEFT, "right": RIGHT}, expected=expected)
    return Job(netlist, files, (activation,) * activations)


def reorder_job(slots: int) -> Job:
    """Three tokens past three others that come from the same fork: two slots are needed."""
    it = NetlistBuilder(f"reorder_{slots}")
    choice, word = it.port("input", "choice", "i1"), it.port("input", "word", "i8")
    result = it.port("output", "result", "i8")
    it.unit("split", "handshake.fork")
    it.connect(word, "split.in", "i8", "words")
    it.connect("split.out0", "pick.in0", "i8", "direct")
    it.connect("split.out1", "hold.in", "i8", "to_hold")
    it.unit("hold", "handshake.buffer", kind="seq", slots=slots)
    it.connect("hold.out", "pick.in1", "i8", "held")
    it.unit("pick", "handshake.mux")
    it.connect(choice, "pick.select", "i1", "chosen")
    it.connect("pick.out", result, "i8", "picked")
    netlist = it.build()
    activation = Activation(
        {"choice": (0, 0, 0, 1, 1, 1), "word": (5, 6, 7)}, expected={"result": (5, 6, 7, 5, 6, 7)}
    )
    return Job(netlist, emit(netlist), (activation, activation))


def sum_job(n: int, fault: Fault | None = None) -> Job:
    """The sum of the first `n` words of an array of 20."""
    netlist = sum_of_array()
    files = emit(netlist) if fault is None else fault.plant(emit(netlist))
    return Job(netlist, files, (Activation({"start": (0,), "n": (n,)}, {"a": tuple(range(20))}),))
