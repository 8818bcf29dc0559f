"""Buffers stand before constants and casts, and hold no bits that these make."""

from __future__ import annotations

import pytest
from loom_sim.suite import load

from loom.front.api import compile_text
from loom.front.circuit import Circuit
from loom.lower.lean import narrow_buffers
from loom.model.comparison import compare_models
from loom.model.timed.simulate import run_timed
from tests.lean.bodies import compiled, differences
from tests.support.folders import EXAMPLES

BODY = """%eight = arith.constant 8 : index
  scf.for %i = %0 to %eight step %1 {
    %s = scf.for %j = %0 to %eight step %1 iter_args(%x = %z) -> (i8) {
      %v = memref.load %a[%j] : memref<8xi8>
      %w = memref.load %b[%j] : memref<8xi8>
      %p = arith.muli %v, %w : i8
      %y = arith.addi %x, %p : i8
      scf.yield %y : i8
    }
    memref.store %s, %b[%i] : memref<8xi8>
  }
  return %k : i8"""


WIDENING = {"handshake.constant", "arith.extsi", "arith.extui"}


def makers(circuit: Circuit) -> set[str]:
    """The operators whose results buffers hold."""
    netlist = circuit.netlist
    return {
        netlist.unit_by_name[channel.source.unit].operator.name
        for unit in netlist.units
        if unit.operator.name == "handshake.buffer"
        for channel in netlist.inputs_of(unit)
        if channel.source.unit in netlist.unit_by_name
    }


def test_a_buffer_stands_before_what_widens() -> None:
    circuit = compile_text((EXAMPLES / "matvec.mlir").read_text(), "matvec.mlir")
    assert not makers(circuit) & WIDENING
    assert differences(compiled(BODY)) == set()


def test_buffers_are_wide_without_the_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(narrow_buffers, "narrow_buffer", lambda buffer, index_width: None)
    circuit = compile_text((EXAMPLES / "matvec.mlir").read_text(), "matvec.mlir")
    assert makers(circuit) & WIDENING


def behind_forks(circuit: Circuit) -> set[str]:
    """The operators whose results forks take that buffers hold the copies of."""
    netlist = circuit.netlist
    sources = {
        channel.target.unit: channel.source.unit
        for channel in netlist.channels
        if channel.source.unit in netlist.unit_by_name
    }
    names = {unit.name: unit.operator.name for unit in netlist.units}
    buffers = [unit for unit, name in names.items() if name == "handshake.buffer"]
    forks = {sources[b] for b in buffers if names.get(sources.get(b, "")) == "handshake.fork"}
    return {names[sources[fork]] for fork in forks if fork in sources}


@pytest.mark.usefixtures("deep_on_sources")
def test_a_cast_before_a_fork_stands_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each leg has a cast of its own, and the buffers on the legs are narrow.

    Planted: without that, buffers hold what a cast in front of a fork widens.
    """
    file = EXAMPLES / "c" / "median_3x3.c"
    narrow, kernel = compile_text(file.read_text(), str(file)), load(file)
    assert not behind_forks(narrow) & {"arith.extsi", "arith.extui"}
    report = compare_models(
        narrow.source, narrow.top, narrow.netlist, kernel[1][:2], max_cycles=100_000, seed=1
    )
    assert report.differences == ()
    runs = run_timed(narrow.netlist, kernel[1][:2])
    monkeypatch.setattr(narrow_buffers, "spread_cast", lambda buffer, index_width: None)
    wide = compile_text(file.read_text(), str(file))
    assert behind_forks(wide) & {"arith.extsi", "arith.extui"}
    assert narrow.cost.area.flip_flops < wide.cost.area.flip_flops
    before = run_timed(wide.netlist, kernel[1][:2])
    assert [run.cycles for run in runs] == [run.cycles for run in before]


def test_a_buffer_that_is_left_out_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def drop(buffer: narrow_buffers.BufferOp, index_width: int) -> None:
        """Planted: what a buffer of one token would hold is not held."""
        buffer.out.replace_all_uses_with(buffer.source)
        buffer.detach()
        buffer.erase()

    monkeypatch.setattr(narrow_buffers, "narrow_buffer", drop)
    with pytest.raises(Exception, match="NETLIST_CYCLE"):
        compiled(BODY.replace("arith.addi %x, %p", "arith.subi %p, %x"))
