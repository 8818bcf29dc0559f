"""The instances of float rows that are proved: in formats whose whole tables fit a proof."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from loom.dialects.operators.float_shapes import float_shape, with_powers
from loom.dialects.operators.operator import Operator, Shape

CONVERSIONS = (("e2m1", "e3m2"), ("e4m4", "e2m1"))
"""Between formats: to a wider one, and to one so narrow that rounding has all its cases."""
FORMATS = {1: "e3m2", 2: "e2m1", 3: "e2m1"}
"""By the number of operands; the square roots of the smallest format would be subnormal."""
SCALED = "e3m2"
"""Of factors that are powers of two."""
POWERS = (2, -1, -2)
"""Exponents of two of these factors."""


def small_shapes(operator: Operator, integer: int) -> Iterator[Shape]:
    """Every choice of the row's attributes but of formats, beside integers of `integer` [bits]."""
    names = [
        name for name in operator.signature.attributes if name not in operator.signature.formats
    ]
    for chosen in itertools.product(*(operator.signature.choices[name] for name in names)):
        for formats in small_formats(operator):
            attributes = dict(
                zip((*names, *operator.signature.formats), (*chosen, *formats), strict=True)
            )
            shape = float_shape(operator, attributes, integer)
            if operator.signature.fits(shape):
                yield shape


def scaled_shapes(operator: Operator, shape: Shape) -> Iterator[Shape]:
    """The instance with constant powers of two, in a format that has enough of them."""
    wide = float_shape(operator, {**shape.attributes, "format": SCALED}, 1)
    yield from with_powers(operator, wide, POWERS)


def small_formats(operator: Operator) -> tuple[tuple[str, ...], ...]:
    """Formats for the row's attributes that name one."""
    return (
        CONVERSIONS
        if len(operator.signature.formats) > 1
        else ((FORMATS[len(operator.signature.inputs)],),)
    )
