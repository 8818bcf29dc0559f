"""Loads of later iterations before a test is known, in static schedules of `while` loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import cosimulate_kernels

from loom.front.api import compile_text
from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic
from loom.lower.static import speculate_loads as speculating
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from tests.grow import random_searches
from tests.grow.static_campaign import kernel_of
from tests.static.test_static_rtl import INPUTS
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import describe_runs
from tests.support.static.circuits import compile_static_request

COUNT, MOST, PROGRAMS, IN_RTL = 20, 2000, 60, 20
LOOPS = {
    "search": ("while (i < n && x[i] != key) i++;", 1),
    "break": ("for (; i < n; i++) if (x[i] == key) break;", 1),
    "found": ("for (; i < n; i++) if (x[i] == key) { s = i + 100; break; }", 1),
    "downwards": ("for (i = n - 1; i >= 0; i--) if (x[i] < key) break;", 1),
    "two arrays": ("while (i < n && x[i] != w[n - 1 - i]) i++;", 1),
    "sum": ("while (s < 150 && i < n) { s += x[i]; i++; }", 1),
    "sum of products": ("while (s < 900 && i < n) { s += x[i] * w[i]; i += 2; }", 2),
    "store": ("while (i < n && x[i] != key) { g[i & 7] = s; s += w[i]; i++; }", 1),
    "range": ("while (i < n && x[i] >= 3 && x[i] <= 17) i++;", 1),
    "two counters": ("int d = 1; while (i < n && x[i] != key) { i += d; d = 3 - d; }", 1),
    "end": ("for (;;) { s = x[i < n ? i : 0]; if (!(i < n) || s == key) break; i++; }", 1),
}
"""Loops and their II with speculative loads."""


def program(loop: str) -> str:
    """A function of arrays that holds the loop."""
    arrays = f"const int x[{COUNT}], const int w[{COUNT}], int g[8]"
    head = f"int f({arrays}, int n, int key) {{ int i = 0, s = 0; "
    return f"{head}{loop} return s * 64 + i; }}"


def static(loop: str, **options: Any) -> StaticCircuit:
    """The schedule of a program in C."""
    return compile_static_request(Request(program(loop), "k.c", options=Options(**options)))


def given() -> Sequence[Activation]:
    """No iteration, one, two, many; what is looked for is at either end, between, or nowhere."""
    x = [(7 * k + 3) % COUNT for k in range(COUNT)]
    return [
        Activation({"x": x, "w": x[::-1], "g": [5] * 8, "n": n, "key": key})
        for n in (0, 1, 2, COUNT)
        for key in (x[0], x[1], x[9], x[-1], 99)
    ]


def loads_ahead(circuit: StaticCircuit) -> int:
    """The speculative loads of a schedule."""
    return circuit.text.count("loom.speculative")


@pytest.mark.parametrize("name", LOOPS)
def test_no_load_is_in_the_ii(name: str) -> None:
    loop, interval = LOOPS[name]
    circuit = static(loop)
    assert [each.ii for each in circuit.pipelines] == [interval]
    assert loads_ahead(circuit)
    assert list(circuit.differences(given(), MOST)) == []
    plain = static(loop, memory_order="serial")
    assert not loads_ahead(plain)
    ours, theirs = (sum(each.cycles(given(), MOST)) for each in (circuit, plain))
    assert ours < theirs


@pytest.mark.parametrize("latency", [2, 3])
@pytest.mark.parametrize("name", ["search", "sum", "end"])
def test_a_slower_ram_is_read_further_ahead(name: str, latency: int) -> None:
    circuit = static(LOOPS[name][0], memories=(("x", f"ram,latency={latency}"),))
    assert loads_ahead(circuit) and [each.ii for each in circuit.pipelines] == [2]
    assert list(circuit.differences(given(), MOST)) == []


@pytest.mark.parametrize(
    "loop",
    [
        "do { g[x[i] & 7] = 1; i++; } while (i < n && x[i] != key);",
        "for (;;) { s = x[i]; g[s & 7] = i; if (i >= n || s == key || i > 18) break; i++; }",
        "while (i < n && x[i] != key) { s += 100 / (x[i] + 1); i++; }",
        "while (i < n && (float)x[i] < 15.5f) i++;",
        "while (i < n && x[i] != key && s < 9) { s += 2; i = x[i]; }",
        "while (i < n && g[i & 7] != key) { g[(i + 1) & 7] = i; i++; }",
        "while (i < n && x[w[i]] != key) i++;",
        "for (int k = 0; k < 3; k++) { i = k; while (i < n && x[i] != key) i++; }",
        "while (i < n && s < 9) { s++; i++; }",
    ],
    ids=[
        "store in the test",
        "store before the break",
        "division",
        "float",
        "chase",
        "stored",
        "address by a load",
        "loop around",
        "no load in the test",
    ],
)
def test_no_iteration_of_other_loops_loads_for_a_later_one(
    loop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead: list[speculating.Plan] = []
    monkeypatch.setattr(speculating, "ahead_of", ahead.append)
    circuit = static(loop)
    assert not ahead
    assert list(circuit.differences(given(), MOST)) == []


def test_a_test_that_takes_longer_than_the_clock_waits_for_its_loads() -> None:
    loop = LOOPS["search"][0]
    intervals = [[each.ii for each in static(loop, clock_period=t).pipelines] for t in (8.0, 4.0)]
    assert intervals == [[1], [4]]


TYPED = """func.func @f(%a: memref<SIZExi32>, %key: i32) -> TYPE {
  %zero = arith.constant 0 : TYPE
  %one = arith.constant 1 : TYPE
  %last = arith.constant LAST : TYPE
  %found = scf.while (%i = %zero) : (TYPE) -> TYPE {
    CAST
    %x = memref.load %a[%place] : memref<SIZExi32>
    %differs = arith.cmpi ne, %x, %key : i32
    %before = arith.cmpi slt, %i, %last : TYPE
    %again = arith.andi %differs, %before : i1
    scf.condition(%again) %i : TYPE
  } do {
  ^bb0(%i: TYPE):
    %next = arith.addi %i, %one : TYPE
    scf.yield %next : TYPE
  }
  func.return %found : TYPE
}
"""
"""A search whose counter has a type, of an array of a size; its last address is the last one."""


def typed(type_: str, size: int, last: int) -> StaticCircuit:
    """The schedule of such a search."""
    cast = f"%place = arith.index_cast %i : {type_} to index"
    if type_ == "index":
        cast = "%zero_more = arith.constant 0 : index\n%place = arith.addi %i, %zero_more : index"
    parts = {"TYPE": type_, "SIZE": str(size), "LAST": str(last), "CAST": cast}
    text = TYPED
    for name, value in parts.items():
        text = text.replace(name, value)
    return compile_static_request(Request(text, "k.mlir", options=Options()))


SIZES = [("i8", 100, 99), ("i8", 256, 120), ("i8", 300, 120), ("i16", 300, 299), ("index", 16, 15),
         ("index", 20, 19)]  # fmt: skip


@pytest.mark.parametrize(("type_", "size", "last"), SIZES)
def test_counters_of_any_type(type_: str, size: int, last: int) -> None:
    circuit = typed(type_, size, last)
    assert loads_ahead(circuit)
    runs = [Activation({"a": [*range(size)], "key": key}) for key in (0, 1, 7, last, 500)]
    assert list(circuit.differences(runs, 10 * MOST)) == []


def test_a_store_in_the_test_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would run in the first iterations too."""
    monkeypatch.setattr(speculating, "is_short_test", lambda *_: True)
    loop = "do { g[x[i] & 7] = 1; i++; } while (i < n && x[i] != key);"
    assert [*static(loop).differences(given(), MOST)]


def test_low_bits_of_an_address_are_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the mask."""
    monkeypatch.setattr(Arithmetic, "with_constant", lambda _, __, number, ___: number)
    found = [*typed("index", 16, 15).differences([Activation({"a": [0] * 16, "key": 5})], MOST)]
    assert any("outside its array" in each for each in found)


EITHER = """func.func @f(%a: memref<32xi32>, %key: i32, %n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %few = arith.constant 6 : i32
  %r:3 = scf.while (%i = %zero, %s = %zero) : (i32, i32) -> (i32, i32, i32) {
    %place = arith.index_cast %i : i32 to index
    %x = memref.load %a[%place] : memref<32xi32>
    %differs = arith.cmpi ne, %x, %key : i32
    %soon = arith.cmpi slt, %s, %few : i32
    %either = arith.ori %differs, %soon : i1
    %before = arith.cmpi slt, %i, %n : i32
    %again = arith.andi %before, %either : i1
    %step = arith.select %differs, %one, %two : i32
    scf.condition(%again) %i, %s, %step : i32, i32, i32
  } do {
  ^bb0(%i: i32, %s: i32, %step: i32):
    %next = arith.addi %i, %step : i32
    %more = arith.addi %s, %two : i32
    scf.yield %next, %more : i32, i32
  }
  func.return %r#0 : i32
}
"""
"""A loop that goes on in two ways, with a step that a load decides."""


def test_each_way_to_go_on_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one way left out the step is taken for 1."""
    values = [5 if k % 3 else 0 for k in range(32)]
    runs = [Activation({"a": values, "key": 5, "n": n}) for n in (0, 1, 2, 20)]
    request = Request(EITHER, "k.mlir", options=Options())
    circuit = compile_static_request(request)
    assert not loads_ahead(circuit)
    assert list(circuit.differences(runs, MOST)) == []
    made = speculating.ways_to
    monkeypatch.setattr(speculating, "ways_to", lambda *given: made(*given)[:1])
    assert list(compile_static_request(request).differences(runs, MOST))


def test_a_static_loop_in_a_dynamic_circuit_loads_ahead() -> None:
    text = program("\n#pragma loom style(static)\n" + LOOPS["search"][0])
    circuit = compile_text(text, "k.c", options=Options(style="dynamic"))
    assert "loom.speculative" in str(circuit.graph)
    report = compare_models(circuit.source, "f", circuit.netlist, given(), max_cycles=20_000)
    assert not report.differences


def test_an_address_outside_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the comparison with the size."""
    monkeypatch.setattr(Arithmetic, "select", lambda _, __, number, ___: number)
    found = [*static(LOOPS["search"][0]).differences(given(), MOST)]
    assert any("outside its array" in each for each in found)


def test_what_holds_where_the_loop_goes_on_does_not_where_it_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The last load of the test is not that of an iteration behind which another one follows."""
    monkeypatch.setattr(speculating.Body, "goes_on_behind", lambda *_: True)
    assert [*static(LOOPS["end"][0]).differences(given(), MOST)]


def test_the_first_iterations_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The body of the loop runs in them."""
    made = speculating.State.__init__

    def never_first(state: speculating.State, *given: Any) -> None:
        made(state, *given)
        state.is_first = state.bits[-1]

    monkeypatch.setattr(speculating.State, "__init__", never_first)
    assert [*static(LOOPS["sum"][0]).differences(given(), MOST)]


@pytest.mark.usefixtures("deep_on_sources")
def test_random_programs() -> None:
    found = list(random_searches.CAMPAIGN.run(range(PROGRAMS)))
    assert [(seed, wrong) for seed, _, wrong in found if wrong] == []
    assert sum(loads > 0 for _, loads, _ in found) > PROGRAMS // 3


@pytest.mark.sim
@pytest.mark.parametrize("stalls", [0.0, 0.4])
def test_loops_in_rtl(stalls: float, deep: Deep) -> None:
    pairs = [(kernel_of(static(loop)), list(given())) for loop, _ in LOOPS.values()]
    deep(*INPUTS, texts=describe_runs(pairs))
    kernels, runs = zip(*pairs, strict=True)
    reports = cosimulate_kernels(kernels, runs, SimOptions(stalls=stalls, max_cycles=20_000))
    assert [(r.kernel.top, r.differences) for r in reports if not r.match] == []
    for report in reports if not stalls else ():
        assert [run.cycles for run in report.rtl.runs] == report.predicted


@pytest.mark.sim
def test_random_programs_in_rtl(deep: Deep) -> None:
    deep(*INPUTS, "tests/grow")
    found = list(random_searches.CAMPAIGN.in_rtl(range(IN_RTL)))
    assert found and [(seed, wrong) for seed, _, wrong in found if wrong] == []
