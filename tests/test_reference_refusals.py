"""What the reference does not run is refused with its place."""

from __future__ import annotations

import pytest

from loom.errors import LoomError
from loom.frontend.mlir import parse_module
from loom.model.reference import compile_reference

ROWS = {
    "no such function": (
        "func.func @g() {\n  return\n}",
        "k.mlir:1:1: error[REF_NO_TOP]: found no function @f; LOOM accepts one of: g",
    ),
    "a float": (
        "func.func @f(%a: f32) {\n  %0 = arith.negf %a : f32\n  return\n}",
        "k.mlir:2:3: error[REF_UNSUPPORTED]: found arith.negf; "
        "LOOM accepts the operations of docs/input.md",
    ),
    "a shape that is not static": (
        "func.func @f(%m: memref<?xi32>) {\n  return\n}",
        "k.mlir:1:1: error[REF_SHAPE]: found memref<?xi32>; LOOM accepts memrefs of static shape",
    ),
    "a memory that no computer holds": (
        "func.func @f(%m: memref<99999999xi8>) {\n  return\n}",
        "k.mlir:1:1: error[REF_MEMORY]: found a memory of 99999999 words; "
        "LOOM accepts memories of up to 16777216 words",
    ),
    "recursion": (
        "func.func @f(%a: i32) {\n  func.call @f(%a) : (i32) -> ()\n  return\n}",
        "k.mlir:1:1: error[REF_DEPTH]: found calls nested too deep in func.func; "
        "LOOM accepts a call depth of some hundreds",
    ),
    "too many initial values": (
        "memref.global @g : memref<99999999xi8> = dense<1>\nfunc.func @f() {\n  return\n}",
        "k.mlir:1:47: error[MLIR_TOO_LARGE]: found 99999999 initial values; "
        "LOOM accepts up to 16777216 of them",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_refusal(name: str) -> None:
    text, message = ROWS[name]
    with pytest.raises(LoomError) as caught:
        compile_reference(parse_module(text, "k.mlir"), "f").run([1])
    assert str(caught.value) == message
