"""Constant globals: nothing writes to them, and their words stand where the layout says."""

from __future__ import annotations

import pytest

from loom.api import compile_text
from loom.errors import LoomError
from tests.reference_programs import run

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


@pytest.mark.parametrize(("text", "place"), [(THROUGH_A_CALL, "4:3"), (COPIED, "4:3")])
def test_a_write_is_refused_by_the_compiler(text: str, place: str) -> None:
    with pytest.raises(LoomError) as caught:
        compile_text(text, "k.mlir")
    assert str(caught.value) == (
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
