"""Arrays in banks, inside and outside: source reference = token model = RTL, at the cycles said."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.front.api import compile_text
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from tests.lower.test_partitions import PLANE, pairs
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs
from tests.support.reread import differences

pytestmark = [pytest.mark.sim, pytest.mark.from_sources]

# Addresses that only the run knows, in a row of loads and stores that may meet.
SWAPS = """memref.global @t : memref<10xi32> = dense<[3, 1, 4, 1, 5, 9, 2, 6, 5, 3]>
memref.global constant @c : memref<6xi8> = dense<[1, 2, 3, 5, 7, 9]>
func.func @f(%a: memref<12xi32>, %p: memref<8xi32>, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %t = memref.get_global @t : memref<10xi32>
  %c = memref.get_global @c : memref<6xi8>
  %z = arith.constant 0 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> i32 {
    %q = memref.load %p[%i] : memref<8xi32>
    %j = arith.index_castui %q : i32 to index
    %v = memref.load %a[%i] : memref<12xi32>
    %w = memref.load %a[%j] : memref<12xi32>
    memref.store %w, %a[%i] : memref<12xi32>
    memref.store %v, %a[%j] : memref<12xi32>
    %x = memref.load %t[%i] : memref<10xi32>
    %y = arith.addi %x, %v : i32
    memref.store %y, %t[%j] : memref<10xi32>
    %h = arith.andi %j, %c3 : index
    %g = memref.load %c[%h] : memref<6xi8>
    %o = arith.addi %h, %c1 : index
    %l = memref.load %c[%o] : memref<6xi8>
    %k = arith.muli %g, %l : i8
    %e = arith.extui %k : i8 to i32
    %u = arith.addi %s, %e : i32
    scf.yield %u : i32
  }
  return %r : i32
}"""
CUTS: dict[str, tuple[str, Options]] = {
    "pairs_cyclic": (pairs(), Options(partitions=(("a", "cyclic:2"), ("m", "cyclic:2")))),
    "pairs_slow": (
        pairs(of_m="loom.latency = 2"),
        Options(partitions=(("m", "cyclic:4"),), ports=(("m", 2),)),
    ),
    "plane_both": (PLANE, Options(partitions=(("a", "block:2:0"), ("a", "cyclic:4:1")))),
    "swaps_banks": (
        SWAPS,
        Options(partitions=(("a", "cyclic:3"), ("t", "block:2"), ("c", "cyclic:2"))),
    ),
    "swaps_words": (
        SWAPS,
        Options(partitions=(("a", "block:4"), ("t", "complete"), ("c", "complete"))),
    ),
    "swaps_ports": (
        SWAPS,
        Options(partitions=(("a", "complete"), ("p", "block:2")), ports=(("t", 2), ("c", 2))),
    ),
}


def given(text: str) -> Sequence[Activation]:
    """Several activations, with loops that turn not at all, once, twice and often."""
    dice = random.Random(1)

    def words(count: int, below: int) -> list[int]:
        return [dice.randrange(below) for _ in range(count)]

    if text is PLANE:
        return [Activation({"a": words(24, 1 << 32)}) for _ in range(3)]
    if text is SWAPS:
        return [
            Activation({"a": words(12, 1 << 32), "p": words(8, 10), "n": n})
            for n in (0, 1, 2, 8, 8)
        ]
    return [Activation({"a": words(16, 1 << 32), "n": n, "k": 1}) for n in (2, 4, 16, 16)]


def test_banks_in_all_three_ways(deep: Deep) -> None:
    kernels: list[Kernel] = []
    activations: list[Sequence[Activation]] = []
    for name, (text, options) in CUTS.items():
        named = text.replace("@f(", f"@{name}(")
        circuit = compile_text(named, f"{name}.mlir", options=options)
        kernels.append(Kernel(circuit.source, circuit.top, circuit.netlist, circuit.files()))
        activations.append(given(text))
        assert differences(circuit.netlist, circuit.files()[f"rtl/{circuit.netlist.name}.sv"]) == []
    deep(*RTL_INPUTS, texts=describe_runs(zip(kernels, activations, strict=True)))
    for stalls in (0.0, 0.4):
        for report in cosimulate_kernels(kernels, activations, SimOptions(stalls=stalls)):
            assert report.match, (report.kernel.top, report.differences[:3])
            assert all(run.residual == () for run in report.rtl.runs)
            if not stalls:
                assert [run.cycles for run in report.rtl.runs] == report.predicted
                bounds = [outcome.bound for outcome in report.model.outcomes]
                assert all(
                    bound <= run for bound, run in zip(bounds, report.predicted, strict=True)
                )
