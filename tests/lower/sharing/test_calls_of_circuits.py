"""A loop in a shared circuit counts the iterations of all its calls when the period is chosen."""

from __future__ import annotations

import pytest

from loom.analysis.schedule.event_graph import EventGraph
from loom.front.api import compile_request
from loom.front.circuit import Circuit
from loom.front.request import Request
from loom.lower.dataflow import expected_cycles
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.timed.simulate import run_timed

PROGRAM = """#include <stdint.h>
static uint32_t divide(uint32_t n, uint32_t d) {
  uint32_t q = 0, r = 0;
  for (int bit = 31; bit >= 0; bit--) {
    r = r << 1 | (n >> bit & 1);
    if (r >= d) { r -= d; q |= (uint32_t)1 << bit; }
  }
  return q;
}
uint32_t kernel(uint32_t a[20], uint32_t d) {
  uint32_t s = 0, t = 0;
  for (int i = 0; i < 20; i++) s += divide(a[i], d);
  for (uint32_t i = 0; i < 1000; i++) t += i ^ d;
  for (int i = 0; i < 20; i++) s ^= divide(a[i] + s, d + 1);
  return s ^ t;
}
"""


def compiled(share: str) -> Circuit:
    """The circuit at the period that is chosen for it."""
    options = Options(share="on" if share == "on" else "off")
    return compile_request(Request(PROGRAM, "k.c", options=options))


def test_a_shared_loop_has_the_iterations_of_all_calls() -> None:
    circuit = compiled("on")
    graph = EventGraph(circuit.body, 64, {})
    found = expected_cycles.expected_cycles(graph, {}).iterations
    assert sorted(found.values()) == [20, 20, 1000, 32 * 40]


def time_of(circuit: Circuit) -> float:
    """Cycles by the clock period [ns]."""
    (run,) = run_timed(circuit.netlist, [Activation({"a": list(range(500, 520)), "d": 7})])
    assert circuit.netlist.clock_period is not None
    return run.cycles * circuit.netlist.clock_period


@pytest.mark.usefixtures("deep_on_sources")
def test_a_shared_loop_gets_a_period_as_its_copies_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: without the calls the period is shorter, and the loop has an II of 2."""
    apart = time_of(compiled("off"))
    assert time_of(compiled("on")) < 1.1 * apart
    monkeypatch.setattr(expected_cycles, "count_calls", lambda graph: {})
    assert time_of(compiled("on")) > 1.3 * apart
