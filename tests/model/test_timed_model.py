"""The timed model moves the tokens of the token model; RTL tests hold its cycles."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from loom.front.api import compile_text
from loom.front.cli import main
from loom.model.bundles.activation import Activation
from loom.model.timed.simulate import (
    AFFORDABLE,
    DEFAULT_MOST,
    TimedSimulation,
    predicted,
    run_timed,
)
from loom.model.tokens.token_run import TokenRun
from loom.model.tokens.token_simulator import simulate
from loom.netlist.netlist import Netlist
from tests.model.test_examples import NAMES, activations, compiled
from tests.model.test_token_simulator import sum_of_indices
from tests.support.folders import EXAMPLES
from tests.support.netlists import NetlistBuilder
from tests.support.refusals import refusal

pytestmark = pytest.mark.usefixtures("no_clock_period")


@pytest.mark.parametrize("name", NAMES)
def test_examples_move_the_same_tokens(name: str) -> None:
    circuit = compiled(EXAMPLES / f"{name}.mlir", "raw")
    given = activations(name, circuit)
    runs = run_timed(circuit.netlist, given)
    expected = simulate(circuit.netlist, given).activations
    assert [run.outputs for run in runs] == [run.outputs for run in expected]
    assert [run.memories for run in runs] == [run.memories for run in expected]
    for run, other in zip(runs, expected, strict=True):
        assert {channel: run.tokens[channel] for channel in other.tokens} == other.tokens
        assert run.errors == run.missing == ()


SUM = """func.func @sum(%n: index) -> index {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %s = scf.for %i = %0 to %n step %1 iter_args(%x = %0) -> index {
    %y = arith.addi %x, %i : index
    scf.yield %y : index
  }
  return %s : index
}"""


def test_a_loop_of_one_cycle_takes_a_cycle_a_trip() -> None:
    netlist = compile_text(SUM).netlist
    runs = run_timed(netlist, [Activation({"n": n}) for n in (0, 1, 2, 50)])
    assert [run.cycles for run in runs] == [1, 2, 3, 51]
    assert [run.outputs["out0"] for run in runs] == [(0,), (0,), (1,), (1225,)]


def test_a_deadlock_of_bounded_channels_is_found() -> None:
    """No slot for the condition: the fork waits for the carry, and the carry for the next one."""
    netlist, given = sum_of_indices(), [Activation({"n": 3})]
    assert simulate(netlist, given).clean
    assert [run.missing for run in run_timed(netlist, given)] == [("sum",)]


def unbalanced(slots: int) -> Netlist:
    """A token and the one three cycles behind it meet: the first needs a place to wait."""
    b = NetlistBuilder()
    b.port("input", "a", "i8")
    b.port("output", "sum", "i8")
    b.fork("fork", "%a", ["square.lhs", "square.rhs", "wait.in"], "i8")
    b.unit("square", "arith.muli", latency=3)
    b.unit("wait", "handshake.buffer", kind="fifo", slots=slots)
    b.unit("add", "arith.addi")
    b.connect("square.result", "add.lhs", "i8")
    b.connect("wait.out", "add.rhs", "i8")
    b.connect("add.result", "%sum", "i8")
    return b.build()


def test_stalls_and_slots_are_counted() -> None:
    """The token that waits is offered in vain until its partner comes, three cycles later."""
    netlist = unbalanced(4)
    (waiting,) = netlist.outputs_of(netlist.unit_by_name["wait"])
    (run,) = run_timed(netlist, [Activation({"a": 5})], watched=[waiting.name])
    assert run.cycles == 4 and run.outputs["sum"] == (30,)
    assert run.most == {"wait": 1}
    assert (run.stalled[waiting.name], run.seen) == (3, {waiting.name: ((4, 5),)})


@pytest.mark.parametrize("slots", [1, 2, 3, 4])
def test_too_few_slots_slow_the_circuit_down(slots: int) -> None:
    """A round of five cycles carries as many tokens as there are slots, and one in the fork."""
    simulation = TimedSimulation(unbalanced(slots), DEFAULT_MOST)
    few, many = (simulation.activate({"a": [2] * n}, {}).cycles for n in (12, 72))
    assert many - few == 60 * 5 // (slots + 1)


@pytest.mark.parametrize("distance", [0, 1])
def test_a_late_load_is_not_compared_with_later_stores(distance: int) -> None:
    """The stores that are pending have the load's address, and come after it."""
    b = NetlistBuilder()
    b.port("input", "address", "i8")
    b.port("input", "store", "i8")
    b.port("input", "done", "none")
    b.port("output", "clear", "none")
    b.unit("queue", "dataflow.store_queue", depth=5, distance=distance)
    before = "%address"
    for number in range(8):
        late = b.unit(f"late{number}", "handshake.buffer", kind="seq", slots=1)
        b.connect(before, f"{late}.in", "i8")
        before = f"{late}.out"
    b.connect(before, "queue.address", "i8")
    b.connect("%store", "queue.store", "i8")
    b.connect("%done", "queue.done", "none")
    b.connect("queue.clear", "%clear", "none")
    given = {"address": [7], "store": [7] * 5, "done": [0] * (2 - distance)}
    run = TimedSimulation(b.build(), DEFAULT_MOST).activate(given, {}, {"clear": 1})
    assert run.outputs["clear"] == (0,)


def test_an_activation_without_an_end_is_refused() -> None:
    assert refusal(run_timed, compile_text(SUM).netlist, [Activation({"n": 5000})], most=1000) == (
        "sum: error[MODEL_LIMIT]: found an activation that still moves after 1000 cycles, "
        "still moving: the loop at <text>:4:3; "
        "LOOM accepts circuits that come to rest; a larger --max-cycles for long runs"
    )


def test_a_missing_output_is_named() -> None:
    b = NetlistBuilder()
    b.port("input", "a", "i8")
    b.port("output", "out", "i8")
    b.unit("never", "handshake.never")
    b.unit("add", "arith.addi")
    b.connect("%a", "add.lhs", "i8")
    b.connect("never.out", "add.rhs", "i8")
    b.connect("add.result", "%out", "i8")
    runs = run_timed(b.build(), [Activation({"a": 1}), Activation({"a": 2})])
    assert [(run.missing, run.cycles) for run in runs] == [(("out",), 0)]


def test_long_runs_are_not_predicted() -> None:
    netlist, given = compile_text(SUM).netlist, [Activation({"n": 3})]
    (run,) = simulate(netlist, given).activations
    found = predicted(netlist, given, TokenRun((run,)))
    assert found is not None and found[0].cycles == 4
    long = replace(run, tokens={"n": AFFORDABLE + 1})
    assert predicted(netlist, given, TokenRun((long,))) is None


def test_model_prints_the_cycles(capsys: pytest.CaptureFixture[str]) -> None:
    file, bundle = str(EXAMPLES / "gcd.mlir"), str(EXAMPLES / "gcd.json")
    assert main(["model", file, "--inputs", bundle]) == 0
    assert "cycles predicted" in capsys.readouterr().out
    assert main(["model", file, "--inputs", bundle, "--json"]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert all(run["predicted"] >= run["bound"] for run in runs)
