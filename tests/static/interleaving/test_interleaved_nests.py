"""Iterations of an outer loop take turns in a static schedule, where the inner loop waits."""

from __future__ import annotations

from random import Random

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import cosimulate_kernels

from loom.errors import LoomError
from loom.front import static_circuit
from loom.front.given_schedules import load_schedule
from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.lower.loops import interleaved_nests
from loom.lower.loops.interleave_loops import LaneChooser
from loom.lower.options import Options
from loom.lower.static import body_problem
from tests.grow.random_turns import draw_turns
from tests.grow.static_campaign import kernel_of
from tests.static.interleaving import random_entries
from tests.static.sharing.test_shared_units import given
from tests.static.test_machines import MOST, static
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs
from tests.support.refusals import refusal
from tests.support.static.circuits import compile_static_request

PROGRAMS, NESTS, IN_RTL = 80, 60, 16
OFF = Options(interleave="off")
MATVEC = """void f(const float a[12][9], const float x[9], float y[12]) {
for (int i = 0; i < 12; i++) {
  float s = 0;
  for (int k = 0; k < 9; k++) s += a[i][k] * x[k];
  y[i] = s;
}}"""
PRODUCT = """void f(const float a[6][7], const float b[7][12], float c[6][12]) {
for (int i = 0; i < 6; i++)
  for (int j = 0; j < 12; j++) {
    float s = c[i][j];
    for (int k = 0; k < 7; k++) s += a[i][k] * b[k][j];
    c[i][j] = s;
  }
}"""
TWO_VALUES = """void f(const float a[12][9], const float x[12], float y[12], float z[12]) {
for (int i = 3; i < 12; i += 1) {
  float p = x[i], s = p, t = 1;
  z[i] = p;
  for (int k = 1; k < 9; k++) { s += a[i][k]; if (s > p) t = t * p + a[i][k]; }
  if (t > p) y[i] = s; else y[i] += t;
}}"""
TOTAL = """float f(const float a[12][9], float y[12]) {
float total = 1;
for (int i = 0; i < 12; i++) {
  float s = y[i] * 3;
  for (int k = 0; k < 9; k++) s += a[i][k];
  total += s * y[i];
  y[i] = s;
}
return total; }"""
IN_PLACE = """void f(float y[24]) {
for (int j = 0; j < 3; j++)
  for (int i = 0; i < 12; i++) {
    float s = y[i] * 3;
    for (int k = 0; k < 3; k++) s = 1.5f - s;
    y[i] = (s * 3 + 1) * s;
  }
}"""
"""Each entry begins with what it has ended with in the iteration of `j` before."""
ONE_GROUP = MATVEC.replace("12", "6")
IN_STEPS = """func.func @f(%a: memref<48xf32>, %y: memref<12xf32>) {
  %lo = arith.constant -3 : i8
  %hi = arith.constant 21 : i8
  %two = arith.constant 2 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %lo to %hi step %two : i8 {
    %three = arith.constant 3 : i8
    %up = arith.addi %i, %three : i8
    %half = arith.shrui %up, %one : i8
    %place = arith.index_cast %half : i8 to index
    %row = arith.muli %place, %c4 : index
    %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%sum = %zero) -> (f32) {
      %p = arith.addi %row, %k : index
      %x = memref.load %a[%p] : memref<48xf32>
      %next = arith.addf %sum, %x : f32
      scf.yield %next : f32
    }
    memref.store %s, %y[%place] : memref<12xf32>
  }
  return
}""".replace("    %three =", "    %one = arith.constant 1 : i8\n    %three =")
PROGRAMS_IN_TURNS = {
    "MATVEC": (MATVEC, 12), "PRODUCT": (PRODUCT, 12), "TWO_VALUES": (TWO_VALUES, 9),
    "TOTAL": (TOTAL, 12), "ONE_GROUP": (ONE_GROUP, 6), "STEPS": (IN_STEPS, 12),
    "IN_PLACE": (IN_PLACE, 12), "IN_GROUPS": (IN_PLACE.replace("i < 12", "i < 24"), 8),
}  # fmt: skip
"""Programs, and how many iterations take turns in them."""


def of_c(text: str, options: Options | None = None) -> StaticCircuit:
    """The static circuit of a program in C."""
    return compile_static_request(Request(text, "k.c", options=options or Options()))


def compiled(text: str, options: Options | None = None) -> StaticCircuit:
    """The static circuit of a program in C or MLIR."""
    return static(text, options) if text.startswith("func") else of_c(text, options)


def asked(text: str, number: int) -> str:
    """The program with a directive at its outermost loop."""
    return text.replace("for (int i", f"#pragma loom interleave({number})\nfor (int i", 1)


def numbers(circuit: StaticCircuit) -> list[int]:
    """How many iterations take turns, by loop."""
    return [number for _, number in circuit.interleaved.taken]


def intervals(circuit: StaticCircuit) -> list[int]:
    """The II of each pipelined loop [cycles]."""
    return [loop.ii for loop in circuit.pipelines]


@pytest.mark.parametrize("name", PROGRAMS_IN_TURNS)
def test_iterations_in_turns_wait_for_no_sum(name: str) -> None:
    """They give what the program gives, in the order of its sums, in fewer cycles."""
    text, expected = PROGRAMS_IN_TURNS[name]
    circuit, as_written = compiled(text), compiled(text, OFF)
    assert (numbers(circuit), numbers(as_written)) == ([expected], [])
    assert as_written.interleaved.is_open is False
    runs = given(circuit)
    assert list(circuit.differences(runs, MOST)) == []
    (cycles,), (others,) = ({*each.cycles(runs, MOST)} for each in (circuit, as_written))
    assert cycles < others / 1.5


def test_a_nest_in_turns_starts_an_iteration_a_cycle() -> None:
    """Also where it begins with what earlier entries have stored elsewhere in the array."""
    for text, trips in ((MATVEC, 12 * 9), (PRODUCT, 6 * 12 * 7)):
        circuit = of_c(text)
        assert intervals(circuit) == [1] and intervals(of_c(text, OFF)) == [5]
        (loop,) = circuit.pipelines
        assert loop.trip_count == trips
        (cycles,) = {*circuit.cycles(given(circuit), MOST)}
        assert cycles <= trips + loop.depth + 1
        assert f"k.c:{3 if text is PRODUCT else 2}:" in [*circuit.lines()][-1]
        assert [*circuit.lines()][-1].endswith("12 entries interleaved")


def test_without_the_order_of_turns_a_begin_waits_for_an_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The way from one to the other is longer than a turn."""
    text = PRODUCT.replace("= s;", "= (s * 3 + 1) * s;")
    assert intervals(of_c(text)) == [1]
    monkeypatch.setattr(interleaved_nests, "mark", lambda *_: None)
    assert intervals(of_c(text)) == [2]


def test_a_schedule_says_nothing_of_turns_and_is_taken_as_given() -> None:
    circuit = of_c(TWO_VALUES)
    assert "loom.entry" not in circuit.text and "interleave" not in circuit.text
    found = load_schedule(Request(circuit.text, "k.mlir"))
    assert found is not None
    files = circuit.files()
    del files[f"{circuit.netlist.name}.static.mlir"]
    assert found.files() == files


def test_directives_are_followed() -> None:
    assert numbers(of_c(asked(MATVEC, 3), OFF)) == [3]
    assert numbers(of_c(asked(MATVEC, 4))) == [4]
    assert numbers(of_c(asked(MATVEC, 1))) == []
    with pytest.raises(LoomError, match=r"k.c:3:1: .*LOWER_LOOP.*trip count is 12"):
        of_c(asked(MATVEC, 5))


def test_partial_sums_of_a_directive_are_a_loop_in_turns() -> None:
    text = """float f(const float a[240]) { float s = 0;
#pragma loom partial_sums(8)
for (int i = 0; i < 240; i++) s += a[i];
return s; }"""
    circuit = of_c(text)
    assert numbers(circuit) == [8] and intervals(circuit)[0] == 1
    runs = given(circuit)
    (cycles,), (others,) = (
        {*each.cycles(runs, MOST)} for each in (circuit, of_c(text.replace("#pragma", "//")))
    )
    assert cycles < others / 3
    assert list(circuit.differences(runs, MOST)) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("float s = 0;", "float s = y[(i + 11) % 12];"),
        ("y[i] = s;", "y[i] = s; x[k] = s;"),
        ("for (int i = 0; i < 12; i++)", "for (int i = 0; i < n; i++)"),
        ("k < 9", "k < i"),
        ("s += a[i][k] * x[k]", "s += a[i][k] * x[k], y[i & 3] += s"),
    ],
    ids=("waits", "stores", "unknown", "triangular", "inside"),
)
def test_other_loops_stay_as_they_are(before: str, after: str) -> None:
    text = MATVEC.replace(before, after).replace("const float x", "int n, float x")
    text = text.replace("x[k] = s", "x[i % 9] = s")
    assert text != MATVEC
    circuit = of_c(text)
    assert numbers(circuit) == [] and not circuit.interleaved.is_open
    assert "error[LOWER_LOOP]" in refusal(of_c, asked(text, 4))


def test_a_value_that_the_outer_loop_gives_to_the_inner_one_keeps_the_order() -> None:
    text = """float f(const float a[12][9]) { float p = 2, r = 0;
for (int i = 0; i < 12; i++) {
  float s = p; p = p * 3;
  for (int k = 0; k < 9; k++) s += a[i][k];
  r += s; }
return r; }"""
    assert numbers(of_c(text)) == []
    assert (
        "LOWER_LOOP" in (found := refusal(of_c, asked(text, 4))) and "gives its own values" in found
    )


def test_loops_without_a_wait_take_no_turns() -> None:
    """Sums of integers, and loops whose ports take as many cycles."""
    assert numbers(of_c(MATVEC.replace("float", "int"))) == []
    busy = MATVEC.replace("x[k]", "x[k] * (x[8 - k] + x[0] * x[k / 2] + x[k & 1] * x[k & 3])")
    assert numbers(of_c(busy)) == []


def test_a_schedule_that_fails_in_turns_is_one_without(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = of_c(MATVEC, OFF)

    def fail(*_: object) -> None:
        raise LoomError("STATIC_OPERATION", plain.limits and "k.c", "x", "y")

    monkeypatch.setattr(interleaved_nests, "_Rewrite", fail)
    assert of_c(MATVEC).text == plain.text


def test_turns_that_take_more_time_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static_circuit, "SAVING", 0.9)
    circuit = of_c(MATVEC)
    assert numbers(circuit) == [] and circuit.interleaved.is_open


def test_turns_of_iterations_that_wait_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: a loop that has to keep its order does not."""
    text = MATVEC.replace("float s = 0;", "float s = y[(i + 11) % 12];")
    monkeypatch.setattr(LaneChooser, "check_independent", lambda *_: None)
    circuit = of_c(text)
    assert numbers(circuit) == [12]
    assert list(circuit.differences(given(circuit), MOST))


def test_a_dependence_over_the_loop_around_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was lost: no entry waits for another one, but each for itself of before. Then the planted
    fault."""
    for text in (IN_PLACE, IN_PLACE.replace("i < 12", "i < 24")):
        circuit = of_c(text)
        assert list(circuit.differences(given(circuit), MOST)) == []
    mark = interleaved_nests.mark
    monkeypatch.setattr(interleaved_nests, "mark", lambda ops, part, _: mark(ops, part, 9))
    circuit = of_c(IN_PLACE)
    assert list(circuit.differences(given(circuit), MOST))


def test_turns_that_forget_a_dependence_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: the sum of a turn is loaded before it is stored."""
    monkeypatch.setattr(body_problem.MemoryOrder, "carried", lambda *_: None)
    circuit = of_c(asked(MATVEC.replace("12", "4"), 2))
    assert list(circuit.differences(given(circuit), MOST))


@pytest.mark.usefixtures("deep_on_sources")
def test_random_nests_take_turns_or_say_why() -> None:
    """Against brute force over all pairs of accesses."""
    random, followed, refused = Random(44_000), 0, 0
    for _ in range(NESTS):
        turns = draw_turns(random)
        try:
            circuit = static(turns.text())
        except LoomError as error:  # the analysis may know less than brute force
            assert error.code == "LOWER_LOOP", error
            refused += not turns.is_independent()
            continue
        # Accesses that nobody needs are gone by then, and may have kept the order.
        followed += turns.is_independent()
        assert numbers(circuit) == [turns.lanes]
        assert list(circuit.differences(given(circuit, 2), MOST)) == [], turns.text()
    assert min(followed, refused) > NESTS // 6


@pytest.mark.usefixtures("deep_on_sources")
def test_random_programs_with_turns() -> None:
    found = list(random_entries.CAMPAIGN.run(range(PROGRAMS)))
    assert [row for row in found if row[2]] == []
    assert sum(count > 0 for _, count, _ in found) > PROGRAMS // 2


@pytest.mark.sim
def test_turns_in_rtl(deep: Deep) -> None:
    circuits = [compiled(text) for text, _ in PROGRAMS_IN_TURNS.values()]
    loaded = [(kernel_of(circuit), given(circuit, 3)) for circuit in circuits]
    deep(*RTL_INPUTS, "loom/emit", "rtl_templates/static", texts=describe_runs(loaded))
    kernels, runs = zip(*loaded, strict=True)
    for stalls in (0.0, 0.4):
        reports = cosimulate_kernels(kernels, runs, SimOptions(stalls=stalls))
        assert [(r.kernel.top, r.differences) for r in reports if not r.match] == []


@pytest.mark.from_sources
@pytest.mark.sim
def test_random_programs_in_rtl(deep: Deep) -> None:
    circuits = [random_entries.circuit(seed) for seed in range(IN_RTL)]
    deep(*RTL_INPUTS, "loom/emit", "rtl_templates/static", "tests/grow",
         texts=[each.text for each in circuits])  # fmt: skip
    found = list(random_entries.CAMPAIGN.in_rtl(range(IN_RTL)))
    assert [row for row in found if row[2]] == [] and len(found) > IN_RTL // 2
