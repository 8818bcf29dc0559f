"""Proved addresses are not compared with the size; an access that may miss keeps its error."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects.func import FuncOp

from loom.analysis.program.affine_forms import Form, Forms, Interval
from loom.analysis.program.value_ranges import Ranges
from loom.errors import LoomError
from loom.front.api import compile_text
from loom.lower.lean import prove_addresses
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.tokens.token_simulator import simulate
from loom.netlist.netlist import Netlist
from tests.support.folders import EXAMPLES

LOOP = """func.func @f(%a: memref<9xi8>, %n: index, %k: i8) -> i8 {{
  %one = arith.constant 1 : index
  %low = arith.constant {low} : index
  %high = {high}
  %zero = arith.constant 0 : i8
  %s = scf.for %i = %low to %high step %one iter_args(%x = %zero) -> (i8) {{
    %d = arith.addi %i, %i : index
    %f = arith.addi %d, %d : index
    %j = {index}
    %v = memref.load %a[%j] : memref<9xi8>
    %y = arith.addi %x, %v : i8
    scf.yield %y : i8
  }}
  return %s : i8
}}"""
CONSTANT = "arith.constant {} : index"
SAME = "arith.addi %i, %low : index"
ACCESSES = {
    "to the last element": (0, CONSTANT.format(9), SAME, True),
    "past the last element": (0, CONSTANT.format(10), SAME, False),
    "from before the first": (-1, CONSTANT.format(4), "arith.muli %i, %one : index", False),
    "twice the index": (0, CONSTANT.format(5), "arith.addi %i, %i : index", True),
    "twice the index, past the end": (1, CONSTANT.format(6), "arith.addi %i, %i : index", False),
    "a difference": (0, CONSTANT.format(5), "arith.subi %f, %d : index", True),
    "a difference, past the end": (0, CONSTANT.format(6), "arith.subi %f, %d : index", False),
    "a bound of the caller": (0, "arith.addi %n, %low : index", SAME, False),
    "a remainder": (0, CONSTANT.format(99), "arith.remui %i, %high : index", False),
    "a mask": (0, CONSTANT.format(99), "arith.andi %i, %mask : index", True),
    "a number of the caller": (0, CONSTANT.format(2), "arith.index_castui %k : i8 to index", False),
}


def text_of(name: str) -> str:
    """The program of a row."""
    low, high, index, _ = ACCESSES[name]
    text = LOOP.format(low=low, high=high, index=index)
    return text.replace("  %zero", "  %mask = arith.constant 7 : index\n  %zero", 1)


def is_compared(netlist: Netlist) -> bool:
    """True if the memory compares its addresses with its size."""
    (unit,) = (unit for unit in netlist.units if unit.operator.hardware.memory_kind)
    return "in_range" not in unit.attributes


@pytest.mark.parametrize("widths", ["narrow", "keep"])
@pytest.mark.parametrize("name", ACCESSES)
def test_an_address_is_compared_unless_it_is_proved(name: str, widths: str) -> None:
    options = Options(widths="keep" if widths == "keep" else "narrow")
    netlist = compile_text(text_of(name), "f.mlir", options=options).netlist
    assert is_compared(netlist) is not ACCESSES[name][3]
    off = Options(lean="off")
    assert is_compared(compile_text(text_of(name), "f.mlir", options=off).netlist)


def run(netlist: Netlist) -> tuple[str, ...]:
    """The run-time errors of an activation."""
    given = Activation({"a": list(range(9)), "n": 3, "k": 200})
    (activation,) = simulate(netlist, [given]).activations
    return tuple(activation.errors)


def test_an_access_that_misses_is_still_an_error() -> None:
    netlist = compile_text(text_of("past the last element"), "f.mlir").netlist
    assert run(netlist) == ("RT_MEMORY_ADDRESS_OUT_OF_RANGE",)


def test_a_proof_that_is_off_by_one_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: ranges that end one too early, so that an access that misses counts as proved."""
    known = prove_addresses.value_ranges

    def shorter(function: FuncOp, index_width: int) -> Ranges:
        found = known(function, index_width)
        return {v: r.__class__(r.low, max(r.low, r.high - 1)) for v, r in found.items()}

    monkeypatch.setattr(prove_addresses, "value_ranges", shorter)
    netlist = compile_text(text_of("past the last element"), "f.mlir").netlist
    assert not is_compared(netlist)
    with pytest.raises(LoomError, match="MODEL_IN_RANGE"):
        run(netlist)


def test_a_sum_that_ends_too_early_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the same of the sums of iterations."""
    known = prove_addresses.Forms.interval

    def shorter(self: Forms, form: Form) -> Interval:
        low, high = known(self, form)
        return low, max(low, high - 2)

    monkeypatch.setattr(prove_addresses.Forms, "interval", shorter)
    netlist = compile_text(text_of("a difference, past the end"), "f.mlir").netlist
    assert not is_compared(netlist)
    with pytest.raises(LoomError, match="MODEL_IN_RANGE"):
        run(netlist)


@pytest.mark.parametrize("name", ["fir", "vecadd", "matvec"])
def test_counted_loops_over_whole_arrays_need_no_compare(name: str) -> None:
    text = Path(EXAMPLES / f"{name}.mlir").read_text()
    units = compile_text(text, f"{name}.mlir").netlist.units
    memories = [unit for unit in units if unit.operator.hardware.memory_kind]
    assert all(unit.attributes["in_range"] for unit in memories)
