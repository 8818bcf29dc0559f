"""Words of RAMs outside come late in the cycle: what is slow has a register before it.

On a cycle of the circuit, where a register would make iterations longer, there is none for that.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from xdsl.dialects import arith, memref

from loom.analysis.schedule.event_graph import EventGraph
from loom.analysis.schedule.plan_buffers import plan_buffers
from loom.analysis.timing.clocked_graph import Arrivals, ClockedGraph
from loom.analysis.timing.clocked_units import Clock, measured_delays
from loom.analysis.timing.pipeline_long_paths import PeriodNotMet
from loom.analysis.timing.unit_costs import overhead, ram_delay
from loom.dialects.ops.staticlogic import StageOp
from loom.front.api import compile_request
from loom.front.request import Request
from loom.lower.options import Options
from loom.lower.static import body_problem
from loom.model.timed.simulate import run_timed
from tests.model.test_examples import activations
from tests.static.test_machines import static
from tests.support.event_graphs import graph_of
from tests.support.folders import EXAMPLES

REGULAR = ("fir", "vecadd", "matvec", "vector_rescale")
"""All words go to results that no later load waits for."""
PERIODS = (4.0, 6.0, 8.0, 10.0, 12.0)
PRODUCTS = """func.func @f(%a: memref<16xi32>{said}, %b: memref<16xi32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {{
    %x = memref.load %a[%i] : memref<16xi32>
    %y = arith.muli %x, %x : i32
    memref.store %y, %b[%i] : memref<16xi32>
  }}
  return
}}
"""
CARRIED = """func.func @f(%a: memref<16xi32>, %b: memref<16xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %last = scf.for %i = %c0 to %c16 step %c1 iter_args(%before = %zero) -> (i32) {
    %x = memref.load %a[%i] : memref<16xi32>
    %y = arith.muli %before, %before : i32
    memref.store %y, %b[%i] : memref<16xi32>
    scf.yield %x : i32
  }
  return
}
"""
CHASE = """func.func @f(%a: memref<16xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %last = scf.for %i = %c0 to %c16 step %c1 iter_args(%x = %zero) -> (i32) {
    %place = arith.index_cast %x : i32 to index
    %word = memref.load %a[%place] : memref<16xi32>
    %next = arith.muli %word, %word : i32
    scf.yield %next : i32
  }
  return %last : i32
}
"""


def example(name: str) -> EventGraph:
    """The event graph of an example before it gets buffers."""
    return graph_of((EXAMPLES / f"{name}.mlir").read_text(encoding="utf-8"))


def is_late(graph: EventGraph, clock: Clock, planned_for: Clock) -> bool:
    """Whether with the buffers for one clock a signal is late by another."""
    buffers = plan_buffers(graph, planned_for)
    timed = ClockedGraph(graph.block, 32, {}, clock, [edge.value for edge in graph.edges])
    return Arrivals(timed, {edge.value: each for edge, each in buffers.items()}).is_late()


@pytest.mark.parametrize("name", ("fir", "matvec", "vector_rescale"))
def test_products_of_words_have_a_register_before_them(name: str) -> None:
    """The fault: words as early as from registers, which the same clock finds late."""
    graph = example(name)
    registers = Clock(10.0, measured_delays, overhead())
    rams = replace(registers, words=graph.words_off_cycles)
    assert graph.words_off_cycles
    assert not is_late(graph, rams, rams)
    assert is_late(graph, rams, registers)


def accepted_period(graph: EventGraph, clock: Clock) -> float:
    """The clock's period, or the shortest that registers bring about [ns]."""
    try:
        plan_buffers(graph, clock)
    except PeriodNotMet as reason:
        return reason.accepted
    return clock.period


@pytest.mark.parametrize("operator", ("muli", "xori"))
@pytest.mark.parametrize("period", PERIODS)
def test_no_period_is_refused_for_the_sake_of_a_ram(period: float, operator: str) -> None:
    """A register right behind the RAM is in time by definition, also where the RAM is too slow."""
    graph = graph_of(PRODUCTS.format(said="").replace("muli", operator))
    registers = Clock(period, measured_delays, overhead())
    rams = replace(registers, words=graph.words_off_cycles)
    assert accepted_period(graph, rams) == accepted_period(graph, registers)
    assert overhead() + ram_delay() > min(PERIODS)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (PRODUCTS.format(said=""), 1),
        (PRODUCTS.format(said=' {loom.memory = "ram,latency=2"}'), 0),
        (PRODUCTS.format(said=' {loom.memory = "channel,latency=4"}'), 0),
        (CHASE, 0),
    ],
)
def test_which_words_come_late(text: str, words: int) -> None:
    """Those of RAMs without an output register, and on no cycle."""
    assert len(graph_of(text).words_off_cycles) == words


@pytest.mark.parametrize("name", REGULAR)
def test_a_register_behind_a_ram_costs_cycles_at_the_start_alone(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two cycles more at most, for two RAMs in a row, whatever the number of iterations."""
    text = (EXAMPLES / f"{name}.mlir").read_text(encoding="utf-8")

    def cycles() -> int:
        circuit = compile_request(Request(text, name, options=Options(style="dynamic")))
        return run_timed(circuit.netlist, activations(name, circuit)[:1])[0].cycles

    found = cycles()
    monkeypatch.setattr(EventGraph, "words_off_cycles", frozenset())
    assert cycles() <= found <= cycles() + 2


def starts(text: str) -> tuple[int, int]:
    """The cycles in which an iteration's static schedule loads and multiplies."""
    circuit = static(text, Options())
    found: dict[type, int] = {}
    for stage in circuit.module.walk():
        if isinstance(stage, StageOp):
            found.update((type(each), stage.start) for each in stage.body.block.ops)
    return found[memref.LoadOp], found[arith.MuliOp]


def test_a_static_schedule_has_a_register_there_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault: words as early as from registers."""
    products = PRODUCTS.format(said="")
    assert starts(products) == (0, 2)
    assert starts(PRODUCTS.format(said=' {loom.memory = "ram,latency=2"}')) == (0, 2)
    assert starts(CARRIED) == (0, 1)
    assert [loop.ii for loop in static(CARRIED, Options()).pipelines] == [1]
    monkeypatch.setattr(body_problem, "ram_delay", lambda: 0.0)
    assert (starts(products), starts(CARRIED)) == ((0, 1), (0, 0))


def test_a_static_recurrence_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next address is the word: an iteration takes as long as the RAM and no longer."""
    (loop,) = static(CHASE, Options()).pipelines
    monkeypatch.setattr(body_problem, "ram_delay", lambda: 0.0)
    (without,) = static(CHASE, Options()).pipelines
    assert loop.ii == without.ii
    # The fault: a recurrence that is not seen.
    monkeypatch.undo()
    monkeypatch.setattr(body_problem, "ram_delay", lambda: 20.0)
    monkeypatch.setattr(body_problem, "on_cycles", lambda _: [])
    (blind,) = static(CHASE, Options()).pipelines
    assert blind.ii > loop.ii
