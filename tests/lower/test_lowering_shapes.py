"""What each pass from scf to a graph of units makes of small inputs, and how long streams are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pytest
from xdsl.dialects.builtin import ModuleOp

from loom.front.api import compile_text
from loom.front.circuit import Circuit
from loom.frontend.mlir.read import parse_module
from loom.lower.dataflow.materialize_forks import materialize_forks
from loom.lower.dataflow.place_buffers import place_buffers
from loom.lower.dataflow.scf_to_dataflow import scf_to_dataflow
from loom.lower.loops.guard_loops import guard_loops
from loom.lower.memory.thread_memory_order import thread_memory_order
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.tokens.token_simulator import simulate
from loom.netlist.netlist import Unit
from tests.support.filecheck import missing

pytestmark = pytest.mark.usefixtures("no_clock_period")

Rewrite = Callable[[ModuleOp, Options], None]
ORDER, FLAT = (thread_memory_order,), (thread_memory_order, guard_loops, scf_to_dataflow)
FORKED = (*FLAT, materialize_forks)
SUM = """func.func @f(%n: index, %a: i32, %m: memref<8xi32>) -> i32 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %s = scf.for %i = %0 to %n step %1 iter_args(%x = %a) -> i32 {
    %v = memref.load %m[%i] : memref<8xi32>
    %y = arith.addi %x, %v : i32
    scf.yield %y : i32
  }
  memref.store %s, %m[%0] : memref<8xi32>
  return %s : i32
}"""
COPY = """func.func @f(%n: index, %p: memref<8xi8>, %q: memref<8xi8>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.for %i = %0 to %n step %1 {
    %v = memref.load %p[%i] : memref<8xi8>
    %w = memref.load %p[%0] : memref<8xi8>
    %x = arith.addi %v, %w : i8
    memref.store %x, %q[%i] : memref<8xi8>
    memref.store %x, %p[%0] : memref<8xi8>
  }
  return
}"""
BRANCH = """func.func @f(%c: i1, %a: i8, %m: memref<2xi8>) -> i8 {
  %0 = arith.constant 0 : index
  %r = scf.if %c -> i8 {
    memref.store %a, %m[%0] : memref<2xi8>
    scf.yield %a : i8
  } else {
    %v = memref.load %m[%0] : memref<2xi8>
    %w = arith.addi %v, %a : i8
    scf.yield %w : i8
  }
  return %r : i8
}"""
WHILE = """func.func @f(%n: i8, %b: i8) -> i8 {
  %one = arith.constant 1 : i8
  %r = scf.while (%x = %b) : (i8) -> i8 {
    %c = arith.cmpi ult, %x, %n : i8
    scf.condition(%c) %x : i8
  } do {
  ^bb0(%y: i8):
    %z = arith.addi %y, %one : i8
    %w = arith.addi %z, %n : i8
    scf.yield %w : i8
  }
  return %r : i8
}"""
ROWS: dict[str, tuple[str, tuple[Rewrite, ...], Literal["raw", "guard"], str]] = {
    "loads of a loop that only reads start from its entry (D7)": (SUM, ORDER, "raw", """
        func.func @f(%n: index, %a: i32, %m: memref<8xi32>, [[START]]: none) -> (i32, none)
        %s, [[DONE]] = scf.for ... iter_args(%x = %a, [[T]] = [[START]]) -> (i32, none)
        %v, [[READ]] = "order.load"(%m, %i, [[START]])
        scf.yield %y, [[READ]] : i32, none
        [[STORED]] = "order.store"(%s, %m, %0, [[DONE]])
        func.return %s, [[STORED]] : i32, none"""),
    "two memories, two orders; loads side by side, stores in turn": (COPY, ORDER, "raw", """
        [[PD]], [[QD]] = scf.for ... iter_args([[P]] = [[S]], [[Q]] = [[S]]) -> (none, none)
        %v, [[A]] = "order.load"(%p, %i, [[P]])
        %w, [[B]] = "order.load"(%p, %0, [[P]])
        [[QE]] = "order.store"(%x, %q, %i, [[S]])
        [[AB]] = "order.join"([[A]], [[B]])
        [[PE]] = "order.store"(%x, %p, %0, [[AB]])
        scf.yield [[PE]], [[QE]] : none, none
        [[ALL]] = "order.join"([[PD]], [[QD]])
        func.return [[ALL]] : none"""),
    "both branches give a token back": (BRANCH, ORDER, "raw", """
        %r, [[DONE]] = scf.if %c -> (i8, none)
        [[STORED]] = "order.store"(%a, %m, %0, [[START]])
        scf.yield %a, [[STORED]] : i8, none
        } else {
        %v, [[READ]] = "order.load"(%m, %0, [[START]])
        scf.yield %w, [[READ]] : i8, none
        func.return %r, [[DONE]] : i8, none"""),
    "a loop that may not run is guarded": (SUM, FLAT[:2], "guard", """
        [[RUNS]] = arith.cmpi slt, %0, %n : index
        %s, [[DONE]] = scf.if [[RUNS]] -> (i32, none)
        [[R]], [[D]] = scf.for
        scf.yield [[R]], [[D]] : i32, none
        } else {
        scf.yield %a, [[START]] : i32, none"""),
    "raw: body values and control under the raw condition (D1)": (SUM, FLAT, "raw", """
        [[M]], [[ST]], [[LD]] = handshake.extmemory [ld = 1, st = 1] (%m ...) ([[D]], [[A]], [[B]])
        [[IDX]], [[RAW]] = dataflow.stream
        %i, [[LAST]] = handshake.cond_br [[RAW]], [[IDX]] : index
        [[X]] = dataflow.carry [[RAW]], %a, %y : i1, i32, i32 -> i32
        %x, %s = handshake.cond_br [[RAW]], [[X]] : i32
        [[T]] = dataflow.carry [[RAW]], %start, [[LD]] : i1, none, none -> none
        [[IN]], [[OUT]] = handshake.cond_br [[RAW]], [[T]] : none
        [[CTRL]] = dataflow.replicate [[RAW]], %start : i1, none -> none
        %v, [[B]] = handshake.load [%i] [[M]], [[CTRL]] : index, i32
        [[D]], [[A]] = handshake.store ... %s, [[OUT]] : index, i32
        handshake.return %s, [[ST]] : i32, none"""),
    "guard: the loop is rotated, one done leaves (D5)": (SUM, FLAT, "guard", """
        [[RUNS]] = arith.cmpi slt, ... : index
        [[A1]], [[A0]] = handshake.cond_br [[RUNS]], %a : i32
        [[S1]], [[S0]] = handshake.cond_br [[RUNS]], %start : none
        handshake.constant [[S1]] {value = 0 : index}
        %i, [[MORE]] = dataflow.stream ... {step_op = "+=", cont_cond = "<", rotated}
        %x = dataflow.carry [[MORE]], [[A1]], [[BACK]] : i1, i32, i32 -> i32
        dataflow.carry [[MORE]], [[S1]], [[READ]] : i1, none, none -> none
        [[CTRL]] = dataflow.replicate [[MORE]], [[S1]] {rotated} : i1, none -> none
        handshake.load [%i] ..., [[CTRL]] : index, i32
        [[BACK]], [[XE]] = handshake.cond_br [[MORE]], %y : i32
        [[READ]], [[DONE]] = handshake.cond_br [[MORE]], ... : none
        %s = handshake.mux [[RUNS]] [[[A0]], [[XE]]] : i1, i32
        handshake.mux [[RUNS]] [[[S0]], [[DONE]]] : i1, none"""),
    "an outside value is branched once (D3)": (BRANCH, FLAT, "raw", """
        [[A1]], [[A0]] = handshake.cond_br %c, %a : i8
        %w = arith.addi %v, [[A0]] : i8
        handshake.store [...] [[A1]], ... : index, i8
        %r = handshake.mux %c [%w, [[A1]]] : i1, i8"""),
    "while: the after region takes the true side (D2)": (WHILE, FLAT, "raw", """
        %x = dataflow.carry %c, %b, %w : i1, i8, i8 -> i8
        [[N]] = dataflow.invariant %c, %n : i1, i8 -> i8
        %c = arith.cmpi ult, %x, [[N]] : i8
        %y, %r = handshake.cond_br %c, %x : i8
        [[GO]] = dataflow.replicate %c, %start : i1, none -> none
        %one = handshake.constant [[GO]] {value = 1 : i8} : i8
        [[NA]], [[NF]] = handshake.cond_br %c, [[N]] : i8
        %w = arith.addi %z, [[NA]] : i8
        handshake.return %r, %start : i8, none"""),
    "every value has one reader": (SUM, FORKED, "raw", """
        [[S1]], [[S2]], [[S3]], [[S4]] = handshake.fork [4] %start : none
        [[C1]], [[C2]], [[C3]], [[C4]], [[C5]], [[C6]] = handshake.fork [6] [[RAW]] : i1
        %i, [[LAST]] = handshake.cond_br [[C1]], ... : index
        handshake.sink [[LAST]] : index"""),
    "what comes back into a carry is cut, its condition can wait": (
        SUM, (*FORKED, place_buffers), "raw", """
        [[C]] = handshake.buffer [3] fifo ... : i1
        %y = handshake.buffer [2] seq [[NEXT]] : i32
        dataflow.carry [[C]], %a, %y : i1, i32, i32 -> i32
        [[NEXT]] = arith.addi %x, %v : i32"""),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_shape(name: str) -> None:
    text, passes, zero_trip, patterns = ROWS[name]
    module = parse_module(text, "k.mlir")
    for rewrite in passes:
        rewrite(module, Options(zero_trip=zero_trip, memory_order="serial"))
    assert missing(str(module), patterns) is None, str(module)


def test_the_matcher_sees_what_is_missing() -> None:
    text = "%1 = a %0\n%2 = b %1"
    assert missing(text, "[[X]] = a ...\n[[Y]] = b [[X]]") is None
    assert missing(text, "[[X]] = b ...\n[[Y]] = a [[X]]") == "[[Y]] = a [[X]]"
    assert missing(text, "[[X]] = a [[X]]") == "[[X]] = a [[X]]"
    assert missing("%11 = a %1", "[[X]] = a ...\nb") == "b"


def test_no_branch_of_a_constant() -> None:
    module = parse_module(BRANCH, "k.mlir")
    for rewrite in FLAT:
        rewrite(module, Options())
    assert str(module).count("handshake.cond_br") == 2  # %a and the order token
    assert str(module).count("{value = 0 : index}") == 2  # one in each region


def test_constant_bounds_need_no_guard() -> None:
    for low, high, word, guarded in (
        (0, 1, "", False), (0, 0, "", True), (-1, 1, "", False), (-1, 1, "unsigned ", True),
        (1, -1, "unsigned ", False), (1, -1, "", True),
    ):  # fmt: skip
        module = parse_module(
            f"func.func @f() {{\n  %l = arith.constant {low} : i8\n"
            f"  %h = arith.constant {high} : i8\n"
            f"  scf.for {word}%i = %l to %h step %h : i8 {{\n    scf.yield\n  }}\n  return\n}}",
            "k.mlir",
        )
        guard_loops(module, Options(zero_trip="guard"))
        assert ("scf.if" in str(module)) == guarded, (low, high, word)
        assert ("unsignedCmp" in str(module)) == bool(word)


def units_of(circuit: Circuit, operator: str) -> list[Unit]:
    return [unit for unit in circuit.netlist.units if unit.operator.name == operator]


@pytest.mark.parametrize("zero_trip", ["raw", "guard"])
@pytest.mark.parametrize("trips", [1, 2, 7])
def test_lengths_of_streams(trips: int, zero_trip: Literal["raw", "guard"]) -> None:
    """N+1 tests, N of a rotated loop: docs/spec/control-flow.md, "Lengths of streams"."""
    options = Options(zero_trip=zero_trip, memory_order="serial", lean="off")
    circuit = compile_text(SUM, "k.mlir", options=options)
    netlist = circuit.netlist
    (run,) = simulate(netlist, [Activation({"n": trips, "a": 1, "m": [1] * 8})]).activations
    assert run.clean and run.results == (trips + 1,)

    def sent(unit: Unit) -> dict[str, int]:
        channels = (c for c in netlist.channels if c.source.unit == unit.name)
        return {channel.source.port: run.tokens[channel.name] for channel in channels}

    (stream,) = units_of(circuit, "dataflow.stream")
    tests = trips + (zero_trip == "raw")
    assert sent(stream) == {"index": tests, "cont": tests}
    # The loop carries the sum, and the load's done token to the return.
    assert [sent(unit) for unit in units_of(circuit, "dataflow.carry")] == [{"o": tests}] * 2
    assert [sent(unit) for unit in units_of(circuit, "dataflow.replicate")] == [{"o": trips}]
    (memory,) = units_of(circuit, "handshake.extmemory")
    assert sent(memory) == {"ld_data0": trips, "st_done0": 1, "ld_done0": trips}


@pytest.mark.parametrize("zero_trip", ["raw", "guard"])
def test_a_loop_that_does_not_run_leaves_nothing(zero_trip: Literal["raw", "guard"]) -> None:
    circuit = compile_text(
        SUM, "k.mlir", options=Options(zero_trip=zero_trip, memory_order="serial")
    )
    given = [Activation({"n": n, "a": 3, "m": [5] * 8}) for n in (0, 3, 0, 0, 2)]
    run = simulate(circuit.netlist, given)
    assert run.clean
    assert [each.results for each in run.activations] == [(3,), (18,), (3,), (3,), (13,)]


@pytest.mark.parametrize("text", [SUM, COPY, BRANCH])
def test_every_access_is_connected_once_and_stores_come_first(text: str) -> None:
    """One control, one done token, one data connection: docs/spec/memory-order.md, "Invariants"."""
    circuit = compile_text(text, "k.mlir", options=Options(lean="off"))
    netlist = circuit.netlist
    for kind in ("load", "store"):
        for unit in units_of(circuit, f"handshake.{kind}"):
            ports = [c.target.port for c in netlist.channels if c.target.unit == unit.name]
            assert sorted(ports) == sorted(port.name for port in unit.operator.signature.inputs)
    memories = units_of(circuit, "handshake.extmemory")
    accesses = 0
    for memory in memories:
        inputs = [channel.target.port for channel in netlist.inputs_of(memory)]
        outputs = [channel.source.port for channel in netlist.outputs_of(memory)]
        stores, loads = memory.attributes["stores"], memory.attributes["loads"]
        assert isinstance(stores, int) and isinstance(loads, int)
        accesses += stores + loads
        assert inputs == [
            *(f"st_{what}{k}" for k in range(stores) for what in ("data", "address")),
            *(f"ld_address{k}" for k in range(loads)),
        ]
        assert outputs == [
            *(f"ld_data{k}" for k in range(loads)),
            *(f"st_done{k}" for k in range(stores)),
            *(f"ld_done{k}" for k in range(loads)),
        ]
    assert accesses == text.count("memref.load") + text.count("memref.store")


def test_units_keep_the_place_of_what_they_are_made_of() -> None:
    """Line and column of the text, without the file's folder."""
    circuit = compile_text(SUM, "folder/k.mlir", options=Options(lean="off"))
    found = {u.operator.name: str(u.place) for u in circuit.netlist.units}
    assert found["handshake.load"] == "k.mlir:5:5"
    assert found["arith.addi"] == "k.mlir:6:5"
    assert found["handshake.store"] == "k.mlir:9:3"


def test_groups_meet_only_in_the_return() -> None:
    """One done a group and activation; the only joins of two groups lead to the done port."""
    circuit = compile_text(COPY, "k.mlir", options=Options(lean="off"))
    given = [Activation({"n": n, "p": [1] * 8, "q": [0] * 8}) for n in (0, 4)]
    run = simulate(circuit.netlist, given)
    assert run.clean and [each.outputs["done"] for each in run.activations] == [(0,), (0,)]
    joins = units_of(circuit, "handshake.join")
    targets = [c.target for join in joins for c in circuit.netlist.outputs_of(join)]
    assert len(joins) == 2  # of the two loads of p, and of p and q
    assert [target.unit for target in targets].count("") == 1
