"""Interchanged loops leave the words of the program, or are refused."""

from __future__ import annotations

import random

import pytest

from loom.errors import LoomError
from loom.front.api import compile_module, compile_text
from loom.frontend.mlir.read import read_mlir
from loom.lower.options import Options
from loom.lower.pipeline import normalize
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from loom.model.reference.reference import compile_reference
from tests.lower.test_flatten_loops import accesses
from tests.support.refusals import refusal

pytestmark = pytest.mark.usefixtures("no_clock_period")

BEGIN = "{loom.interchange}"
MATMUL = """func.func @f(%a: memref<64xf32>, %b: memref<64xf32>, %c: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %w = arith.muli %i, %c8 : index
      scf.for %k = %c0 to %c8 step %c1 {
        %p = arith.addi %w, %k : index
        %q0 = arith.muli %k, %c8 : index
        %q = arith.addi %q0, %j : index
        %r = arith.addi %w, %j : index
        %x = memref.load %a[%p] : memref<64xf32>
        %y = memref.load %b[%q] : memref<64xf32>
        %z = memref.load %c[%r] : memref<64xf32>
        %0 = arith.mulf %x, %y : f32
        %1 = arith.addf %0, %z : f32
        memref.store %1, %c[%r] : memref<64xf32>
      }
    } {loom.interchange}
  }
  return
}"""


def test_a_sum_of_floats_waits_no_more_for_its_adder() -> None:
    plain = Options(interleave="off")
    as_written = compile_text(MATMUL.replace(BEGIN, ""), "k.mlir", options=plain)
    interchanged = compile_text(MATMUL, "k.mlir")
    found = [
        [(loop.place.line, loop.ii) for loop in circuit.loops if loop.innermost]
        for circuit in (as_written, interchanged)
    ]
    assert found == [[(8, 5)], [(6, 1)]]
    given = [Activation({name: [k % 13 << 23 for k in range(64)] for name in "abc"})]
    source = interchanged.source
    report = compare_models(source, "f", interchanged.netlist, given, max_cycles=10_000)
    assert report.differences == ()


@pytest.mark.usefixtures("deep_on_sources")
def test_what_is_refused_may_differ_and_the_rest_does_not() -> None:
    """Random nests over one memory: some may be interchanged, and then leave the same words."""
    allowed = refused = wrong = 0
    for seed in range(150):
        text = accesses(random.Random(seed)).replace("{loom.flatten}", BEGIN)
        source = read_mlir(text, "k.mlir")
        words = [(7 * k * k + seed) % 999 for k in range(128)]
        wanted = compile_reference(source, "f", 64).run([words, 3])
        try:
            made = source.clone()
            normalize(made, Options())
            allowed += 1
        except LoomError as error:
            assert "would be reversed" in str(error)
            refused += 1
            continue
        found = compile_reference(made, "f", 64).run([words, 3])
        wrong += found.memories != wanted.memories
    assert not wrong and allowed > 40 and refused > 30


@pytest.mark.parametrize("seed", range(8))
def test_circuits_of_interchanged_loops(seed: int) -> None:
    text = accesses(random.Random(seed)).replace("{loom.flatten}", "{loom.interchange, loom.hint}")
    source = read_mlir(text, "k.mlir")
    given = [Activation({"m": [k * k for k in range(128)], "k": seed})] * 2
    circuit = compile_module(source)
    report = compare_models(source, "f", circuit.netlist, given, max_cycles=10_000)
    assert report.differences == ()


def shifted(row: int, column: int, offset: int = 8, asked: str = "loom.interchange") -> str:
    """``m[i, j] = m[i + row, j + column] + 1`` in a nest of six by six, inside of ten by ten."""
    return f"""func.func @f(%m: memref<256xi16>) {{
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %one = arith.constant 1 : i16
  %off = arith.constant {16 * row + column} : index
  %c8 = arith.constant {offset} : index
  scf.for %i = %c2 to %c8 step %c1 {{
    %w = arith.muli %i, %c16 : index
    scf.for %j = %c2 to %c8 step %c1 {{
      %p = arith.addi %w, %j : index
      %q = arith.addi %p, %off : index
      %x = memref.load %m[%q] : memref<256xi16>
      %y = arith.addi %x, %one : i16
      memref.store %y, %m[%p] : memref<256xi16>
    }}
  }} {{{asked}}}
  return
}}"""


@pytest.mark.parametrize("row", range(-2, 3))
@pytest.mark.parametrize("column", range(-2, 3))
def test_directions(row: int, column: int) -> None:
    """Loops cross where one index of the dependence rises and the other one falls."""
    text = shifted(row, column)
    if row * column < 0:
        with pytest.raises(LoomError, match="would be reversed"):
            compile_text(text, "k.mlir")
        return
    module = read_mlir(text, "k.mlir")
    wanted = compile_reference(module, "f", 64).run([list(range(256))])
    normalize(module, Options())
    assert compile_reference(module, "f", 64).run([list(range(256))]).memories == wanted.memories


def test_the_pair_is_named() -> None:
    assert refusal(compile_text, shifted(-1, 1), "k.mlir") == (
        "k.mlir:15:7: error[LOWER_LOOP]: found a loop to be interchanged whose dependence on 13:7 "
        "would be reversed; LOOM accepts dependences whose order the interchange keeps"
    )


def test_both_that_are_asked_for_happen() -> None:
    text = shifted(0, 0, asked="loom.interchange, loom.flatten")
    circuit = compile_text(text, "k.mlir")
    assert len(circuit.loops) == 1
    given = [Activation({"m": list(range(256))})] * 2
    report = compare_models(circuit.source, "f", circuit.netlist, given, max_cycles=10_000)
    assert report.differences == ()


REFUSED = {
    "values that are carried": (
        """func.func @f(%n: index) -> index {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %r = scf.for %i = %z to %n step %o iter_args(%a = %z) -> (index) {
    %s = scf.for %j = %z to %n step %o iter_args(%b = %a) -> (index) {
      %t = arith.addi %b, %j : index
      scf.yield %t : index
    }
    scf.yield %s : index
  } {loom.interchange}
  return %r : index
}""",
        "k.mlir:4:3: error[LOWER_LOOP]: found a loop to be interchanged with loop-carried values; "
        "LOOM accepts loops whose values pass through memories alone",
    ),
    "bounds that change": (
        """func.func @f(%n: index, %m: memref<9xindex>) {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  scf.for %i = %z to %n step %o {
    %t = arith.addi %i, %o : index
    scf.for %j = %z to %t step %o {
      memref.store %j, %m[%j] : memref<9xindex>
    }
  } {loom.interchange}
  return
}""",
        "k.mlir:6:5: error[LOWER_LOOP]: found a loop to be interchanged whose inner loop's bounds "
        "change with it; LOOM accepts bounds that are the same in all iterations of the outer loop",
    ),
    "a while": (
        """func.func @f(%n: i8) {
  scf.while (%a = %n) : (i8) -> i8 {
    %c = arith.cmpi ne, %a, %n : i8
    scf.condition(%c) %a : i8
  } do {
  ^bb0(%b: i8):
    %h = arith.shrui %b, %b : i8
    scf.yield %h : i8
  } attributes {loom.interchange}
  return
}""",
        "k.mlir:2:3: error[LOWER_LOOP]: found a loop to be interchanged that does not count; LOOM "
        "accepts counted loops in each other",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    text, message = REFUSED[name]
    assert refusal(compile_text, text, "k.mlir") == message
    assert compile_text(text.replace(BEGIN, "{loom.interchange, loom.hint}"), "k.mlir").netlist
