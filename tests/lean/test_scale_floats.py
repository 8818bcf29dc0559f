"""A float times a power of two is a unit that changes the exponent; other factors keep theirs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loom.dialects.floats.formats import FORMATS, Format
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.float_shapes import float_shape
from loom.front.api import compile_text
from loom.lower.options import Options

PRODUCT = CATALOGUE["arith.mulf"]
TEXT = """func.func @f(%x: f32) -> f32 {
  %c = arith.constant CONSTANT : f32
  %r = arith.mulf OPERANDS : f32
  return %r : f32
}
"""


def product(
    constant: str, operands: str = "%x, %c", options: Options | None = None
) -> dict[str, int]:
    """The constants of the only product of the circuit."""
    text = TEXT.replace("CONSTANT", constant).replace("OPERANDS", operands)
    circuit = compile_text(text, options=options or Options())
    (found,) = [unit for unit in circuit.netlist.units if unit.operator is PRODUCT]
    return dict(found.constants)


@pytest.mark.parametrize(
    ("constant", "bits"),
    [("0.5", 0x3F000000), ("-8.0", 0xC1000000), ("1.0", 0x3F800000), ("0x00800000", 0x00800000)],
)
def test_a_power_of_two_is_a_parameter(constant: str, bits: int) -> None:
    assert product(constant) == {"rhs": bits}
    assert product(constant, "%c, %x") == {"rhs": bits}


@pytest.mark.parametrize("constant", ["3.0", "0.0", "0x7F800000", "0x7FC00000", "0x00400000"])
def test_other_constants_are_tokens(constant: str) -> None:
    """Those that are no power of two, and the subnormal ones that are."""
    assert product(constant) == {}


def test_without_lean_it_is_a_token() -> None:
    assert product("0.5", options=Options(lean="off")) == {}


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda form: form.name)
def test_powers_are_the_normal_ones_of_both_signs(form: Format) -> None:
    found = {
        bits: k
        for bits in ({*range(1 << 16)} if form.width == 16 else {form.one, form.hidden_bit, 1, 3})
        if (k := form.power_of_two(bits)) is not None
    }
    for bits, k in found.items():
        mantissa, exponent = form.unpack(form.magnitude(bits))
        assert mantissa == form.hidden_bit and exponent + form.fraction_width == k
    if form.width == 16:
        assert len(found) == 2 * (form.infinity // form.hidden_bit - 1)


def test_an_instance_with_another_constant_is_refused() -> None:
    shape = float_shape(PRODUCT, {"format": "f32"}, 1)
    assert PRODUCT.signature.fits(replace(shape, constants={1: 0x40000000}))
    assert not PRODUCT.signature.fits(replace(shape, constants={1: 0x40400000}))
