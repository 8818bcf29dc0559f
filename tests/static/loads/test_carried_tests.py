"""Loops whose tests take cycles are pipelines: an iteration tests whether another one follows."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import cosimulate_kernels
from xdsl.dialects import memref

from loom.analysis.program.memory_accesses import CarriedAddress
from loom.front.api import compile_text
from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.lower import pipeline
from loom.lower.options import Options
from loom.lower.static import carry_tests as carrying
from loom.lower.static import flatten_whiles, loads_inside
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from tests.grow.static_campaign import kernel_of
from tests.static.loads import random_tests
from tests.static.test_static_rtl import INPUTS
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import describe_runs
from tests.support.static.circuits import compile_static_request

COUNT, MOST, PROGRAMS, IN_RTL = 20, 4000, 60, 20
INSERT = (
    "for (int k = 1; k < n; k++) { int t = x[k]; i = k; "
    "while (i > 0 && x[i - 1] > t) { x[i] = x[i - 1]; i--; } x[i] = t; }"
)
LOOPS = {
    "insertion sort": (INSERT, 2),
    "a search in a loop": (
        "for (int k = 0; k < 3; k++) { i = k; while (i < n && x[i] != key) i++; s += i; }", 2),
    "a search for two": (
        "for (int k = 0; k < n; k++) { i = 0; while (x[i] != w[k] && i < 19) i++; s += i; }", 2),
    "binary search": (
        "int h = 19; while (i < h && x[(i + h) >> 1] != key) "
        "{ int m = (i + h) >> 1; if (x[m] < key) i = m + 1; else h = m; }", 3),
    "a chain": ("while (x[i] != key && s < n) { i = w[i]; s++; }", 2),
    "a store in the test": ("while (i < n && (x[i] ^= 5) != key) i++;", 2),
    "a test at the end": ("do { x[i] += w[i]; i++; } while (i < n && x[i] != key);", 3),
    "a step back": (
        "while (s < n && x[s] != key) { x[s] = i; s++; if (s & 1) i += x[s]; }", 3),
    "what was stored": ("while (i < n && x[i] != key) { x[i + 1 < 20 ? i + 1 : 0] = i; i++; }", 3),
}  # fmt: skip
"""Loops and the II of the last one."""


def program(loop: str) -> str:
    """A function of arrays that holds the loop."""
    arrays = f"int x[{COUNT}], const int w[{COUNT}]"
    return f"int f({arrays}, int n, int key) {{ int i = 0, s = 0; {loop} return s * 64 + i; }}"


def static(loop: str, **options: Any) -> StaticCircuit:
    """The schedule of a program in C."""
    return compile_static_request(Request(program(loop), "k.c", options=Options(**options)))


def given() -> Sequence[Activation]:
    """No iteration, one, two, many; rising, falling and mixed elements."""
    mixed = [(7 * k + 3) % COUNT for k in range(COUNT)]
    return [
        Activation({"x": x, "w": mixed, "n": n, "key": key})
        for x in (mixed, sorted(mixed), sorted(mixed)[::-1])
        for n, key in ((0, 3), (1, 3), (2, 10), (COUNT, 17), (COUNT, 99))
    ]


@pytest.mark.parametrize("name", LOOPS)
def test_an_iteration_follows_its_test(name: str) -> None:
    loop, interval = LOOPS[name]
    circuit = static(loop)
    assert [each.ii for each in circuit.pipelines][-1] == interval
    assert list(circuit.differences(given(), MOST)) == []


@pytest.mark.parametrize("name", LOOPS)
def test_it_takes_fewer_cycles_than_a_sequence(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flatten_whiles, "find_pairs", lambda _: ())  # which have no such tests
    ours = sum(static(LOOPS[name][0]).cycles(given(), MOST))
    monkeypatch.setattr(carrying, "can_pipeline_while", lambda _: True)
    sequence = static(LOOPS[name][0])
    assert list(sequence.differences(given(), MOST)) == []
    assert ours < sum(sequence.cycles(given(), MOST))


@pytest.mark.parametrize("order", ["auto", "serial"])
@pytest.mark.parametrize("memory", ["ram", "ram,latency=3", "channel"])
@pytest.mark.parametrize("name", ["insertion sort", "a chain", "a store in the test"])
def test_memories_of_other_latencies(name: str, memory: str, order: str) -> None:
    """What is seen outside, or must stay in order, is loaded as the program does."""
    circuit = static(LOOPS[name][0], memories=(("x", memory),), memory_order=order)
    assert list(circuit.differences(given(), MOST)) == []
    loads = [line for line in circuit.text.splitlines() if "memref.load %x" in line]
    is_free = memory != "channel" and order != "serial"
    assert is_free or not any("loom.speculative" in line for line in loads)


def test_a_static_loop_in_a_dynamic_circuit_carries_its_test() -> None:
    text = program(INSERT.replace("for (", "\n#pragma loom style(static)\nfor (", 1))
    circuit = compile_text(text, "k.c", options=Options(style="dynamic"))
    report = compare_models(circuit.source, "f", circuit.netlist, given(), max_cycles=20_000)
    assert not report.differences


def test_an_address_outside_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: loads that the program would not make go where they say."""
    monkeypatch.setattr(pipeline, "BEHIND_ANALYSIS", pipeline.BEFORE_SCHEDULES[0])
    found = [*static(INSERT).differences(given(), MOST)]
    assert any("outside its array" in each for each in found)


def test_a_store_that_does_not_wait_for_the_test_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: it waits for the first half of the test, which holds in the last iteration, too."""
    made = carrying.under
    monkeypatch.setattr(carrying, "under", lambda test, op: made(test.owner.operands[0], op))
    assert [*static(LOOPS["a step back"][0]).differences(given(), MOST)]


def test_a_distance_that_is_too_long_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: no load of a later iteration meets a store of this one."""
    loop = LOOPS["what was stored"][0].replace("i + 1 < 20 ? i + 1 : 0", "i + 1")
    loop = loop.replace("i < n", "i < n - 1")
    circuit = static(loop)
    assert list(circuit.differences(given(), MOST)) == []
    monkeypatch.setattr(CarriedAddress, "is_at", lambda *_: False)
    assert [*static(loop).differences(given(), MOST)]


def test_a_load_of_before_a_store_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: of two loads of one address there is one, whatever is stored between them."""
    loop = "while (i < n && x[i] != key) { x[i ^ (s & 1)] = i; s += x[i]; i++; }"
    assert list(static(loop).differences(given(), MOST)) == []
    without_stores = SimpleNamespace(LoadOp=memref.LoadOp, StoreOp=())
    monkeypatch.setattr(loads_inside, "memref", without_stores)
    assert [*static(loop).differences(given(), MOST)]


@pytest.mark.usefixtures("deep_on_sources")
def test_random_programs() -> None:
    found = list(random_tests.CAMPAIGN.run(range(PROGRAMS)))
    assert [(seed, wrong) for seed, _, wrong in found if wrong] == []
    assert sum(carried > 0 for _, carried, _ in found) > PROGRAMS // 2


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
    deep(*INPUTS, "tests/grow", "tests/static/loads")
    found = list(random_tests.CAMPAIGN.in_rtl(range(IN_RTL)))
    assert found and [(seed, wrong) for seed, _, wrong in found if wrong] == []
