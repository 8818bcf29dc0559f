"""Random operands of float units: specials, subnormals, ties, and operands beside each other."""

from __future__ import annotations

import random

from loom.dialects.floats.formats import KNOWN_FORMATS, Format
from loom.dialects.operators.operator import Shape
from loom.netlist.netlist import Unit


def float_tokens(unit: Unit, shape: Shape, count: int, dice: random.Random) -> list[list[int]]:
    """Tokens for each input; integers of conversions are often near powers of two."""
    formats = {
        variable: KNOWN_FORMATS[shape.text(name)]
        for name, variable in unit.operator.signature.formats.items()
    }
    columns: list[list[int]] = []
    for port, width in zip(unit.operator.signature.inputs, shape.inputs, strict=True):
        form = formats.get(port.type)
        if form is None:
            columns.append([integer(width, dice) for _ in range(count)])
        elif columns:
            columns.append([beside(form, other, dice) for other in columns[0]])
        else:
            columns.append([anything(form, dice) for _ in range(count)])
    return columns


def anything(form: Format, dice: random.Random) -> int:
    """A bit pattern, often at an edge of the format."""
    edges = (0, 1, form.hidden_bit - 1, form.hidden_bit, form.infinity - 1, form.infinity,
             form.infinity + 1, form.nan, form.one, form.one + 1, form.one - 1)  # fmt: skip
    few_digits = dice.getrandbits(form.width) & -(1 << dice.randrange(form.fraction_width))
    subnormal = dice.getrandbits(form.fraction_width)
    edge = dice.choice(edges) | dice.getrandbits(1) << (form.width - 1)
    return dice.choice((dice.getrandbits(form.width), few_digits, subnormal, edge))


def beside(form: Format, other: int, dice: random.Random) -> int:
    """A number of nearly the same exponent, nearly the opposite, or anything."""
    steps = dice.randrange(-form.fraction_width - 3, form.fraction_width + 4)
    field = ((other & form.infinity) >> form.fraction_width) + steps
    field = min(max(field, 0), (1 << form.exponent_width) - 2)
    near = field << form.fraction_width | dice.getrandbits(form.fraction_width)
    opposite = (other ^ form.sign_bit) + dice.randrange(-2, 3)
    found = dice.choice((near, near | form.sign_bit, opposite, anything(form, dice)))
    return found & (2 * form.sign_bit - 1)


def integer(width: int, dice: random.Random) -> int:
    """A bit pattern, often near a power of two, or its opposite."""
    near = (1 << dice.randrange(width)) + dice.randrange(-2, 3)
    found = dice.choice((dice.getrandbits(width), near, -near, dice.getrandbits(4)))
    return found & ((1 << width) - 1)
