"""Loops written alike share a circuit: results, tokens and cycles stay right, nothing is stuck."""

from __future__ import annotations

from random import Random
from typing import Literal

import pytest

from loom.analysis.balance.invariants import check_invariants
from loom.front.api import compile_request
from loom.front.circuit import Circuit
from loom.front.request import Request
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from loom.model.timed import circuit as timed_circuit
from loom.model.timed import sharing
from loom.model.timed.simulate import TimedSimulation, run_timed
from loom.model.timed.wire import single
from loom.netlist.netlist import Netlist
from tests.grow.random_sharing import random_program
from tests.support.netlists import NetlistBuilder

DIVIDE = """
func.func private @divide(%n: i32, %d: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %bits = arith.constant 32 : index
  %top = arith.constant 31 : i32
  %q, %r = scf.for %k = %first to %bits step %step iter_args(%q = %zero, %r = %zero) -> (i32, i32) {
    %i = arith.index_cast %k : index to i32
    %bit = arith.subi %top, %i : i32
    %shifted = arith.shli %r, %one : i32
    %down = arith.shrui %n, %bit : i32
    %low = arith.andi %down, %one : i32
    %rest = arith.ori %shifted, %low : i32
    %fits = arith.cmpi uge, %rest, %d : i32
    %less = arith.subi %rest, %d : i32
    %place = arith.shli %one, %bit : i32
    %more = arith.ori %q, %place : i32
    %next = arith.select %fits, %more, %q : i32
    %left = arith.select %fits, %less, %rest : i32
    scf.yield %next, %left : i32, i32
  }
  return %q : i32
}
"""
CHAIN = """
func.func @chain(%a: i32, %b: i32) -> i32 {
  %x = call @divide(%a, %b) : (i32, i32) -> i32
  %y = call @divide(%x, %b) : (i32, i32) -> i32
  return %y : i32
}
"""
BESIDE = """
func.func @beside(%a: i32, %b: i32) -> i32 {
  %x = call @divide(%a, %b) : (i32, i32) -> i32
  %y = call @divide(%b, %a) : (i32, i32) -> i32
  %z = arith.addi %x, %y : i32
  return %z : i32
}
"""
UNEQUAL = """
func.func @unequal(%m: memref<4xi32>, %a: i32, %b: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %low = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %sum = scf.for %i = %low to %four step %one iter_args(%s = %zero) -> i32 {
    %e = memref.load %m[%i] : memref<4xi32>
    %first = call @divide(%e, %b) : (i32, i32) -> i32
    %rare = arith.cmpi ugt, %first, %b : i32
    %second = scf.if %rare -> i32 {
      %q = call @divide(%first, %a) : (i32, i32) -> i32
      scf.yield %q : i32
    } else {
      scf.yield %first : i32
    }
    %t = arith.addi %s, %second : i32
    scf.yield %t : i32
  }
  %last = call @divide(%sum, %b) : (i32, i32) -> i32
  return %last : i32
}
"""
PIPELINE = """
func.func @pipeline(%m: memref<8xi32>, %b: i32) {
  %low = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  scf.for %i = %low to %eight step %one {
    %e = memref.load %m[%i] : memref<8xi32>
    %x = func.call @divide(%e, %b) : (i32, i32) -> i32
    %y = func.call @divide(%x, %b) : (i32, i32) -> i32
    memref.store %y, %m[%i] : memref<8xi32>
  }
  return
}
"""
LATE = """
func.func @late(%m: memref<8xi32>, %b: i32) {
  %low = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %many = arith.constant 200 : index
  %three = arith.constant 3 : i32
  scf.for %i = %low to %eight step %one {
    %e = memref.load %m[%i] : memref<8xi32>
    %x = func.call @divide(%e, %b) : (i32, i32) -> i32
    %s = scf.for %k = %low to %many step %one iter_args(%s = %e) -> i32 {
      %t = arith.muli %s, %three : i32
      scf.yield %t : i32
    }
    %y = func.call @divide(%s, %b) : (i32, i32) -> i32
    %z = arith.addi %x, %y : i32
    memref.store %z, %m[%i] : memref<8xi32>
  }
  return
}
"""
ALONE = """
func.func @alone(%a: i32) -> i32 {
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = arith.constant 9 : i32
  %x = scf.while (%i = %n) : (i32) -> (i32) {
    %m = arith.divsi %i, %n : i32
    %c = arith.cmpi sgt, %m, %z : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %d = arith.subi %i, %one : i32
    scf.yield %d : i32
  }
  %s = arith.addi %a, %x : i32
  %y = scf.while (%i = %n) : (i32) -> (i32) {
    %m = arith.divsi %i, %n : i32
    %c = arith.cmpi sgt, %m, %z : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %d = arith.subi %i, %one : i32
    scf.yield %d : i32
  }
  %t = arith.addi %s, %y : i32
  return %t : i32
}
"""
"""Loops that read constants alone: their calls pass no number."""
PROGRAMS = {"chain": CHAIN, "beside": BESIDE, "unequal": UNEQUAL, "pipeline": PIPELINE,
            "late": LATE, "alone": ALONE}  # fmt: skip
WORD = 1 << 32
CYCLES = 100_000


def compiled(program: str, share: Literal["auto", "on", "off"], period: float | None) -> Circuit:
    """The circuit of a program that calls the divider."""
    options = Options(share=share, clock_period=period)
    return compile_request(Request(DIVIDE + program, "k.mlir", options=options))


def count(circuit: Circuit, name: str = "handshake.share") -> int:
    """How many units of an operator there are."""
    return sum(unit.operator.name == name for unit in circuit.netlist.units)


def given(program: str, rng: Random) -> Activation:
    """Arguments of which no division by zero comes."""
    inputs: dict[str, int | list[int]] = {}
    head = program.partition("{")[0]
    if "%m" in head:
        inputs["m"] = [rng.randrange(WORD) for _ in range(4 if "<4x" in head else 8)]
    for name in ("a", "b"):
        if f"%{name}:" in head:
            inputs[name] = rng.randrange(1, rng.choice((5, 1000, WORD)))
    return Activation(inputs)


@pytest.mark.parametrize("period", [None, 10.0])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_shared_circuit_gives_each_caller_its_results(name: str, period: float | None) -> None:
    """Source, token model and timed model agree on three activations without a reset."""
    circuit = compiled(PROGRAMS[name], "on", period)
    assert count(circuit) == 1
    assert check_invariants(circuit.netlist).balance == "proved"
    rng = Random(name)
    activations = [given(PROGRAMS[name], rng) for _ in range(3)]
    for seed in (None, 1, 2):
        report = compare_models(
            circuit.source, circuit.top, circuit.netlist, activations,
            max_cycles=CYCLES, seed=seed,
        )  # fmt: skip
        assert report.differences == ()
    runs = run_timed(circuit.netlist, activations)
    assert [run.missing for run in runs] == [()] * 3
    for run, outcome in zip(runs, report.outcomes, strict=True):
        assert tuple(v[0] for k, v in run.outputs.items() if k != "done") == outcome.results
        assert all(run.memories[name] == words for name, words in outcome.memories.items())


@pytest.mark.parametrize("seed", range(2))
def test_random_programs_share_circuits(seed: int) -> None:
    """Calls in loops, branches and one after the other; all that are alike share."""
    circuit = compile_request(
        Request(random_program(seed), "k.c", options=Options(share="on", clock_period=None))
    )
    assert count(circuit) > 0
    assert check_invariants(circuit.netlist).balance == "proved"
    rng = Random(seed)
    activations = [
        Activation({"a": rng.randrange(WORD), "b": rng.randrange(WORD),
                    "m": [rng.randrange(WORD) for _ in range(4)]})
        for _ in range(2)
    ]  # fmt: skip
    report = compare_models(
        circuit.source, circuit.top, circuit.netlist, activations, max_cycles=CYCLES, seed=seed
    )
    assert report.differences == ()
    for run, outcome in zip(run_timed(circuit.netlist, activations), report.outcomes, strict=True):
        assert run.missing == ()
        assert all(outcome.memories[name] == words for name, words in run.memories.items())


@pytest.mark.parametrize(
    ("name", "units", "copies"),
    [("chain", 1, 1), ("beside", 0, 2), ("unequal", 1, 2), ("pipeline", 0, 2), ("late", 0, 2)],
)
def test_loops_that_could_overlap_keep_their_copies(name: str, units: int, copies: int) -> None:
    """By default only loops that run one after the other share a circuit."""
    circuit = compiled(PROGRAMS[name], "auto", None)
    dividers = [u for u in circuit.netlist.units if u.operator.name == "dataflow.bit"]
    assert (count(circuit), len(dividers)) == (units, copies)


def test_a_chain_of_calls_takes_hardly_more_cycles() -> None:
    """Two divisions one after the other: a cycle into the shared circuit, one out of it."""
    activation = [Activation({"a": 1000, "b": 7})]
    shared, apart = (
        run_timed(compiled(CHAIN, share, None).netlist, activation)[0].cycles
        for share in ("auto", "off")
    )
    assert 0 < shared - apart <= 6


def test_nothing_is_shared_without_sharing() -> None:
    for program in PROGRAMS.values():
        assert count(compiled(program, "off", None)) == 0


def test_small_loops_keep_their_copies() -> None:
    """The unit to share a loop must be smaller than what is saved."""
    loop = """
  %{0} = scf.for %k = %low to %{1} step %one iter_args(%s = %{1}) -> index {{
    %t = arith.addi %s, %one : index
    scf.yield %t : index
  }}"""
    text = (
        "func.func @f(%n: index) -> index {\n  %low = arith.constant 0 : index\n"
        "  %one = arith.constant 1 : index" + loop.format("x", "n") + loop.format("y", "x")
        + "\n  return %y : index\n}\n"
    )  # fmt: skip
    for index_width, units in ((4, 0), (64, 0)):
        options = Options(share="on", index_width=index_width)
        assert count(compile_request(Request(text, "k.mlir", options=options))) == units


class WithoutRoom(sharing.Share):
    """A fault: a call is taken whether or not there is room for its result."""

    def has_room(self, number: int) -> bool:
        return True

    def accept(self) -> None:
        super().accept()
        full = len(self.results[self.owner]) >= sharing.ROOM
        self.returned.answer(self.under_way > 0 and not full)


def sum_of_two_callers() -> Netlist:
    """The sum of what two callers get from one circuit; the second one begins late."""
    b = NetlistBuilder()
    for name in ("x", "y"):
        b.port("input", name, "i8")
    b.port("output", "z", "i8")
    late = "%y"
    for k in range(20):
        b.unit(f"late{k}", "handshake.buffer", kind="seq", slots=2, initial=())
        b.connect(late, f"late{k}.in", "i8")
        late = f"late{k}.out"
    b.unit("share", "handshake.share")
    b.unit("circuit", "handshake.buffer", kind="seq", slots=2, initial=())
    b.unit("sum", "arith.addi")
    b.connect("%x", "share.in0", "i8")
    b.connect(late, "share.in1", "i8")
    b.connect("share.called", "circuit.in", "i8")
    b.connect("circuit.out", "share.returned", "i8")
    b.connect("share.out0", "sum.lhs", "i8")
    b.connect("share.out1", "sum.rhs", "i8")
    b.connect("sum.result", "%z", "i8")
    return b.build()


def test_a_circuit_without_room_for_results_is_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first caller fills the circuit with results that wait for those of the second one."""
    netlist = sum_of_two_callers()
    streams = {"x": (1, 2, 3, 4, 5, 6), "y": (10, 20, 30, 40, 50, 60)}
    found = TimedSimulation(netlist, CYCLES).activate(streams, {}).outputs["z"]
    assert found == (11, 22, 33, 44, 55, 66)
    faulty = {**timed_circuit.NODES, "primitives/share": single(WithoutRoom)}
    monkeypatch.setattr(timed_circuit, "NODES", faulty)
    assert TimedSimulation(netlist, CYCLES).activate(streams, {}).outputs["z"] == ()
