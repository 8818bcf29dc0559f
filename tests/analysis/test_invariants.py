"""The invariants are proved of every graph that LOOM makes, and a fault in a graph breaks one.

The graphs of tests/rows/graphs.txt are a sum of an array with its running sums stored, under both
policies for loops that may not run, a load in a branch, and a loop whose test also chooses a value.
"""

from __future__ import annotations

import re

import pytest

from loom.analysis.balance.invariants import INVARIANTS, check_invariants
from loom.analysis.balance.solve_clocks import clocks_of
from loom.analysis.balance.token_counts import TokenCount, unknown
from loom.front.api import check_request, inspect_request
from loom.front.request import Request
from loom.frontend.mlir.read import read_mlir
from loom.lower.options import Options
from tests.model.test_program_meets_model import POLICIES, PROGRAMS, ZeroTrip
from tests.random_programs import random_program
from tests.random_programs.periods import compile_at, draw_period
from tests.support.compiled import compile_once
from tests.support.folders import EXAMPLES
from tests.support.refusals import refusal
from tests.support.row_files import read_rows, read_sections

GRAPHS = read_sections("graphs.txt")
KERNELS = {path.name: path.read_text() for path in EXAMPLES.glob("*.mlir")}
RANDOM = 60
CODE = re.compile(r"error\[(NETLIST_[A-Z]+)\]")


FAULTS = read_rows("graph_faults.txt")
"""By name: a graph with texts that are replaced (-) by others (+), and the messages then."""


def planted(fault: str) -> str:
    """The graph that the first line names with each text, once in it, replaced by its lines."""
    graph, *lines = fault.split("\n")
    text = GRAPHS[graph]
    for change in "\n".join(lines).removeprefix("- ").split("\n- "):
        old, *new = change.split("\n+ ")
        assert text.count(old) == 1, old
        text = text.replace(old, "\n    ".join(new))
    return text


@pytest.mark.parametrize("name", GRAPHS)
def test_the_graphs_are_sound(name: str) -> None:
    assert str(check_request(Request(GRAPHS[name], "k.mlir"))).endswith(
        "balanced: proved, no problem"
    )


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_reported(name: str) -> None:
    fault, message = FAULTS[name]
    assert refusal(check_request, Request(planted(fault), "k.mlir")) == message


def test_every_invariant_of_the_graph_is_broken_by_a_fault() -> None:
    codes = {code for _, message in FAULTS.values() for code in CODE.findall(message)}
    assert codes == {invariant.code for invariant in INVARIANTS if invariant.check}
    assert [invariant.number for invariant in INVARIANTS] == list(range(1, 11))


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("zero_trip", POLICIES)
@pytest.mark.parametrize("texts", [PROGRAMS, KERNELS], ids=["rows", "examples"])
def test_every_graph_of_the_lowering_is_proved(texts: dict[str, str], zero_trip: ZeroTrip) -> None:
    for name, text in texts.items():
        file = name if texts is KERNELS else "k.mlir"  # as other tests of the rows call them
        netlist = compile_once(text, file, Options(zero_trip=zero_trip)).netlist
        found = check_invariants(netlist)
        assert (found.balance, found.problems(name)) == ("proved", [])
        assert clocks_of(netlist).by_channel.keys() == {c.name for c in netlist.channels}


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("seed", range(RANDOM))
def test_every_graph_of_a_random_program_is_proved(seed: int) -> None:
    """One in four at a clock period of its own: buffers are in all of them."""
    period = draw_period(seed) if seed % 4 == 0 else None
    options = Options((64, 32)[seed % 2], POLICIES[seed // 2 % 2], clock_period=period)
    netlist = compile_at(read_mlir(random_program(seed), "k.mlir"), options).netlist
    assert check_invariants(netlist).balance == "proved"


GUARD = "guarded\n- arith.cmpi slt\n+ arith.cmpi sle"
CONDITIONS = """handshake.func @f(%c: i1, %d: i1, %a: i8, %start: none, ...) -> (i8, none)
    attributes {argNames = ["c", "d", "a", "start"], resNames = ["out0", "done"]} {
  %c1, %c2 = handshake.fork [2] %c : i1
  %t, %f = handshake.cond_br %c1, %a : i8
  %r = handshake.mux %DATUM [%f, %t] : i1, i8
  %one = handshake.sink %OTHER : i1
  handshake.return %r, %start : i8, none
}""".replace("%one = ", "")
UNDECIDED = {
    "a guard that lets an empty loop in (D1)": (
        planted(GUARD),
        "gate_i is right only for loops with a non-zero trip count",
    ),
    "two conditions that the data may make equal": (
        CONDITIONS.replace("DATUM", "d").replace("OTHER", "c2"),
        "only if 1 - T(c) = 1 - T(d) and T(c) = T(d)",
    ),
}


@pytest.mark.parametrize("name", UNDECIDED)
def test_what_the_graph_does_not_say_is_left_open(name: str) -> None:
    text, why = UNDECIDED[name]
    found = inspect_request(Request(text, "k.mlir"))
    assert found.invariants.balance == f"not decided ({why})"
    assert [row["held"] for row in found.invariants.to_json()] == [None] * 4 + [True] + [None] * 5
    assert CONDITIONS.count("DATUM") == 1
    sound = CONDITIONS.replace("DATUM", "c2").replace("OTHER", "d")
    assert check_request(Request(sound, "k.mlir")).invariants.balance == "proved"


def test_equal_functions_of_equal_values_decide_alike() -> None:
    """The same comparison made twice is one condition; another one is not."""
    text = """handshake.func @f(%a: i8, %start: none, ...) -> (i8, none)
    attributes {argNames = ["a", "start"], resNames = ["out0", "done"]} {
  %1, %2, %3, %4, %5 = handshake.fork [5] %a : i8
  %c = arith.cmpi slt, %1, %2 : i8
  %d = arith.cmpi slt, %3, %4 : i8
  %t, %f = handshake.cond_br %c, %5 : i8
  %r = handshake.mux %d [%f, %t] : i1, i8
  handshake.return %r, %start : i8, none
}"""
    assert check_request(Request(text, "k.mlir")).invariants.balance == "proved"
    other = text.replace("%d = arith.cmpi slt", "%d = arith.cmpi sle")
    assert check_request(Request(other, "k.mlir")).invariants.balance.startswith(
        "not decided (only if "
    )


def test_counts_are_sums_of_unknowns() -> None:
    count = TokenCount(1) + unknown("T(a)") + unknown("T(a)") - unknown("T(b)")
    assert str(count) == "2 T(a) + 1 - T(b)"
    assert count.value({"T(a)": 3, "T(b)": 2}) == 5
    assert str(count - count) == "0"
    assert str(TokenCount() - unknown("x")) == "-x"


ON_BOTH_WAYS = """int f(const int w[16], int h[16], int n) {
  int s = 0, t = n;
  if (n != 3) { if (n > 4) { h[n & 7] = t ^ h[1]; } s += h[1]; }
  h[(h[n & 7] + n) & 7] = t * t * t;
  return t;
}"""


def test_a_token_of_each_way_is_one_after_the_start() -> None:
    """The last store has no token: its address is made of what is loaded behind both ways."""
    assert check_request(Request(ON_BOTH_WAYS, "k.c")).problems("k.c") == []
