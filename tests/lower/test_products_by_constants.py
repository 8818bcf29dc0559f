"""A product by a constant is the same product, and simple constants need no multiplier."""

from __future__ import annotations

import random

import pytest

from loom.dialects.operators.catalogue import CATALOGUE
from loom.front.api import compile_text
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models

pytestmark = pytest.mark.usefixtures("no_clock_period")

MULTIPLIER = CATALOGUE["arith.muli"]


def program(width: int, factor: int) -> str:
    constant = ("true" if factor else "false") if width == 1 else f"{factor} : i{width}"
    return (
        f"func.func @f(%x: i{width}) -> i{width} {{\n"
        f"  %c = arith.constant {constant}\n"
        f"  %r = arith.muli %x, %c : i{width}\n"
        f"  return %r : i{width}\n}}"
    )


@pytest.mark.parametrize("width", [1, 2, 3, 8, 16, 32, 64])
def test_every_product_is_the_reference_s(width: int) -> None:
    rng = random.Random(width)
    top, half = 1 << width, 1 << (width - 1)
    simple = [0, 1, 2, 3, 5, 6, 7, 9, 12, 15, 17, -1, -2, -3, -6, half, half - 1]
    for factor in {value % top for value in simple + [rng.getrandbits(width) for _ in range(6)]}:
        circuit = compile_text(program(width, factor - top if factor >= half > 1 else factor))
        values = [0, 1, 2, 3, 5, -1, -7, half, *(rng.getrandbits(width) for _ in range(4))]
        runs = [Activation({"x": value % top}) for value in values]
        report = compare_models(circuit.source, circuit.top, circuit.netlist, runs, max_cycles=1000)
        assert report.differences == (), factor


@pytest.mark.parametrize(
    ("factor", "multipliers"), [(2, 0), (3, 0), (-1, 1), (7, 0), (10, 0), (11, 0), (0x55, 1)]
)
def test_only_other_constants_keep_the_multiplier(factor: int, multipliers: int) -> None:
    units = compile_text(program(32, factor)).netlist.units
    assert sum(unit.operator is MULTIPLIER for unit in units) == multipliers
