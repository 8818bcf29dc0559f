"""A float divided by a power of two is its product with the reciprocal, bit by bit."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from loom.dialects.floats.formats import FORMATS, Format
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.operator import Shape
from loom.front.api import compile_text
from loom.lower.scalar.divide_floats import invert_power


def function(name: str, form: Format) -> Callable[..., object]:
    meaning = CATALOGUE[name].semantics.meaning
    assert meaning is not None
    return meaning(Shape((form.width,) * 2, (form.width,), {"format": form.name}))


def powers(form: Format) -> list[int]:
    """Bit patterns of all normal powers of two, of both signs."""
    exponents = range(1, form.infinity // form.hidden_bit)
    return [s << (form.width - 1) | e * form.hidden_bit for e in exponents for s in (0, 1)]


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda form: form.name)
def test_every_power_but_the_largest_has_a_normal_reciprocal(form: Format) -> None:
    divide = function("arith.divf", form)
    for power in powers(form):
        inverse = invert_power(power, form)
        if form.magnitude(power) >= 2 * form.one:
            assert inverse is None
        else:
            assert inverse == divide(form.one, power)


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda form: form.name)
def test_other_numbers_have_no_reciprocal(form: Format) -> None:
    others = [0, 1, form.hidden_bit - 1, form.hidden_bit + 1, form.one + 1, form.infinity, form.nan]
    assert [invert_power(each, form) for each in others] == [None] * len(others)


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda form: form.name)
def test_product_and_quotient_agree(form: Format) -> None:
    """Of all dividends of 16 bits by one power; of many of all formats by all kinds of powers."""
    divide, multiply = function("arith.divf", form), function("arith.mulf", form)
    dice = random.Random(form.name)
    ends = [0, 1, 2, form.hidden_bit - 1, form.hidden_bit, form.hidden_bit + 1, form.one]
    ends += [form.infinity - 1, form.infinity, form.infinity + 1, form.nan]
    ends += [each | 1 << (form.width - 1) for each in ends]
    half = form.one + form.hidden_bit  # divided by two: subnormals are rounded
    dividends = range(0, 1 << 16, 3) if form.width == 16 else range(0)
    chosen = [half, *dice.sample(powers(form), 12), form.hidden_bit, 2 * form.one - form.hidden_bit]
    for power in chosen:
        inverse = invert_power(power, form)
        if inverse is None:
            continue
        near = [dice.getrandbits(form.width) for _ in range(200)]
        near += [dice.randrange(4 * form.hidden_bit) for _ in range(100)]
        for x in (*ends, *near, *(dividends if power == half else ())):
            assert divide(x, power) == multiply(x, inverse), (hex(x), hex(power))


def test_a_planted_reciprocal_is_found() -> None:
    form = FORMATS["f32"]
    divide, multiply = function("arith.divf", form), function("arith.mulf", form)
    two = form.one + form.hidden_bit
    inverse = invert_power(two, form)
    assert inverse is not None
    assert divide(3, two) == multiply(3, inverse)
    assert divide(3, two) != multiply(3, inverse + form.hidden_bit)


@pytest.mark.parametrize(("divisor", "dividers"), [("2.0", 0), ("-0.125", 0), ("3.0", 1)])
def test_only_other_constants_keep_the_divider(divisor: str, dividers: int) -> None:
    units = compile_text(
        "func.func @f(%x: f32) -> f32 {\n"
        f"  %c = arith.constant {divisor} : f32\n  %r = arith.divf %x, %c : f32\n"
        "  return %r : f32\n}"
    ).netlist.units
    assert sum(unit.operator is CATALOGUE["arith.divf"] for unit in units) == dividers
