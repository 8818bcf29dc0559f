"""An index constant that the chosen width would cut is refused, at its place."""

from __future__ import annotations

import pytest

from loom.front.api import compile_text
from loom.lower.options import Options
from tests.support.refusals import refusal

TEXT = """func.func @f(%a: index) -> index {
  %c = arith.constant 100 : index
  %r = arith.addi %a, %c : index
  return %r : index
}"""


@pytest.mark.parametrize("constant", ["arith.constant 100 : index", "index.constant 100"])
def test_a_constant_that_does_not_fit_is_refused(constant: str) -> None:
    text = TEXT.replace("arith.constant 100 : index", constant)
    assert refusal(compile_text, text, "k.mlir", options=Options(index_width=6)) == (
        "k.mlir:2:3: error[LOWER_INDEX_WIDTH]: found the index 100 where an index has 6 bits; "
        "LOOM accepts constants that fit an index (--index-width)"
    )


@pytest.mark.parametrize("width", [7, 8, 32, 64])
def test_a_constant_that_fits_is_compiled(width: int) -> None:
    assert compile_text(TEXT, options=Options(index_width=width)).netlist.index_width == width


NUMBERS = {
    "affine.apply affine_map<(d0) -> (d0 floordiv 200)>(%a)": 200,
    "affine.max affine_map<(d0) -> (d0 + 7, -129)>(%a)": -129,
    "affine.linearize_index [%a, %a] by (2, 128) : index": 128,
}


@pytest.mark.parametrize("line", NUMBERS)
def test_a_number_of_an_affine_map_fits_as_a_signed_one(line: str) -> None:
    text = f"func.func @f(%a: index) -> index {{\n  %r = {line}\n  return %r : index\n}}"
    assert refusal(compile_text, text, "k.mlir", options=Options(index_width=8)) == (
        f"k.mlir:2:3: error[LOWER_INDEX_WIDTH]: found the index {NUMBERS[line]} where an index has "
        "8 bits; LOOM accepts constants that fit an index (--index-width)"
    )
    assert compile_text(text, options=Options(index_width=9)).netlist.index_width == 9


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("scf.forall (%i) in (128) {\n  }", 128),
        ("affine.for %i = 0 to 4 step 128 {\n  }", 128),
        ("affine.parallel (%i) = (0) to (4) step (200) {\n  }", 200),
        ("scf.index_switch %a case 256 { scf.yield } default { }", 256),
    ],
)
def test_a_number_of_a_loop_or_a_case_fits(line: str, number: int) -> None:
    text = f"func.func @f(%a: index) {{\n  {line}\n  return\n}}"
    assert refusal(compile_text, text, "k.mlir", options=Options(index_width=8)) == (
        f"k.mlir:2:3: error[LOWER_INDEX_WIDTH]: found the index {number} where an index has "
        "8 bits; LOOM accepts constants that fit an index (--index-width)"
    )


def test_cases_that_are_one_index_are_refused() -> None:
    text = (
        "func.func @f(%a: index) {\n  scf.index_switch %a case -1 { scf.yield } case 255 "
        "{ scf.yield } default { }\n  return\n}"
    )
    assert refusal(compile_text, text, "k.mlir", options=Options(index_width=8)) == (
        "k.mlir:2:3: error[LOWER_INDEX_WIDTH]: found the cases -1 and 255, which are one index of "
        "8 bits; LOOM accepts cases that differ as indices (--index-width)"
    )
    assert compile_text(text, options=Options(index_width=16)).netlist.index_width == 16
