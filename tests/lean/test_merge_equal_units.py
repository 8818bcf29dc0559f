"""Equal units on equal channels are one unit; what makes many tokens of one stays apart."""

from __future__ import annotations

from collections import Counter

import pytest

from loom.analysis.balance.channel_equivalence import equivalent_channels
from loom.dialects.ops.dataflow import StreamOp
from loom.front.api import compile_text
from loom.frontend.functions import top_function
from loom.lower.lean import merge_equal_units
from loom.lower.options import Options
from loom.model.bundles.signature import random_activations, signature_of
from loom.model.comparison import compare_models
from loom.model.timed.simulate import predicted
from loom.netlist.netlist import Netlist
from tests.support.folders import EXAMPLES

pytestmark = pytest.mark.usefixtures("no_clock_period")

ONE_AFTER_THE_OTHER = """func.func @f(%p: memref<64xi32>) -> i32 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %n = arith.constant 64 : index
  %z = arith.constant 0 : i32
  scf.for %i = %0 to %n step %1 {
    %v = arith.index_cast %i : index to i32
    memref.store %v, %p[%i] : memref<64xi32>
  }
  %s = scf.for %i = %0 to %n step %1 iter_args(%x = %z) -> (i32) {
    %v = memref.load %p[%i] : memref<64xi32>
    %r = arith.addi %x, %v : i32
    scf.yield %r : i32
  }
  return %s : i32
}"""
"""The second loop waits for the stores of the first, and both count to 64."""
LEAN, ALL = Options(index_width=32), Options(index_width=32, lean="off")


def operators(netlist: Netlist) -> Counter[str]:
    """How many units there are of each operator."""
    return Counter(unit.operator.name for unit in netlist.units)


@pytest.mark.parametrize("name", ["fir", "matvec", "matmul"])
def test_a_loop_has_no_two_equal_units(name: str) -> None:
    text = (EXAMPLES / f"{name}.mlir").read_text()
    lean, other = (compile_text(text, f"{name}.mlir", options=o).netlist for o in (LEAN, ALL))
    assert equal_replicates(lean) == 0 < equal_replicates(other)
    more = {"handshake.fork", "dataflow.broadcast", "handshake.buffer", "dataflow.accumulate"}
    assert (operators(lean) - operators(other)).keys() <= more


def equal_replicates(netlist: Netlist) -> int:
    """How many replicate units repeat what another one repeats, under the same condition."""
    same = equivalent_channels(netlist)
    found = Counter(
        tuple(same[channel.name] for channel in netlist.inputs_of(unit))
        for unit in netlist.units
        if unit.operator.name == "dataflow.replicate"
    )
    return found.total() - len(found)


def runs(text: str) -> tuple[tuple[str, ...], ...]:
    """What differs between reference and token model, and the outputs missing in the timed one."""
    circuit = compile_text(text, "f.mlir", options=LEAN)
    signature = signature_of(top_function(circuit.source), 32)
    given = random_activations(signature, 1, 2)
    report = compare_models(circuit.source, "f", circuit.netlist, given, max_cycles=1000, seed=1)
    timed = predicted(circuit.netlist, given, report.tokens)
    assert timed is not None
    return report.differences, tuple(name for run in timed for name in run.missing)


def test_loops_that_run_one_after_the_other_count_apart() -> None:
    assert operators(compile_text(ONE_AFTER_THE_OTHER, "f.mlir").netlist)["dataflow.stream"] == 2
    assert runs(ONE_AFTER_THE_OTHER) == ((), ())


def test_a_merged_stream_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: with one stream for both, the first waits for room that the second never has."""
    known = merge_equal_units.DECIDED_BY_VALUES
    monkeypatch.setattr(merge_equal_units, "DECIDED_BY_VALUES", (*known, StreamOp))
    monkeypatch.setattr(merge_equal_units, "widens", lambda operation, width: False)
    assert operators(compile_text(ONE_AFTER_THE_OTHER, "f.mlir").netlist)["dataflow.stream"] == 1
    differences, missing = runs(ONE_AFTER_THE_OTHER)
    assert differences == () and set(missing) == {"out0", "done"}, "with room enough they agree"


def test_off_leaves_every_unit() -> None:
    text = (EXAMPLES / "matmul.mlir").read_text()
    lean, other = (
        len(compile_text(text, "m.mlir", options=options).netlist.units) for options in (LEAN, ALL)
    )
    assert lean < other
