"""An index constant that the chosen width would cut is refused, at its place."""

from __future__ import annotations

import pytest

from loom.api import compile_text
from loom.errors import LoomError
from loom.lower.options import Options

TEXT = """func.func @f(%a: index) -> index {
  %c = arith.constant 100 : index
  %r = arith.addi %a, %c : index
  return %r : index
}"""


@pytest.mark.parametrize("constant", ["arith.constant 100 : index", "index.constant 100"])
def test_a_constant_that_does_not_fit_is_refused(constant: str) -> None:
    text = TEXT.replace("arith.constant 100 : index", constant)
    with pytest.raises(LoomError) as caught:
        compile_text(text, "k.mlir", options=Options(index_width=6))
    assert str(caught.value) == (
        "k.mlir:2:3: error[LOWER_INDEX_WIDTH]: found the index 100 where an index has 6 bits; "
        "LOOM accepts constants that fit an index (--index-width)"
    )


@pytest.mark.parametrize("width", [7, 8, 32, 64])
def test_a_constant_that_fits_is_compiled(width: int) -> None:
    assert compile_text(TEXT, options=Options(index_width=width)).netlist.index_width == width
