"""`loom model` counts the invariants in each activation, against clocks and against the program."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from loom.analysis.balance.invariants import INVARIANTS
from loom.front.api import compile_text, inspect_request
from loom.front.request import Request
from loom.model.bundles.activation import Activation
from loom.model.comparison import ModelReport, compare_models
from loom.model.report import model_json
from loom.netlist.netlist import Netlist
from tests.analysis.test_invariants import FAULTS, GRAPHS, planted
from tests.support.folders import ROWS

PROGRAMS = {
    "loop": """func.func @f(%n: index, %m: memref<4xi8>) -> i8 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %z = arith.constant 0 : i8
  %s = scf.for %i = %0 to %n step %1 iter_args(%x = %z) -> i8 {
    %v = memref.load %m[%i] : memref<4xi8>
    %y = arith.addi %x, %v : i8
    memref.store %y, %m[%i] : memref<4xi8>
    scf.yield %y : i8
  }
  return %s : i8
}""",
    "branch": """func.func @f(%c: i1, %a: i8, %m: memref<4xi8>) -> i8 {
  %0 = arith.constant 0 : index
  %s = scf.if %c -> i8 {
    %v = memref.load %m[%0] : memref<4xi8>
    scf.yield %v : i8
  } else {
    scf.yield %a: i8
  }
  return %s : i8
}""",
}
"""What the graphs of tests/rows/graphs.txt were made from."""
WORDS = [1, 2, 3, 4]
INPUTS: dict[str, list[Activation]] = {
    "loop": [Activation({"n": n, "m": WORDS}) for n in (3, 0, 1)],
    "branch": [Activation({"c": c, "a": 5, "m": WORDS}) for c in (0, 1)],
}


def report_of(name: str, netlist: Netlist) -> ModelReport:
    """What a netlist does, against the program of its graph."""
    circuit = compile_text(PROGRAMS[name], "k.mlir")
    return compare_models(circuit.source, "f", netlist, INPUTS[name], max_cycles=1000)


def netlist_of(text: str) -> Netlist:
    return inspect_request(Request(text, "k.mlir")).netlist


def test_a_sound_circuit_breaks_none() -> None:
    for name in PROGRAMS:
        netlist = compile_text(PROGRAMS[name], "k.mlir").netlist
        report = report_of(name, netlist)
        assert (report.broken, report.differences) == (frozenset(), ())
        rows = model_json(netlist, report, None)["invariants"]
        assert [row["number"] for row in rows] == [i.number for i in INVARIANTS if i.counted]
        assert all(row["held"] for row in rows)


def test_one_turn_too_many_is_seen_by_the_program() -> None:
    """A stream with another comparison is balanced: only the program knows better."""
    netlist = compile_text(PROGRAMS["loop"], "k.mlir").netlist
    units = [
        replace(unit, attributes={**unit.attributes, "cont_cond": "<="})
        if "cont_cond" in unit.operator.signature.attributes
        else unit
        for unit in netlist.units
    ]
    report = report_of("loop", replace(netlist, units=tuple(units)))
    assert report.broken == {1, 6}
    assert [text for text in report.differences if "invariant" in text][:2] == [
        "activation 0: invariant 1: the loop at k.mlir:5:3 has 4 iterations, the program's 3",
        "activation 0: invariant 6: memory m gives 4 done tokens (stores) and 4 (loads), "
        "the program stores 3 and loads 3",
    ]


GATE = """guarded
- dataflow.gate %15, %17
+ dataflow.gate %14, %17
- handshake.sink %14
+ handshake.sink %15"""
COUNTED = (ROWS / "counted_faults.txt").read_text()
BROKEN = {
    name: messages.splitlines()
    for name, _, messages in (row.partition("\n") for row in COUNTED[4:].split("=== "))
}
"""By fault: for each invariant that it breaks the first message."""
NUMBER = re.compile(r"invariant (\d+)")


@pytest.mark.parametrize("name", BROKEN)
def test_a_fault_is_counted(name: str) -> None:
    fault = GATE if name not in FAULTS else FAULTS[name][0]
    program = "branch" if fault.startswith("branch") else "loop"
    report = report_of(program, netlist_of(planted(fault)))
    first: dict[int, str] = {}
    for text in report.differences:
        if number := NUMBER.search(text):
            first.setdefault(int(number[1]), text)
    assert [first[number] for number in sorted(first)] == BROKEN[name]
    assert report.broken == first.keys()


def test_every_counted_invariant_is_broken_by_a_fault() -> None:
    broken = {int(number) for number in NUMBER.findall(COUNTED)} | {1}
    assert broken == {invariant.number for invariant in INVARIANTS if invariant.counted}
    assert GRAPHS.keys() >= PROGRAMS.keys()
