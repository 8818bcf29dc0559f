"""Integers get the bits they need: what becomes narrow, what keeps its width."""

from __future__ import annotations

import re

import pytest

from loom.front.api import compile_text
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from tests.model.test_program_meets_model import ZeroTrip

pytestmark = pytest.mark.usefixtures("no_clock_period")

LOOP = """func.func @f(%a: memref<100xi32>, %n: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0 : i32
  %s = scf.for %i = %c0 to %c100 step %c1 iter_args(%sum = %zero) -> (i32) {
BODY
    scf.yield %next : i32
  }
  return %s : i32
}
"""
SUM = """    %v = memref.load %a[%i] : memref<100xi32>
    %next = arith.addi %sum, %v : i32"""
NARROW, KEEP = Options(), Options(widths="keep")


def graph(body: str, options: Options = NARROW) -> str:
    return compile_text(LOOP.replace("BODY", body), "k.mlir", options=options).dfg_text


def types_of(text: str, operation: str) -> list[str]:
    """The last type in each line with the operation."""
    lines = [line for line in text.splitlines() if operation in line]
    return [re.findall(r"\b(i\d+|index)\b", line)[-1] for line in lines]


def test_a_loop_counts_in_the_bits_of_its_bound() -> None:
    """From 0 to 100 with a sign are eight bits; addresses to 99 without one are seven."""
    text = graph(SUM)
    assert types_of(text, "dataflow.stream") == ["i8"]
    assert "(%i) {loom.in_range} : (i7) -> (i32, none)" in text
    assert "index" in graph(SUM, KEEP) and "index" not in text


def test_a_loop_up_to_a_variable_counts_in_the_bits_of_that() -> None:
    """`j <= i` ends at i + 1, or beyond all numbers of the type where i is the last of them."""
    text = "int f(int a[8]) { int s = 0; for (int i = 0; i < 8; i++) "
    text += "for (int j = 0; j <= i; j++) s += a[j]; return s; }"
    found = compile_text(text, "k.c")
    assert set(types_of(found.dfg_text, "dataflow.stream")) <= {"i4", "i5"}
    assert "arith.select" not in found.dfg_text and "i64" not in found.dfg_text
    given = [Activation({"a": [*range(8)]})]
    assert (
        compare_models(found.source, "f", found.netlist, given, max_cycles=1000).differences == ()
    )
    open_ = compile_text(text.replace("int a[8]", "int a[8], int m").replace("<= i", "<= m"), "k.c")
    assert "arith.select" in open_.dfg_text


def test_the_bit_width_reduction_is_counted() -> None:
    text = LOOP.replace("BODY", SUM)
    assert compile_text(text, "k.mlir").bits_saved == 56
    assert compile_text(text, "k.mlir", options=KEEP).bits_saved == 0


@pytest.mark.parametrize(
    "body, operation, type_",
    [
        # A byte's remainder by a byte, also of a 32-bit word's low byte.
        ("%k = arith.constant 255 : i32\n %t = arith.andi %n, %k : i32\n"
         "%v = memref.load %a[%i] : memref<100xi32>\n%b = arith.andi %v, %k : i32\n"
         "%r = arith.remui %b, %t : i32\n%next = arith.addi %sum, %r : i32", "arith.remui", "i9"),
        # A product of two indices below 100.
        ("%p = arith.muli %i, %i : index\n%q = arith.index_cast %p : index to i32\n"
         "%next = arith.addi %sum, %q : i32", "arith.muli", "i15"),
        # A comparison of an index with a constant.
        ("%k = arith.constant 50 : index\n%o = arith.constant 1 : i32\n"
         "%c = arith.cmpi ult, %i, %k : index\n%w = arith.extui %c : i1 to i32\n"
         "%next = arith.addi %sum, %w : i32", "arith.cmpi", "i8"),
        # What may be any number keeps its width.
        ("%v = memref.load %a[%i] : memref<100xi32>\n%d = arith.divsi %v, %n : i32\n"
         "%next = arith.addi %sum, %d : i32", "arith.divsi", "i32"),
    ],
)  # fmt: skip
def test_an_operation_has_the_bits_of_its_numbers(body: str, operation: str, type_: str) -> None:
    assert types_of(graph(body), operation) == [type_]


def test_an_unknown_address_tells_an_access_outside() -> None:
    """A 32-bit number as an address keeps its 32 bits: a negative one is no small one."""
    body = """    %v = memref.load %a[%i] : memref<100xi32>
    %at = arith.index_cast %v : i32 to index
    %next = memref.load %a[%at] : memref<100xi32>"""
    assert "(i32, i32) -> (i32, i32, none, none)" in graph(body)


def test_an_argument_of_type_index_keeps_its_width() -> None:
    text = """func.func @f(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0) -> (index) {
    %y = arith.addi %x, %i : index
    scf.yield %y : index
  }
  return %s : index
}
"""
    circuit = compile_text(text, "k.mlir", options=Options(lean="off"))
    assert {port.type for port in circuit.netlist.ports if port.width} == {"index"}
    assert types_of(circuit.dfg_text, "arith.addi") == ["index"]


@pytest.mark.parametrize("policy", ["raw", "guard"])
@pytest.mark.parametrize("bounds", [(-128, 127, 3), (-5, 5, 1), (0, 255, 254), (120, 128, 7)])
def test_the_edges_of_a_width(bounds: tuple[int, int, int], policy: ZeroTrip) -> None:
    """Bounds at the ends of a number of bits, and a step that passes the bound by far."""
    low, high, step = bounds
    text = f"""func.func @f(%x: i32) -> (i32, index) {{
  %low = arith.constant {low} : index
  %high = arith.constant {high} : index
  %step = arith.constant {step} : index
  %s:2 = scf.for %i = %low to %high step %step iter_args(%a = %x, %b = %low) -> (i32, index) {{
    %w = arith.index_cast %i : index to i32
    %n = arith.muli %a, %w : i32
    %m = arith.maxsi %b, %i : index
    scf.yield %n, %m : i32, index
  }}
  return %s#0, %s#1 : i32, index
}}
"""
    options = Options(zero_trip=policy)
    circuit = compile_text(text, "k.mlir", options=options)
    report = compare_models(
        circuit.source, "f", circuit.netlist, [Activation({"x": 3})], max_cycles=10_000
    )
    assert report.differences == ()
    assert report.outcomes[0].results[1] == max(range(low, high, step)) % (1 << 64)


@pytest.mark.parametrize(("step", "width"), [(1, 32), (3, 33)])
def test_a_loop_with_a_bound_that_is_not_known_counts_in_its_type(step: int, width: int) -> None:
    """The bound is a number of its type; a longer step may go past the last one."""
    text = (
        f"int k(int lo, int hi) {{ int s = 0; for (int i = lo; i < hi; i += {step}) s ^= i;"
        " return s; }"
    )
    circuit = compile_text(text, "k.c", options=Options(clock_period=None))
    assert max(channel.width for channel in circuit.netlist.channels) <= width
    high, word = (1 << 31) - 1, 1 << 32
    given = [
        Activation({"lo": low % word, "hi": end % word})
        for low, end in ((high - 7, high - step + 1), (-5, 5), (-(1 << 31), 6 - (1 << 31)), (5, -5))
    ]
    found = compare_models(circuit.source, circuit.top, circuit.netlist, given, max_cycles=10_000)
    assert found.differences == ()


@pytest.mark.parametrize(("more", "cast"), [(1, "arith.extui"), (-1, "arith.extsi")])
def test_a_factor_that_is_never_negative_is_widened_with_zeros(more: int, cast: str) -> None:
    """Of a factor with a sign the upper digit is no zero."""
    text = f"""    %k = arith.constant {more} : i32
    %at = arith.index_cast %i : index to i32
    %factor = arith.addi %at, %k : i32
    %v = memref.load %a[%i] : memref<100xi32>
    %product = arith.muli %v, %factor : i32
    %next = arith.addi %sum, %product : i32"""
    (line,) = [line for line in graph(text).splitlines() if "arith.muli" in line]
    operands = re.findall(r"%\w+", line.partition("=")[2])
    made = [each for each in graph(text).splitlines() if each.strip().startswith(operands[1])]
    assert cast in "".join(made)
