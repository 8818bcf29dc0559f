"""Constant globals: nothing writes to them, and their words stand where the layout says."""

from __future__ import annotations

import pytest

from loom.front.api import compile_text
from tests.support.reference_programs import run
from tests.support.refusals import refusal

TABLE = 'memref.global "private" constant @t : memref<4xi32> = dense<[1, 2, 3, 4]>\n'
THROUGH_A_CALL = (
    TABLE
    + """func.func private @set(%m: memref<2xi32, strided<[1], offset: 2>>, %a: i32) {
  %c0 = arith.constant 0 : index
  memref.store %a, %m[%c0] : memref<2xi32, strided<[1], offset: 2>>
  return
}
func.func @f(%a: i32) {
  %t = memref.get_global @t : memref<4xi32>
  %v = memref.subview %t[2] [2] [1] : memref<4xi32> to memref<2xi32, strided<[1], offset: 2>>
  call @set(%v, %a) : (memref<2xi32, strided<[1], offset: 2>>, i32) -> ()
  return
}"""
)
COPIED = (
    TABLE
    + """func.func @f(%m: memref<4xi32>) {
  %t = memref.get_global @t : memref<4xi32>
  memref.copy %m, %t : memref<4xi32> to memref<4xi32>
  return
}"""
)


READ_ALL = """memref.global "private" constant @t : memref<GLOBAL
func.func @f(%i: index) -> TYPE {
  %t = memref.get_global @t : memref<SHAPE>
  %v = memref.load %t[INDICES] : memref<SHAPE>
  return %v : TYPE
}"""


def reading(literal: str) -> str:
    """A program that reads a global of this shape, type and value."""
    shape = literal.partition(">")[0]
    dimensions, _, type_ = shape.rpartition("x")
    indices = ", ".join(["%i"] * (dimensions.count("x") + 1))
    text = READ_ALL.replace("GLOBAL", literal).replace("SHAPE", shape)
    return text.replace("TYPE", type_).replace("INDICES", indices)


@pytest.mark.parametrize(("text", "place"), [(THROUGH_A_CALL, "4:3"), (COPIED, "4:3")])
def test_a_write_is_refused_by_the_compiler(text: str, place: str) -> None:
    assert refusal(compile_text, text, "k.mlir") == (
        f"k.mlir:{place}: error[LOWER_CONSTANT]: found a write to the constant global @t; "
        "LOOM accepts writes to memories that are not constant"
    )


def test_the_reference_puts_words_where_the_layout_says() -> None:
    text = """
memref.global @s : memref<2x2xi8, strided<[1, 3], offset: 1>> = dense<[[7, 8], [9, -1]]>
func.func @f(%i: index, %j: index) -> i8 {
  %0 = memref.get_global @s : memref<2x2xi8, strided<[1, 3], offset: 1>>
  %1 = memref.load %0[%i, %j] : memref<2x2xi8, strided<[1, 3], offset: 1>>
  return %1 : i8
}"""
    found = [run(text, i, j).results[0] for i in (0, 1) for j in (0, 1)]
    assert found == [7, 8, 9, 255]


BITS = {
    '3xi1> = dense<"0xFE">': [0, 1, 1],
    '4xi1> = dense<"0x05">': [1, 0, 1, 0],
    '9xi1> = dense<"0x0501">': [1, 0, 1, 0, 0, 0, 0, 0, 1],
    '9xi1> = dense<"0xFF">': [1] * 9,
    '9xi1> = dense<"0x00">': [0] * 9,
    '2x5xi1> = dense<"0xE102">': [1, 0, 0, 0, 0, 1, 1, 1, 0, 1],
    '3xi4> = dense<"0x01020F">': [1, 2, 15],
}
"""What mlir-opt prints of more than a hundred elements, here of fewer: single bits are packed."""


@pytest.mark.parametrize("global_", BITS)
def test_words_in_hexadecimal_are_those_that_mlir_opt_reads(global_: str) -> None:
    netlist = compile_text(reading(global_), "k.mlir").netlist
    (memory,) = netlist.memories
    assert memory.contents is not None
    assert list(memory.contents) == BITS[global_]


def test_bits_that_are_not_enough_are_refused() -> None:
    text = reading('9xi1> = dense<"0x05">')
    assert refusal(compile_text, text, "k.mlir") == (
        "k.mlir:1:59: error[MLIR_SYNTAX]: found a syntax error: 1 bytes in a dense literal of 9 "
        "bits, which take 2; LOOM accepts MLIR in the generic or the custom form, as mlir-opt and "
        "xDSL print it"
    )
