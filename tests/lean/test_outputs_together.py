"""Outputs that are made of the same inputs have one register each; the forks before them none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pytest
from loom_sim.suite import load
from xdsl.dialects.func import FuncOp

from loom.front.api import compile_request, compile_text
from loom.front.circuit import Circuit
from loom.front.request import Request
from loom.lower.lean import share_fork_registers
from loom.lower.options import Options
from loom.model.bundles.signature import random_activations, signature_of
from loom.model.comparison import compare_models
from loom.model.timed.simulate import run_timed
from loom.netlist import outputs_together
from loom.netlist.checks import problems
from loom.netlist.netlist import Channel, Netlist
from tests.support.folders import EXAMPLES

DIFFERENCES = """func.func @f(%x: i32, %y: i32) -> (i32, i32) {
  %a = arith.subi %x, %y : i32
  %b = arith.subi %y, %x : i32
  return %a, %b : i32, i32
}"""
THREE = """func.func @f(%x: i32, %y: i32, %z: i32) -> (i32, i32, i32) {
  %a = arith.subi %x, %y : i32
  %b = arith.subi %y, %x : i32
  %c = arith.xori %z, %x : i32
  return %a, %b, %c : i32, i32, i32
}"""
ALONE = """func.func @f(%x: i32, %y: i32) -> (i32, i32, i32) {
  %a = arith.subi %x, %y : i32
  %b = arith.subi %a, %x : i32
  return %b, %x, %x : i32, i32, i32
}"""
ONE_AFTER_ANOTHER = """func.func @f(%x: i32, %y: i32) -> (i32, i32) {
  %a = arith.subi %x, %y : i32
  %m = arith.muli %a, %a : i32
  %b = arith.subi %m, %y : i32
  %c = arith.xori %b, %x : i32
  return %b, %c : i32, i32
}"""
TEXTS: Mapping[str, tuple[str, list[int]]] = {
    "two of two": (DIFFERENCES, [2]),
    "two of three": (THREE, [2]),
    "one of two": (ALONE, []),
    "of a product": (ONE_AFTER_ANOTHER, []),
}
"""Programs, and of how many outputs each sync is."""


def compiled(text: str) -> Circuit:
    """The circuit of a program without a clock period."""
    return compile_text(text, "f.mlir", options=Options(clock_period=None))


def widths(netlist: Netlist) -> list[int]:
    """How many outputs each `handshake.sync` has."""
    return [
        len(netlist.outputs_of(unit))
        for unit in netlist.units
        if unit.operator.name == "handshake.sync"
    ]


def nothing(netlist: Netlist) -> Sequence[Sequence[Channel]]:
    """No outputs are joined."""
    return ()


def cycles_of(circuit: Circuit) -> list[object]:
    """Cycles and results of a few activations in the timed model, and what is missing."""
    (function,) = (op for op in circuit.source.body.block.ops)
    assert isinstance(function, FuncOp)
    activations = random_activations(signature_of(function, 64), 1, 4)
    report = compare_models(
        circuit.source, circuit.top, circuit.netlist, activations, max_cycles=500, seed=5
    )
    runs = run_timed(circuit.netlist, activations)
    return [*report.differences, *((run.cycles, dict(run.outputs), run.missing) for run in runs)]


@pytest.mark.parametrize("name", TEXTS)
def test_outputs_of_the_same_inputs_are_joined_where_that_saves_registers(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No cycle is gained or lost."""
    text, wanted = TEXTS[name]
    joined = compiled(text)
    assert widths(joined.netlist) == wanted
    assert not problems(joined.netlist)
    monkeypatch.setattr(share_fork_registers, "find_outputs_together", nothing)
    forked = compiled(text)
    assert widths(forked.netlist) == []
    assert cycles_of(joined) == cycles_of(forked)
    saved = forked.cost.area.flip_flops - joined.cost.area.flip_flops
    assert saved == {"two of two": 2, "two of three": 1}.get(name, 0)


def test_gcd_has_two_registers_at_its_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """By default options, at a clock."""
    file = EXAMPLES / "gcd.mlir"
    _, activations = load(file)

    def measured() -> tuple[Netlist, float, list[object]]:
        circuit = compile_request(Request(file.read_text(), str(file)))
        runs = run_timed(circuit.netlist, activations)
        found: list[object] = [(run.cycles, dict(run.outputs)) for run in runs]
        return circuit.netlist, circuit.cost.area.flip_flops, found

    joined = measured()
    monkeypatch.setattr(share_fork_registers, "find_outputs_together", nothing)
    forked = measured()
    assert widths(joined[0]) == [2]
    assert joined[1] == forked[1] - 6
    assert joined[2] == forked[2]


def test_outputs_of_different_inputs_would_wait_for_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Planted: all outputs are taken for outputs of the same inputs."""

    def all_together(netlist: Netlist) -> Iterator[Sequence[Channel]]:
        found = outputs_together.inputs_by_channel(netlist)
        yield [
            channel
            for channel in netlist.channels
            if found[channel.name].bit_count() > 1
            and not outputs_together.is_logic(channel.target.unit, netlist)
        ]

    monkeypatch.setattr(outputs_together, "outputs_by_inputs", all_together)
    with pytest.raises(AssertionError, match=r"NETLIST_CYCLE.*sync"):
        compiled(ONE_AFTER_ANOTHER)
