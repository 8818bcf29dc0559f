"""By default the period is that of the target, or a longer one if the program takes less time."""

from __future__ import annotations

import pytest

from loom.analysis.schedule.event_graph import EventGraph
from loom.analysis.timing.targets import find_target
from loom.dialects.ops.handshake_function import FuncOp
from loom.front.api import compile_request, compile_text
from loom.front.circuit import Circuit
from loom.front.request import Request
from loom.lower.dataflow import choose_period
from loom.lower.dataflow.expected_cycles import OFTEN, SELDOM, expected_cycles, least_cycles
from loom.lower.options import Options
from loom.model.timed.simulate import run_timed
from tests.model.test_examples import activations
from tests.support.folders import EXAMPLES

PERIODS = tuple(float(period) for period in range(6, 21))
"""The periods that a user could choose instead [ns]."""
UNMET = 1.05
"""So much longer than the best of them a program may take: what an iteration costs is expected, how
long a loop takes to fill and to empty is not."""


def compiled(name: str, options: Options) -> Circuit:
    """An example's circuit."""
    text = (EXAMPLES / f"{name}.mlir").read_text(encoding="utf-8")
    return compile_request(Request(text, f"{name}.mlir", options=options))


def time_of(name: str, circuit: Circuit) -> float:
    """How long some activations take at the circuit's period, by the timed model [ns]."""
    assert circuit.netlist.clock_period is not None
    runs = run_timed(circuit.netlist, activations(name, circuit)[:3])
    return sum(run.cycles for run in runs) * circuit.netlist.clock_period


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("name", ("gcd", "collatz", "crc32"))
def test_no_period_takes_less_time_than_the_default(name: str) -> None:
    """An iteration of gcd takes 11 ns: two cycles of 10 ns were slower than one of 13."""
    best = time_of(name, compiled(name, Options()))
    found = {period: attempt_time(name, period) for period in PERIODS}
    assert {p: time for p, time in found.items() if best > UNMET * time} == {}


def attempt_time(name: str, period: float) -> float:
    """The time at a period [ns]; infinite if it is refused."""
    try:
        return time_of(name, compiled(name, Options(clock_period=period)))
    except choose_period.LoomError as error:
        assert error.code == "LOWER_CLOCK_PERIOD"
        return float("inf")


def test_a_longer_period_is_noted_and_can_be_left() -> None:
    circuit = compiled("gcd", Options())
    assert circuit.netlist.clock_period == 13.0
    assert circuit.notes == (
        "the clock period is 13 ns (Fmax 77 MHz) instead of 10 ns, which is faster: the loop at"
        " gcd.mlir:3:3 has II = 1, at 10 ns it has 2; choose --clock-period 10 for that",
    )
    circuit = compiled("gcd", Options(clock_period=10.0))
    assert (circuit.netlist.clock_period, circuit.notes) == (10.0, ())


def test_a_loop_that_loses_nothing_keeps_the_targets_period() -> None:
    circuit = compiled("fir", Options())
    assert (circuit.netlist.clock_period, circuit.notes) == (find_target("ecp5").period, ())


def test_a_period_that_saves_too_little_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose_period, "SAVING", 0.5)
    circuit = compiled("gcd", Options())
    assert (circuit.netlist.clock_period, circuit.notes) == (10.0, ())


NEST = """func.func @f(%n: i32, %a: memref<8xi32>) -> i32 {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %trips = arith.constant {trips} : index
  %some = arith.index_cast %n : i32 to index
  %last = scf.for %i = %zero to %{bound} step %one iter_args(%x = %n) -> (i32) {{
    %y = scf.while (%v = %x) : (i32) -> i32 {{
      %limit = arith.constant 100 : i32
      %more = arith.cmpi slt, %v, %limit : i32
      scf.condition(%more) %v : i32
    }} do {{
    ^bb0(%v: i32):
      %w = arith.muli %v, %v : i32
      scf.yield %w : i32
    }}
    %half = arith.index_cast %i : index to i32
    %z = arith.subi %y, %half : i32
    scf.yield %z : i32
  }}
  return %last : i32
}}
"""


@pytest.mark.parametrize(("bound", "count"), (("trips", 5), ("some", OFTEN)))
def test_iterations_are_those_of_known_trip_counts(bound: str, count: int) -> None:
    """What is not known counts as often, an uncounted loop in another one as seldom."""
    text = NEST.format(trips=5, bound=bound)
    circuit = compile_text(text, "f.mlir", options=Options(clock_period=None))
    graph = graph_of(circuit)
    found = expected_cycles(graph, {})
    assert sorted(found.iterations.values()) == [count, SELDOM * count]
    total = sum(found.intervals[loop] * n for loop, n in found.iterations.items())
    assert found.total == total >= least_cycles(graph).total > 0


def graph_of(circuit: Circuit) -> EventGraph:
    """The graph of a circuit, whose buffers are units."""
    (function,) = [op for op in circuit.graph.ops if isinstance(op, FuncOp)]
    return EventGraph(function.body.block, 64, {})
