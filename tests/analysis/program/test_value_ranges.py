"""Every range rule holds: tried on all numbers of a few bits; and ranges of whole programs."""

from __future__ import annotations

import random

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.utils.test_value import create_ssa_value

from loom.analysis.program.interval import Range, whole
from loom.analysis.program.range_rules import RULES, decided
from loom.analysis.program.value_ranges import value_ranges
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.integer_meanings import PREDICATES
from loom.dialects.operators.operator import Shape
from loom.frontend.mlir.read import read_mlir
from loom.lower.options import Options
from loom.lower.pipeline import normalize

WIDTH = 4
CASTS = {
    "arith.extsi": (3, 5), "arith.extui": (3, 5), "arith.trunci": (5, 3),
    "arith.index_cast": (3, 5), "index.castu": (3, 5), "arith.index_castui": (3, 5),
}  # fmt: skip


def signed(pattern: int, width: int) -> int:
    return pattern - (1 << width) if pattern >> (width - 1) else pattern


def shapes(name: str) -> list[Shape]:
    if name in CASTS:
        small, large = CASTS[name]
        found = [Shape((small,), (large,))]
        return [*found, Shape((large,), (small,))] if "index" in name else found
    if name == "arith.select":
        return [Shape((1, WIDTH, WIDTH), (WIDTH,))]
    return [Shape((WIDTH, WIDTH), (WIDTH,))]


@pytest.mark.parametrize("class_", RULES, ids=lambda class_: class_.name)
def test_a_rule_holds_for_all_numbers(class_: type[Operation]) -> None:
    """Whatever the operands in their ranges, the result is in its; ranges at random, or all."""
    row = CATALOGUE[class_.name]
    assert row.semantics.meaning is not None
    dice = random.Random(class_.name)
    for shape in shapes(class_.name):
        function, width = row.semantics.meaning(shape), shape.outputs[0]
        for number in range(120):
            ranges = [chosen(dice, each, number == 0) for each in shape.inputs]
            found = RULES[class_](ranges, shape.inputs, width)
            if found is None or not found.fits(width):
                found = whole(width)
            for tokens in products(ranges, shape.inputs):
                if row.semantics.undefined is not None and row.semantics.undefined(shape, *tokens):
                    continue
                result = function(*tokens)
                assert isinstance(result, int)
                value = signed(result, width)
                assert found.low <= value <= found.high, (ranges, tokens, value, found)


@pytest.mark.parametrize("number", range(10))
def test_a_comparison_is_decided_for_all_numbers_or_not_at_all(number: int) -> None:
    """By ranges at random; where it is left open, both results are there."""
    a, b = (create_ssa_value(IntegerType(WIDTH)) for _ in range(2))
    op = arith.CmpiOp(a, b, number)
    shape = Shape((WIDTH, WIDTH), (1,), {"predicate": PREDICATES[number]})
    meaning = CATALOGUE["arith.cmpi"].semantics.meaning
    assert meaning is not None
    function, dice, seen = meaning(shape), random.Random(number), set()
    for _ in range(400):
        ranges = [chosen(dice, WIDTH, False) for _ in range(2)]
        if dice.random() < 0.3:
            ranges = [Range(each.low, each.low) for each in ranges]
        results = {bool(function(*tokens)) for tokens in products(ranges, shape.inputs)}
        truth = decided(op, *ranges)
        seen.add(truth)
        assert truth is None or results == {truth}, (ranges, truth)
        is_signed = PREDICATES[number][0] != "u" or min(each.low for each in ranges) >= 0
        assert truth is not None or len(results) == 2 or not is_signed, ranges
    assert seen == {None, True, False}


def chosen(dice: random.Random, width: int, all_: bool) -> Range:
    if all_ or width == 1:
        return whole(width)
    ends = [dice.randrange(-(1 << width - 1), 1 << width - 1) for _ in range(2)]
    return Range(min(ends), max(ends))


def products(ranges: list[Range], widths: tuple[int, ...]) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = [()]
    for each, width in zip(ranges, widths, strict=True):
        values = [n % (1 << width) for n in range(each.low, each.high + 1)]
        found = [(*head, value) for head in found for value in values]
    return found


def named_ranges(text: str) -> dict[str, tuple[int, int]]:
    module = read_mlir(text, "k.mlir").clone()
    normalize(module, Options())
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    return {
        value.name_hint: (found.low, found.high)
        for value, found in value_ranges(function, 64).items()
        if value.name_hint
    }


def test_a_nest_with_known_bounds() -> None:
    found = named_ranges("""func.func @f(%a: memref<400xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  scf.for %i = %c0 to %c20 step %c1 {
    %row = arith.muli %i, %c20 : index
    scf.for %j = %c0 to %i step %c1 {
      %at = arith.addi %row, %j : index
      %v = memref.load %a[%at] : memref<400xi32>
      memref.store %v, %a[%j] : memref<400xi32>
    }
  }
  return
}
""")
    assert found["i"] == (0, 19) and found["j"] == (0, 18)
    assert found["at"] == (0, 398) and found["v"] == (-(1 << 31), (1 << 31) - 1)


MULTIPLES = """func.func @f(%a: memref<20xi32>, %x: i32) -> i32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %k3 = arith.constant 3 : i32
  %k5 = arith.constant 5 : i32
  %k10 = arith.constant 10 : i32
  %zero = arith.constant 0 : i32
  %s = scf.for %i = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> (i32) {{
    %n = arith.index_cast %i : index to i32
    %ten = arith.shli {value}, %k10 : i32
    %five = arith.shli {value}, %k5 : i32
    %three = arith.shli {value}, %k3 : i32
    %more = arith.addi %ten, %three : i32
    %all = arith.subi %more, %five : i32
    memref.store %all, %a[%i] : memref<20xi32>
    %next = arith.addi %sum, %all : i32
    scf.yield %next : i32
  }}
  return %s : i32
}}
"""


def test_a_sum_of_multiples_of_a_value_is_a_multiple_of_it() -> None:
    """1024 n + 8 n - 32 n are 1000 n; of any x that may wrap round nothing is known."""
    found = named_ranges(MULTIPLES.format(value="%n"))
    assert found["more"] == (0, 1032 * 19) and found["all"] == (0, 19_000)
    assert named_ranges(MULTIPLES.format(value="%x"))["all"] == (-(1 << 31), (1 << 31) - 1)


LOOP = """func.func @f(%a: memref<8xi8>, %n: index, %k: i1) -> i32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %end = scf.for %i = %c0 to {} step {} iter_args(%sum = %three) -> (i32) {{
    %v = memref.load %a[%i] : memref<8xi8>
    %w = arith.extui %v : i8 to i32
    {}
    scf.yield %next : i32
  }}
  return %end : i32
}}
"""
INNER = """%next = scf.for %j = %c0 to %c2 step %c1 iter_args(%s = %sum) -> (i32) {
      %b = arith.extsi %v : i8 to i32
      %t = arith.subi %s, %b : i32
      scf.yield %t : i32
    }"""
BRANCH = """%next = scf.if %k -> (i32) {
      %t = arith.addi %sum, %w : i32
      scf.yield %t : i32
    } else {
      %t = arith.subi %sum, %w : i32
      %u = arith.addi %three, %t : i32
      scf.yield %u : i32
    }"""
ANYTHING = (-(1 << 31), (1 << 31) - 1)
TOTALS = {
    "a sum": ("%c8", "%c1", "%next = arith.addi %sum, %w : i32", (3, 3 + 8 * 255)),
    "a step of two": ("%c8", "%c2", "%next = arith.addi %w, %sum : i32", (3, 3 + 4 * 255)),
    "a selected sum": (
        "%c8", "%c1",
        "%t = arith.subi %sum, %w : i32\n    %next = arith.select %k, %t, %sum : i32",
        (3 - 8 * 255, 3),
    ),
    "a branch": ("%c8", "%c1", BRANCH, (3 - 8 * 252, 3 + 8 * 255)),
    "a nest": ("%c8", "%c1", INNER, (3 - 16 * 127, 3 + 16 * 128)),
    "a loop that does not run": ("%c0", "%c1", "%next = arith.addi %sum, %w : i32", (3, 3)),
    "an unknown trip count": ("%n", "%c1", "%next = arith.addi %sum, %w : i32", ANYTHING),
    "an unknown step": ("%c8", "%n", "%next = arith.addi %sum, %w : i32", ANYTHING),
    "a product": ("%c8", "%c1", "%next = arith.muli %sum, %three : i32", ANYTHING),
    "a difference from": ("%c8", "%c1", "%next = arith.subi %w, %sum : i32", ANYTHING),
    "itself twice": ("%c8", "%c1", "%next = arith.addi %sum, %sum : i32", ANYTHING),
}  # fmt: skip
"""Bound, step and body of a loop, and what its total can be."""


@pytest.mark.parametrize("name", TOTALS)
def test_a_total_grows_by_its_increments(name: str) -> None:
    bound, step, body, range_ = TOTALS[name]
    found = named_ranges(LOOP.format(bound, step, body))
    assert found["sum"] == found["end"] == range_


def test_a_sum_in_a_loop_that_does_not_run_has_a_range() -> None:
    """Its increment would lead out of what the loop carries, so that no number is both."""
    found = named_ranges(LOOP.format("%c0", "%c1", "%next = arith.addi %sum, %three : i32"))
    assert found["next"] == found["sum"] == (3, 3)


def test_what_may_wrap_round_is_anything() -> None:
    text = LOOP.format("%c8", "%c1", "%next = arith.addi %sum, %w : i32")
    narrow = text.replace("i32", "i11").replace("extui %v : i8 to i11", "extui %v : i8 to i11")
    assert named_ranges(narrow)["sum"] == (-1024, 1023)
    assert named_ranges(narrow.replace("i11", "i12"))["sum"] == (3, 3 + 8 * 255)


def test_what_is_no_sum_is_joined() -> None:
    found = named_ranges("""func.func @f(%a: memref<8xi8>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %most = scf.for %i = %c0 to %c8 step %c1 iter_args(%last = %zero) -> (i32) {
    %v = memref.load %a[%i] : memref<8xi8>
    %w = arith.extui %v : i8 to i32
    %more = arith.maxsi %last, %w : i32
    scf.yield %more : i32
  }
  return %most : i32
}
""")
    assert found["most"] == (0, 255) and found["w"] == (0, 255)


def test_a_loop_whose_step_is_unknown_says_nothing() -> None:
    found = named_ranges("""func.func @f(%a: memref<8xi8>, %step: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant 1 : i8
  scf.for %i = %c0 to %c8 step %step {
    memref.store %v, %a[%i] : memref<8xi8>
  }
  return
}
""")
    assert found["i"] == (-(1 << 63), (1 << 63) - 1)


def test_the_complement_of_a_number_is_as_narrow_as_it() -> None:
    found = named_ranges("""func.func @f(%a: i8) -> i32 {
  %ones = arith.constant -1 : i32
  %w = arith.extui %a : i8 to i32
  %five = arith.constant 5 : i32
  %small = arith.remui %w, %five : i32
  %not = arith.xori %small, %ones : i32
  %back = arith.xori %ones, %not : i32
  %mixed = arith.xori %not, %small : i32
  %s = arith.addi %back, %mixed : i32
  return %s : i32
}
""")
    assert found["not"] == (-5, -1)
    assert found["back"] == (0, 4)
    assert found["mixed"] == (-8, 7)


def test_a_range_needs_the_fewest_bits() -> None:
    """Of two's complement: no number lies outside, and with one bit less some would."""
    for low in range(-20, 21):
        for high in range(low, 21):
            bits = Range(low, high).bits
            assert -(1 << bits - 1) <= low and high < 1 << bits - 1, (low, high)
            half = 1 << bits >> 2
            assert bits == 1 or low < -half or high >= half, (low, high)
