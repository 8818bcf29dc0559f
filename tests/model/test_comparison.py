"""Whatever a circuit does otherwise than its program is told, in exact words."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from loom.front.api import compile_text
from loom.model.bundles.activation import Activation, Expected
from loom.model.comparison import compare_models
from loom.netlist.netlist import Netlist
from tests.support.netlists import NetlistBuilder

PASS = """func.func @f(%c: i1, %a: i8) -> i8 {
  return %a : i8
}"""
DOUBLE = """func.func @f(%i: index, %m: memref<3xi8>) -> i8 {
  %one = arith.constant 1 : index
  %j = arith.addi %i, %one : index
  %v = memref.load %m[%i] : memref<3xi8>
  %w = arith.addi %v, %v : i8
  memref.store %w, %m[%i] : memref<3xi8>
  return %v : i8
}"""
READS_NEXT = DOUBLE.replace("load %m[%i]", "load %m[%j]")
WRITES_NEXT = DOUBLE.replace("store %w, %m[%i]", "store %w, %m[%j]")


def ports_of_pass() -> NetlistBuilder:
    """The ports of `PASS`, done already given back."""
    b = NetlistBuilder("f")
    for name, type_ in (("c", "i1"), ("a", "i8"), ("start", "none")):
        b.port("input", name, type_)
    b.port("output", "out0", "i8")
    b.port("output", "done", "none")
    b.connect("%start", "%done", "none", "go")
    return b


def leaves_a_token() -> Netlist:
    """`PASS` with an addition whose second operand comes only where c holds."""
    b = ports_of_pass()
    b.unit("pick", "handshake.cond_br")
    b.connect("%c", "pick.condition", "i1", "c")
    b.fork("copies", "%a", ["%out0", "pick.data", "add.lhs"], "i8")
    b.unit("drop", "handshake.sink")
    b.connect("pick.false_result", "drop.in", "i8", "dropped")
    b.unit("add", "arith.addi")
    b.connect("pick.true_result", "add.rhs", "i8", "picked")
    b.unit("end", "handshake.sink")
    b.connect("add.result", "end.in", "i8", "sum")
    return b.build()


def leaves_a_state() -> Netlist:
    """`PASS` through an invariant that is never told to forget its value."""
    b = ports_of_pass()
    b.unit("pick", "handshake.cond_br")
    b.fork("conditions", "%c", ["pick.condition", "pick.data"], "i1")
    b.unit("drop", "handshake.sink")
    b.connect("pick.false_result", "drop.in", "i1", "dropped")
    b.unit("keep", "dataflow.invariant")
    b.connect("pick.true_result", "keep.d", "i1", "again")
    b.connect("%a", "keep.a", "i8", "a")
    b.connect("keep.o", "%out0", "i8", "kept")
    return b.build()


def never_ends() -> Netlist:
    """`PASS` whose result waits for a value that comes only where c holds."""
    b = ports_of_pass()
    b.unit("pick", "handshake.cond_br")
    b.connect("%c", "pick.condition", "i1", "c")
    b.connect("%a", "pick.data", "i8", "a")
    b.unit("drop", "handshake.sink")
    b.connect("pick.false_result", "drop.in", "i8", "dropped")
    b.connect("pick.true_result", "%out0", "i8", "picked")
    return b.build()


@dataclass(frozen=True)
class Row:
    """A program, the circuit or another program's text, what goes in, what is told."""

    program: str
    circuit: Netlist | str
    given: tuple[Activation, ...]
    told: tuple[str, ...]


def passed(c: int) -> Activation:
    return Activation({"c": c, "a": 3})


def doubled(i: int, words: list[int], *expected: Expected) -> Activation:
    return Activation({"i": i, "m": words}, *expected)


RIGHT = Expected((2,), {"m": [1, 4, 3]})
IN_PART = Expected((2,), {"m": [1, None, 3]})
WRONG = Expected((3,), {"m": [0, None, 2]})
ROWS = {
    "nothing": Row(DOUBLE, DOUBLE, (doubled(1, [1, 2, 3], RIGHT),), ()),
    "nothing where anything may be": Row(DOUBLE, DOUBLE, (doubled(1, [1, 2, 3], IN_PART),), ()),
    "the bundle expects something else": Row(
        DOUBLE,
        DOUBLE,
        (doubled(1, [1, 2, 3], WRONG),),
        (
            "activation 0: result 0 is 2, the bundle expects 3",
            "activation 0: memory m differs from the bundle in 2 words, first at 0: 1, expected 0",
        ),
    ),
    "another result": Row(
        DOUBLE,
        READS_NEXT,
        (doubled(1, [0, 0, 1]),),
        (
            "activation 0: the token model's results are 1, the program's 0",
            "activation 0: the token model leaves other words in memory m than the program",
        ),
    ),
    "another word": Row(
        DOUBLE,
        WRITES_NEXT,
        (doubled(1, [1, 1, 1]),),
        ("activation 0: the token model leaves other words in memory m than the program",),
    ),
    "an error at run time": Row(
        DOUBLE,
        READS_NEXT,
        (doubled(1, [0, 0, 0]), doubled(2, [0, 0, 0])),
        ("activation 1: the token model raises RT_MEMORY_ADDRESS_OUT_OF_RANGE",),
    ),
    "a token that is left": Row(
        PASS,
        leaves_a_token(),
        (passed(1), passed(0)),
        (
            "activation 1: the token model leaves 1 tokens on channel c5",
            "activation 1: invariant 9: channel sum carries 0 tokens, not 1",
        ),
    ),
    "a unit that waits": Row(
        PASS,
        leaves_a_state(),
        (passed(0),),
        ("activation 0: the token model leaves unit keep in the middle of something",),
    ),
    "a result too many": Row(
        PASS,
        leaves_a_state(),
        (passed(1),),
        (
            "activation 0: the token model gives 2 tokens on output out0",
            "activation 0: the token model leaves unit keep in the middle of something",
            "activation 0: invariant 7: channel kept carries 2 tokens, not 1",
        ),
    ),
    "no result": Row(
        PASS,
        never_ends(),
        (passed(1), passed(0)),
        (
            "activation 1: the token model deadlocks: no token on out0; blocked: ",
            "activation 1: invariant 7: channel picked carries 0 tokens, not 1",
        ),
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_what_differs_is_told(name: str) -> None:
    row = ROWS[name]
    program = compile_text(row.program, "k.mlir")
    other = row.circuit
    netlist = compile_text(other, "k.mlir").netlist if isinstance(other, str) else other
    report = compare_models(program.source, "f", netlist, row.given, max_cycles=1000)
    assert report.differences == row.told


def test_two_loops_at_one_place_are_not_taken_for_one() -> None:
    text = """static int g(int y) { int s = 1; while (s < y) s += s; return s; }
    int f(int a, int b) { g(b); return g(a); }"""
    circuit = compile_text(text, "k.c")
    given = Activation({"a": 0, "b": 3})
    report = compare_models(circuit.source, "f", circuit.netlist, [given], max_cycles=1000)
    assert not report.differences
