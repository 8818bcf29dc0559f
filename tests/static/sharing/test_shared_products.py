"""Many multipliers of a static schedule are shared without an option, where that is as fast."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import cosimulate_kernels

from loom.errors import LoomError
from loom.front.given_schedules import load_schedule
from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.lower.options import Options
from loom.lower.static.choose_static_period import expected_cycles
from tests.grow.static_campaign import kernel_of
from tests.static.sharing import random_products
from tests.static.sharing.test_shared_units import given, units
from tests.static.test_machines import MOST, static
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs
from tests.support.static.circuits import compile_static_request

IN_A_ROW = """int f(int x, int y, const int a[512], int c[512]) {
int s = 0;
for (int i = 0; i < 512; i++) c[i] = a[i] * x * a[511 - i];
for (int i = 0; i < 512; i++) c[i] += (a[i] + c[511 - i]) * y;
for (int i = 0; i < 512; i++) s += c[i] * a[i];
return s; }"""
"""Loops with four multipliers, each behind the one before it; the first loop has II = 2."""
SIDE_BY_SIDE = """void f(int x, const int a[64], const int b[64], int c[64], int d[64]) {
for (int i = 0; i < 64; i++) c[i] = a[i] * x * (a[i] + 3);
for (int i = 0; i < 64; i++) d[i] = b[i] * x * (b[i] + 5);
}"""
PROGRAMS, IN_RTL = 120, 24
QUOTIENTS = """unsigned f(const unsigned a[64], unsigned c[64]) {
unsigned s = 0;
for (int i = 0; i < 64; i++) c[i] = a[i] / 7;
for (int i = 0; i < 64; i++) s += c[i] / 7;
return s; }"""
BOTH_HALVES = """func.func @f(%a: memref<64xi32>, %b: memref<64xi32>, %x: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 64 : index
  %z = arith.constant 0 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> i32 {
    %v = memref.load %a[%i] : memref<64xi32>
    %low, %high = arith.mului_extended %v, %x : i32
    %next = arith.xori %acc, %high : i32
    memref.store %low, %b[%i] : memref<64xi32>
    scf.yield %next : i32
  }
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %s) -> i32 {
    %v = memref.load %b[%i] : memref<64xi32>
    %low, %high = arith.mului_extended %v, %s : i32
    %next = arith.xori %acc, %low : i32
    scf.yield %next : i32
  }
  %u = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %t) -> i32 {
    %v = memref.load %b[%i] : memref<64xi32>
    %low, %high = arith.mului_extended %v, %t : i32
    %next = arith.addi %acc, %high : i32
    scf.yield %next : i32
  }
  return %t, %u : i32, i32
}"""


def of_c(text: str, options: Options | None = None) -> StaticCircuit:
    """The static circuit of a program in C."""
    return compile_static_request(Request(text, "k.c", options=options or Options()))


@pytest.mark.parametrize(
    ("compiled", "text", "apart", "shared"),
    [
        (of_c, IN_A_ROW, {"arith.muli": 4}, {"arith.muli": 1}),
        (static, BOTH_HALVES, {"arith.mului_extended": 3}, {"arith.mului_extended": 1}),
    ],
)
def test_loops_in_a_row_share_their_multipliers(
    compiled: Callable[..., StaticCircuit],
    text: str,
    apart: dict[str, int],
    shared: dict[str, int],
) -> None:
    """In hardly more cycles, and no longer periods."""
    without, found = compiled(text, Options(share="off")), compiled(text)
    assert instances(without) == apart and instances(found) == shared
    runs = given(found)
    assert list(found.differences(runs, MOST)) == []
    pairs = list(zip(found.cycles(runs, MOST), without.cycles(runs, MOST), strict=True))
    assert all(one <= 1.02 * other for one, other in pairs), pairs
    assert found.estimate.period <= max(without.estimate.period, 10.0)


@pytest.mark.parametrize(("text", "name"), [(IN_A_ROW, "k.c"), (BOTH_HALVES, "k.mlir")])
def test_a_printed_schedule_gives_the_same_files(text: str, name: str) -> None:
    request = Request(text, name)
    circuit = compile_static_request(request)
    given_one = load_schedule(Request(circuit.text, "k.mlir"))
    assert given_one is not None and "shared = " in circuit.text
    files = circuit.files()
    del files[f"{circuit.netlist.name}.static.mlir"]
    assert given_one.files() == files


def test_few_multipliers_have_no_multiplexers() -> None:
    text = IN_A_ROW.replace(" * a[511 - i]", "").replace("* a[i];", "^ a[i];")
    assert units(of_c(text)) == {"arith.muli": 2} and "shared" not in of_c(text).text


def test_steps_side_by_side_stay_so() -> None:
    """Their multipliers could be shared if one waited for the other: that takes twice the time."""
    circuit = of_c(SIDE_BY_SIDE)
    assert units(circuit) == {"arith.muli": 4}
    (cycles,) = {*circuit.cycles(given(circuit), MOST)}
    assert cycles < 80 and expected_cycles(circuit.module) < 80
    forced = of_c(SIDE_BY_SIDE, Options(dsp=6))
    assert units(forced) == {"arith.muli": 2}
    assert expected_cycles(forced.module) > 128


def test_a_half_of_a_product_that_is_taken_for_the_other_is_seen() -> None:
    """The planted fault."""
    circuit = static(BOTH_HALVES)
    assert list(circuit.differences(given(circuit), MOST)) == []
    swapped = tuple(replace(each, result=1 - each.result) for each in circuit.fsmd.units)
    wrong = replace(circuit, fsmd=replace(circuit.fsmd, units=swapped))
    assert list(wrong.differences(given(wrong), MOST))


def test_a_limit_counts_products_of_divisions_by_constants() -> None:
    """Without the rule the multipliers of both loops were left beyond a limit."""
    circuit = of_c(QUOTIENTS, Options(dsp=4))
    assert instances(circuit) == {"arith.mului_extended": 1}
    assert circuit.cost.area.multipliers <= 4
    assert list(circuit.differences(given(circuit), MOST)) == []
    with pytest.raises(LoomError) as caught:
        of_c(QUOTIENTS, Options(dsp=3))
    assert caught.value.code == "LOWER_DSP"


@pytest.mark.usefixtures("deep_on_sources")
def test_random_programs_with_shared_multipliers() -> None:
    """However few they are, and whatever it costs."""
    found = list(random_products.CAMPAIGN.run(range(PROGRAMS)))
    assert [row for row in found if row[2]] == []
    assert sum(count > 0 for _, count, _ in found) > PROGRAMS // 2


@pytest.mark.sim
def test_shared_multipliers_in_rtl(deep: Deep) -> None:
    circuits = [of_c(IN_A_ROW), static(BOTH_HALVES), of_c(QUOTIENTS, Options(dsp=4))]
    loaded = [(kernel_of(circuit), given(circuit)) for circuit in circuits]
    deep(*RTL_INPUTS, "loom/emit", "rtl_templates/static", texts=describe_runs(loaded))
    kernels, runs = zip(*loaded, strict=True)
    for stalls in (0.0, 0.4):
        reports = cosimulate_kernels(kernels, runs, SimOptions(stalls=stalls))
        assert [(r.kernel.top, r.differences) for r in reports if not r.match] == []


@pytest.mark.from_sources
@pytest.mark.sim
def test_random_programs_in_rtl(deep: Deep) -> None:
    circuits = [random_products.circuit(seed) for seed in range(IN_RTL)]
    deep(*RTL_INPUTS, "loom/emit", "rtl_templates/static", "tests/grow",
         texts=[each.text for each in circuits])  # fmt: skip
    found = list(random_products.CAMPAIGN.in_rtl(range(IN_RTL)))
    assert [row for row in found if row[2]] == [] and len(found) > IN_RTL // 2


def instances(circuit: StaticCircuit) -> Counter[str]:
    """Pipelined units by operator; several results are of one."""
    found = {(u.operator.name, str(u.shape), u.operands) for u in circuit.fsmd.units}
    return Counter(name for name, *_ in found)
