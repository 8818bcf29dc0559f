"""A loop with a `while` in it is one loop of a static schedule, where that takes less time."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import cosimulate_kernels

from loom.front import static_circuit
from loom.front.given_schedules import load_schedule
from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.lower.options import Options
from loom.lower.static import flatten_whiles
from loom.lower.static.choose_static_period import expected_cycles
from loom.lower.static.trial import Trial
from loom.model.bundles.activation import Activation
from tests.grow.static_campaign import kernel_of
from tests.static.sharing.test_shared_units import given
from tests.static.test_machines import MOST, example, static
from tests.static.whiles import random_whiles
from tests.support.deep import Deep
from tests.support.folders import EXAMPLES
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs
from tests.support.static.circuits import compile_static_request

PROGRAMS, IN_RTL = 100, 16
SEARCH = """int f(const unsigned char text[64], const unsigned char word[8]) {
int found = 0;
for (int at = 0; text[at] != 0 && at < 48; at++) {
  int k = 0;
  while (word[k] != 0 && text[at + k] == word[k]) k++;
  if (word[k] == 0) found++;
}
return found; }"""
COUNTED = """unsigned f(unsigned char n, const unsigned a[16], unsigned c[16]) {
unsigned s = 7;
for (unsigned char i = 0; i < n; i++) {
  unsigned t = a[i & 15] & 31;
  c[(i + 3) & 15] = t;
  while (t > 1) { t >>= 1; s += c[t & 15]; }
  c[i & 15] += s;
}
return s; }"""
GIVES = """func.func @f(%a: memref<16xi32>, %n: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last:2 = scf.while (%i = %z, %s = %one) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi ult, %i, %n : i32
    %twice = arith.addi %s, %s : i32
    scf.condition(%more) %twice, %i : i32, i32
  } do {
  ^bb0(%t: i32, %k: i32):
    %end = scf.while (%j = %k) : (i32) -> i32 {
      %three = arith.constant 3 : i32
      %low = arith.andi %j, %three : i32
      %again = arith.cmpi ne, %low, %z : i32
      scf.condition(%again) %j : i32
    } do {
    ^bb0(%j: i32):
      %next = arith.addi %j, %one : i32
      scf.yield %next : i32
    }
    %up = arith.addi %end, %one : i32
    %sum = arith.xori %t, %end : i32
    scf.yield %up, %sum : i32, i32
  }
  return %last#0, %last#1 : i32, i32
}"""
NARROW = """func.func @f(%a: memref<31xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 31 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %z) -> i32 {
    %x = memref.load %a[%i] : memref<31xi32>
    %r = scf.while (%v = %x) : (i32) -> i32 {
      %again = arith.cmpi ugt, %v, %one : i32
      scf.condition(%again) %v : i32
    } do {
    ^bb0(%v: i32):
      %half = arith.shrui %v, %one : i32
      scf.yield %half : i32
    }
    %t = arith.addi %sum, %r : i32
    scf.yield %t : i32
  }
  return %s : i32
}"""


def of_c(text: str, options: Options | None = None) -> StaticCircuit:
    """The static circuit of a program in C."""
    return compile_static_request(Request(text, "k.c", options=options or Options()))


@pytest.fixture
def flat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops are one loop whether that is faster or not."""
    trial = Trial(flattens=True)
    monkeypatch.setattr(static_circuit, "find_fastest", lambda attempt, _: attempt(trial))


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops stay two."""
    monkeypatch.setattr(static_circuit, "find_fastest", lambda attempt, _: attempt(Trial()))


def counted(circuit: StaticCircuit) -> Sequence[Activation]:
    """Activations in which the outer loop runs never, once, and to the end of its type."""
    runs = given(circuit, 4)
    return [
        Activation({**each.inputs, "n": n}) for each, n in zip(runs, (0, 1, 9, 255), strict=True)
    ]


def test_a_search_in_a_loop_costs_a_test_an_entry() -> None:
    """An entry of the inner loop was a start, a test and a drain."""
    circuit = of_c(SEARCH)
    assert [str(place) for place in circuit.flattened.taken] == ["k.c:3:1"]
    (loop,) = circuit.pipelines
    assert loop.ii == 3 and "k.c:3:1: one loop with the one in it" in [*circuit.lines()]
    text = [97, 98, 97, 98, 98, 97, 98, 0] * 8
    runs = [
        Activation({"text": words, "word": word})
        for words in (text, [97, 98, 1] * 21 + [0], [0] * 64)
        for word in ([97, 98] + [0] * 6, [98] + [0] * 7, [99] * 8)
    ]
    assert list(circuit.differences(runs, MOST)) == []
    assert max(circuit.cycles(runs[3:6], MOST)) < 3 * (48 + 3 * 16 + 2)


@pytest.mark.usefixtures("apart")
def test_it_was_a_start_a_test_and_a_drain() -> None:
    circuit = of_c(SEARCH)
    assert circuit.flattened.is_open and circuit.flattened.taken == []
    (run,) = circuit.cycles([Activation({"text": [1] * 64, "word": [2] * 8})], MOST)
    assert run > 6 * 48


def test_examples_take_less_time() -> None:
    """`kmp` was dynamic by default, which takes 1,414 cycles at 10.3 ns."""
    circuit, runs = example("kmp")
    assert len(circuit.flattened.taken) == 1
    assert sum(circuit.cycles(runs, MOST)) < 1300 and circuit.estimate.period < 9.0
    assert list(circuit.differences(runs, MOST)) == []
    for name, most in (("kmp", 170), ("hash_join", 140)):
        circuit = of_c((EXAMPLES / "c" / f"{name}.c").read_text())
        assert len(circuit.flattened.taken) == 2
        assert max(circuit.cycles(given(circuit, 2), MOST)) < most


def test_loops_that_would_be_slower_stay_two() -> None:
    """A test that waits for a store of the body, or for a divider."""
    for name in ("insertion_sort",):
        circuit, _ = example(name)
        assert circuit.flattened.is_open and circuit.flattened.taken == []
    circuit = of_c((EXAMPLES / "c" / "perfect_numbers.c").read_text())
    assert circuit.flattened.is_open and circuit.flattened.taken == []


@pytest.mark.usefixtures("flat")
def test_every_kind_of_outer_loop() -> None:
    """Counted with a bound that is a value, to the last number of its type, and none of both."""
    circuit = of_c(COUNTED)
    assert len(circuit.flattened.taken) == 1
    assert list(circuit.differences(counted(circuit), MOST)) == []
    circuit = static(GIVES)
    assert len(circuit.flattened.taken) == 1
    words = [0] * 16
    runs = [Activation({"a": words, "n": n}) for n in (0, 1, 2, 17)]
    assert list(circuit.differences(runs, MOST)) == []
    circuit = static(NARROW, Options(index_width=5))
    assert list(circuit.differences(given(circuit), MOST)) == []


@pytest.mark.usefixtures("flat")
def test_a_serial_order_makes_no_load_more() -> None:
    circuit = of_c(COUNTED, Options(memory_order="serial"))
    assert "loom.speculative" not in circuit.text and len(circuit.flattened.taken) == 1
    assert list(circuit.differences(counted(circuit), MOST)) == []


@pytest.mark.usefixtures("flat")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("while (t > 1)", "while (n & 1) n >>= 1; while (t > 1)"),
        ("while (t > 1)", "if (t & 2) while (t > 1)"),
    ],
    ids=("two loops", "branch"),
)
def test_other_loops_stay_as_they_are(before: str, after: str) -> None:
    text = COUNTED.replace(before, after)
    assert text != COUNTED
    circuit = of_c(text)
    assert circuit.flattened.taken == []
    assert list(circuit.differences(counted(circuit)[1:3], MOST)) == []


def test_an_ii_that_is_requested_keeps_two_loops() -> None:
    """One loop has II = 3."""
    text = SEARCH.replace("  while", "#pragma loom ii(2)\n  while")
    circuit = of_c(text)
    assert circuit.flattened.taken == [] and [loop.ii for loop in circuit.pipelines] == [2]
    assert of_c(text.replace("ii(2)", "ii(3)")).flattened.taken


def test_a_printed_schedule_gives_the_same_files() -> None:
    """What is expected of a trip count stays in the text."""
    circuit = of_c(SEARCH)
    assert "loom.iterations = 48" in circuit.text
    assert expected_cycles(circuit.module) == 47 * 3 + 3 + 1
    found = load_schedule(Request(circuit.text, "k.mlir"))
    assert found is not None
    files = circuit.files()
    del files[f"{circuit.netlist.name}.static.mlir"]
    assert found.files() == files


@pytest.mark.usefixtures("flat")
def test_effects_of_the_way_not_taken_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: stores are made whether they are reached or not."""
    monkeypatch.setattr(flatten_whiles, "under", lambda _, copy: copy)
    circuit = of_c(COUNTED)
    assert list(circuit.differences(counted(circuit), MOST))


@pytest.mark.usefixtures("deep_on_sources")
def test_random_programs_with_one_loop_of_two() -> None:
    found = list(random_whiles.CAMPAIGN.run(range(PROGRAMS)))
    assert [row for row in found if row[2]] == []
    assert sum(count > 0 for _, count, _ in found) > PROGRAMS // 2


@pytest.mark.sim
@pytest.mark.usefixtures("flat")
def test_one_loop_of_two_in_rtl(deep: Deep) -> None:
    search, gives = of_c(SEARCH), static(GIVES)
    loaded = [
        (kernel_of(search), given(search, 3)),
        (kernel_of(gives), [Activation({"a": [0] * 16, "n": n}) for n in (0, 1, 17)]),
    ]
    circuit = of_c(COUNTED)
    loaded.append((kernel_of(circuit), [*counted(circuit)[:3]]))
    deep(*RTL_INPUTS, "loom/emit", "rtl_templates/static", texts=describe_runs(loaded))
    kernels, runs = zip(*loaded, strict=True)
    for stalls in (0.0, 0.4):
        reports = cosimulate_kernels(kernels, runs, SimOptions(stalls=stalls))
        assert [(r.kernel.top, r.differences) for r in reports if not r.match] == []


@pytest.mark.from_sources
@pytest.mark.sim
def test_random_programs_in_rtl(deep: Deep) -> None:
    circuits = [random_whiles.circuit(seed) for seed in range(IN_RTL)]
    deep(*RTL_INPUTS, "loom/emit", "rtl_templates/static", "tests/grow",
         texts=[each.text for each in circuits])  # fmt: skip
    found = list(random_whiles.CAMPAIGN.in_rtl(range(IN_RTL)))
    assert [row for row in found if row[2]] == [] and len(found) > IN_RTL // 2
