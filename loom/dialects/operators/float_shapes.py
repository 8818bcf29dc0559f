"""The instances that a float row can have: its formats, and the integers beside them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

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
