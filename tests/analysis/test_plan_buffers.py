"""Buffers for a clock period go where they cost no II, and no path is late with them."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest
from xdsl.ir import Block, SSAValue

from loom.analysis.schedule import plan_buffers as planning
from loom.analysis.schedule.buffers import place_buffers
from loom.analysis.schedule.event_graph import Edge, EventGraph
from loom.analysis.schedule.loop_edges import edges_by_loop, iterations_ahead
from loom.analysis.schedule.modulo_schedule import Arc, modulo_schedule
from loom.analysis.schedule.plan_buffers import periods_to_try, place_in_time
from loom.analysis.schedule.register_slack import LoopSlack, RegisterSlack
from loom.analysis.timing.clocked_graph import Arrivals, ClockedGraph
from loom.analysis.timing.clocked_units import Buffer, Clock, measured_delays
from loom.analysis.timing.pipeline_long_paths import places_to_buffer
from loom.analysis.timing.unit_costs import overhead
from loom.dialects.ops.handshake_function import FuncOp
from loom.front.api import compile_request
from loom.front.request import Request
from loom.frontend.mlir.read import read_mlir
from loom.lower.options import Options
from loom.lower.pipeline import PASSES
from loom.model.timed.simulate import run_timed
from tests.model.test_examples import activations
from tests.support.folders import EXAMPLES

REGULAR = ("fir", "vecadd", "matvec", "histogram")
"""Loops whose iterations overlap at any clock: no operation of the table waits for itself."""
PERIODS = (10.0, 12.0, 14.0)
MOST = 25
"""Edges of a loop that are looked at."""
CLOCK = Clock(10.0, measured_delays, overhead())


def cycles(name: str, period: float | None) -> int:
    """The cycles of the first activation in the timed model [cycles]."""
    text = (EXAMPLES / f"{name}.mlir").read_text(encoding="utf-8")
    circuit = compile_request(Request(text, name, options=Options(clock_period=period)))
    return run_timed(circuit.netlist, activations(name, circuit)[:1])[0].cycles


@pytest.mark.parametrize("name", REGULAR)
def test_regular_loops_take_as_many_cycles_at_every_period(name: str) -> None:
    """A register on the wrong channel doubled or tripled the II: fir took 306 cycles at 12 ns."""
    free = cycles(name, None)
    found = {period: cycles(name, period) for period in PERIODS}
    assert {period: n for period, n in found.items() if n > 1.04 * free + 4} == {}


def graph_of(name: str) -> EventGraph:
    """The event graph of an example before it gets buffers."""
    module = read_mlir((EXAMPLES / f"{name}.mlir").read_text(encoding="utf-8"), name)
    options = Options(index_width=32)
    for step in PASSES[:-1]:
        step.rewrite(module, options)
    (function,) = [op for op in module.ops if isinstance(op, FuncOp)]
    block: Block = function.body.block
    return EventGraph(block, 32, {})


def ii_of(ahead: Mapping[Edge, int], registered: set[Edge]) -> int:
    """The II of a loop as the modulo schedule has it [cycles]."""
    arcs = [
        Arc(edge.source, edge.target, edge.latency + (edge in registered), reach)
        for edge, reach in ahead.items()
    ]
    nodes = {node for edge in ahead for node in (edge.source, edge.target)}
    arcs += [Arc(n, n, n.timing.interval, 1) for n in nodes if n.timing.interval > 1]
    return max(modulo_schedule(arcs).interval.values(), default=1)


@pytest.mark.parametrize("name", ("gcd", "fir", "spmv", "kmp"))
def test_a_register_binds_where_the_schedule_gets_longer(name: str) -> None:
    """Edges of every loop, half of which get one as the test goes on."""
    graph = graph_of(name)
    registered = {
        e for e, buffer in place_buffers(graph, set(), set()).items() if buffer.registered
    }
    looked = longer = 0
    for loop, edges in edges_by_loop(graph).items():
        ahead = {
            edge: reach
            for edge in edges
            if (reach := iterations_ahead(edge, loop, graph.closing)) is not None
        }
        slack = LoopSlack(ahead, registered, 1.0)
        here = set(registered)
        draw = random.Random(len(ahead))
        for edge in draw.sample(list(slack.delay), min(MOST, len(slack.delay))):
            if edge in here:
                continue
            found = ii_of(ahead, {*here, edge})
            assert slack.binds(edge) == (found > slack.ii)
            looked, longer = looked + 1, longer + slack.binds(edge)
            if draw.random() < 0.5:
                slack.add(edge)
                here.add(edge)
                assert slack.ii == ii_of(ahead, here)
                assert all(slack.slack(each) >= 0 for each in slack.delay)
    assert 0 < longer <= looked


def test_a_loop_without_start_times_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault: a register moves no start time. The test above sees it as negative slack."""
    monkeypatch.setattr(LoopSlack, "move_start_times", lambda self, edge: None)
    monkeypatch.setattr("tests.analysis.test_plan_buffers.MOST", 1000)
    with pytest.raises(AssertionError):
        test_a_register_binds_where_the_schedule_gets_longer("gcd")


@pytest.mark.parametrize("name", ("fir", "kmp", "matvec"))
def test_arrivals_are_those_of_the_whole_circuit(name: str) -> None:
    """The estimate of the finished netlist knows nothing of the graph that placed its buffers."""
    text = (EXAMPLES / f"{name}.mlir").read_text(encoding="utf-8")
    plain = compile_request(Request(text, name, options=Options(index_width=32, clock_period=None)))
    graph = graph_of(name)
    timed = ClockedGraph(graph.block, 32, {}, CLOCK, [edge.value for edge in graph.edges])
    buffers = place_buffers(graph, set(), set())
    found = Arrivals(timed, {edge.value: buffer for edge, buffer in buffers.items()})
    (longest, *_) = found.late_ends()
    assert plain.cost.path is not None
    assert longest.delay == pytest.approx(plain.cost.path.delay)
    assert found.path(longest).delay == longest.delay and found.path(longest).units


def test_what_needs_no_buffer_gets_none() -> None:
    """Late paths share buffers: after the last one is placed, some of the first are too many."""
    graph = graph_of("gcd")
    with_all = place_in_time(graph, CLOCK, planning.place_where_loops_close)
    timed = ClockedGraph(graph.block, 32, {}, CLOCK, [edge.value for edge in graph.edges])
    planned = {edge.value: buffer for edge, buffer in with_all.items()}
    assert not Arrivals(timed, planned).is_late()
    slow = sum(loop.ii for loop in planning.slack_of(graph, with_all).loops)
    kept = pytest.MonkeyPatch()
    with kept.context() as patch:
        patch.setattr(planning, "remove_needless", lambda *_: False)
        first = place_in_time(graph, CLOCK, planning.place_where_loops_close)
    assert len(first) > len(with_all)
    assert sum(loop.ii for loop in planning.slack_of(graph, first).loops) >= slow


def test_a_cycle_of_signals_gets_a_buffer() -> None:
    """Without any buffer the loop of gcd is a cycle of wires."""
    graph = graph_of("gcd")
    values = {edge.value: edge for edge in graph.edges}
    timed = ClockedGraph(graph.block, 32, {}, CLOCK, values)
    planned: dict[SSAValue, Buffer] = {}
    placed = 0
    slack = RegisterSlack(graph, set())
    while (found := Arrivals(timed, planned)).is_late():
        for value, registered, _ in places_to_buffer(
            found, 0.4, lambda place: slack.cost(values[place.value]) * place.registered
        ):
            planned[value] = Buffer(registered, 2)
            placed += 1
        assert placed < 10 * len(values)
    assert not found.cycle() and placed > 4


def test_periods_near_each_other_share_some() -> None:
    assert periods_to_try(12.0, 100) == [12.0, 11.0, 10.0]
    assert periods_to_try(12.5, 100) == [12.5, 12.0, 11.0]
    assert periods_to_try(1.5, 100) == [1.5, 1.0]
    assert periods_to_try(12.0, 5000) == [12.0]
