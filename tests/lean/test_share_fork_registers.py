"""Copies of a token that are taken in the same cycle have one register, or none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from loom_sim.suite import load

from loom.front.api import compile_request, compile_text
from loom.front.circuit import Circuit
from loom.front.request import Request
from loom.lower.lean import share_fork_registers
from loom.lower.options import Options
from loom.model.timed.simulate import run_timed
from loom.netlist.checks import problems
from loom.netlist.netlist import Netlist
from loom.netlist.taken_together import find_groups
from tests.lean.bodies import compiled, differences
from tests.support.folders import EXAMPLES
from tests.support.netlists import NetlistBuilder

POLYNOMIAL = """func.func @f(%x: i32) -> i32 {
  %a = arith.addi %x, %x : i32
  %b = arith.xori %a, %x : i32
  return %b : i32
}"""
BODY = """%eight = arith.constant 8 : index
  scf.for %i = %0 to %eight step %1 {
    %v = memref.load %a[%i] : memref<8xi8>
    %w = arith.addi %v, %k : i8
    %x = arith.xori %w, %v : i8
    %y = arith.muli %x, %v : i8
    memref.store %y, %b[%i] : memref<8xi8>
  }
  return %k : i8"""


def counted(circuit: Circuit, operator: str) -> int:
    """How many copies the units of an operator make."""
    netlist = circuit.netlist
    return sum(
        len(netlist.shape_by_unit[unit.name].outputs)
        for unit in netlist.units
        if unit.operator.name == operator
    )


def test_operands_that_are_joined_at_once_need_no_register() -> None:
    circuit = compile_text(POLYNOMIAL, "f.mlir", options=Options(clock_period=None))
    assert counted(circuit, "handshake.fork") == 0
    assert counted(circuit, "dataflow.broadcast") == 3
    assert circuit.cost.area.flip_flops == 0
    plain = compile_text(POLYNOMIAL, "f.mlir", options=Options(clock_period=None, lean="off"))
    assert counted(plain, "dataflow.broadcast") == 0 < counted(plain, "handshake.fork")


def forked(*targets: str, **units: str) -> Netlist:
    """A fork of an input to these ends; `units` have one operator each, and one output."""
    b = NetlistBuilder("forked", 8)
    b.port("input", "x", "i8")
    for name, operator in units.items():
        b.unit(name, operator)
    for target in targets:
        if target.startswith("%"):
            b.port("output", target[1:], "i8")
    b.fork("copies", "%x", list(targets), "i8")
    for name in units:
        if name != "last":
            b.connect(f"{name}.result", "last.rhs", "i8")
    b.port("output", "y", "i8")
    b.connect("last.result", "%y", "i8")
    return b.build()


GROUPS: Mapping[str, tuple[Netlist, tuple[int, ...] | None]] = {
    "one unit": (forked("last.lhs", "last.rhs", last="arith.addi"), (0, 0)),
    "one behind another": (
        forked("last.lhs", "first.lhs", "first.rhs", first="arith.subi", last="arith.addi"),
        (0, 0, 0),
    ),
    "one beside": (forked("last.lhs", "%z", "last.rhs", last="arith.addi"), (0, 1, 0)),
    "two readers": (forked("%z", "%u"), None),
    "the product of copies": (forked("last.lhs", "last.rhs", last="arith.muli"), (0, 0)),
    "a product beside a sum": (
        forked("last.lhs", "first.lhs", "first.rhs", first="arith.muli", last="arith.addi"),
        (0, 1, 1),
    ),
}


@pytest.mark.parametrize("name", GROUPS)
def test_copies_that_one_unit_joins_are_a_group(name: str) -> None:
    """What has a latency gives its result later, so its operands are taken by themselves."""
    netlist, wanted = GROUPS[name]
    assert find_groups(netlist) == ({} if wanted is None else {"copies": wanted})


def test_a_fork_behind_a_fork_is_looked_at_first() -> None:
    b = NetlistBuilder("nested", 8)
    b.port("input", "x", "i8")
    b.port("output", "y", "i8")
    for name in ("first", "last"):
        b.unit(name, "arith.addi")
    b.fork("outer", "%x", ["last.lhs", "first.lhs", "first.rhs"], "i8")
    b.fork("inner", "first.result", ["second.lhs", "second.rhs"], "i8")
    b.unit("second", "arith.muli", latency=1)
    b.connect("second.result", "last.rhs", "i8")
    b.connect("last.result", "%y", "i8")
    assert find_groups(b.build()) == {"inner": (0, 0), "outer": (0, 1, 1)}


def test_a_core_of_the_users_may_take_its_operands_one_by_one() -> None:
    netlist, _ = GROUPS["one unit"]
    last, copies = netlist.units
    hardware = replace(last.operator.hardware, core="adder")
    cored = replace(last, operator=replace(last.operator, hardware=hardware))
    assert find_groups(replace(netlist, units=(cored, copies))) == {}


NAMES = ("collatz.mlir", "gcd.mlir", "checksum.mlir", "stencil_2d.mlir", "c/isqrt.c")


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("name", NAMES)
def test_no_cycle_is_gained_or_lost(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same cycles in the timed model, and fewer registers, than with forks alone."""
    file = EXAMPLES / name
    _, activations = load(file)

    def measured() -> tuple[list[object], float, int]:
        circuit = compile_request(Request(file.read_text(), str(file)))
        runs = run_timed(circuit.netlist, activations[:2])
        assert not problems(circuit.netlist)
        found: list[object] = [(run.cycles, dict(run.outputs)) for run in runs]
        area = circuit.cost.area.flip_flops
        return found, area, counted(circuit, "dataflow.broadcast")

    lean = measured()
    monkeypatch.setattr(share_fork_registers, "find_groups", lambda netlist: {})
    forks = measured()
    assert lean[0] == forks[0]
    assert lean[1] < forks[1]
    assert lean[2] > forks[2] == 0


def test_models_agree_on_a_loop_with_groups() -> None:
    circuit = compiled(BODY)
    assert counted(circuit, "dataflow.broadcast")
    assert differences(circuit) == set()


def test_copies_that_are_not_taken_together_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the pass takes all copies of every fork for a group."""

    def all_together(netlist: Netlist) -> Mapping[str, tuple[int, ...]]:
        forks = [unit for unit in netlist.units if unit.operator.name == "handshake.fork"]
        return {unit.name: (0,) * len(netlist.shape_by_unit[unit.name].outputs) for unit in forks}

    monkeypatch.setattr(share_fork_registers, "find_groups", all_together)
    with pytest.raises(AssertionError, match=r"NETLIST_BROADCAST.*of broadcast 'broadcast_k'"):
        compiled(BODY)
