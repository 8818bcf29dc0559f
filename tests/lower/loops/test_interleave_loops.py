"""Iterations that take turns leave the words of the program, take fewer cycles, or are refused."""

from __future__ import annotations

from random import Random
from typing import TypeGuard

import pytest
from xdsl.dialects import scf
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from loom.analysis.program.independent_iterations import find_dependence
from loom.analysis.program.memory_accesses import Accesses
from loom.analysis.program.memory_dependence import Dependences
from loom.analysis.schedule import buffers
from loom.errors import LoomError
from loom.front.api import compile_text
from loom.front.circuit import Circuit
from loom.frontend.mlir.read import read_mlir
from loom.lower.options import MemoryOrder, Options
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from loom.model.timed.simulate import run_timed
from tests.grow.random_nests import in_any_order
from tests.grow.random_turns import draw_turns
from tests.support.refusals import refusal

OFF = Options(interleave="off")


def rows(
    outer: int = 6, inner: int = 7, asked: str = "", before: str = "", behind: str = ""
) -> str:
    """The float sum of each row of a matrix."""
    return f"""func.func @f(%a: memref<{outer * inner}xf32>, %y: memref<{outer}xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {outer} : index
  %m = arith.constant {inner} : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {{
    {before}
    %w = arith.muli %i, %m : index
    %s = scf.for %j = %c0 to %m step %c1 iter_args(%sum = %zero) -> (f32) {{
      %p = arith.addi %w, %j : index
      %x = memref.load %a[%p] : memref<{outer * inner}xf32>
      %next = arith.addf %sum, %x : f32
      scf.yield %next : f32
    }}
    {behind}
    memref.store %s, %y[%i] : memref<{outer}xf32>
  }} {{{asked}}}
  return
}}"""


def lanes_of(circuit: Circuit) -> list[int]:
    """The entries that take turns, of each innermost loop."""
    return [loop.lanes for loop in circuit.loops if loop.innermost]


def given(outer: int, inner: int) -> list[Activation]:
    """Two calls with numbers whose sums depend on their order."""
    words = [(0x3F800000 + 0x123457 * k * k) % 0x7F000000 for k in range(outer * inner)]
    return [Activation({"a": words, "y": [0] * outer}), Activation({"a": words[::-1], "y": words})]


def test_a_float_sum_waits_no_more_for_its_adder() -> None:
    """One product a cycle, in the order of the program, and about the same units."""
    in_turns, as_written = (
        compile_text(rows(), "k.mlir"),
        compile_text(rows(), "k.mlir", options=OFF),
    )
    assert [lanes_of(each) for each in (in_turns, as_written)] == [[6], [1]]
    assert [each.loops[1].ii for each in (in_turns, as_written)] == [1, 5]
    calls = [Activation({"a": given(6, 7)[0].inputs["a"], "y": [0] * 6})]
    cycles = [run_timed(each.netlist, calls)[0].cycles for each in (in_turns, as_written)]
    assert cycles[0] < 6 * 7 + 25 < cycles[1]
    adders = [
        sum(unit.operator.name == "arith.addf" for unit in each.netlist.units)
        for each in (in_turns, as_written)
    ]
    assert adders == [1, 1]


@pytest.mark.parametrize("options", [Options(), Options(lean="off"), Options(clock_period=None)])
@pytest.mark.parametrize(("outer", "inner", "lanes"), [(6, 7, 2), (6, 1, 3), (4, 2, 4), (10, 3, 5)])
def test_the_words_are_those_of_the_program(
    outer: int, inner: int, lanes: int, options: Options
) -> None:
    circuit = compile_text(
        rows(outer, inner, f"loom.interleave = {lanes}"), "k.mlir", options=options
    )
    assert lanes_of(circuit) == [lanes]
    calls = [Activation({"a": each.inputs["a"], "y": [0] * outer}) for each in given(outer, inner)]
    report = compare_models(circuit.source, "f", circuit.netlist, calls, max_cycles=10_000)
    assert report.differences == ()
    runs = run_timed(circuit.netlist, calls)
    assert all(run.cycles and not run.missing for run in runs)


@pytest.mark.usefixtures("deep_on_sources")
def test_the_analysis_finds_what_brute_force_does() -> None:
    """For each pair of accesses in each pair of iterations. What is taken to depend may be
    independent, as the test of addresses is not exact; seldom."""
    independent = careful = 0
    for seed in range(150):
        turns = draw_turns(Random(seed))
        function = next(op for op in read_mlir(turns.text(), "k.mlir").walk() if is_function(op))
        outer, inner = (op for op in function.walk() if isinstance(op, scf.ForOp))
        accesses = Accesses(function, 64)
        found = find_dependence(outer, inner, accesses, Dependences(accesses, "auto"))
        assert found is not None or turns.is_independent(), turns.text()
        independent += found is None
        careful += found is not None and turns.is_independent()
    assert 15 < independent < 135
    assert careful < 5


def is_function(op: Operation) -> TypeGuard[FuncOp]:
    """True of a function."""
    return isinstance(op, FuncOp)


@pytest.mark.usefixtures("deep_on_sources")
def test_random_nests_in_turns() -> None:
    """What is accepted leaves the program's words, whichever unit is first."""
    accepted = refused = 0
    for seed in range(120):
        turns = draw_turns(Random(seed))
        try:
            circuit = compile_text(turns.text(), "k.mlir")
        except LoomError as error:
            assert "a loop to be interleaved" in str(error)
            refused += 1
            continue
        accepted += lanes_of(circuit) == [turns.lanes]
        words = [(7 * k + seed) % 256 for k in range(turns.nest.words)]
        calls = [Activation({"m": words}), Activation({"m": words[::-1]})]
        assert in_any_order(circuit, calls, 2) == (), turns.text()
        assert all(not run.missing for run in run_timed(circuit.netlist, calls))
    assert accepted > 10 and refused > 40


@pytest.mark.usefixtures("deep_on_sources")
def test_a_wrong_claim_of_independence_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: no two accesses of two iterations ever conflict."""
    monkeypatch.setattr(
        "loom.lower.loops.interleave_loops.find_dependence", lambda *arguments: None
    )
    wrong = 0
    for seed in range(25):
        turns = draw_turns(Random(seed))
        try:
            circuit = compile_text(turns.text(), "k.mlir")
        except LoomError:
            continue  # no loop is left in the other one
        words = [(7 * k + seed) % 256 for k in range(turns.nest.words)]
        wrong += in_any_order(circuit, [Activation({"m": words})], 2) != ()
    assert wrong > 2


def test_without_their_slots_entries_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: a loop with lanes gets no more slots than any other."""
    text = rows(12, 3, "loom.interleave = 12")
    calls = [Activation({"a": given(12, 3)[0].inputs["a"], "y": [0] * 12})]
    sound = compile_text(text, "k.mlir", options=Options(clock_period=None))
    assert not run_timed(sound.netlist, calls)[0].missing
    for module in (buffers, "loom.analysis.schedule.choose_buffer_forms"):
        name = module if isinstance(module, str) else module.__name__
        monkeypatch.setattr(f"{name}.slots_of_lanes", lambda graph: {})
    monkeypatch.setattr(buffers, "lanes_inside", lambda graph: {})
    planted = compile_text(text, "k.mlir", options=Options(clock_period=None))
    assert run_timed(planted.netlist, calls)[0].missing == ("done",)


SLOW_PRODUCTS = """int f(const int x[6][5], int y[6]) {
  for (int i = 0; i < 6; i++) {
    int p = 1;
    for (int j = 0; j < 5; j++) p *= x[i][j];
    y[i] = p;
  }
  int t = 0;
  for (int i = 0; i < 6; i++) {
    int p = 1;
    for (int j = 0; j < 5; j++) p *= x[i][j];
    t += p;
  }
  return t;
}
"""


def test_loops_in_turns_are_shared_with_the_loop_around_or_not_at_all() -> None:
    options = Options(share="on")
    circuit = compile_text(SLOW_PRODUCTS, "k.c", options=options)
    assert set(lanes_of(circuit)) == {6}
    calls = [Activation({"x": [k * k + 1 for k in range(30)], "y": [0] * 6})] * 2
    report = compare_models(circuit.source, "f", circuit.netlist, calls, max_cycles=10_000)
    assert report.differences == ()
    assert all(not run.missing for run in run_timed(circuit.netlist, calls))


def test_a_comparator_does_not_stand_in_a_loop_with_lanes() -> None:
    """Its load waits for the store of the same entry, by a token that goes round."""
    text = """void f(const int x[4][9], const int w[4][9], int h[4][8]) {
#pragma loom interleave(4)
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 9; j++) h[i][x[i][j]] += w[i][j];
}
"""
    circuit = compile_text(text, "k.c", options=Options(memory_order="comparators"))
    assert lanes_of(circuit) == [4]
    names = {unit.operator.name for unit in circuit.netlist.units}
    assert "dataflow.disambiguate" not in names
    places, weights = [k * k % 8 for k in range(36)], [k + 1 for k in range(36)]
    calls = [Activation({"x": places, "w": weights, "h": [0] * 32})] * 2
    assert in_any_order(circuit, calls, 3) == ()
    assert all(not run.missing for run in run_timed(circuit.netlist, calls))


AUTOMATIC = {
    "six rows, six lanes": (rows(6, 7), 6),
    "the least factor that is enough": (rows(30, 7), 6),
    "more than needed, no factor is nearer": (rows(10, 7), 10),
    "fewer rows than the adder has stages": (rows(3, 7), 3),
    "no factor at all": (rows(23, 7), None),
    "an integer sum waits for nothing": (
        rows(6, 7).replace("addf", "addi").replace("f32", "i32").replace("0.0", "0"), None),
    "never": (rows(6, 7, "loom.interleave = 1"), None),
}  # fmt: skip


@pytest.mark.parametrize(("text", "lanes"), AUTOMATIC.values(), ids=AUTOMATIC)
def test_where_iterations_take_turns_by_themselves(text: str, lanes: int | None) -> None:
    assert lanes_of(compile_text(text, "k.mlir")) == [lanes or 1]
    assert lanes_of(compile_text(text, "k.mlir", options=OFF)) == [1]


CARRIED = rows().replace(
    "scf.for %i = %c0 to %n step %c1 {", "%t = scf.for %i = %c0 to %n step %c1 "
    "iter_args(%last = %zero) -> (f32) {").replace("%sum = %zero", "%sum = %last").replace(
    "%y[%i] : memref<6xf32>\n", "%y[%i] : memref<6xf32>\n scf.yield %s : f32\n")  # fmt: skip


def test_what_the_outer_loop_carries() -> None:
    """A total of totals is no reason: the loop in it does not wait for that."""
    total = CARRIED.replace("%sum = %last", "%sum = %zero").replace(
        "scf.yield %s : f32\n  }", "%u = arith.addf %last, %s : f32\n scf.yield %u : f32\n  }"
    )
    total = total.replace("memref<6xf32>) {", "memref<6xf32>) -> f32 {", 1)
    total = total.replace("  return", "  return %t : f32")
    circuit = compile_text(total, "k.mlir")
    assert lanes_of(circuit) == [6]
    calls = [Activation({"a": each.inputs["a"], "y": [0] * 6}) for each in given(6, 7)]
    assert (
        compare_models(circuit.source, "f", circuit.netlist, calls, max_cycles=10_000).differences
        == ()
    )
    assert all(not run.missing for run in run_timed(circuit.netlist, calls))
    assert lanes_of(compile_text(CARRIED, "k.mlir")) == [1]


A_LATER_LOAD = "%q = memref.load %y[%c0] : memref<6xf32>"
REFUSED = {
    "a carried value": (
        CARRIED.replace("{}\n  return", "{loom.interleave = 6}\n  return"),
        "k.mlir:7:3: error[LOWER_LOOP]: found a loop to be interleaved that carries a value to the "
        "loop in it; LOOM accepts iterations that wait for none of those before"),
    "a pair of accesses": (
        rows(asked="loom.interleave = 6", before=A_LATER_LOAD).replace("%sum = %zero", "%sum = %q"),
        "k.mlir:17:5: error[LOWER_LOOP]: found a loop to be interleaved in which an access may "
        "alias that on 8:5 of a later iteration; LOOM accepts iterations that wait for none of "
        "those before"),
    "no factor": (
        rows(asked="loom.interleave = 4"),
        "k.mlir:7:3: error[LOWER_LOOP]: found a loop to be interleaved by 4 whose trip count is 6; "
        "LOOM accepts a factor of a constant trip count, up to 64"),
    "an innermost loop": (
        rows().replace("scf.yield %next : f32\n    }", "scf.yield %next : f32\n    } "
                       "{loom.interleave = 2}"),
        "k.mlir:10:5: error[LOWER_LOOP]: found a loop to be interleaved without a loop in it; LOOM "
        "accepts a loop with one counted loop in it, under no branch"),
    "an inner loop of any length": (
        rows(asked="loom.interleave = 2").replace(
            "%y: memref<6xf32>) {", "%y: memref<6xf32>, %k: index) {").replace(
            "%j = %c0 to %m", "%j = %c0 to %k"),
        "k.mlir:10:5: error[LOWER_LOOP]: found a loop to be interleaved whose inner loop's trip "
        "count is not known, or is 0; LOOM accepts constant bounds inside, of a loop that runs"),
    "no number": (
        rows(asked='loom.interleave = "all"'),
        'k.mlir:7:3: error[LOWER_LOOP]: found loom.interleave = "all" of scf.for; LOOM accepts '
        "loom.interleave with a number of 1 and more"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_refusals(text: str, message: str) -> None:
    assert refusal(lambda: compile_text(text, "k.mlir")) == message


@pytest.mark.parametrize("name", ["a carried value", "a pair of accesses", "no factor"])
def test_a_hint_that_cannot_be_followed_is_none(name: str) -> None:
    text = REFUSED[name][0].replace("{loom.interleave", "{loom.hint, loom.interleave")
    assert lanes_of(compile_text(text, "k.mlir")) == [1]


IN_PLACE = """void f(float y[12]) {
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 12; i++) {
      float s = y[i];
      for (int k = 0; k < 3; k++) s = 1.5f - s * s;
      y[i] = s;
    }
}"""


@pytest.mark.parametrize("order", ["auto", "comparators", "queue", "tokens"])
def test_more_entries_than_an_order_holds_stores_begin(order: MemoryOrder) -> None:
    """Each loads what it stores behind the loop: with comparators or a queue it was a deadlock, as
    no store comes before all entries have begun."""
    circuit = compile_text(IN_PLACE, "k.c", options=Options(memory_order=order))
    assert lanes_of(circuit) == [12]
    calls = [Activation({"y": [0x3F000000 + 0x123457 * k for k in range(12)]})] * 2
    found = compare_models(circuit.source, "f", circuit.netlist, calls, max_cycles=5_000)
    assert found.differences == ()
