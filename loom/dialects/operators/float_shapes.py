"""The instances that a float row can have: its formats, and the integers beside them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from loom.dialects.floats.formats import KNOWN_FORMATS
from loom.dialects.operators.operator import AttributeValue, Operator, Shape


def float_shapes(operator: Operator, integers: Sequence[int]) -> Iterator[Shape]:
    """Every choice of the row's attributes, beside integers of these widths [bits]."""
    ports = operator.signature.ports
    has_integer = {port.type for port in ports} - {"i1", *operator.signature.formats.values()}
    for chosen in itertools.product(
        *(operator.signature.choices[name] for name in operator.signature.attributes)
    ):
        attributes = dict(zip(operator.signature.attributes, chosen, strict=True))
        for integer in integers if has_integer else integers[:1]:
            shape = float_shape(operator, attributes, integer)
            if operator.signature.fits(shape):
                yield shape


def with_powers(operator: Operator, shape: Shape, powers: Sequence[int]) -> Iterator[Shape]:
    """The instance with each constant 2^k, or -2^k for odd k, where it may have one.

    Powers beyond the normal numbers of the format are those at its ends.
    """
    if not operator.signature.constants or not operator.signature.formats:
        return
    form = KNOWN_FORMATS[shape.text("format")]
    most = form.one // form.hidden_bit
    for k in dict.fromkeys(min(max(power, 1 - most), most) for power in powers):
        bits = form.one + k * form.hidden_bit + k % 2 * form.sign_bit
        yield replace(shape, constants={1: bits})


def float_shape(
    operator: Operator, attributes: Mapping[str, AttributeValue], integer: int
) -> Shape:
    """The instance whose formats the attributes name, beside an integer of `integer` [bits]."""
    widths = {
        variable: KNOWN_FORMATS[str(attributes[name])].width
        for name, variable in operator.signature.formats.items()
    }
    widths = {"S": integer, "T": integer, "i1": 1} | widths
    return Shape(
        tuple(widths[port.type] for port in operator.signature.inputs),
        tuple(widths[port.type] for port in operator.signature.outputs),
        dict(attributes),
    )
