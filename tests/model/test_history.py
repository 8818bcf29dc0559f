"""The first cycles of a run, letter by letter, are those that the timed model counts."""

from __future__ import annotations

import pytest

from loom.model.bundles.activation import Activation
from loom.model.timed.history import MOVES, WAITS, record_history
from loom.model.timed.simulate import run_timed
from tests.model.test_examples import activations, compiled
from tests.model.test_timed_model import SUM
from tests.support.compiled import compile_once
from tests.support.folders import EXAMPLES


@pytest.mark.parametrize("name", ["kmp", "matmul", "dot_f32"])
def test_a_letter_says_what_moves_in_its_cycle(name: str) -> None:
    """Also in a circuit with endless sources, as kmp is."""
    circuit = compiled(EXAMPLES / f"{name}.mlir", "raw")
    first, *_ = activations(name, circuit)
    channels = [channel.name for channel in circuit.netlist.channels]
    (run,) = run_timed(circuit.netlist, [first], watched=channels)
    cycles = run.cycles
    history = record_history(circuit.netlist, first, cycles=cycles, first=cycles, watched=channels)
    assert history.cycles == cycles
    for channel, text in history.states.items():
        moved = [(cycle, token) for cycle, token in run.seen[channel] if cycle <= cycles]
        assert history.transfers[channel] == tuple(moved)
        assert [k + 1 for k, letter in enumerate(text) if letter == MOVES] == [c for c, _ in moved]


def test_letters_add_up_to_the_stalls() -> None:
    circuit = compiled(EXAMPLES / "matmul.mlir", "raw")
    first, *_ = activations("matmul", circuit)
    (run,) = run_timed(circuit.netlist, [first])
    history = record_history(circuit.netlist, first, cycles=10_000, first=10_000)
    assert sum(run.stalled.values()) > 100
    assert {name: text.count(WAITS) for name, text in history.states.items()} == run.stalled


def test_only_the_cycles_asked_for_are_followed() -> None:
    netlist = compile_once(SUM, "sum.mlir").netlist
    (tested,) = [channel.name for channel in netlist.channels if channel.name.endswith("_cont")]
    history = record_history(netlist, Activation({"n": 50}), cycles=20, first=8, watched=(tested,))
    assert history.cycles == 20
    assert {len(text) for text in history.states.values()} == {8}
    assert [cycle for cycle, _ in history.transfers[tested]] == list(range(1, 21))
