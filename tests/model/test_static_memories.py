"""Memories without sizes, returned ones and reshaped ones: what a program says of them runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loom.front.api import compile_request
from loom.front.cli import main
from loom.front.request import Request
from loom.frontend.mlir.read import read_mlir
from loom.model.bundles.shapes import shapes_of_arrays
from tests.support.refusals import refusal

SCALE = """\
func.func private @sum(%a: memref<?xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %d = memref.dim %a, %c0 : memref<?xi32>
  %r = scf.for %i = %c0 to %d step %c1 iter_args(%s = %z) -> i32 {
    %v = memref.load %a[%i] : memref<?xi32>
    %t = arith.addi %s, %v : i32
    scf.yield %t : i32
  }
  return %r : i32
}
func.func @f(%a: memref<?x3xi32>, %k: i32) -> (memref<?x3xi32>, i32, memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = memref.dim %a, %c0 : memref<?x3xi32>
  %m = memref.alloc(%n) : memref<?x3xi32>
  %w = memref.alloca(%n) : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      %v = memref.load %a[%i, %j] : memref<?x3xi32>
      %t = arith.muli %v, %k : i32
      memref.store %t, %m[%i, %j] : memref<?x3xi32>
    }
    %u = memref.load %m[%i, %c1] : memref<?x3xi32>
    memref.store %u, %w[%i] : memref<?xi32>
  }
  %s = func.call @sum(%w) : (memref<?xi32>) -> i32
  return %m, %s, %w : memref<?x3xi32>, i32, memref<?xi32>
}
"""
RESHAPE = """\
func.func @f(%a: memref<2x6xi16>, %s: memref<3xindex>, %p: memref<i16>, %q: memref<1xindex>,
             %r: memref<2xindex>) -> (memref<12xi16>, memref<3x2x2xi16>, memref<1x1xi16>) {
  %c1 = arith.constant 1 : index
  %0 = memref.reshape %a(%q) : (memref<2x6xi16>, memref<1xindex>) -> memref<12xi16>
  %1 = memref.reshape %0(%s) : (memref<12xi16>, memref<3xindex>) -> memref<3x2x2xi16>
  %v = memref.load %1[%c1, %c1, %c1] : memref<3x2x2xi16>
  memref.store %v, %p[] : memref<i16>
  %2 = "memref.reshape"(%p, %r) : (memref<i16>, memref<2xindex>) -> memref<1x1xi16>
  return %0, %1, %2 : memref<12xi16>, memref<3x2x2xi16>, memref<1x1xi16>
}
"""
BRANCH = """\
func.func @f(%c: i1, %a: memref<3xi8>, %result0: i8) -> memref<3xi8> {
  %c1 = arith.constant 1 : index
  %m = memref.alloc() : memref<3xi8>
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  return %a : memref<3xi8>
^bb2:
  memref.copy %a, %m : memref<3xi8> to memref<3xi8>
  memref.store %result0, %m[%c1] : memref<3xi8>
  return %m : memref<3xi8>
}
"""
RUNS = {
    "sizes": (
        SCALE,
        {"a": [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]], "k": 3},
        [78],
        {"result0": [3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36], "result2": [6, 15, 24, 33]},
    ),
    "shapes": (
        RESHAPE,
        {"a": list(range(12)), "s": [0, 0, 0], "p": [9], "q": [0], "r": [0, 0]},
        [],
        {"result0": list(range(12)), "result1": list(range(12)), "result2": [7], "p": [7]},
    ),
    "one of two returns": (BRANCH, {"c": 1, "a": [1, 2, 3], "result0": 7}, [],
                           {"result0_": [1, 2, 3]}),
    "the other of two": (BRANCH, {"c": 0, "a": [1, 2, 3], "result0": 7}, [],
                         {"result0_": [1, 7, 3]}),
}  # fmt: skip
"""Programs, inputs, and the results and memories that they give."""


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("verb", ["model", pytest.param("sim", marks=pytest.mark.sim)])
@pytest.mark.parametrize("name", RUNS)
def test_programs_run(
    name: str, verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Inputs give what sizes are missing, and need not give what is only written."""
    text, inputs, results, memories = RUNS[name]
    (tmp_path / "k.mlir").write_text(text)
    wanted = {"results": results, "memories": memories}
    (tmp_path / "k.json").write_text(json.dumps({"inputs": inputs, "expected": wanted}))
    words = [verb, str(tmp_path / "k.mlir"), "--inputs", str(tmp_path / "k.json"), "--json"]
    assert main(words) == 0, capsys.readouterr().out
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert run["results"] == results
    assert {name: run["memories"][name] for name in memories} == memories


def test_a_size_of_the_command_line_comes_first(tmp_path: Path) -> None:
    file, inputs = tmp_path / "k.mlir", tmp_path / "k.json"
    file.write_text(SCALE)
    inputs.write_text('{"inputs": {"a": [[1, 2, 3], [4, 5, 6]], "k": 3}}')
    words = ["model", str(file), "--inputs", str(inputs)]
    assert main(words) == 0
    assert main([*words, "--size", "a=3"]) == 2
    assert main(["check", str(file), "--size", "a=3"]) == 0
    assert main(["check", str(file)]) == 2


def test_the_allocation_that_is_returned_is_the_argument() -> None:
    circuit = compile_request(Request(SCALE, "k.mlir", "f", sizes=(("a", (4,)),)))
    assert {each.name for each in circuit.netlist.memories_outside} == {"a", "result0", "result2"}
    assert len(circuit.netlist.memories) == 4, "of the two that are returned one is copied"


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"k": (4,)}, "k.mlir:13:1: error[MLIR_SIZE]: found the size k=4; LOOM accepts sizes of a"),
        (
            {"a": (4, 5)},
            "k.mlir:13:1: error[MLIR_SIZE]: found the size a=4x5 of memref<?x3xi32>; LOOM accepts "
            "1 numbers with x between",
        ),
    ],
)
def test_sizes_that_no_argument_has_are_refused(
    sizes: dict[str, tuple[int, ...]], message: str
) -> None:
    assert refusal(read_mlir, SCALE, "k.mlir", top="f", sizes=sizes) == message
    assert "MLIR_SIZE" in message


def test_shapes_of_what_is_no_bundle_are_none() -> None:
    assert shapes_of_arrays('[{"inputs": {"%a": [[1], [2]], "b": 3, "c": []}}]') == {
        "a": (2, 1), "c": (0,),
    }  # fmt: skip
    for text in ("{", "[]", "3", '{"inputs": 4}', "[" * 5000, "[[1]]"):
        assert shapes_of_arrays(text) == {}
