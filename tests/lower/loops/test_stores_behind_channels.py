"""Stores of one array behind a channel follow each other once they are accepted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest

from loom.analysis.balance import done_before_return
from loom.analysis.balance.done_before_return import find_dones_after_return
from loom.analysis.balance.invariants import check_invariants
from loom.analysis.balance.solve_clocks import clocks_of
from loom.front.api import compile_text
from loom.front.circuit import Circuit
from loom.lower.memory import thread_memory_order
from loom.lower.memory.thread_memory_order import _Strand
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from loom.model.timed.simulate import run_timed

COUNT = 16
LATENCY = 9
BODIES = {
    "two stores": ("h[x[i]] = w[i]; h[y[i]] = i;", 2),
    "the first is late": ("h[x[i]] = w[i] * w[i] * w[i]; h[y[i]] = i;", 2),
    "the last is late": ("h[x[i]] = i; h[y[i]] = w[i] * w[i] * w[i];", 2),
    "three stores": ("h[x[i]] = w[i]; h[y[i]] = i; h[w[i] & 7] = 5;", 3),
    "a store of two iterations before": ("h[i & 7] = w[i]; h[(i + 2) & 7] = i;", 2),
    "updates": ("h[x[i]] += w[i]; h[y[i]] -= i;", 2),
    "a branch": ("if (w[i] > 2) { h[x[i]] = w[i]; h[y[i]] = i; }", None),
    "a branch beside a store": ("h[x[i]] = i; if (w[i] > 2) h[y[i]] = i;", None),
    "an inner loop": ("for (int k = 0; k < 3; k++) { h[x[i]] = k; h[y[k]] = i; }", None),
    "a loop that ends with what is loaded": (
        "int k = 0; while (k < 3 && h[k] < 5) { h[x[i]] = k; h[y[k]] = i; k++; }", None
    ),
}  # fmt: skip
"""Statements of an iteration, and its II where the stores at their port limit it [cycles]."""


def circuit(
    body: str,
    memory: str = f"channel,latency={LATENCY}",
    lean: Literal["on", "off"] = "on",
    order: Literal["auto", "queue"] = "auto",
) -> Circuit:
    """The loop with this body, as a dynamic circuit without a clock."""
    arrays = "const int x[16], const int y[16], const int w[16], int h[8]"
    text = f"void f({arrays}, int n) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
    options = Options(
        clock_period=None, style="dynamic", memories=(("h", memory),), lean=lean, memory_order=order
    )
    return compile_text(text, "k.c", options=options)


def activations() -> Iterator[Activation]:
    """Trip counts 0, 1, 2 and many; addresses that meet."""
    for n in (0, 1, 2, COUNT):
        numbers = range(COUNT)
        yield Activation(
            {
                "x": [(3 * k + k // 4) % 8 for k in numbers],
                "y": [(5 * k + 1) % 8 for k in numbers],
                "w": [(7 * k) % 5 for k in numbers],
                "h": [*range(8)],
                "n": n,
            }
        )


def wrong(found: Circuit) -> list[str]:
    """Where the models, timed or not, do not give what the program gives."""
    given = [*activations()]
    report = compare_models(found.source, "f", found.netlist, given, max_cycles=10_000)
    problems = [str(each) for each in report.differences]
    for number, (run, outcome) in enumerate(
        zip(run_timed(found.netlist, given), report.outcomes, strict=True)
    ):
        if [*run.memories["h"]] != [*outcome.memories["h"]] or run.errors or run.missing:
            problems.append(f"activation {number}")
    return problems


@pytest.mark.parametrize("lean", ["on", "off"])
@pytest.mark.parametrize("body", BODIES)
def test_the_last_store_wins(body: str, lean: Literal["on", "off"]) -> None:
    assert wrong(circuit(BODIES[body][0], lean=lean)) == []


def cycles(body: str) -> int:
    """Of the last activation."""
    return [*run_timed(circuit(body).netlist, [*activations()])][-1].cycles


@pytest.mark.parametrize("body", [name for name, (_, interval) in BODIES.items() if interval])
def test_a_port_is_busy_in_each_cycle(body: str) -> None:
    text, interval = BODIES[body]
    assert interval is not None
    assert cycles(text) <= interval * COUNT + 3 * LATENCY


def test_done_tokens_take_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Strand, "follows", lambda *_: False)
    assert cycles(BODIES["two stores"][0]) > 2 * LATENCY * COUNT


def test_a_store_that_overtakes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Strand, "token", lambda self, *_: self.entry)
    assert wrong(circuit(BODIES["the first is late"][0])) != []


def test_an_iteration_that_overtakes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_memory_order, "find_carried", lambda *_: ())
    assert wrong(circuit(BODIES["the last is late"][0])) != []


def accepting(found: Circuit) -> bool:
    """Whether the array says of each store that it is accepted."""
    return any(unit.attributes.get("accepts") for unit in found.netlist.units)


@pytest.mark.parametrize(
    ("body", "memory", "accepts"),
    [
        ("h[x[i]] = w[i]; h[y[i]] = i;", "channel", True),
        ("h[x[i]] = w[i]; h[y[i]] = i;", "ram", False),
        ("h[x[i]] = w[i];", "channel", False),
        ("h[i & 3] = w[i]; h[4 + (i & 3)] = i;", "channel", False),
    ],
)
def test_tokens_are_where_they_are_needed(body: str, memory: str, accepts: bool) -> None:
    assert accepting(circuit(body, memory)) == accepts


def test_a_queue_orders_stores_itself() -> None:
    found = circuit("h[x[i]] = h[y[i]]; h[y[i]] = i;", order="queue")
    assert any(unit.operator.name == "dataflow.load_store_queue" for unit in found.netlist.units)
    assert not accepting(found) and wrong(found) == []


def test_the_return_waits_for_the_last_store_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    netlist = circuit(BODIES["three stores"][0]).netlist
    clocks = clocks_of(netlist)
    assert find_dones_after_return(netlist, clocks) == []
    monkeypatch.setattr(done_before_return, "dones_before_others", lambda *_: set())
    found = {channel.source.port for _, channel in find_dones_after_return(netlist, clocks)}
    assert found == {"st_done0", "st_done1"}


SHARED = """static void part(const int w[16], int a[16], int n, int c) {
  for (int i = 0; i < n && w[i] != 7; i++) { a[w[i] & 7] = c; a[3 * i & 7] = i; }
}
void f(const int w[16], int g[16], int h[16], int n) {
  part(w, h, n, 1);
  part(w, g, 5, 1);
}"""


def test_a_circuit_of_two_arrays_waits_until_stores_are_done() -> None:
    memories = (("h", "channel"), ("g", "channel"))
    options = Options(clock_period=None, style="dynamic", memories=memories, share="on")
    found = compile_text(SHARED, "k.c", top="f", options=options)
    assert any(unit.operator.name == "handshake.share" for unit in found.netlist.units)
    assert not accepting(found)
    assert check_invariants(found.netlist).problems("k.c") == []
