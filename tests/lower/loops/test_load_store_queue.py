"""A load-store queue orders the accesses of an array: what is loaded is what the program says."""

from __future__ import annotations

from functools import cache

import pytest

from loom.analysis.balance.invariants import check_invariants
from loom.dialects.operators.ordering.load_store_queue import LOAD_STORE_QUEUE
from loom.errors import LoomError
from loom.front.api import compile_text
from loom.front.circuit import Circuit
from loom.front.request import Request
from loom.front.styles.choose import compile_in_style
from loom.lower.explain_order import arrays_with_queue, explain_order
from loom.lower.memory import thread_memory_order
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from loom.model.timed.simulate import run_timed
from tests.lower.loops.test_compare_addresses import (
    BINS,
    BODIES,
    COUNT,
    MEMORIES,
    NEST,
    PATTERNS,
    activations,
    program,
    wrong,
)

MORE = {
    "an if in an if": "if (w[i] > 1) { if (x[i] > 3) h[x[i]] += 3; else h[w[i]] = h[x[i]]; } "
    "else if (h[x[i]] & 1) h[i & 7] = n;",
    "a loop in a branch": "if (h[x[i]] & 3) for (int k = 0; k < (w[i] & 3); k++) h[k] += h[x[i]]; "
    "else h[x[i]] = i;",
    "a while of its own data": "int p = x[i]; int k = 0; while (k < 9 && (h[p] & 7) != p) "
    "{ h[p] ^= k; p = h[p] & 7; k++; }",
    "no load between": "h[x[i]] = i; h[w[i]] = n; s += h[i & 7];",
}
NO_QUEUE = {"no order": "s += h[x[i]];", "apart": "h[i & 7] = w[i];"}


@cache
def circuit(text: str, memory: str = "ram", **more: object) -> Circuit:
    """The program with a queue, the array behind this memory."""
    return compile_text(text, "k.c", options=options(memory, **more))


def options(memory: str, **more: object) -> Options:
    """Those of a circuit with queues."""
    memories = (("h", memory),)
    given = {"clock_period": None, "style": "dynamic", "memories": memories, **more}
    return Options(memory_order="queue", **given)  # type: ignore[arg-type]


def queues(found: Circuit) -> list[tuple[str, int]]:
    """Groups and depth of each queue."""
    return [
        (shape.text("groups"), shape.integer("depth"))
        for unit in found.netlist.units
        if unit.operator is LOAD_STORE_QUEUE
        for shape in [found.netlist.shape_by_unit[unit.name]]
    ]


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("memory", MEMORIES[::3])
@pytest.mark.parametrize("body", [*BODIES.values(), *MORE.values(), NEST])
def test_results_are_those_of_the_program(body: str, memory: str) -> None:
    for more in ({}, {"lean": "off"}, {"order_depth": 2}, {"clock_period": "default"}):
        found = circuit(program(body), memory, **more)
        assert len(queues(found)) == 1
        assert wrong(found) == []
        report = check_invariants(found.netlist, lean=more.get("lean") != "off")
        assert (report.problems("k.c"), report.balance) == ([], "proved")


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("name", sorted(MORE))
def test_random_schedules_of_the_token_model_agree(name: str) -> None:
    found = circuit(program(MORE[name]))
    for seed in (1, 2):
        report = compare_models(
            found.source, "f", found.netlist, activations(), max_cycles=10_000, seed=seed
        )
        assert report.differences == ()


@pytest.mark.parametrize("name", NO_QUEUE)
def test_accesses_that_need_no_order_have_no_queue(name: str) -> None:
    assert queues(circuit(program(NO_QUEUE[name]))) == []


def test_accesses_in_a_row_are_a_group() -> None:
    assert queues(circuit(program(BODIES["histogram"]))) == [("ls", 4)]
    assert queues(circuit(program(BODIES["two stores under a branch"]))) == [("s,ls", 4)]
    assert queues(circuit(program(BODIES["an exchange"]))) == [("llss", 4)]
    # A group with more accesses than the queue has places is several.
    assert queues(circuit(program(BODIES["an exchange"]), order_depth=2)) == [("ll,ss", 2)]


def test_an_array_inside_and_one_in_banks() -> None:
    text = (
        "int f(const int x[24], int n) { int h[8] = {0}; for (int i = 0; i < n; i++) "
        "h[x[i] & 7] += h[i & 7] + 1; return h[3] + h[5]; }"
    )
    given = [Activation({"x": [*PATTERNS["mixed"]], "n": n}) for n in (0, 1, 2, COUNT)]
    for more in ({}, {"partitions": (("h", "cyclic:2"),)}):
        found = compile_text(text, "k.c", options=options("ram", memories=(), **more))
        assert len(queues(found)) == 1
        report = compare_models(found.source, "f", found.netlist, given, max_cycles=10_000)
        assert report.differences == ()
        for run, outcome in zip(run_timed(found.netlist, given), report.outcomes, strict=True):
            assert [*run.outputs["out0"]] == [*outcome.results]


def test_a_function_says_that_it_has_queues() -> None:
    text = f"#pragma loom memory_order(queue)\n{program(BODIES['histogram'])}"
    found = compile_text(text, "k.c", options=Options(style="dynamic"))
    assert len(queues(found)) == 1


def test_iterations_overlap_and_equal_addresses_forward() -> None:
    """By tokens 2 cycles an iteration, of floats 7; with 8 places 1, but for equal addresses."""
    for element, equal in (("int", 2), ("float", 7)):
        found = circuit(program(BODIES["histogram"], element), order_depth=8)
        for pattern, cycles in (("different", 1), ("equal", equal)):
            given = Activation(
                {"x": [*PATTERNS[pattern]], "w": [1] * COUNT, "h": [0] * BINS, "n": COUNT}
            )
            (run,) = run_timed(found.netlist, [given])
            assert run.cycles < cycles * COUNT + 30, (element, pattern)


def test_iterations_that_do_not_wait_for_places_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: no iteration waits until the one before has its places."""
    text = program(BODIES["two stores under a branch"])
    assert wrong(circuit(text)) == []
    monkeypatch.setattr(thread_memory_order, "find_carried", lambda *_: ())
    assert wrong(compile_text(text, "k.c", options=options("ram"))) != []


TWO = (
    "int f(const int x[24], const int w[24], int h[8], int n) {{\n{pragma}  int g[8] = {{0}};\n"
    "  for (int i = 0; i < n; i++) {{ h[x[i]] += w[i]; g[w[i]] += x[i]; }}\n"
    "  return g[2] + g[3];\n}}\n"
)
"""A loop over two arrays, one of which is inside."""


@pytest.mark.parametrize("array", ["h", "g"])
@pytest.mark.parametrize("banks", [(), (("h", "cyclic:2"), ("g", "block:2"))])
def test_one_array_has_a_queue(array: str, banks: tuple[tuple[str, str], ...]) -> None:
    pragma = f"#pragma loom memory_order({array}, queue)\n"
    plain = Options(style="dynamic", partitions=banks)
    for found in (
        compile_text(TWO.format(pragma=pragma), "k.c", options=plain),
        compile_text(
            TWO.format(pragma=""),
            "k.c",
            options=Options(style="dynamic", partitions=banks, array_orders=((array, "queue"),)),
        ),
    ):
        named = [*arrays_with_queue(found.graph)]
        assert named and all(name.startswith("h") == (array == "h") for name in named)
        assert wrong(found) == []
        assert check_invariants(found.netlist).problems("k.c") == []


def test_one_array_has_none() -> None:
    for order in ("tokens", "comparators"):
        more = options("ram", array_orders=(("h", order),))
        found = compile_text(TWO.format(pragma=""), "k.c", options=more)
        assert "h" not in arrays_with_queue(found.graph) and len(queues(found)) == 1
        compared = any(u.operator.name == "dataflow.forward_store" for u in found.netlist.units)
        assert compared == (order == "comparators")
        assert wrong(found) == []


@pytest.mark.parametrize("inside", [True, False])
def test_an_array_of_mlir_says_its_order(inside: bool) -> None:
    said = ' {loom.memory_order = "queue"}'
    of_a, of_t = ("", said) if inside else (said, "")
    text = f"""func.func @f(%x: memref<8xindex>, %a: memref<8xi32>{of_a}, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %t = memref.alloc(){of_t} : memref<8xi32>
  scf.for %i = %c0 to %n step %c1 {{
    %k = memref.load %x[%i] : memref<8xindex>
    %v = memref.load %a[%k] : memref<8xi32>
    %w = arith.addi %v, %v : i32
    memref.store %w, %a[%i] : memref<8xi32>
    %r = memref.load %t[%k] : memref<8xi32>
    %u = arith.addi %r, %w : i32
    memref.store %u, %t[%i] : memref<8xi32>
  }}
  return
}}
"""
    found = compile_text(text, "k.mlir", options=Options(style="dynamic"))
    assert [*arrays_with_queue(found.graph)] == ["t" if inside else "a"]


def test_two_arrays_of_one_name_have_their_own_ends() -> None:
    """Of a function that stands in place of two calls."""
    text = """func.func private @g(%x: memref<24xi32>, %n: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %m = arith.constant 7 : i32
  %t = memref.alloca() : memref<8xi32>
  scf.for %i = %c0 to %c8 step %c1 { memref.store %n, %t[%i] : memref<8xi32> }
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %x[%i] : memref<24xi32>
    %w = arith.andi %v, %m : i32
    %a = arith.index_cast %w : i32 to index
    %p = memref.load %t[%a] : memref<8xi32>
    %s = arith.addi %p, %v : i32
    memref.store %s, %t[%i] : memref<8xi32>
  }
  %r = memref.load %t[%c1] : memref<8xi32>
  return %r : i32
}
func.func @f(%x: memref<24xi32>, %n: i32) -> i32 {
  %a = func.call @g(%x, %n) : (memref<24xi32>, i32) -> i32
  %b = func.call @g(%x, %a) : (memref<24xi32>, i32) -> i32
  return %b : i32
}
"""
    found = compile_text(text, "k.mlir", options=options("ram", memories=()))
    assert len(queues(found)) == 2
    given = [Activation({"x": [*PATTERNS["mixed"]], "n": n}) for n in (0, 5)]
    report = compare_models(found.source, "f", found.netlist, given, max_cycles=10_000)
    assert report.differences == ()


@pytest.mark.parametrize("lean", ["on", "off"])
@pytest.mark.parametrize("period", [None, "default", 9.0])
def test_buffers_may_stand_between_queue_and_memory(lean: str, period: float | None) -> None:
    text = (
        "void f(const int x[24], int h[8], int n) { for (int i = 0; i < n; i++) h[i & 7] += STEP; }"
    )
    for step in ("h[x[i] & 7]", "h[x[i] & 7] * h[i & 3] + x[i]"):
        given = options("ram", lean=lean, clock_period=period, memories=())
        try:
            found = compile_text(text.replace("STEP", step), "k.c", options=given)
        except LoomError as error:
            assert error.code == "LOWER_CLOCK_PERIOD" and period == 9.0
            continue
        assert queues(found)
        assert check_invariants(found.netlist, lean=lean == "on").problems("k.c") == []


def test_stores_alone_have_no_queue() -> None:
    """Their order is that of their port: no load may have an address of theirs."""
    text = (
        "void f(const int x[24], int h[32], int n) { for (int i = 0; i < n; i++) "
        "{ h[16 + (x[i] & 15)] = h[i & 15]; h[16 + (x[i] >> 2 & 15)] = i; } }"
    )
    assert queues(compile_text(text, "k.c", options=options("ram", memories=()))) == []


@pytest.mark.parametrize("array", ["h", "g"])
def test_what_orders_an_array_is_said_by_its_name(array: str) -> None:
    """Of one that is inside too, to which the graph gives a name of its own."""
    plain = Options(style="dynamic", array_orders=((array, "queue"), ("hg".strip(array), "tokens")))
    found = compile_text(TWO.format(pragma=""), "k.c", options=plain)
    waits = explain_order(found.source, found.graph, plain).waits
    assert {wait.later.array for wait in waits} == {"h", "g"}
    assert {wait.later.array for wait in waits if wait.by == "queue"} == {array}
    assert {wait.by for wait in waits if wait.later.array == array} == {"queue"}


def test_no_static_schedule_has_a_queue() -> None:
    text = TWO.format(pragma="#pragma loom memory_order(h, queue)\n")
    with pytest.raises(LoomError, match=r"STATIC_OPTION.* load-store queues with --style static"):
        compile_in_style(Request(text, "k.c", options=Options(style="static")))
    found = compile_in_style(Request(text, "k.c", options=Options(style="auto")))
    assert str(found.choice) == "dynamic: no static schedule takes load-store queues"
