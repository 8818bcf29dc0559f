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
    "end": (
        "for (;;) { _Bool in = i < n; s = x[in ? i : 0]; if (!(in && s != key)) break; i++; }",
        1,
    ),
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
    assert loads_ahead(circuit)
    assert list(circuit.differences(given(), MOST)) == []


@pytest.mark.parametrize(
    "loop",
    [
        "while (i < n && x[i] != key && s < 9) { s += 2; i = x[i]; }",
        "while (i < n && g[i & 7] != key) { g[(i + 1) & 7] = i; i++; }",
        "while (i < n && x[w[i]] != key) i++;",
        "for (int k = 0; k < 3; k++) { i = k; while (i < n && x[i] != key) i++; }",
        "while (i < n && s < 9) { s++; i++; }",
    ],
    ids=["chase", "stored", "address by a load", "loop around", "no load in the test"],
)
def test_other_loads_stay(loop: str) -> None:
    circuit = static(loop)
    assert not loads_ahead(circuit)
    assert list(circuit.differences(given(), MOST)) == []


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
