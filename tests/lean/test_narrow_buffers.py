"""Buffers stand before constants and casts, and hold no bits that these make."""

from __future__ import annotations

import pytest

from loom.front.api import compile_text
from loom.front.circuit import Circuit
from loom.lower.lean import narrow_buffers
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
    circuit = compile_text((EXAMPLES / "matmul.mlir").read_text(), "matmul.mlir")
    assert makers(circuit) & WIDENING


def test_a_buffer_that_is_left_out_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def drop(buffer: narrow_buffers.BufferOp, index_width: int) -> None:
        """Planted: what a buffer of one token would hold is not held."""
        buffer.out.replace_all_uses_with(buffer.source)
        buffer.detach()
        buffer.erase()

    monkeypatch.setattr(narrow_buffers, "narrow_buffer", drop)
    with pytest.raises(Exception, match="NETLIST_CYCLE"):
        compiled(BODY.replace("arith.addi %x, %p", "arith.subi %p, %x"))
