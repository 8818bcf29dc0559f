"""A while loop becomes a counted one where nothing can tell them apart, and only there."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from xdsl.dialects import scf

from loom.errors import LoomError
from loom.front.api import compile_text
from loom.frontend.mlir.read import read_mlir
from loom.lower.options import Options
from loom.lower.pipeline import normalize
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from tests.support.filecheck import missing

pytestmark = pytest.mark.usefixtures("no_clock_period")


@dataclass(frozen=True)
class Row:
    """A loop over i from %lo: its test, what the body adds, what is read after it."""

    test: str
    counted: bool
    add: str = "arith.addi %j, %one : i8"
    lo: str = "%lo"
    read: str = "%r#1, %r#1"
    type: str = "i8"
    before: str = ""
    inputs: tuple[tuple[int, int], ...] = (
        *((0, 0), (0, 1), (0, 5), (5, 0), (250, 255), (250, 3), (3, 250), (127, 128)),
        *((120, 127), (128, 127), (255, 255)),
    )

    def text(self) -> str:
        """The program."""
        return f"""func.func @f(%lo: {self.type}, %n: {self.type}) -> ({self.type}, {self.type}) {{
  %zero = arith.constant 0 : {self.type}
  %one = arith.constant 1 : {self.type}
  %three = arith.constant 3 : {self.type}
  %nine = arith.constant 9 : {self.type}
  %mask = arith.constant 63 : {self.type}
  %low = arith.andi %n, %mask : {self.type}
  %r:2 = scf.while (%i = {self.lo}, %s = %zero)
      : ({self.type}, {self.type}) -> ({self.type}, {self.type}) {{
    %c = arith.cmpi {self.test} : {self.type}
    {self.before}
    scf.condition(%c) %i, %s : {self.type}, {self.type}
  }} do {{
  ^bb0(%j: {self.type}, %t: {self.type}):
    %x = arith.muli %t, %three : {self.type}
    %u = arith.addi %x, %j : {self.type}
    %k = {self.add}
    scf.yield %k, %u : {self.type}, {self.type}
  }}
  return {self.read} : {self.type}, {self.type}
}}"""


BY_THREE = "arith.addi %j, %three : i8"
ROWS = {
    "signed": Row("slt, %i, %n", True),
    "unsigned": Row("ult, %i, %n", True),
    "sides exchanged": Row("sgt, %n, %i", True),
    "sides exchanged, unsigned": Row("ugt, %n, %i", True),
    "addition exchanged": Row("ult, %i, %n", True, "arith.addi %one, %j : i8"),
    "the counter is read after the loop": Row("slt, %i, %n", True, read="%r#0, %r#1"),
    "the counter is read after the loop, unsigned": Row("ult, %i, %n", True, read="%r#0, %r#1"),
    "up to and with a constant": Row("sle, %i, %nine", True, read="%r#0, %r#1"),
    "up to and with a constant, unsigned": Row("ule, %i, %nine", True),
    "up to and with what may be the largest": Row("sle, %i, %n", False, inputs=((0, 3), (9, 8))),
    "steps of three may wrap": Row("ult, %i, %n", False, BY_THREE, inputs=((0, 9), (1, 250))),
    "steps of three up to a small constant": Row("slt, %i, %nine", True, BY_THREE),
    "steps of three up to a masked bound": Row("ult, %i, %low", True, BY_THREE),
    "steps of three, the counter is read": Row(
        "slt, %i, %nine", False, BY_THREE, read="%r#0, %r#1"
    ),
    "steps of three that are said not to wrap": Row(
        "slt, %i, %n", True, "arith.addi %j, %three overflow<nsw> : i8", inputs=((0, 9), (1, 100))
    ),
    "the wrong promise": Row(
        "slt, %i, %n", False, "arith.addi %j, %three overflow<nuw> : i8", inputs=((0, 9), (1, 100))
    ),
    "not equal, between constants": Row("ne, %i, %nine", True, lo="%one"),
    "not equal, by three": Row("ne, %i, %nine", True, BY_THREE, lo="%zero"),
    "not equal, and missed": Row("ne, %i, %nine", False, BY_THREE, lo="%one"),
    "not equal to what may be below": Row("ne, %i, %n", False),
    "down": Row("sgt, %i, %n", False, "arith.subi %j, %one : i8", inputs=((9, 3), (3, 3), (2, 9))),
    "a step that is not known": Row(
        "ult, %i, %nine", False, "arith.addi %j, %lo : i8", inputs=((1, 0), (2, 0), (9, 0))
    ),
    "a step of nothing": Row("ult, %i, %n", False, "arith.addi %j, %zero : i8", inputs=((9, 3),)),
    "the test computes for the body": Row(
        "ult, %i, %n", True, before="%d = arith.muli %i, %i : i8", inputs=((0, 4), (3, 3))
    ),
    "wider than an index": Row("slt, %i, %n", False, "arith.addi %j, %one : i33", type="i33"),
}


@pytest.mark.parametrize("name", ROWS)
def test_loop(name: str) -> None:
    row = ROWS[name]
    width = int(row.type[1:])
    options = Options(index_width=32 if width > 8 else 64)
    module = read_mlir(row.text(), "k.mlir")
    normalize(module, options)
    loops = [type(op) for op in module.walk() if isinstance(op, scf.ForOp | scf.WhileOp)]
    assert loops == [scf.ForOp if row.counted else scf.WhileOp], str(module)
    circuit = compile_text(row.text(), "k.mlir", options=options)
    given = [Activation({"lo": low, "n": high}) for low, high in row.inputs]
    report = compare_models(circuit.source, "f", circuit.netlist, given, max_cycles=100_000)
    assert report.differences == ()


def test_what_the_test_computes_moves_to_its_readers() -> None:
    text = """func.func @f(%n: i8, %a: i8) -> (i8, i8) {
  %zero = arith.constant 0 : i8
  %one = arith.constant 1 : i8
  %r:3 = scf.while (%i = %zero, %s = %a) : (i8, i8) -> (i8, i8, i8) {
    %c = arith.cmpi ult, %i, %n : i8
    %d = arith.muli %i, %s : i8
    scf.condition(%c) %d, %n, %i : i8, i8, i8
  } do {
  ^bb0(%e: i8, %m: i8, %j: i8):
    %k = arith.addi %j, %one : i8
    %t = arith.xori %e, %m : i8
    scf.yield %k, %t : i8, i8
  }
  return %r#0, %r#1 : i8, i8
}"""
    module = read_mlir(text, "k.mlir")
    normalize(module, Options())
    assert missing(str(module), """
        [[S]] = scf.for [[I]] = %zero to %n step %one iter_args([[T]] = %a)
        [[D]] = arith.muli [[I]], [[T]] : i8
        [[U]] = arith.xori [[D]], %n : i8
        scf.yield [[U]] : i8
        [[L]] = arith.maxui
        [[R]] = arith.muli [[L]], [[S]] : i8
        func.return [[R]], %n""") is None, str(module)  # fmt: skip
    circuit = compile_text(text, "k.mlir")
    given = [Activation({"n": n, "a": 7}) for n in (0, 1, 2, 9)]
    report = compare_models(circuit.source, "f", circuit.netlist, given, max_cycles=10_000)
    assert report.differences == ()


def directed(directive: str) -> str:
    """A loop that counts, with a directive."""
    end = "  }\n  return"
    return (
        Row("slt, %i, %n", True).text().replace(end, f"  }} attributes {{{directive}}}\n  return")
    )


@pytest.mark.parametrize(
    ("directive", "found"),
    [
        ('loom.unroll = "full"', "found a loop to be fully unrolled whose trip count is not known"),
        ("loom.flatten", "found a loop to be flattened without a loop in it"),
        ("loom.interchange", "found a loop to be interchanged without a loop in it"),
    ],
)
def test_directives_stay_at_the_loop(directive: str, found: str) -> None:
    with pytest.raises(LoomError) as refused:
        compile_text(directed(directive), "k.mlir")
    assert refused.value.code == "LOWER_LOOP" and found in str(refused.value)


def test_a_style_stays_at_the_loop() -> None:
    units = compile_text(directed('loom.style = "static"'), "k.mlir").netlist.units
    assert "dataflow.island" in {unit.operator.name for unit in units}
