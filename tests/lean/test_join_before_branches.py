"""Control tokens that a join takes from equal branches are joined before them."""

from __future__ import annotations

from collections import Counter

import pytest

from loom.analysis.balance.invariants import check_invariants
from loom.dialects.ops.handshake import MuxOp
from loom.front.circuit import Circuit
from loom.lower.lean import join_before_branches
from tests.lean.bodies import compiled, differences

LOOP = """%eight = arith.constant 8 : index
  %four = arith.constant 4 : i8
  scf.for %i = %0 to %eight step %1 {{
    %v = memref.load %a[%i] : memref<8xi8>
    %c = arith.cmpi ult, %v, %four : i8
    {}
  }}
  return %k : i8"""
INTO_A = "memref.store %k, %a[%i] : memref<8xi8>"
INTO_B = "memref.store %v, %b[%i] : memref<8xi8>"
ONE_BRANCH = LOOP.format(f"scf.if %c {{\n      {INTO_A}\n      {INTO_B}\n    }}")
TWO_BRANCHES = LOOP.format(
    f"%d = arith.cmpi ult, %k, %four : i8\n    scf.if %c {{\n      {INTO_A}\n    }}\n"
    f"    scf.if %d {{\n      {INTO_B}\n    }}"
)


def units(circuit: Circuit) -> Counter[str]:
    """How many units of each operator there are."""
    return Counter(unit.operator.name for unit in circuit.netlist.units)


def test_stores_on_one_side_of_a_branch_have_one_way_to_the_return() -> None:
    circuit = compiled(ONE_BRANCH)
    assert units(circuit)["handshake.mux"] == 1
    assert check_invariants(circuit.netlist).problems("f.mlir") == []
    assert differences(circuit) == set()


def test_stores_under_two_conditions_have_two_ways() -> None:
    circuit = compiled(TWO_BRANCHES)
    assert units(circuit)["handshake.mux"] == 2
    assert differences(circuit) == set()


def test_tokens_that_are_steered_by_another_condition_are_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    way_of = join_before_branches.way_of

    def by_name(token: join_before_branches.OpResult) -> object:
        """Planted: the condition does not count."""
        owner = token.op
        return len(owner.operands) if isinstance(owner, MuxOp) else way_of(token)

    monkeypatch.setattr(join_before_branches, "way_of", by_name)
    circuit = compiled(TWO_BRANCHES)
    assert units(circuit)["handshake.mux"] == 1
    assert differences(circuit) != set()
