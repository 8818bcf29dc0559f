"""Programs for the tests of the reference, and the shortest way to run them."""

from __future__ import annotations

from loom.frontend.functions import top_function
from loom.frontend.mlir.read import read_mlir
from loom.model.reference.reference import Outcome, Reference, compile_reference
from tests.support.row_files import read_sections

STRUCTURED = read_sections("structured.mlir")
"""Programs of loops in no order, switches, atomic accesses, views and intrinsics, by name."""

CONSTANTS = """
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%c4 = arith.constant 4 : index
%z = arith.constant 0 : i32
"""

SUM = (
    CONSTANTS
    + """
%r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (i32) {
  %v = memref.load %a[%i] : memref<4xi32>
  %t = arith.addi %s, %v : i32
  scf.yield %t : i32
}"""
)


def body(lines: str, arguments: str = "", results: str = "i32", returned: str = "%r") -> str:
    """A function @f with these lines before its return."""
    return f"func.func @f({arguments}) -> {results} {{\n{lines}\nreturn {returned} : {results}\n}}"


def reference(text: str, index_width: int = 64) -> Reference:
    module = read_mlir(text, "test.mlir")
    return compile_reference(module, top_function(module, None).sym_name.data, index_width)


def run(text: str, *inputs: int | list[int], index_width: int = 64) -> Outcome:
    return reference(text, index_width).run(list(inputs))
