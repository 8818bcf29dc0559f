"""Operations of a static schedule take units in turn where cycles are left; a clash is seen."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from loom.errors import LoomError
from loom.front.static_circuit import StaticCircuit
from loom.frontend.functions import top_function
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.bundles.signature import random_activations, signature_of
from loom.netlist.fsmd.fsmd import Choice
from tests.static.test_machines import MOST, static

ROWS = """func.func @rows(%a: memref<8xf32>, %b: memref<8xf32>, %f: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %f) -> f32 {
    %x = memref.load %a[%i] : memref<8xf32>
    %y = memref.load %b[%i] : memref<8xf32>
    %p = arith.mulf %x, %y : f32
    %q = arith.mulf %p, %x : f32
    %r = arith.mulf %p, %y : f32
    %t = arith.addf %q, %r : f32
    %next = arith.addf %acc, %t : f32
    scf.yield %next : f32
  }
  %u = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %s) -> f32 {
    %x = memref.load %a[%i] : memref<8xf32>
    %p = arith.mulf %x, %s : f32
    %next = arith.addf %acc, %p : f32
    scf.yield %next : f32
  }
  %v = arith.mulf %s, %u : f32
  %w = arith.addf %v, %f : f32
  return %u, %w : f32, f32
}"""
SUMS = """func.func @sums(%a: f32, %b: f32, %c: f32, %d: f32) -> f32 {
  %x = arith.addf %a, %b : f32
  %y = arith.addf %c, %d : f32
  %z = arith.mulf %x, %y : f32
  return %z : f32
}"""
PRODUCTS = """func.func @products(%a: memref<64xi32>, %b: memref<64xi32>, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> i32 {
    %x = memref.load %a[%i] : memref<64xi32>
    %y = memref.load %b[%i] : memref<64xi32>
    %p = arith.muli %x, %y : i32
    %q = arith.muli %p, %x : i32
    %r = arith.muli %p, %y : i32
    %t = arith.muli %q, %r : i32
    %next = arith.addi %acc, %t : i32
    scf.yield %next : i32
  }
  return %s : i32
}"""


def units(circuit: StaticCircuit) -> Counter[str]:
    """Pipelined units by operator."""
    return Counter(unit.operator.name for unit in circuit.fsmd.units)


def given(circuit: StaticCircuit, number: int = 6) -> list[Activation]:
    """Random activations, of which each can be run."""
    signature = signature_of(top_function(circuit.dynamic.source), 32)
    drawn = random_activations(signature, 3, number)
    if "n" not in drawn[0].inputs:
        return drawn
    return [replace(each, inputs={**each.inputs, "n": k * k}) for k, each in enumerate(drawn)]


def test_loops_share_where_it_costs_no_cycle() -> None:
    """A multiplier of floats has no time for a multiplexer in front of it, an adder has."""
    apart, shared = static(ROWS, Options(share="off")), static(ROWS)
    assert units(apart) == {"arith.mulf": 5, "arith.addf": 4}
    assert units(shared) == {"arith.mulf": 5, "arith.addf": 2}
    runs = given(apart)
    for each in (apart, shared):
        assert list(each.differences(runs, MOST)) == []
    pairs = zip(shared.cycles(runs, MOST), apart.cycles(runs, MOST), strict=True)
    assert all(one <= other for one, other in pairs)


@pytest.mark.parametrize(("share", "adders"), [("off", 2), ("auto", 2), ("on", 1)])
def test_where_it_costs_cycles_the_option_decides(share: str, adders: int) -> None:
    circuit = static(SUMS, Options(share=share))
    assert units(circuit) == {"arith.mulf": 1, "arith.addf": adders}
    assert list(circuit.differences(given(circuit), MOST)) == []


@pytest.mark.parametrize(("blocks", "multipliers", "ii"), [(12, 4, 1), (8, 2, 2), (3, 1, 4)])
def test_multipliers_fit_the_blocks_asked_for(blocks: int, multipliers: int, ii: int) -> None:
    circuit = static(PRODUCTS, Options(dsp=blocks))
    assert units(circuit)["arith.muli"] == multipliers
    assert [loop.ii for loop in circuit.pipelines] == [ii]
    assert list(circuit.differences(given(circuit), MOST)) == []


def test_fewer_blocks_than_one_multiplier_are_refused() -> None:
    with pytest.raises(LoomError) as caught:
        static(PRODUCTS, Options(dsp=2))
    assert caught.value.code == "LOWER_DSP"
    assert "one multiplier of each kind takes 3" in str(caught.value)


def test_the_schedule_says_who_shares() -> None:
    assert static(PRODUCTS, Options(dsp=3)).text.count("shared = 4") == 4


def test_a_multiplexer_that_chooses_wrong_is_seen() -> None:
    """The planted fault: two operations of one loop swap the cycles of their operands."""
    circuit = static(PRODUCTS, Options(dsp=3))
    wrong = []
    for wire in circuit.fsmd.wires:
        if isinstance(wire, Choice) and wire.name.startswith("shared_muli"):
            (one, first), (two, second), *others = wire.cases
            cases = ((one, second), (two, first), *others)
            wires = [replace(w, cases=cases) if w is wire else w for w in circuit.fsmd.wires]
            wrong.append(replace(circuit, fsmd=replace(circuit.fsmd, wires=tuple(wires))))
    assert len(wrong) == 2
    for each in wrong:
        assert list(each.differences(given(each), MOST))
