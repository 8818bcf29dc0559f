"""Where buffers stand and how long they are: from start times, loop depths and ways of units."""

from __future__ import annotations

from typing import Literal

import pytest
from xdsl.ir import Block

from loom.analysis.schedule.buffers import count_slots
from loom.analysis.schedule.event_graph import (
    RANKS,
    Edge,
    EventGraph,
    feedback_rank,
    iterations_back,
)
from loom.analysis.schedule.loop_nest import loop_depths
from loom.analysis.schedule.modulo_schedule import Arc, modulo_schedule
from loom.analysis.schedule.plan_buffers import plan_buffers
from loom.analysis.timing.clocked_units import Buffer
from loom.dialects.ops.handshake_function import FuncOp
from loom.dialects.ops.handshake_memory import MemoryOp
from loom.front.api import compile_text
from loom.frontend.mlir.read import parse_module
from loom.lower.options import Options

pytestmark = pytest.mark.usefixtures("no_clock_period")

Delays = tuple[tuple[str, str, int, int], ...]

SCHEDULES: dict[str, tuple[Delays, dict[str, int], dict[str, int]]] = {
    "a path": ((("a", "b", 3, 0), ("b", "c", 1, 0)), {"a": 0, "b": 3, "c": 4}, {}),
    "the longer of two paths": (
        (("a", "b", 3, 0), ("a", "c", 1, 0), ("b", "c", 1, 0)),
        {"a": 0, "b": 3, "c": 4},
        {},
    ),
    "a cycle of four cycles": (
        (("a", "b", 3, 0), ("b", "a", 1, 1)),
        {"a": 0, "b": 3},
        {"a": 4, "b": 4},
    ),
    # Five cycles for two iterations: three for one, for an interval is whole.
    "a cycle over two iterations": (
        (("a", "b", 3, 1), ("b", "a", 2, 1)),
        {"a": 0, "b": 0},
        {"a": 3, "b": 3},
    ),
    "the slowest of several cycles": (
        (("a", "b", 3, 0), ("b", "a", 1, 1), ("a", "a", 2, 1)),
        {"a": 0, "b": 3},
        {"a": 4, "b": 4},
    ),
    # b takes what a made an iteration, that is 4 cycles, before: 7 - 4.
    "from a slow loop to the next iteration": (
        (("a", "a", 4, 1), ("a", "b", 7, 1)),
        {"a": 0, "b": 3},
        {"a": 4},
    ),
    "to the next iteration of a slow loop": (
        (("b", "b", 4, 1), ("a", "b", 7, 1)),
        {"a": 0, "b": 3},
        {"b": 4},
    ),
}
"""Arcs (from, to, delay, iterations ahead); the start times; the intervals above 1."""


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_schedule_is_the_earliest(name: str) -> None:
    """Of all with r(target) + II*m >= r(source) + delay, docs/spec/buffering.md, "Start times"."""
    delays, start, intervals = SCHEDULES[name]
    found = modulo_schedule([Arc(*each) for each in delays])
    assert found.start == start
    assert found.interval == {node: intervals.get(node, 1) for node in start}


def graph_of(body: str, arguments: str = "%a: i8, %b: i8", returned: str = "%a : i8") -> Block:
    """The body of a handshake function of one result; `arguments` come before the start token."""
    names = ", ".join(f'"{each.split(":")[0].strip()[1:]}"' for each in arguments.split(","))
    value, type_ = returned.split(" : ")
    module = parse_module(
        f"handshake.func @f({arguments}, %start: none, ...) -> ({type_}, none) "
        f'attributes {{argNames = [{names}, "start"], resNames = ["out0", "done"]}} {{\n{body}\n'
        f"  handshake.return {value}, %start : {type_}, none\n}}",
        "k.mlir",
    )
    (function,) = module.body.block.ops
    assert isinstance(function, FuncOp)
    return function.body.block


def named(edge: Edge) -> str:
    """``unit:operand``, the unit by the name of its first result."""
    names = [result.name_hint for result in edge.operation.results]
    return f"{names[0] if names else edge.operation.name}:{edge.index}"


def cuts_of(block: Block) -> dict[str, Buffer]:
    return {named(edge): cut for edge, cut in plan_buffers(EventGraph(block, 64, {})).items()}


# Iterations that do not wait for each other: each squares i and adds i.
SQUARES = """
  %c1, %c2, %c3 = handshake.fork [3] %raw : i1
  %idx, %raw = dataflow.stream %zero, %one, %n {step_op = "+=", cont_cond = "<"}
  %i, %last = handshake.cond_br %c1, %idx : index
  %i1, %i2, %i3 = handshake.fork [3] %i : index
  %square = arith.muli %i1, %i2 : index
  %both = arith.addi %square, %i3 : index
  %sum = dataflow.carry %c2, %first, %next : i1, index, index -> index
  %go, %out = handshake.cond_br %c3, %sum : index
  %next = arith.addi %go, %both : index"""


def squares() -> Block:
    return graph_of(SQUARES, "%zero: index, %one: index, %n: index, %first: index", "%out : index")


def product_cycles() -> int:
    """Latency of the product [cycles]."""
    graph = EventGraph(squares(), 64, {})
    return next(e.source.timing.latency for e in graph.edges if named(e) == "both:0")


def test_a_short_path_gets_as_many_slots_as_tokens_wait_on_it() -> None:
    """One a cycle while the product is made, and one to take while the last is given."""
    waits = product_cycles()
    assert waits > 1
    assert cuts_of(squares()) == {
        "both:1": Buffer(False, waits + 1),
        "go:0": Buffer(False, waits + 1),  # whose sum waits for the product
        "sum:0": Buffer(False, waits + 2),  # the same an iteration later
        "sum:2": Buffer(True, 2),
    }


def test_a_register_on_a_short_path_takes_over_a_cycle_but_not_the_token() -> None:
    graph = EventGraph(squares(), 64, {})
    (edge,) = (edge for edge in graph.edges if named(edge) == "both:1")
    slots = [count_slots(graph, registered)[edge] for registered in (set[Edge](), {edge})]
    assert slots == [product_cycles() + 1] * 2


def test_slots_are_fewer_where_iterations_start_less_often() -> None:
    """A product in the loop's cycle too, so that a product's time lies between two iterations."""
    product = SQUARES.replace("%next = arith.addi", "%next = arith.muli")
    names = "%zero: index, %one: index, %n: index, %first: index"
    cuts = cuts_of(graph_of(product, names, "%out : index"))
    assert cuts["go:0"] == Buffer(False, 2)  # waits one interval for the first product
    assert cuts["sum:0"] == Buffer(False, 3)  # and another one for the next iteration
    assert cuts["sum:2"] == Buffer(False, 1)


def test_outside_of_loops_nothing_waits_for_the_next() -> None:
    body = """
  %a1, %a2, %a3 = handshake.fork [3] %a : i8
  %square = arith.muli %a1, %a2 : i8
  %both = arith.addi %square, %a3 : i8"""
    assert cuts_of(graph_of(body, "%a: i8", "%both : i8")) == {}


BRANCH = """func.func @f(%n: index, %a: i8, %k: i8) -> i8 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %s = scf.for %i = %0 to %n step %1 iter_args(%x = %a) -> i8 {
    %c = arith.cmpi slt, %x, %k : i8
    %y = scf.if %c -> i8 {
      %p = arith.muli %x, %x : i8
      scf.yield %p : i8
    } else {
      %q = arith.addi %x, %k : i8
      scf.yield %q : i8
    }
    scf.yield %y : i8
  }
  return %s : i8
}"""
WHILE = """func.func @f(%a: i8, %n: i8, %m: memref<8xi8>) -> i8 {
  %0 = arith.constant 0 : index
  %r = scf.while (%x = %a) : (i8) -> i8 {
    %v = memref.load %m[%0] : memref<8xi8>
    %c = arith.cmpi slt, %x, %v : i8
    scf.condition(%c) %x : i8
  } do {
  ^bb0(%x: i8):
    %y = arith.addi %x, %n : i8
    memref.store %y, %m[%0] : memref<8xi8>
    scf.yield %y : i8
  }
  return %r : i8
}"""


@pytest.mark.parametrize("zero_trip", ["raw", "guard"])
@pytest.mark.parametrize("text", [BRANCH, WHILE])
def test_what_a_loop_s_head_takes_from_the_iteration_before_has_a_slot(
    text: str, zero_trip: Literal["raw", "guard"]
) -> None:
    """Without it head and condition wait in turn: rules 1 and 2 of docs/spec/buffering.md."""
    netlist = compile_text(text, "k.mlir", options=Options(zero_trip=zero_trip)).netlist
    operators = {unit.name: unit.operator.name for unit in netlist.units}
    heads = {"dataflow.carry": ("d", "b"), "dataflow.invariant": ("d",)}
    taken = [
        channel
        for channel in netlist.channels
        if channel.target.port in heads.get(operators.get(channel.target.unit, ""), ())
    ]
    assert len(taken) >= 2
    assert {operators.get(channel.source.unit) for channel in taken} == {"handshake.buffer"}


def test_what_comes_back_moves_every_cycle_though_its_longest_way_is_slow() -> None:
    """One slot that holds back ready gives a token every second cycle; one side is faster."""
    netlist = compile_text(BRANCH, "k.mlir").netlist
    kinds = [unit.attributes.get("kind", "fifo") for unit in netlist.units]
    assert [kind for kind in kinds if kind != "fifo"] == ["stage", "stage"]


SEARCH = """func.func @f(%m: memref<8xi8>, %k: i8) -> index {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %r = scf.while (%i = %0) : (index) -> index {
    %v = memref.load %m[%i] : memref<8xi8>
    %c = arith.cmpi ne, %v, %k : i8
    scf.condition(%c) %i : index
  } do {
  ^bb0(%i: index):
    %j = arith.addi %i, %1 : index
    scf.yield %j : index
  }
  return %r : index
}"""


@pytest.mark.parametrize("text", [SEARCH, BRANCH])
def test_a_register_stands_where_tokens_wait_anyway(text: str) -> None:
    """The index waits for the load that says whether to go on, a side for its product."""
    (loop,) = compile_text(text, "k.mlir").loops
    assert "buffer" not in loop.limited_by


def test_each_cycle_is_cut_once_for_valid_or_else_once_for_ready() -> None:
    """Two cycles without a loop's head, one of them with a product, which cuts valid itself."""
    body = """
  %m = arith.addi %y, %x : i8
  %to_y, %to_x, %out = handshake.fork [3] %m : i8
  %y = arith.muli %to_y, %a : i8
  %x = arith.addi %to_x, %b : i8"""
    cuts = cuts_of(graph_of(body, "%a: i8, %b: i8", "%out : i8"))
    assert cuts == {"x:0": Buffer(True, 2), "y:0": Buffer(False, 1)}


def test_loops_are_counted_from_outside() -> None:
    block = squares()
    depths = {value.name_hint: depth for value, depth in loop_depths(block).items()}
    inside = ("idx", "raw", "c1", "i", "i3", "square", "both", "sum", "go", "next")
    assert {name: depths[name] for name in inside} == dict.fromkeys(inside, 1)
    outside = ("first", "start", "last", "out")
    assert {name: depths[name] for name in outside} == dict.fromkeys(outside, 0)


def test_a_value_that_is_repeated_lies_one_loop_deeper() -> None:
    body = """
  %c1, %c2, %c3 = handshake.fork [3] %c : i1
  %o = dataflow.invariant %c1, %a : i1, i8 -> i8
  %p = dataflow.replicate %c2, %b : i1, i8 -> i8
  %q = dataflow.carry %c3, %d, %p : i1, i8, i8 -> i8"""
    block = graph_of(body, "%c: i1, %a: i8, %b: i8, %d: i8", "%q : i8")
    depths = {value.name_hint: depth for value, depth in loop_depths(block).items()}
    assert {name: depths[name] for name in "abdopq"} == {
        **dict.fromkeys("abd", 0),
        **dict.fromkeys("opq", 1),
    }


def test_the_ports_of_an_access_belong_together() -> None:
    """Operands: data and address of each store, then loads' addresses; results: data, dones."""
    body = """
  %d0, %d1, %s0, %s1, %l0, %l1 = handshake.memory [ld = 2, st = 2]
      (%v0, %a0, %v1, %a1, %a2, %a3) {memory = "m"} : memref<4xi8>,
      (i8, index, i8, index, index, index) -> (i8, i8, none, none, none, none)"""
    block = graph_of(
        body, "%v0: i8, %a0: index, %v1: i8, %a1: index, %a2: index, %a3: index", "%d0 : i8"
    )
    (memory,) = (op for op in block.ops if isinstance(op, MemoryOp))
    assert [memory.access_of_operand(k) for k in range(6)] == [0, 0, 1, 1, 2, 3]
    assert [memory.access_of_result(k) for k in range(6)] == [2, 3, 0, 1, 2, 3]


@pytest.mark.parametrize(("distance", "found"), [(1, {1: (0, 1), 2: (0, 4)}), (0, {2: (0, 3)})])
def test_a_store_before_its_load_is_of_the_same_iteration(
    distance: int, found: dict[int, tuple[int, int]]
) -> None:
    """Of what a store queue reads: rank and iterations between, of what is of an earlier one."""
    text = f"""handshake.func @f(%a: i8, %b: i8, %c: none, %start: none, ...) -> (none, none) {{
      %a_0 = handshake.buffer [1] fifo %a : i8
      %b_0 = handshake.buffer [1] fifo %b : i8
      %c_0 = handshake.buffer [1] fifo %c : none
      %0 = dataflow.store_queue %a_0, %b_0, %c_0 {{depth = 3, distance = {distance}}} : i8
      handshake.return %0, %start : none, none
    }}"""
    (function,) = parse_module(text, "k.mlir").ops
    assert isinstance(function, FuncOp)
    edges = EventGraph(function.body.block, 64, {}).edges
    assert {
        edge.index: (feedback_rank(edge), iterations_back(edge))
        for edge in edges
        if edge.operation.name == "dataflow.store_queue" and feedback_rank(edge) < RANKS
    } == found
