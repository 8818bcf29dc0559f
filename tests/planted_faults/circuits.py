"""The circuits in which faults show, and what they are given."""

from __future__ import annotations

from dataclasses import replace

from loom.model.bundles.activation import Activation as Bundle
from loom.model.bundles.activation import Expected
from loom.netlist.netlist import Netlist
from tests.planted_faults.subjects import KernelSubject, StreamSubject, graph, kernel, streams
from tests.planted_faults.table import Case
from tests.support.netlists import NetlistBuilder

LEFT, RIGHT = (1, 2, 7, 4, 250, 9, 10, 11), (0, 1, 0, 3, 30, 5, 6, 7)
SUMS = (1, 3, 7, 7, 24, 14, 16, 18)
EIGHT = (0,) * 8
WORDS = (10, 11, 12, 13, 14, 15, 16, 17)
PLACES = (3, 1, 4, 1, 5, 2, 6, 5)
ONE_AND_A_HALF, THREE = 0x3E00, 0x4200
"""Floats of 16 bits."""


def adder() -> Netlist:
    """Sums of 8 bits through a buffer of two slots; each sum goes to a sink too."""
    it = NetlistBuilder("adder")
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


def meeting() -> Netlist:
    """Eight control tokens through a buffer of one slot meet eight others in a join."""
    it = NetlistBuilder("meeting")
    here, there = it.port("input", "here", "none"), it.port("input", "there", "none")
    both = it.port("output", "both", "none")
    it.unit("hold", "handshake.buffer", kind="seq", slots=1)
    it.connect(here, "hold.in", "none", "to_hold")
    it.unit("meet", "handshake.join")
    it.connect("hold.out", "meet.in0", "none", "held")
    it.connect(there, "meet.in1", "none", "other")
    it.connect("meet.out", both, "none", "met")
    return it.build()


def one_slot() -> Netlist:
    """A buffer of one slot alone."""
    it = NetlistBuilder("one_slot")
    it.unit("hold", "handshake.buffer", kind="seq", slots=1)
    it.connect(it.port("input", "word", "i8"), "hold.in", "i8", "to_hold")
    it.connect("hold.out", it.port("output", "same", "i8"), "i8", "held")
    return it.build()


def accesses(stores: int, loads: int, hidden: bool = False) -> Netlist:
    """An outside memory of 8 elements of i8; all ports of its accesses are the circuit's.

    Done tokens that are `hidden` go to sinks.
    """
    it = NetlistBuilder(f"accesses_{stores}_{loads}", index_width=4)
    it.memory("m", "i8", 8, "external")
    it.unit("ports", "handshake.extmemory", memory="m", stores=stores, loads=loads)
    for k in range(stores):
        for end, type_ in (("data", "i8"), ("address", "index")):
            name = f"st_{end}{k}"
            it.connect(it.port("input", name, type_), f"ports.{name}", type_, name)
    for k in range(loads):
        name = f"ld_address{k}"
        it.connect(it.port("input", name, "index"), f"ports.{name}", "index", name)
    for k in range(loads):
        name = f"ld_data{k}"
        it.connect(f"ports.{name}", it.port("output", name, "i8"), "i8", name)
    for name in (*(f"st_done{k}" for k in range(stores)), *(f"ld_done{k}" for k in range(loads))):
        end = f"{it.unit(f'drop_{name}', 'handshake.sink')}.in" if hidden else ""
        it.connect(f"ports.{name}", end or it.port("output", name, "none"), "none", name)
    return it.build()


def loading(
    count: int,
    times: int = 1,
    *,
    idle: int = 0,
    hidden: bool = False,
    timed: bool = False,
) -> StreamSubject:
    """Eight loads, so many `times`, at each of `count` accesses but the last `idle` ones."""
    busy = count - idle
    places = {k: (*PLACES[k:], *PLACES[:k]) * times if k < busy else () for k in range(count)}
    addresses = {f"ld_address{k}": each for k, each in places.items()}
    data = {f"ld_data{k}": tuple(WORDS[at] for at in each) for k, each in places.items()}
    done = {} if hidden else {f"ld_done{k}": EIGHT * times for k in range(count)}
    netlist = accesses(0, count, hidden)
    return streams(netlist, addresses, {**data, **done}, {"m": WORDS}, timed=timed)


def storing() -> StreamSubject:
    """Each element is stored once."""
    tokens = {"st_data0": WORDS, "st_address0": (7, 6, 5, 4, 3, 2, 1, 0)}
    return streams(accesses(1, 0), tokens, {"st_done0": EIGHT}, {"m": EIGHT})


def load_of_one_place() -> KernelSubject:
    """A load at a constant place, which is asked for at all times."""
    it = NetlistBuilder("load", index_width=4)
    it.memory("m", "i8", 8, "external")
    it.unit("place", "handshake.constant", value=2)
    it.connect(it.port("input", "go", "none"), "place.ctrl", "none", "going")
    it.unit("ports", "handshake.extmemory", memory="m", stores=0, loads=1)
    it.connect("place.result", "ports.ld_address0", "index", "places")
    it.connect("ports.ld_data0", it.port("output", "data", "i8"), "i8", "data_out")
    it.connect("ports.ld_done0", it.port("output", "done", "none"), "none", "done_out")
    return graph(it.build(), {"m": list(WORDS)}, {"m": list(EIGHT)})


def tests_of_a_loop() -> KernelSubject:
    """A loop that ends at once; its only test goes to an output and to five sinks."""
    it = NetlistBuilder("tests", index_width=4)
    it.unit("loop", "dataflow.stream", step_op="+=", cont_cond="<", unsigned=False)
    for name in ("start", "step", "bound"):
        it.connect(it.port("input", name, "index"), f"loop.{name}", "index", f"to_{name}")
    it.connect("loop.index", it.port("output", "index", "index"), "index", "from_index")
    it.unit("split", "handshake.fork")
    it.connect("loop.cont", "split.in", "i1", "test")
    it.connect("split.out0", it.port("output", "cont", "i1"), "i1", "from_cont")
    for k in range(1, 6):
        it.unit(f"drop{k}", "handshake.sink")
        it.connect(f"split.out{k}", f"drop{k}.in", "i1", f"test{k}")
    return graph(it.build(), {"start": 0, "step": 1, "bound": 0})


def slow_loads(slow: str, count: int = 1) -> StreamSubject:
    """Eight loads at the first of `count` accesses, whose data or done tokens leave slowly.

    That is every second cycle; the others leave at once.
    """
    it = NetlistBuilder(f"slow_{slow}{count}", index_width=4)
    it.memory("m", "i8", 8, "external")
    it.unit("ports", "handshake.extmemory", memory="m", stores=0, loads=count)
    given: dict[str, tuple[int, ...]] = {}
    for k in range(count):
        place = it.port("input", f"place{k}", "index")
        it.connect(place, f"ports.ld_address{k}", "index", f"places{k}")
    for name, type_ in (("data", "i8"), ("done", "none")):
        for k in range(count):
            end = it.port("output", f"{name}{k}", type_)
            if name == slow:
                it.unit(f"wait{k}", "handshake.buffer", kind="seq", slots=1)
                it.connect(f"wait{k}.out", end, type_, f"{name}_out{k}")
                end = f"wait{k}.in"
            it.connect(f"ports.ld_{name}{k}", end, type_, f"{name}_in{k}")
            given[f"{name}{k}"] = ()
    given["data0"], given["done0"] = tuple(WORDS[place] for place in PLACES), EIGHT
    places = {f"place{k}": () if k else PLACES for k in range(count)}
    return streams(it.build(), places, given, {"m": WORDS}, timed=True)


def sums_netlist() -> Netlist:
    """An adder alone: it is ready when the outside is."""
    it = NetlistBuilder("sums")
    it.unit("add", "arith.addi")
    for side, name in (("lhs", "left"), ("rhs", "right")):
        it.connect(it.port("input", name, "i8"), f"add.{side}", "i8", f"{name}_in")
    it.connect("add.result", it.port("output", "total", "i8"), "i8", "sum")
    return it.build()


def two_errors() -> StreamSubject:
    """A loop with step 0 and a store past the last element begin in the same cycle."""
    it = NetlistBuilder("two_errors", index_width=4)
    it.memory("m", "i8", 5, "external")
    it.unit("loop", "dataflow.stream", step_op="+=", cont_cond="<", unsigned=False)
    for name in ("start", "step", "bound"):
        it.connect(it.port("input", name, "index"), f"loop.{name}", "index", f"to_{name}")
    it.connect("loop.index", it.port("output", "index", "index"), "index", "from_index")
    it.connect("loop.cont", it.port("output", "cont", "i1"), "i1", "from_cont")
    it.unit("ports", "handshake.extmemory", memory="m", stores=1, loads=0)
    it.connect(it.port("input", "datum", "i8"), "ports.st_data0", "i8", "to_datum")
    it.connect(it.port("input", "address", "index"), "ports.st_address0", "index", "to_address")
    it.connect("ports.st_done0", it.port("output", "done", "none"), "none", "from_done")
    tokens = {"start": (1,), "step": (0,), "bound": (0,), "datum": (9,), "address": (6,)}
    expected = {"index": (1,), "cont": (0,), "done": (0,)}
    return streams(it.build(), tokens, expected, {"m": (0, 1, 2, 3, 4)})


def merged() -> StreamSubject:
    """Two streams come into one when they like."""
    it = NetlistBuilder("merged")
    it.unit("either", "handshake.merge")
    for name in ("early", "late"):
        it.connect(
            it.port("input", name, "i8"), f"either.in{int(name == 'early')}", "i8", f"{name}_in"
        )
    it.connect("either.out", it.port("output", "some", "i8"), "i8", "some_out")
    return streams(it.build(), {"early": (7,) * 12, "late": (8,) * 12}, {}, wanted={"some": 24})


def running_total() -> Netlist:
    """Sums of all tokens so far; the sum lies in a buffer between activations."""
    it = NetlistBuilder("running_total")
    it.unit("add", "arith.addi")
    it.unit("keep", "handshake.buffer", kind="seq", slots=2, initial=(0,))
    it.unit("split", "handshake.fork")
    it.connect(it.port("input", "more", "i8"), "add.lhs", "i8", "more_in")
    it.connect("keep.out", "add.rhs", "i8", "before")
    it.connect("add.result", "split.in", "i8", "after")
    it.connect("split.out0", it.port("output", "total", "i8"), "i8", "given")
    it.connect("split.out1", "keep.in", "i8", "kept")
    return it.build()


ADD = Case(
    "add",
    lambda: kernel(
        """func.func @f(%a: i8, %b: i8) -> i8 {
  %0 = arith.addi %a, %b : i8
  return %0 : i8
}""",
        {"a": 1, "b": 2},
        {"a": 200, "b": 100},
        {"a": 0, "b": 7},
    ),
)
DOUBLE = Case(
    "double an element",
    lambda: kernel(
        """func.func @f(%i: index, %m: memref<4xi8>) {
  %0 = memref.load %m[%i] : memref<4xi8>
  %1 = arith.addi %0, %0 : i8
  memref.store %1, %m[%i] : memref<4xi8>
  return
}""",
        {"i": 1, "m": [1, 2, 3, 4]},
        {"i": 3, "m": [5, 6, 7, 8]},
    ),
)


def black_box() -> KernelSubject:
    """Three stores at one port, and a done token after all; only the ports are watched."""
    found = kernel(
        """func.func @f(%a: i8, %m: memref<4xi8>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  memref.store %a, %m[%0] : memref<4xi8>
  memref.store %a, %m[%1] : memref<4xi8>
  memref.store %a, %m[%2] : memref<4xi8>
  return
}""",
        {"a": 9, "m": [1, 2, 3, 4]},
    )
    return replace(found, kernel=replace(found.kernel, black_box=True))


STORE = Case(
    "store an element",
    lambda: kernel(
        """func.func @f(%i: index, %a: i8, %m: memref<4xi8>) {
  memref.store %a, %m[%i] : memref<4xi8>
  return
}""",
        {"i": 1, "a": 9, "m": [1, 2, 3, 4]},
        {"i": 3, "a": 10, "m": [5, 6, 7, 8]},
    ),
)
BLACK_BOX = Case("black box", black_box)
LOAD_AND_RETURN = Case(
    "load and return an element",
    lambda: kernel(
        """func.func @f(%m: memref<4xi8>) -> i8 {
  %2 = arith.constant 2 : index
  %0 = memref.load %m[%2] : memref<4xi8>
  return %0 : i8
}""",
        {"m": [1, 2, 3, 4]},
        {"m": [5, 6, 7, 8]},
    ),
)
LOAD = Case("load an element", load_of_one_place)
EXCHANGE = Case(
    "load, then store",
    lambda: kernel(
        """func.func @f(%i: index, %j: index, %a: i8, %m: memref<4xi8>) -> i8 {
  %0 = memref.load %m[%i] : memref<4xi8>
  memref.store %a, %m[%j] : memref<4xi8>
  return %0 : i8
}""",
        {"i": 2, "j": 2, "a": 9, "m": [1, 2, 3, 4]},
        {"i": 1, "j": 1, "a": 8, "m": [5, 6, 7, 8]},
    ),
)
KEPT_SUMS = Case(
    "sums in a buffer", lambda: streams(adder(), {"left": LEFT, "right": RIGHT}, {"total": SUMS})
)
SUMS_ALONE = Case(
    "sums",
    lambda: streams(sums_netlist(), {"left": LEFT, "right": RIGHT}, {"total": SUMS}),
)
ONE_SLOT = Case("one slot", lambda: streams(one_slot(), {"word": LEFT}, {"same": LEFT}))
MEETING = Case(
    "tokens that meet", lambda: streams(meeting(), {"here": EIGHT, "there": EIGHT}, {"both": EIGHT})
)
STORING = Case("stores", storing)
LOADING = Case("loads", lambda: loading(1, 4, hidden=True))
THREE_LOADS = Case("three loads at a port", lambda: loading(3, timed=True))
WAITING = Case("three loads at a port, whose data wait", lambda: loading(3, 4, hidden=True))
ONE_OF_TWO = Case("one of two loads at a port", lambda: loading(2, 4, idle=1, hidden=True))
TWO_ERRORS = Case("two errors", two_errors, ("activation 0: run-time error 1",))
MERGED = Case("two streams into one", merged)
RUNNING_TOTAL = Case(
    "running total",
    lambda: streams(running_total(), {"more": (1, 2, 3)}, {"total": (1, 3, 6)}, counted=False),
)
GRAPH_OF_SUMS = Case(
    "sums of a graph",
    lambda: graph(sums_netlist(), {"left": 1, "right": 2}, {"left": 200, "right": 100}),
)
GRAPH_OF_TOTALS = Case(
    "running total of a graph",
    lambda: graph(running_total(), {"more": 1}, {"more": 2}, {"more": 3}),
)
LOAD_AFTER_LOAD = Case("a load each cycle", lambda: loading(1, timed=True))
SLOW_DATA = Case("data that leave slowly", lambda: slow_loads("data"))
SLOW_SHARED = Case("data of a shared port that leave slowly", lambda: slow_loads("data", 2))
SLOW_DONE = Case("done tokens that leave slowly", lambda: slow_loads("done"))
SUM_OF_ARRAY = """func.func @f(%n: index, %m: memref<4xi8>) -> i8 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i8
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> (i8) {
    %v = memref.load %m[%i] : memref<4xi8>
    %b = arith.addi %a, %v : i8
    scf.yield %b : i8
  }
  return %s : i8
}"""
LOOP = Case("loop", lambda: kernel(SUM_OF_ARRAY, {"n": 3, "m": [1, 2, 3, 4]}))
LOOP_NOT_RUN = Case("loop that does not run", tests_of_a_loop)
HALF = Case(
    "sum of floats",
    lambda: kernel(
        """func.func @f(%a: f16, %b: f16) -> f16 {
  %0 = arith.addf %a, %b : f16
  return %0 : f16
}""",
        Bundle({"a": ONE_AND_A_HALF, "b": ONE_AND_A_HALF}, Expected((THREE,))),
    ),
)
