"""Units in Verilog-2005 against those in SystemVerilog, and differences that are found."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from loom.emit.verilog_2005 import to_verilog_2005
from tests.support.deep import UNIT_INPUTS, Deep
from tests.support.folders import EXAMPLES
from tools.equivalence import __main__ as command
from tools.equivalence.compare import FOUND, Pair, compare, parameter, verdict
from tools.equivalence.pairs import pair_of, pairs
from tools.prove.units import units

FEW = ("loom_buffer_seq_short (5 slots)", "loom_carry", "loom_chanmemory_1_stores_1_loads",
       "loom_mulsi_extended", "loom_stream_add_lt")  # fmt: skip
"""Beginnings of names."""
FAULTS: Mapping[str, tuple[str, Callable[[str], str]]] = {
    "an output that is inverted": (
        "loom_fork_2", lambda t: t.replace("_ready_o = ", "_ready_o = ~")),
    "a register that resets to another state": (
        "loom_carry", lambda t: t.replace("_q <= 1'b0", "_q <= 1'b1", 1)),
    "a next state that is another": (
        "loom_stream_add_lt_signed", lambda t: t.replace("index_q <= f", "index_q <= ~f")),
    "a cast that is left out": (
        "loom_chanmemory_1_stores_1_loads_packed",
        lambda t: re.sub(r"lane_i\(\w+\(rd_addr\)\)", "lane_i(rd_addr >> 1)", t)),
}  # fmt: skip
"""By what is wrong: the beginning of a unit's name, and a change of its Verilog-2005."""


def pair_called(beginning: str) -> Pair:
    """The first unit whose name begins so."""
    return next(pair_of(unit) for unit in units() if unit.name.startswith(beginning))


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_some_units_are_equal() -> None:
    found = compare([pair_called(each) for each in FEW])
    assert all(each.equal for each in found), found
    assert [each.compared > 10 for each in found] == [True] * len(FEW)


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_difference_is_found(fault: str) -> None:
    beginning, change = FAULTS[fault]
    pair = pair_called(beginning)
    changed = {name: change(text) for name, text in pair.verilog.items()}
    assert changed != pair.verilog
    (found,) = compare([replace(pair, verilog=changed)])
    assert not found.equal and found.different, found


@pytest.mark.sim
def test_all_units_are_equal(deep: Deep, capsys: pytest.CaptureFixture[str]) -> None:
    texts = [text for _, pair in pairs(EXAMPLES) for text in pair.verilog.values()]
    deep(*UNIT_INPUTS, "tools/equivalence", "tools/prove", texts=texts)
    assert command.main([]) == 0
    assert "all equal" in capsys.readouterr().out


TYPES = """\
module m (
  input logic [7:0] a_i,
  output logic [3:0] b_o,
  output logic [1:0] c_o
);
  typedef logic [3:0] place_t;
  typedef logic [1:0] word_place_t;
  typedef logic [3:0][1:0] words_t;
  words_t words;
  assign words = words_t'(a_i);
  assign b_o = place_t'(a_i);
  assign c_o = word_place_t'(a_i) ^ words[b_o[1:0]];
endmodule
"""


@pytest.mark.sim
def test_a_type_whose_name_ends_another_keeps_its_width() -> None:
    """And one of words in words is a vector."""
    plain = to_verilog_2005(TYPES, "m")
    assert "typedef" not in plain
    pair = Pair("m", (), {"m": TYPES}, {"m": plain})
    other = replace(pair, verilog={"m": plain.replace("^ words[", "^ ~words[")})
    assert other != pair
    assert [each.equal for each in compare([pair, other])] == [True, False]


def test_numbers_are_given_in_binary() -> None:
    assert [parameter(each) for each in ("7", "4'd9", "-4'd7", "8'hf0")] == [
        "7", "4'b1001", "4'b1001", "8'b11110000",
    ]  # fmt: skip


def test_nothing_compared_is_not_equal() -> None:
    said = "Found 12 $equiv cells in equiv:\n  Of those cells 11 are proven and 1 are unproven.\n"
    assert FOUND.search(said) and not verdict(said).equal
    assert verdict(said.replace("11", "12").replace("1 are un", "0 are un")).equal
    assert not verdict("Found 0 $equiv cells\n").equal


def test_a_unit_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--only", "nosuch"]) == 2
    assert "LOOM accepts a part of a unit's name" in capsys.readouterr().err
