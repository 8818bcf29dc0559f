"""The return waits for a load's done token or its datum, and `done` still follows every access."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

import pytest
from xdsl.ir import Operation, SSAValue

from loom.analysis.balance.invariants import check_invariants
from loom.front.api import check_request, compile_text
from loom.front.circuit import Circuit
from loom.front.request import DEFAULTS, Request
from loom.frontend.functions import top_function
from loom.lower.lean import drop_implied_dones
from loom.lower.options import Options
from loom.model.bundles.signature import random_activations, signature_of
from loom.model.timed.simulate import run_timed
from loom.netlist.netlist import Netlist
from tests.random_programs import random_program
from tests.support.folders import EXAMPLES

pytestmark = pytest.mark.usefixtures("no_clock_period")

LOOP = """func.func @f(%a: memref<8xi8>, %b: memref<8xi8>, %n: index, %k: i8) -> i8 {{
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %z = arith.constant 0 : i8
  %s = scf.for %i = %0 to %n step %1 iter_args(%x = %z) -> (i8) {{
    %v = memref.load %a[%i] : memref<8xi8>
    {body}
  }}
  return {result} : i8
}}"""
SUM = "%y = arith.addi %x, %v : i8\n    scf.yield %y : i8"
STORE = "memref.store %v, %b[%i] : memref<8xi8>\n    scf.yield %x : i8"
STORE_IN_BRANCH = """%c = arith.cmpi slt, %x, %k : i8
    %d = arith.addi %x, %k : i8
    scf.if %c {
      memref.store %v, %b[%i] : memref<8xi8>
    }
    scf.yield %d : i8"""
CHOSEN = """%c = arith.cmpi slt, %x, %k : i8
    %y = scf.if %c -> (i8) {
      %d = arith.muli %v, %k : i8
      scf.yield %d : i8
    } else {
      scf.yield %v : i8
    }
    scf.yield %y : i8"""
ONE_SIDE = CHOSEN.replace("scf.yield %v", "scf.yield %x")
PROGRAMS = {
    "a sum": (SUM, "%s", True),
    "a sum that is not returned": (SUM, "%k", False),
    "a store of the datum": (STORE, "%k", True),
    "a store of the datum in a branch": (STORE_IN_BRANCH, "%s", False),
    "a value on both sides of a branch": (CHOSEN, "%s", True),
    "a value on one side of a branch": (ONE_SIDE, "%s", False),
}
"""Body, result, and whether the datum implies the done token; the loop may run zero times."""


def compiled(name: str, options: Options = DEFAULTS) -> Circuit:
    """The circuit of a row."""
    body, result, _ = PROGRAMS[name]
    return compile_text(LOOP.format(body=body, result=result), "f.mlir", options=options)


def waits_for_done(netlist: Netlist) -> bool:
    """True if something reads the done token of the load of `a`."""
    unit = next(u for u in netlist.units if u.attributes.get("memory") == "a")
    target = netlist.outputs_of(unit)[1].target.unit
    return netlist.unit_by_name[target].operator.name != "handshake.sink"


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_done_token_is_waited_for_unless_the_datum_is(name: str) -> None:
    netlist = compiled(name).netlist
    assert waits_for_done(netlist) is not PROGRAMS[name][2]
    assert waits_for_done(compiled(name, Options(lean="off")).netlist)
    assert check_invariants(netlist).problems("f.mlir") == []


def last_access_and_done(circuit: Circuit, seed: int) -> list[tuple[int, int]]:
    """By activation, the cycles of the last access that a memory accepts and of `done`."""
    netlist = circuit.netlist
    (done,) = (c.name for c in netlist.channels if c.target == ("", "done"))
    ports = [
        channel.name
        for unit in netlist.units
        if unit.operator.hardware.memory_kind
        for channel in netlist.inputs_of(unit)
    ]
    signature = signature_of(top_function(circuit.source), netlist.index_width)
    given = random_activations(signature, seed, 3)
    runs = run_timed(netlist, given, watched=[done, *ports])
    return [
        (max((cycle for p in ports for cycle, _ in run.seen.get(p, ())), default=0),
         run.seen[done][0][0])
        for run in runs
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["fir", "vecadd", "matmul", "stencil_2d"])
def test_done_comes_after_the_last_access_of_an_example(name: str) -> None:
    text = (EXAMPLES / f"{name}.mlir").read_text()
    for last, done in last_access_and_done(compile_text(text, f"{name}.mlir"), 1):
        assert 0 < last < done


@pytest.mark.parametrize("seed", range(12))
def test_done_comes_after_the_last_access_of_a_random_program(seed: int) -> None:
    circuit = compile_text(random_program(seed), "f.mlir")
    assert all(last < done for last, done in last_access_and_done(circuit, seed) if last)


def any_loads(loads: Callable[[SSAValue], set[SSAValue] | None]) -> Callable[[SSAValue], object]:
    """Planted: a load's done token is never needed."""
    return lambda token: None if loads(token) is None else set()


def one_side(
    unit: Operation, value: SSAValue, required: Set[SSAValue], bursts: Set[SSAValue]
) -> Sequence[SSAValue]:
    """Planted: a branch has taken its datum when one side has given a token."""
    if isinstance(unit, drop_implied_dones.CondBranchOp):
        return (unit.condition, unit.data)
    return TAKEN_BEFORE(unit, value, required, bursts)


TAKEN_BEFORE = drop_implied_dones.taken_before
ANY_LOADS = any_loads(drop_implied_dones.loads_behind)
IN_BRANCH = "a store of the datum in a branch"
FAULTS = (
    (IN_BRANCH, "taken_before", one_side),
    ("a value on one side of a branch", "taken_before", one_side),
    (IN_BRANCH, "loads_behind", ANY_LOADS),
)


@pytest.mark.parametrize(("name", "rule", "fault"), FAULTS)
def test_a_done_token_that_is_needed_and_dropped_is_reported(
    name: str, rule: str, fault: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drop_implied_dones, rule, fault)
    netlist = compiled(name).netlist
    assert not waits_for_done(netlist)
    (problem,) = check_invariants(netlist).problems("f.mlir")
    assert problem.code == "NETLIST_RETURN"
    assert "done token extmemory_a_ld_done0 of extmemory_a" in problem.what


def test_the_graph_with_idle_logic_is_held_to_its_done_tokens() -> None:
    """A load whose datum alone is awaited breaks the invariant as the specification has it."""
    netlist = compiled("a sum").netlist
    assert check_invariants(netlist).problems("f.mlir") == []
    problems = check_invariants(netlist, lean=False).problems("f.mlir")
    assert "NETLIST_RETURN" in {problem.code for problem in problems}
    text = LOOP.format(body=SUM, result="%s")
    assert check_request(Request(text, "f.mlir")).kind == "program"
