"""Random floats: ordinary ones, and often what goes wrong."""

from __future__ import annotations

from random import Random

from loom.dialects.floats.formats import Format
from loom.dialects.floats.text import nearest

NEAR = 6
"""How far the exponents of ordinary numbers are from that of 1."""


def random_float(form: Format, random: Random, below: int | None = None) -> int:
    """A bit pattern: whole numbers and quarters, numbers near 1, patterns, subnormals, specials.

    With `below`, only whole numbers from 0 up to but not including it.
    """
    if below is not None:
        return nearest(float(random.randrange(below)), form)
    sign = form.sign_bit if random.random() < 0.5 else 0
    fraction = random.getrandbits(form.fraction_width)
    kind = random.random()
    if kind < 0.35:
        return nearest(random.randint(0, 64) / random.choice((1, 1, 4)), form) | sign
    if kind < 0.65:
        return form.one + random.randint(-NEAR, NEAR) * form.hidden_bit | fraction | sign
    if kind < 0.85:
        return random.getrandbits(form.width)
    if kind < 0.9:
        return fraction | sign
    specials = (0, form.infinity, form.nan, form.infinity - 1, 1, form.hidden_bit)
    return random.choice(specials) | sign
