"""Small whole circuits whose SystemVerilog is kept and read in review."""

from __future__ import annotations

from pathlib import Path

from loom.netlist.netlist import Netlist
from tests.support.netlists import NetlistBuilder

FOLDER = Path(__file__).parent


def sum_of_array() -> Netlist:
    """``for (i = 0; i < n; i++) sum += a[i]`` over an array outside the circuit."""
    it = NetlistBuilder("sum_of_array", index_width=32)
    start = it.port("input", "start", "none")
    n = it.port("input", "n", "index")
    total = it.port("output", "total", "i32")
    it.memory("a", "i32", 20, "external")
    it.unit("zero", "handshake.constant", value=0)
    it.unit("one", "handshake.constant", value=1)
    it.unit("nothing", "handshake.constant", value=0)
    it.fork("fork_start", start, ["zero.ctrl", "one.ctrl", "nothing.ctrl", "access.a"], "none")
    it.unit("loop", "dataflow.stream", step_op="+=", cont_cond="<", unsigned=False)
    it.connect("zero.result", "loop.start", "index")
    it.connect("one.result", "loop.step", "index")
    it.connect(n, "loop.bound", "index")
    it.unit("access", "dataflow.replicate")
    it.unit("sum", "dataflow.carry")
    it.unit("place", "handshake.cond_br")
    it.unit("leave", "handshake.cond_br")
    it.fork(
        "fork_cont",
        "loop.cont",
        ["access.d", "shift.in", "place.condition", "wait.in"],
        "i1",
    )
    # The sum that a condition lets in meets the next condition: a token must fit between; the
    # other slots and the other buffer stand for the cycle that the memory takes.
    it.unit("shift", "handshake.buffer", kind="fifo", slots=3)
    it.connect("shift.out", "sum.d", "i1")
    it.unit("wait", "handshake.buffer", kind="fifo", slots=2)
    it.connect("wait.out", "leave.condition", "i1")
    it.connect("loop.index", "place.data", "index")
    it.unit("end", "handshake.sink")
    it.connect("place.false_result", "end.in", "index")
    it.unit("read", "handshake.load")
    it.connect("place.true_result", "read.address", "index")
    it.connect("access.o", "read.ctrl", "none")
    it.unit("a_ports", "handshake.extmemory", memory="a", stores=0, loads=1)
    it.connect("read.address_out", "a_ports.ld_address0", "index")
    it.connect("a_ports.ld_data0", "read.data_in", "i32")
    it.unit("done", "handshake.sink")
    it.connect("a_ports.ld_done0", "done.in", "none")
    it.connect("nothing.result", "sum.a", "i32")
    it.connect("sum.o", "leave.data", "i32")
    it.connect("leave.false_result", total, "i32")
    it.unit("add", "arith.addi")
    it.connect("leave.true_result", "add.lhs", "i32")
    it.connect("read.data", "add.rhs", "i32")
    it.unit("back", "handshake.buffer", kind="seq", slots=2)
    it.connect("add.result", "back.in", "i32")
    it.connect("back.out", "sum.b", "i32")
    return it.build()


def lookup(table: tuple[int, ...] = (1, 10, 100, 1000, 10000)) -> Netlist:
    """A table inside the circuit, scaled: ``table[place] * factor``."""
    it = NetlistBuilder("lookup", index_width=32)
    place = it.port("input", "place", "index")
    factor = it.port("input", "factor", "i24")
    scaled = it.port("output", "scaled", "i24")
    done = it.port("output", "done", "none")
    it.memory("table", "i24", len(table), "internal", table)
    it.unit("table_ports", "handshake.memory", memory="table", stores=0, loads=1)
    it.connect(place, "table_ports.ld_address0", "index")
    it.unit("wait", "handshake.buffer", kind="fifo", slots=1)
    it.connect(factor, "wait.in", "i24")
    it.unit("scale", "arith.muli")
    it.connect("table_ports.ld_data0", "scale.lhs", "i24")
    it.connect("wait.out", "scale.rhs", "i24")
    it.connect("scale.result", scaled, "i24")
    it.connect("table_ports.ld_done0", done, "none")
    return it.build()


DESIGNS = (sum_of_array(), lookup())
