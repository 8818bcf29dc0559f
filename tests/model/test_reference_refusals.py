"""What the reference does not run is refused with its place."""

from __future__ import annotations

import pytest

from loom.errors import LoomError
from loom.frontend.mlir.read import parse_module
from loom.model.reference.reference import compile_reference
from tests.support.refusals import refusal

ROWS = {
    "no such function": (
        "func.func @g() {\n  return\n}",
        "k.mlir:1:1: error[REF_NO_TOP]: found no function @f; LOOM accepts one of: g",
    ),
    "a float": (
        "func.func @f(%a: f32) {\n  %0 = math.erf %a : f32\n  return\n}",
        "k.mlir:2:3: error[REF_UNSUPPORTED]: found math.erf; "
        "LOOM accepts the operations of docs/accepted.md",
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
    "an assertion that fails": (
        'func.func @f(%a: i32) {\n  %c = arith.constant false\n  cf.assert %c, "it holds"\n'
        "  return\n}",
        "k.mlir:3:3: error[REF_ASSERTION]: found an assertion that does not hold (it holds) "
        "in cf.assert; LOOM accepts inputs for which it holds",
    ),
    "a place that is never reached": (
        "func.func @f(%a: i32) {\n  cf.br ^bb1\n^bb1:\n  ub.unreachable\n}",
        "k.mlir:4:3: error[REF_UNDEFINED]: found a place that is never reached in ub.unreachable; "
        "LOOM accepts operations with a result",
    ),
    "blocks that go in circles": (
        "func.func @f(%a: i32) {\n  cf.br ^bb1\n^bb1:\n  cf.br ^bb1\n}",
        "k.mlir:4:3: error[REF_BUDGET]: found a run of more than 1000 operations, the last "
        "in cf.br; LOOM accepts programs that end; a larger --max-cycles for long ones",
    ),
    "a choice of memories between blocks": (
        "func.func @f(%m: memref<1xi32>) {\n  %c = arith.constant false\n"
        "  %n = memref.alloc() : memref<1xi32>\n"
        "  cf.cond_br %c, ^bb1(%m : memref<1xi32>), ^bb1(%n : memref<1xi32>)\n"
        "^bb1(%x: memref<1xi32>):\n  return\n}",
        "k.mlir:6:3: error[REF_UNSUPPORTED]: found a choice of memrefs at run time; "
        "LOOM accepts the same memref from everywhere",
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
        compile_reference(parse_module(text, "k.mlir"), "f").run([1], budget=1000)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("type_", "index_width", "bound"), [("i32", 32, 0x7FFFFFFF), ("i64", 64, (1 << 63) - 1)]
)
def test_a_loop_whose_index_wraps_is_refused(type_: str, index_width: int, bound: int) -> None:
    text = (
        f"func.func @f(%low: {type_}, %step: {type_}) -> {type_} {{\n"
        f"  %high = arith.constant {bound} : {type_}\n"
        "  %r = scf.for %i = %low to %high step %step "
        f"iter_args(%x = %low) -> ({type_}) : {type_} {{\n"
        f"    scf.yield %i : {type_}\n  }}\n  return %r : {type_}\n}}"
    )
    reference = compile_reference(parse_module(text, "w.mlir"), "f", index_width)
    assert reference.run([bound - 3, 1]).results == (bound - 1,)
    assert reference.run([bound - 4, 2]).results == (bound - 2,)
    assert refusal(reference.run, [bound - 3, 2]) == (
        "w.mlir:3:3: error[REF_UNDEFINED]: found an index that wraps around before it reaches the "
        "bound in scf.for; LOOM accepts operations with a result"
    )


def test_a_narrow_loop_has_room_for_one_step_more() -> None:
    text = (
        "func.func @f(%low: i32, %step: i32) -> i32 {\n"
        "  %high = arith.constant 0x7FFFFFFF : i32\n"
        "  %r = scf.for %i = %low to %high step %step iter_args(%x = %low) -> (i32) : i32 {\n"
        "    scf.yield %i : i32\n  }\n  return %r : i32\n}"
    )
    reference = compile_reference(parse_module(text, "w.mlir"), "f", 64)
    assert reference.run([0x7FFFFFFC, 2]).results == (0x7FFFFFFE,)
