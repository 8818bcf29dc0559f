"""Text in the forms that mlir-opt and xDSL print is read, with places, and kept as written."""

from __future__ import annotations

import io

import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.printer import Printer

from loom.dialects.facts.places import place_of
from loom.errors import LoomError, Place
from loom.frontend.mlir.read import check_accepted, parse_module, read_mlir, top_function

FORMS = {
    "generic form of mlir-opt": """
"builtin.module"() ({
  "func.func"() <{function_type = (index, memref<8xi32>) -> i32, sym_name = "f"}> ({
  ^bb0(%arg0: index, %arg1: memref<8xi32>):
    %0 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %1 = "arith.constant"() <{value = 1 : index}> : () -> index
    %2 = "scf.for"(%1, %arg0, %1, %0) <{unsignedCmp}> ({
    ^bb0(%arg2: index, %arg3: i32):
      %3 = "memref.load"(%arg1, %arg2) <{nontemporal = false}> : (memref<8xi32>, index) -> i32
      %4 = "arith.addi"(%3, %arg3) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
      %5 = "arith.trunci"(%4) <{overflowFlags = #arith.overflow<none>}> : (i32) -> i8
      "scf.yield"(%4) : (i32) -> ()
    }) : (index, index, index, i32) -> i32
    "func.return"(%2) : (i32) -> ()
  }) : () -> ()
}) : () -> ()""",
    "implicit terminators": """
func.func @f(%c: i1, %n: index, %m: memref<8xi32>) {
  scf.for %i = %n to %n step %n {
    scf.if %c {
      %v = memref.load %m[%i] : memref<8xi32>
    } else {
    }
  }
  affine.for %i = 0 to 8 {
    affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i) {
      %v = affine.load %m[%i] : memref<8xi32>
    }
  }
  return
}""",
    "one result without parentheses": """
func.func @f(%c: i1, %a: i32, %n: index) -> i32 {
  %0 = scf.if %c -> i32 {
    scf.yield %a : i32
  } else {
    %9 = arith.addi %a, %a overflow<nsw, nuw> : i32
    scf.yield %9 : i32
  }
  %1 = scf.for %i = %n to %n step %n iter_args(%x = %0) -> i32 {
    scf.yield %x : i32
  }
  return %1 : i32
}""",
    "while without values": """
func.func @f(%m: memref<i32>, %a: i32) {
  scf.while : () -> () {
    %0 = memref.load %m[] : memref<i32>
    %1 = arith.cmpi slt, %0, %a : i32
    scf.condition(%1)
  } do {
    memref.store %a, %m[] : memref<i32>
    scf.yield
  }
  return
}""",
    "while with values": """
func.func @f(%a: i32) -> i64 {
  %0:2 = scf.while (%x = %a, %y = %a) : (i32, i32) -> (i64, i32) {
    %1 = arith.cmpi ult, %x, %y : i32
    %2 = arith.extsi %x : i32 to i64
    scf.condition(%1) %2, %y : i64, i32
  } do {
  ^bb0(%x: i64, %y: i32):
    scf.yield %y, %y : i32, i32
  } attributes {tag}
  return %0#0 : i64
}""",
    "unsigned loop over i32": """
func.func @f(%a: i32) {
  scf.for unsigned %i = %a to %a step %a : i32 {
  }
  return
}""",
    "blocks that start with a digit": """
"func.func"() <{function_type = (i32) -> (), sym_name = "f"}> ({
^0(%0: i32 loc(unknown)):
  "func.return"() : () -> ()
}) : () -> ()""",
    "globals, casts and copies": """
memref.global "private" constant @t : memref<2x2xi32> = dense<[[1, 2], [3, -4]]> {alignment = 64}
memref.global "private" @u : memref<4xi8> = uninitialized
memref.global @s : memref<2xi1> = dense<true>
func.func @f(%m: memref<2x2xi32>) {
  %0 = memref.get_global @t : memref<2x2xi32>
  %1 = memref.cast %0 : memref<2x2xi32> to memref<2x2xi32, strided<[2, 1], offset: ?>>
  memref.copy %1, %m : memref<2x2xi32, strided<[2, 1], offset: ?>> to memref<2x2xi32>
  return
}""",
    "global in generic form": """
"memref.global"() <{sym_name = "t", type = memref<2xi32>,
                    initial_value = dense<[1, 2]> : tensor<2xi32>}> : () -> ()
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({
  "func.return"() : () -> ()
}) : () -> ()""",
    "views": """
func.func @f(%m: memref<8x8xi32>, %i: index) -> index {
  %0 = memref.subview %m[%i, 2] [1, 4] [1, 2]
    : memref<8x8xi32> to memref<4xi32, strided<[2], offset: ?>>
  %1 = memref.collapse_shape %m [[0, 1]] : memref<8x8xi32> into memref<64xi32>
  %2 = memref.expand_shape %1 [[0, 1]] output_shape [16, 4]
    : memref<64xi32> into memref<16x4xi32>
  %3 = memref.reinterpret_cast %m to offset: [%i], sizes: [4], strides: [%i]
    : memref<8x8xi32> to memref<4xi32, strided<[?], offset: ?>>
  %c1 = arith.constant 1 : index
  %4 = memref.dim %2, %c1 : memref<16x4xi32>
  return %4 : index
}""",
    "locations under other names, and as attributes": """
#here = loc("a.c":1:2)
#both = loc(fused["b", #here, #there])
#there = loc(callsite(#here at "b.c":3:4))
func.func @f(%a: i8 loc(#both)) -> (i8 {made = loc("c")}) attributes {from = #there} {
  return %a : i8 loc(#there)
}""",
    "locations and their aliases": """
#loc1 = loc("a.c":1:2)
#map = affine_map<(d0) -> (d0 floordiv 3 + 1)>
module {
  func.func @f(%a: index loc("x"(#loc2))) -> index {
    %0 = affine.apply #map(%a) loc(#loc3)
    return %0 : index loc(fused<"p">[#loc1, callsite(#loc2 at "b.c":3:4)])
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
#loc2 = loc(fused[#loc1, #loc3])
#loc3 = loc("a.c":3:4)""",
    "affine": """
#set = affine_set<(d0)[s0] : (d0 - s0 >= 0, d0 mod 2 == 0)>
func.func @f(%m: memref<8x8xi32>, %n: index, %a: i32) -> i32 {
  %r = affine.for %i = max affine_map<(d0) -> (d0, 0)>(%n) to %n step 2 iter_args(%x = %a) -> i32 {
    %0 = affine.load %m[%i + 1, symbol(%n) floordiv 2] : memref<8x8xi32>
    %1 = affine.if #set(%i)[%n] -> i32 {
      affine.yield %0 : i32
    } else {
      affine.yield %x : i32
    }
    %p:2 = arith.mului_extended %x, %1 : i32
    affine.store %p#0, %m[%i, 0] {tag} : memref<8x8xi32>
    affine.yield %1 : i32
  }
  %k = affine.min affine_map<()[s0] -> (s0, 7)> ()[%n]
  return %r : i32
}""",
    "loops in no order, as mlir-opt prints them": """
module {
  func.func @f(%arg0: index, %arg1: memref<4x4xi32>, %arg2: i32) -> (i32, i32) {
    %c1 = arith.constant 1 : index
    %0 = scf.index_switch %arg0 -> i32 
    case -2 {
      scf.yield %arg2 : i32
    }
    default {
      scf.yield %arg2 : i32
    }
    %1 = scf.parallel (%arg3, %arg4) = (%arg0, %arg0) to (%arg0, %arg0) step (%c1, %c1) init
        (%arg2) -> i32 {
      scf.reduce(%arg2 : i32) {
      ^bb0(%arg5: i32, %arg6: i32):
        scf.reduce.return %arg6 : i32
      }
    }
    scf.forall (%arg3, %arg4) = (0, %c1) to (%arg0, 4) step (1, %c1) {
    } {mapping = [#gpu.thread<x>, #gpu.thread<y>]}
    %2:2 = affine.parallel (%arg3, %arg4) = (0, 0) to (%arg0, min(4, symbol(%arg0) + 1)) step
        (2, 1) reduce ("addi", "muli") -> (i32, i32) {
      affine.yield %arg2, %arg2 : i32, i32
    }
    affine.parallel () = () to () {
    }
    %3:2 = affine.delinearize_index %arg0 into (%arg0, 4) : index, index
    %4 = affine.linearize_index disjoint [%arg0, %c1] by (%arg0, 5) : index
    affine.prefetch %arg1[%arg0, %arg0 + 1], read, locality<3>, data : memref<4x4xi32>
    %5 = memref.atomic_rmw addi %arg2, %arg1[%arg0, %arg0] : (i32, memref<4x4xi32>) -> i32
    %6 = memref.alloca_scope  -> (i32) {
      memref.alloca_scope.return %arg2 : i32
    }
    %7 = "llvm.intr.ctlz"(%arg2) <{is_zero_poison = true}> : (i32) -> i32
    %8 = llvm.intr.smax(%arg2, %7) : (i32, i32) -> i32
    return %0, %1 : i32, i32
  }
}""",
    "loops in no order, generic": """
#map = affine_map<() -> (0, 0)>
#map1 = affine_map<(d0)[s0] -> (d0, 4, s0 + 1)>
#map2 = affine_map<() -> ()>
#map3 = affine_map<(d0) -> (d0, d0 + 1)>
"builtin.module"() ({
  "func.func"() <{function_type = (index, memref<4x4xi32>, i32) -> (i32, i32), sym_name = "f"}> ({
  ^bb0(%arg0: index, %arg1: memref<4x4xi32>, %arg2: i32):
    %0 = "arith.constant"() <{value = 1 : index}> : () -> index
    %1 = "scf.index_switch"(%arg0) <{cases = array<i64: -2>}> ({
      "scf.yield"(%arg2) : (i32) -> ()
    }, {
      "scf.yield"(%arg2) : (i32) -> ()
    }) : (index) -> i32
    %2 = "scf.parallel"(%arg0, %arg0, %arg0, %arg0, %0, %0, %arg2) <{operandSegmentSizes =
        array<i32: 2, 2, 2, 1>}> ({
    ^bb0(%arg7: index, %arg8: index):
      "scf.reduce"(%arg2) ({
      ^bb0(%arg9: i32, %arg10: i32):
        "scf.reduce.return"(%arg10) : (i32) -> ()
      }) : (i32) -> ()
    }) : (index, index, index, index, index, index, i32) -> i32
    "scf.forall"(%0, %arg0, %0) <{mapping = [#gpu.thread<x>, #gpu.thread<y>],
        operandSegmentSizes = array<i32: 1, 1, 1, 0>, staticLowerBound = array<i64: 0,
        -9223372036854775808>, staticStep = array<i64: 1, -9223372036854775808>,
        staticUpperBound = array<i64: -9223372036854775808, 4>}> ({
    ^bb0(%arg5: index, %arg6: index):
      "scf.forall.in_parallel"() ({
      ^bb0:
      }) : () -> ()
    }) : (index, index, index) -> ()
    %3:2 = "affine.parallel"(%arg0, %arg0) <{lowerBoundsGroups = dense<1> : tensor<2xi32>,
        lowerBoundsMap = #map, reductions = [1, 13], steps = [2, 1], upperBoundsGroups =
        dense<[1, 2]> : tensor<2xi32>, upperBoundsMap = #map1}> ({
    ^bb0(%arg3: index, %arg4: index):
      "affine.yield"(%arg2, %arg2) : (i32, i32) -> ()
    }) : (index, index) -> (i32, i32)
    "affine.parallel"() <{lowerBoundsGroups = dense<> : tensor<0xi32>, lowerBoundsMap = #map2,
        reductions = [], steps = [], upperBoundsGroups = dense<> : tensor<0xi32>,
        upperBoundsMap = #map2}> ({
      "affine.yield"() : () -> ()
    }) : () -> ()
    %4:2 = "affine.delinearize_index"(%arg0, %arg0) <{static_basis = array<i64:
        -9223372036854775808, 4>}> : (index, index) -> (index, index)
    %5 = "affine.linearize_index"(%arg0, %0, %arg0) <{disjoint, operandSegmentSizes =
        array<i32: 2, 1>, static_basis = array<i64: -9223372036854775808, 5>}> : (index, index,
        index) -> index
    "affine.prefetch"(%arg1, %arg0) <{isDataCache = true, isWrite = false, localityHint = 3 :
        i32, map = #map3}> : (memref<4x4xi32>, index) -> ()
    %6 = "memref.atomic_rmw"(%arg2, %arg1, %arg0, %arg0) <{kind = 1 : i64}> : (i32,
        memref<4x4xi32>, index, index) -> i32
    %7 = "memref.alloca_scope"() ({
      "memref.alloca_scope.return"(%arg2) : (i32) -> ()
    }) : () -> i32
    %8 = "llvm.intr.ctlz"(%arg2) <{is_zero_poison = true}> : (i32) -> i32
    %9 = "llvm.intr.smax"(%arg2, %8) : (i32, i32) -> i32
    "func.return"(%1, %2) : (i32, i32) -> ()
  }) : () -> ()
}) : () -> ()""",
    "promises of newer mlir-opt": """
func.func @f(%a: i32, %b: i8) -> i32 {
  %0 = arith.trunci %a overflow<nsw, nuw> : i32 to i8
  %1 = arith.extui %0 nneg : i8 to i32
  %2 = arith.divsi %1, %a exact : i32
  %3 = arith.shrui %2, %a : i32
  return %3 : i32
}""",
    "index": """
func.func @f(%a: index, %b: index) -> i1 {
  %0 = index.floordivs %a, %b
  %1 = index.cmp sge(%0, %b)
  %2 = index.casts %a : index to i32
  %3 = index.castu %2 : i32 to index
  %4 = index.constant -3
  %5 = index.bool.constant false
  %6 = arith.index_castui %2 : i32 to index
  return %1 : i1
}""",
    "calls of private functions": """
func.func private @g(%m: memref<4xi32>) -> i32 {
  %c = arith.constant 0 : index
  %0 = memref.load %m[%c] : memref<4xi32>
  return %0 : i32
}
func.func @f(%m: memref<4xi32> {llvm.noalias}) -> (i32 {x.y = 1 : i32}) {
  %0 = call @g(%m) : (memref<4xi32>) -> i32
  return %0 : i32
}""",
    "attributes of unknown dialects": """
module attributes {dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<index, 32>>, llvm.x = "e-m:e"} {
  func.func @f() attributes {llvm.linkage = #llvm.linkage<external>} {
    return
  }
}""",
}


def printed(module: ModuleOp, generic: bool) -> str:
    stream = io.StringIO()
    Printer(stream, print_generic_format=generic).print_op(module)
    return stream.getvalue()


@pytest.mark.parametrize("name", FORMS)
def test_form_is_read_and_its_print_is_read_again(name: str) -> None:
    module = read_mlir(FORMS[name])
    custom = printed(module, False)
    assert printed(read_mlir(custom), False) == custom
    assert printed(read_mlir(printed(module, True)), False) == custom


def test_unsigned_loops_keep_their_mark() -> None:
    for name in ("generic form of mlir-opt", "unsigned loop over i32"):
        module = read_mlir(FORMS[name])
        for again in (module, read_mlir(printed(module, False)), read_mlir(printed(module, True))):
            (loop,) = (op for op in again.walk() if isinstance(op, scf.ForOp))
            assert "unsignedCmp" in loop.attributes


def named(module: ModuleOp, name: str) -> Operation:
    return next(op for op in module.walk() if op.name == name)


def test_places_are_those_of_the_text() -> None:
    module = read_mlir(FORMS["locations and their aliases"], "k.mlir")
    assert place_of(module) == Place("k.mlir", 4, 1)
    assert place_of(named(module, "func.func")) == Place("k.mlir", 5, 3)
    assert place_of(named(module, "affine.apply")) == Place("k.mlir", 6, 5)
    assert place_of(named(module, "func.return")) == Place("k.mlir", 7, 5)


def test_names_that_print_badly_are_dropped() -> None:
    text = """
func.func @f(%_0: i32, %a_1_2: i32, %x.y: i32, %7: i32) -> i32 {
  %b_3 = arith.addi %_0, %a_1_2 : i32
  return %b_3 : i32
}"""
    module = read_mlir(text)
    function = top_function(module)
    assert [argument.name_hint for argument in function.args] == [None, "a", None, None]
    assert named(module, "arith.addi").results[0].name_hint == "b"


def test_functions_that_are_not_used_are_dropped() -> None:
    text = """
func.func private @unused(%a: f32) { return }
func.func private @declared(i32)
func.func @f() { return }
func.func @other(%a: vector<4xi32>) { return }"""
    module = read_mlir(text, top="f")
    assert [op.name for op in module.body.block.ops] == ["func.func"]
    assert top_function(module).sym_name.data == "f"


def test_a_handshake_module_is_read_but_not_accepted() -> None:
    text = """
handshake.func @f(%a: i32, %c: none) -> (i32, none) {
  handshake.return %a, %c : i32, none
}"""
    module = parse_module(text)
    with pytest.raises(LoomError, match="MLIR_NO_TOP"):
        check_accepted(module)
