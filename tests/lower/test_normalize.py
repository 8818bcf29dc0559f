"""The normal form computes what the program as written computes, and holds nothing else."""

from __future__ import annotations

import itertools
import random

import pytest
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    MemRefType,
    ModuleOp,
    NoneAttr,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute

from loom.dialects.facts.layouts import extent, layout_of
from loom.dialects.facts.places import UNKNOWN_PLACE, place_of
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.ops.types import width_of
from loom.errors import LoomError
from loom.frontend.mlir.read import read_mlir, top_function
from loom.lower.options import Options
from loom.lower.pipeline import normalize
from loom.lower.scalar.arith_builder import signed_digits
from loom.model.reference.reference import compile_reference
from tests.support.row_files import read_sections

STRUCTURE = (
    *(scf.ForOp, scf.WhileOp, scf.IfOp, scf.YieldOp, scf.ConditionOp),
    *(memref.AllocOp, memref.GetGlobalOp, memref.LoadOp, memref.StoreOp),
    *(arith.ConstantOp, FuncOp, ReturnOp),
)
PROGRAMS = read_sections("normal_form.mlir")


def read(name: str) -> ModuleOp:
    return read_mlir(PROGRAMS[name], "k.mlir", top="f")


def argument(type_: Attribute, index_width: int, choose: random.Random) -> int | list[int]:
    if isinstance(type_, MemRefType):
        layout = layout_of(type_)
        assert layout is not None
        width = width_of(type_.element_type, index_width)
        return [choose.getrandbits(width) for _ in range(extent(layout))]
    assert isinstance(type_, IntegerType | IndexType)
    width = width_of(type_, index_width)
    small = choose.randrange(-20, 20) & ((1 << width) - 1)
    return small if choose.random() < 0.8 else choose.getrandbits(width) >> (width > 32) * 12


@pytest.mark.parametrize("index_width", [32, 64])
@pytest.mark.parametrize("name", PROGRAMS)
def test_normal_form_computes_the_same(name: str, index_width: int) -> None:
    source = read(name)
    module = source.clone()
    normalize(module, Options(index_width=index_width))
    module.verify()
    top = "f"
    before = compile_reference(source, top, index_width)
    after = compile_reference(module, top, index_width)
    choose = random.Random(name)
    runs = 0
    for _ in range(200):
        types = top_function(source, "f").function_type.inputs
        inputs = [argument(type_, index_width, choose) for type_ in types]
        try:
            expected = before.run(inputs)
        except LoomError:  # undefined for these inputs
            continue
        found = after.run(inputs)
        assert (found.results, found.memories) == (expected.results, expected.memories), inputs
        runs += 1
    assert runs > 20


@pytest.mark.parametrize("name", PROGRAMS)
def test_normal_form_holds_nothing_else(name: str) -> None:
    module = read(name)
    normalize(module, Options())
    functions = [op for op in module.body.block.ops if isinstance(op, FuncOp)]
    others = [op for op in module.body.block.ops if not isinstance(op, FuncOp)]
    assert len(functions) == 1
    assert all(isinstance(op, memref.GlobalOp) for op in others)
    for op in functions[0].walk():
        assert isinstance(op, STRUCTURE) or op.name in CATALOGUE, op
        assert place_of(op) != UNKNOWN_PLACE, op
        for value in (*op.operands, *op.results):
            if isinstance(value.type, MemRefType):
                assert value.type.get_num_dims() == 1
                assert isinstance(value.type.layout, NoneAttr)


@pytest.mark.parametrize("number", [0, 1, -1, 2, 3, 5, 7, 10, 59, 63, 255, -12, 12345])
def test_signed_digits_are_few_and_right(number: int) -> None:
    digits = signed_digits(number)
    assert sum(sign << shift for shift, sign in digits) == number
    assert all(sign in (1, -1) for _, sign in digits)
    shifts = [shift for shift, _ in digits]
    assert all(b - a > 1 for a, b in itertools.pairwise(shifts))


def test_words_of_a_strided_global_stand_where_its_layout_says() -> None:
    module = read_mlir("""
memref.global @s : memref<2x2xi8, strided<[1, 3], offset: 1>> = dense<[[7, 8], [9, -1]]>
func.func @f(%i: index) -> i8 {
  %0 = memref.get_global @s : memref<2x2xi8, strided<[1, 3], offset: 1>>
  %1 = memref.load %0[%i, %i] : memref<2x2xi8, strided<[1, 3], offset: 1>>
  return %1 : i8
}""")
    normalize(module, Options())
    (op,) = (op for op in module.walk() if isinstance(op, memref.GlobalOp))
    value = op.initial_value
    assert isinstance(value, DenseIntOrFPElementsAttr)
    assert list(value.get_values()) == [0, 7, 9, 0, 8, -1]


def body(text: str) -> list[str]:
    module = read_mlir(text)
    normalize(module, Options())
    return [op.name for op in top_function(module).body.block.ops]


def test_products_by_a_constant_take_adders_where_three_are_enough() -> None:
    text = """
func.func @f(%m: memref<2x{}xi32>, %i: index) -> i32 {{
  %0 = memref.load %m[%i, %i] : memref<2x{}xi32>
  return %0 : i32
}}"""
    assert "arith.muli" not in body(text.format(59, 59))
    assert body(text.format(59, 59)).count("arith.shli") == 2
    assert body(text.format(1, 1)).count("arith.addi") == 1
    assert "arith.muli" in body(text.format(0b1010101010101, 0b1010101010101))


def test_copies_in_one_memory_that_do_not_overlap_need_no_other() -> None:
    text = """
func.func @f(%m: memref<3x4xi32>) {{
  %a = memref.subview %m[0, 0] [1, 4] [1, 1]
    : memref<3x4xi32> to memref<4xi32, strided<[1], offset: 0>>
  %b = memref.subview %m[{}, {}] [1, 4] [1, 1]
    : memref<3x4xi32> to memref<4xi32, strided<[1], offset: {}>>
  memref.copy %{}, %{}
    : memref<4xi32, strided<[1], offset: {}>> to memref<4xi32, strided<[1], offset: {}>>
  return
}}"""
    assert "memref.alloc" not in body(text.format(1, 0, 4, "a", "b", 0, 4))
    assert "memref.alloc" not in body(text.format(0, 2, 2, "b", "a", 2, 0))
    assert "memref.alloc" in body(text.format(0, 2, 2, "a", "b", 0, 2))


def test_what_nobody_uses_is_gone() -> None:
    text = """
func.func @f(%m: memref<4xi32>, %i: index, %c: i1) {
  %a = memref.alloc() : memref<4xi32>
  %0 = memref.load %m[%i] : memref<4xi32>
  scf.for %j = %i to %i step %i {
    %1 = arith.addi %0, %0 : i32
    %2 = scf.if %c -> i32 {
      scf.yield %1 : i32
    } else {
      scf.yield %0 : i32
    }
  }
  return
}"""
    assert body(text) == ["func.return"]


def test_a_loop_that_may_never_end_is_not_gone() -> None:
    text = """
func.func @f(%c: i1) {
  scf.while : () -> () {
    scf.condition(%c)
  } do {
    scf.yield
  }
  return
}"""
    assert body(text) == ["scf.while", "func.return"]


def test_a_constant_on_the_left_says_as_much_as_on_the_right() -> None:
    text = """
func.func @f(%a: i8) -> i8 {
  %0 = arith.constant 0 : i8
  %1 = arith.constant 1 : i8
  %2 = arith.addi %0, %a : i8
  %3 = arith.muli %1, %2 : i8
  %4 = arith.ori %0, %3 : i8
  return %4 : i8
}"""
    assert body(text) == ["func.return"]


@pytest.mark.parametrize(
    ("exponent", "multipliers", "loops"), [(2, 1, 0), (15, 6, 0), (16, 4, 0), (31, 0, 1)]
)
def test_a_power_of_a_constant_takes_six_multipliers_or_a_loop(
    exponent: int, multipliers: int, loops: int
) -> None:
    text = f"""
func.func @f(%a: i32) -> i32 {{
  %0 = arith.constant {exponent} : i32
  %1 = math.ipowi %a, %0 : i32
  return %1 : i32
}}"""
    found = body(text)
    assert (found.count("arith.muli"), found.count("scf.while")) == (multipliers, loops)


def test_a_global_that_is_used_twice_stands_once() -> None:
    text = """
memref.global "private" @s : memref<2xi8> = dense<[7, 8]>
func.func @f(%i: index, %j: index, %a: i8) -> i8 {
  %0 = memref.get_global @s : memref<2xi8>
  memref.store %a, %0[%i] : memref<2xi8>
  %1 = memref.get_global @s : memref<2xi8>
  %2 = memref.load %1[%j] : memref<2xi8>
  return %2 : i8
}"""
    assert body(text) == ["memref.get_global", "memref.store", "memref.load", "func.return"]


def test_a_division_by_the_minus_one_of_one_bit_is_left_for_the_run() -> None:
    """-1 by -1 is 1, which one bit does not hold: undefined, and not the dividend."""
    text = """
func.func @f(%a: i1) -> i1 {
  %0 = arith.constant true
  %1 = arith.divsi %a, %0 : i1
  return %1 : i1
}"""
    assert body(text) == ["arith.constant", "arith.divsi", "func.return"]


def test_an_undefined_division_is_left_for_the_run() -> None:
    text = """
func.func @f() -> i32 {
  %0 = arith.constant 0 : i32
  %1 = arith.divsi %0, %0 : i32
  return %1 : i32
}"""
    assert body(text) == ["arith.constant", "arith.divsi", "func.return"]


def test_unsigned_loops_stay_unsigned() -> None:
    module = read_mlir("""
func.func @f(%a: i8, %m: memref<i8>) {
  scf.for unsigned %i = %a to %a step %a : i8 {
    memref.store %i, %m[] : memref<i8>
  }
  return
}""")
    normalize(module, Options())
    (loop,) = (op for op in module.walk() if isinstance(op, scf.ForOp))
    assert "unsignedCmp" in loop.attributes
    assert loop.lb.type == IntegerType(8)
