"""A loop with a longer II than its directive requests is refused, with what limits it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loom.errors import LoomError
from loom.front.api import compile_module, compile_text
from loom.front.circuit import Circuit
from loom.front.request import Request
from loom.front.styles.choose import compile_in_style
from loom.front.styles.styled import Styled
from loom.frontend.mlir.read import read_mlir
from loom.lower.options import Options, Style
from tests.support.refusals import refusal

pytestmark = pytest.mark.usefixtures("no_clock_period")

PRODUCT = """func.func @f(%m: memref<8xi32>) -> i32 {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %n = arith.constant 8 : index
  %one = arith.constant 1 : i32
  %r = scf.for %i = %z to %n step %o iter_args(%a = %one) -> (i32) {
    %s = scf.for %j = %z to %n step %o iter_args(%b = %a) -> (i32) {
      %x = memref.load %m[%j] : memref<8xi32>
      %y = memref.load %m[%i] : memref<8xi32>
      %p = arith.muli %b, %x : i32
      %q = arith.addi %p, %y : i32
      scf.yield %q : i32
    } INNER
    scf.yield %s : i32
  } OUTER
  return %r : i32
}"""


FOUR_CYCLES = Options(latencies=(("muli", 4),))
"""A multiplier of this latency, whatever one the clock would choose: the IIs follow from it."""


def product(inner: str = "", outer: str = "", options: Options = FOUR_CYCLES) -> Circuit:
    text = PRODUCT.replace("INNER", inner).replace("OUTER", outer)
    return compile_module(read_mlir(text, "k.mlir"), options=options)


MULTIPLIER = "recurrence through muli (4)"


def test_what_is_asked_is_held_against_what_is() -> None:
    (outer, inner) = (loop.ii for loop in product().loops)
    assert (outer, inner) == (4, 4)
    assert product("{loom.ii = 4 : i64}", "{loom.ii = 4 : i64}").loops
    assert product("{loom.ii = 3 : i64}", options=Options(latencies=(("muli", 2),))).loops
    assert refusal(product, "{loom.ii = 3 : i64}") == (
        "k.mlir:7:5: error[LOWER_II]: found a loop with II = 4, where ii(3) is requested: "
        f"{MULTIPLIER}; LOOM accepts II = 3 or less; shorten what limits it, or request a longer II"
    )


@pytest.mark.parametrize("style", ["dynamic", "static"])
@pytest.mark.parametrize("place", ["function", "loop"])
def test_a_hint_is_not_checked(style: Style, place: str) -> None:
    """Of a dynamic loop, a static function and a static loop."""
    loop = ', loom.style = "static"' * (style == "static" and place == "loop")
    text = PRODUCT.replace("OUTER", "").replace("INNER", "{loom.ii = 1 : i64HINT" + loop + "}")
    of_function: Style = style if place == "function" else "dynamic"

    def compiled(hint: str) -> Styled:
        options = replace(FOUR_CYCLES, style=of_function)
        return compile_in_style(Request(text.replace("HINT", hint), "k.mlir", options=options))

    assert compiled(", loom.hint").circuit
    assert "error[LOWER_II]" in refusal(compiled, "")


def test_pipeline_asks_for_nothing_more() -> None:
    asked = product("{loom.pipeline}", "{loom.pipeline}")
    assert asked.netlist_text == product().netlist_text


def test_an_unrolled_loop_is_asked_for_its_own_iterations() -> None:
    found = refusal(product, "{loom.ii = 7 : i64, loom.unroll = 2 : i64}")
    assert "found a loop with II = 8, where ii(7) is requested: " in found
    assert product("{loom.ii = 8 : i64, loom.unroll = 2 : i64}").loops
    assert product('{loom.ii = 1 : i64, loom.unroll = "full"}').loops, "it is none any more"


def test_a_flat_loop_is_asked_for_what_any_of_its_loops_is() -> None:
    assert "k.mlir:6:3" in refusal(product, "{loom.ii = 3 : i64}", "{loom.flatten}")
    assert "k.mlir:6:3" in refusal(product, "", "{loom.flatten, loom.ii = 3 : i64}")
    assert product("{loom.ii = 4 : i64}", "{loom.flatten}").loops


def test_what_the_loops_inside_take_comes_on_top() -> None:
    text = PRODUCT.replace("INNER", "").replace("OUTER", "{loom.ii = 1 : i64}")
    text = text.replace("scf.yield %s : i32", "%t = arith.muli %s, %s : i32 scf.yield %t : i32")
    with pytest.raises(
        LoomError,
        match=r"II = 8 without its inner loops, where ii.1. is requested: recurrence through",
    ):
        compile_text(text, "k.mlir", options=FOUR_CYCLES)


@pytest.mark.parametrize("loop", ["while (n < 80) n *= n", "for (int i = 0; i < 9; i++) n *= n"])
def test_in_c(loop: str) -> None:
    text = f"int f(int n) {{\n#pragma loom ii(3)\n  {loop};\n  return n;\n}}\n"
    with pytest.raises(LoomError) as caught:
        compile_text(text, "k.c", options=FOUR_CYCLES)
    assert str(caught.value).startswith("k.c:3:3: error[LOWER_II]: found a loop with II = 4")
    assert compile_text(text.replace("ii(3)", "ii(4)"), "k.c", options=FOUR_CYCLES).loops


MEMORY = """func.func @f(%m: memref<8xi32>) ORDER {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %n = arith.constant 8 : index
  scf.for %i = %z to %n step %o {
    %x = memref.load %m[%i] : memref<8xi32>
    %y = arith.muli %x, %x : i32
    memref.store %y, %m[%i] : memref<8xi32>
  }
  return
}"""


def with_order(text: str, option: str = "auto") -> int:
    """The loop's interval."""
    options = Options(memory_order="serial" if option == "serial" else "auto")
    (loop,) = compile_text(MEMORY.replace("ORDER", text), "k.mlir", options=options).loops
    return loop.ii


def test_a_function_may_ask_for_serial_accesses() -> None:
    serial = 'attributes {loom.memory_order = "serial"}'
    auto = serial.replace("serial", "auto")
    slow = with_order("", "serial")
    assert slow > 1
    assert with_order("") == with_order(auto) == 1
    assert with_order(serial) == with_order(serial, "serial") == with_order(auto, "serial") == slow


def test_a_kernel_in_c_may_ask_for_serial_accesses() -> None:
    text = """static void g(void) {
#pragma loom memory_order(serial)
}
void f(int m[8]) {
  for (int i = 0; i < 8; i++) m[i] *= m[i];
}
int main(void) { int m[8] = {0}; f(m); g(); return 0; }
"""
    intervals = [
        compile_text(each, "k.c", top="f").loops[0].ii
        for each in (text, text.replace("void f", "#pragma loom memory_order(serial)\nvoid f"))
    ]
    assert intervals[0] == 1 < intervals[1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            MEMORY.replace("ORDER", 'attributes {loom.memory_order = "none"}'),
            'k.mlir:1:1: error[LOWER_LOOP]: found loom.memory_order = "none" of func.func; LOOM '
            'accepts loom.memory_order of a function, an array, a load or a store, "serial" or '
            '"tokens" or "comparators" or "queue" or "auto"',
        ),
        (
            MEMORY.replace("ORDER", "").replace("  }\n", '  } {loom.memory_order = "auto"}\n'),
            'k.mlir:5:3: error[LOWER_LOOP]: found loom.memory_order = "auto" of scf.for; LOOM '
            'accepts loom.memory_order of a function, an array, a load or a store, "serial" or '
            '"tokens" or "comparators" or "queue" or "auto"',
        ),
        (
            MEMORY.replace("ORDER", "").replace("  }\n", "  } {loom.ii = 0 : i64}\n"),
            "k.mlir:5:3: error[LOWER_LOOP]: found loom.ii = 0 : i64 of scf.for; LOOM accepts "
            "loom.ii with a number of 1 and more",
        ),
        (
            MEMORY.replace("ORDER", "").replace("  }\n", "  } {loom.flatten = 1 : i64}\n"),
            "k.mlir:5:3: error[LOWER_LOOP]: found loom.flatten = 1 : i64 of scf.for; LOOM accepts "
            "loom.flatten with no value",
        ),
        (
            MEMORY.replace("ORDER", "").replace("  }\n", "  } {loom.unrol = 4 : i64}\n"),
            "k.mlir:5:3: error[LOWER_LOOP]: found loom.unrol = 4 : i64 of scf.for; LOOM accepts "
            "loom.unroll, loom.flatten, loom.interchange, loom.interleave, loom.partial_sums, "
            "loom.ii, loom.pipeline, loom.hint there",
        ),
    ],
)
def test_refused(text: str, message: str) -> None:
    assert refusal(compile_text, text, "k.mlir") == message
