"""Stores of the last iterations reach loads through registers, in static schedules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.front.api import compile_text
from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.lower.options import Options
from loom.lower.static import forward_carried_stores as forwarding
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from loom.model.timed.simulate import run_timed
from tests.grow import random_updates
from tests.static.test_static_rtl import INPUTS
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import describe_runs
from tests.support.static.circuits import compile_static_request

COUNT, PLACES, MOST, PROGRAMS, IN_RTL = 16, 8, 2000, 60, 20
LOOPS = {
    "histogram": ("h[x[i] & 7] += w[i];", 2, 1),
    "another address": ("h[w[i] & 7] = h[x[i] & 7] ^ i;", 2, 1),
    "branch": ("if (w[i] > 2) h[x[i] & 7] += w[i];", 3, 1),
    "branches": ("if (w[i] > 1) { if (x[i] > 1) h[x[i] & 7] += i; else s++; }", 3, 1),
    "other branch": ("if (w[i] > 2) s++; else h[x[i] & 7] += w[i];", 3, 1),
    "minimum": ("int t = h[x[i] & 7]; if (w[i] < t) h[w[i] & 7] = w[i];", 3, 1),
    "product": ("h[x[i] & 7] = h[x[i] & 7] * w[i] + 1;", 4, 2),
    "two arrays": ("h[x[i] & 7] += w[i]; g[w[i] & 7] -= x[i];", 2, 1),
}
"""Statements of an iteration, and the II of their loop without forwarding and with it."""


def program(body: str, loop: str = "for (int i = 0; i < n; i++) {{ {} }}") -> str:
    """A function of arrays that holds the loop."""
    arrays = f"const int x[{COUNT}], const int w[{COUNT}], int h[{PLACES}], int g[{PLACES}]"
    return f"int f({arrays}, int n) {{ int s = 0; {loop.format(body)} return s; }}"


NEST = "for (int k = 0; k < n; k++) for (int i = 0; i < 4; i++) {{ {} }}"


def static(text: str, **options: Any) -> StaticCircuit:
    """The schedule of a program in C."""
    return compile_static_request(Request(text, "k.c", options=Options(**options)))


def given() -> Sequence[Activation]:
    """No iteration, one, two, many; addresses that are all alike, in pairs, and of all kinds."""
    rows = [[3] * COUNT, [(i // 2) % 5 for i in range(COUNT)], [i * i % 7 for i in range(COUNT)]]
    return [
        Activation({"x": x, "w": w, "h": list(range(PLACES)), "g": [5] * PLACES, "n": n})
        for n in (0, 1, 2, COUNT)
        for x in rows
        for w in rows
    ]


def intervals(circuit: StaticCircuit) -> list[int]:
    """The II of each pipeline."""
    return [loop.ii for loop in circuit.pipelines]


@pytest.mark.parametrize("name", LOOPS)
def test_no_way_through_the_ram_is_in_the_ii(name: str) -> None:
    body, before, behind = LOOPS[name]
    circuit = static(program(body))
    assert intervals(static(program(body), memory_order="tokens")) == [before]
    assert intervals(circuit) == [behind]
    assert list(circuit.differences(given(), MOST)) == []


@pytest.mark.parametrize("latency", [2, 3])
@pytest.mark.parametrize("name", ["histogram", "branch", "minimum"])
def test_a_slower_ram_has_more_registers(name: str, latency: int) -> None:
    circuit = static(program(LOOPS[name][0]), memories=(("h", f"ram,latency={latency}"),))
    assert intervals(circuit) == [1]
    assert list(circuit.differences(given(), MOST)) == []


@pytest.mark.parametrize("name", ["histogram", "branch"])
def test_a_nest_is_one_loop_as_to_its_stores(name: str) -> None:
    """The first iteration of an entry gets what the last one of the entry before has stored."""
    few = [Activation({**each.inputs, "n": each.inputs["n"] % 5}) for each in given()]
    circuit = static(program(LOOPS[name][0], NEST))
    assert intervals(circuit) == [1]
    assert list(circuit.differences(few, MOST)) == []


@pytest.mark.parametrize(
    "body",
    [
        "h[x[i] & 7] += w[i] + h[w[i] & 7];",
        "h[x[i] & 7] += w[i]; h[w[i] & 7] = 3;",
        "h[i & 7] += w[i];",
        "h[x[i] & 7] += w[i] * x[i ^ 1];",
    ],
)
def test_only_what_bounds_the_ii_gets_registers(body: str) -> None:
    """Not several loads or stores, no loads that wait for a port, nor stores far away."""
    assert "loom.forwarded" not in static(program(body)).text


@pytest.mark.parametrize(
    "loop",
    [
        "for (int k = 0; k < n; k++) {{ for (int i = 0; i < 8; i++) {{ {} }} h[k & 7] ^= 5; }}",
        "for (int i = 0; i < n; i++) {{ {} for (int k = 0; k < i; k++) s += w[k]; }}",
    ],
)
def test_no_registers_where_others_bound_the_ii(loop: str) -> None:
    """Other accesses of a nest, and a loop that is no pipeline."""
    circuit = static(program(LOOPS["histogram"][0], loop))
    assert "loom.forwarded" not in circuit.text
    assert list(circuit.differences(given(), 20_000)) == []


@pytest.mark.parametrize(
    "options", [{"memory_order": "tokens"}, {"array_orders": (("h", "tokens"),)}]
)
def test_an_order_that_is_said_is_followed(options: dict[str, Any]) -> None:
    text = program(LOOPS["histogram"][0])
    assert "loom.forwarded" in static(text).text
    assert "loom.forwarded" not in static(text, **options).text


def test_a_load_that_waits_for_too_few_stores_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fact without registers, and registers of fewer stores than the load does not wait for."""
    text = program(LOOPS["branch"][0])

    def without_registers(update: forwarding.Update) -> None:
        forwarding.FORWARDED.put(update.load, update.forwarded)

    right = forwarding.forward

    def one_less(update: forwarding.Update) -> None:
        load = update.load
        right(update._replace(forwarded=update.forwarded - 1))
        forwarding.FORWARDED.put(load, update.forwarded)

    for wrong in (without_registers, one_less):
        monkeypatch.setattr(forwarding, "forward", wrong)
        assert list(static(text).differences(given(), MOST)) != []


def test_a_first_address_that_an_access_may_have_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def constant(build: object, value: int, type_: object = None) -> object:
        return right(build, 3 if value == PLACES else value, type_)

    right = forwarding.Arithmetic.constant
    monkeypatch.setattr(forwarding.Arithmetic, "constant", constant)
    assert list(static(program(LOOPS["histogram"][0])).differences(given(), MOST)) != []


def test_a_loop_of_static_style_in_a_dynamic_circuit_has_it_too() -> None:
    loop = "\n#pragma loom style(static)\nfor (int i = 0; i < n; i++) {{ {} }}"
    text = program(LOOPS["histogram"][0], loop)
    circuit = compile_text(text, "k.c", options=Options(style="dynamic"))
    assert "loom.forwarded" in str(circuit.graph)
    report = compare_models(circuit.source, "f", circuit.netlist, given(), max_cycles=20_000)
    assert not report.differences
    cycles = [run.cycles for run in run_timed(circuit.netlist, given())]
    assert max(cycles) < 2 * COUNT


@pytest.mark.parametrize("said", ["(h, tokens)", "(tokens)"])
def test_a_static_loop_follows_the_order_of_its_array_and_function(said: str) -> None:
    loop = "\n#pragma loom style(static)\nfor (int i = 0; i < n; i++) {{ {} }}"
    text = program(LOOPS["histogram"][0], loop)
    text = f"#pragma loom memory_order{said}\n{text}"
    circuit = compile_text(text, "k.c", options=Options(style="dynamic"))
    assert "loom.forwarded" not in str(circuit.graph)


@pytest.mark.usefixtures("deep_on_sources")
def test_random_programs() -> None:
    found = list(random_updates.CAMPAIGN.run(range(PROGRAMS)))
    assert [(seed, wrong) for seed, _, wrong in found if wrong] == []
    assert sum(loads > 0 for _, loads, _ in found) > PROGRAMS // 3


def kernel_of(text: str) -> Kernel:
    """The schedule's SystemVerilog with the ports of the dynamic circuit."""
    circuit = static(text)
    dynamic = circuit.dynamic
    return Kernel(dynamic.source, dynamic.top, dynamic.netlist, circuit.rtl, True, circuit.cycles)


@pytest.mark.sim
@pytest.mark.parametrize("stalls", [0.0, 0.4])
def test_loops_in_rtl(stalls: float, deep: Deep) -> None:
    texts = [program(body) for body, _, _ in LOOPS.values()]
    pairs = [(kernel_of(text), list(given())) for text in texts]
    deep(*INPUTS, texts=describe_runs(pairs))
    kernels, runs = zip(*pairs, strict=True)
    reports = cosimulate_kernels(kernels, runs, SimOptions(stalls=stalls, max_cycles=20_000))
    assert [(r.kernel.top, r.differences) for r in reports if not r.match] == []
    for report in reports if not stalls else ():
        assert [run.cycles for run in report.rtl.runs] == report.predicted


@pytest.mark.sim
def test_random_programs_in_rtl(deep: Deep) -> None:
    deep(*INPUTS, "tests/grow")
    found = list(random_updates.CAMPAIGN.in_rtl(range(IN_RTL)))
    assert found and [(seed, wrong) for seed, _, wrong in found if wrong] == []
