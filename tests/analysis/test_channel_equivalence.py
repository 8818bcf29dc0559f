"""Channels are equivalent only if their units do the same, constants included."""

from __future__ import annotations

import pytest

from loom.analysis.balance.channel_equivalence import equivalent_channels
from loom.front.api import compile_text
from loom.lower.options import Options

TEXT = """func.func @f(%x: i8) -> (i8, i8) {{
  %c = arith.constant {first} : i8
  %d = arith.constant {second} : i8
  %a = arith.subi {one} : i8
  %b = arith.subi {other} : i8
  return %a, %b : i8, i8
}}"""


@pytest.mark.parametrize(
    ("constants", "operands", "different"),
    [
        ((3, 3), ("%c, %x", "%d, %x"), 1),
        ((3, 4), ("%c, %x", "%d, %x"), 2),
        ((3, 3), ("%c, %x", "%x, %d"), 2),
    ],
    ids=["equal", "another number", "another operand"],
)
def test_a_constant_is_part_of_its_function(
    constants: tuple[int, int], operands: tuple[str, str], different: int
) -> None:
    first, second = constants
    text = TEXT.format(first=first, second=second, one=operands[0], other=operands[1])
    netlist = compile_text(text, "f.mlir", options=Options(widths="keep")).netlist
    same = equivalent_channels(netlist)
    results = {same[channel.name] for channel in netlist.channels if "sub" in channel.name}
    assert len(results) == different
