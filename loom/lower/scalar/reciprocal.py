"""Division of natural numbers by a constant as a product with its scaled reciprocal.

Source: Granlund and Montgomery, Division by Invariant Integers using Multiplication (1994); Warren,
Hacker's Delight, chapter 10. Both divide all numbers of a word; here the largest dividend is given,
and a small one needs a short reciprocal.
"""

from __future__ import annotations

from dataclasses import dataclass

from loom.dialects.operators.pipelined_operators import DIGIT


@dataclass(frozen=True)
class Reciprocal:
    """``u // divisor == (u >> before) * factor >> shift`` for every dividend u that was asked for.

    `wraps`: the factor is stored without its highest bit, 2^bits(u >> before).
    """

    before: int
    factor: int
    shift: int
    wraps: bool = False


def scale_reciprocal(divisor: int, largest: int) -> tuple[int, int]:
    """Factor and least shift with ``u * factor >> shift == u // divisor`` for 0 <= u <= largest.

    `divisor` >= 2, `largest` >= `divisor`. The factor is 2^shift / divisor rounded up, by `excess`
    over the divisor. A dividend u = q * divisor + r has the quotient q as long as
    u * excess < (divisor - r) * 2^shift; the largest u with r = divisor - 1 decides.
    """
    last = largest - (largest + 1) % divisor
    shift = divisor.bit_length() - 1
    while True:
        factor = -(-(1 << shift) // divisor)
        excess = factor * divisor - (1 << shift)
        if excess * last < 1 << shift:
            return factor, shift
        shift += 1


def find_reciprocal(divisor: int, largest: int) -> Reciprocal:
    """The reciprocal with the fewest DSP blocks; `divisor` >= 2, `largest` >= `divisor`.

    An even divisor may be halved first, with the dividend. A factor one bit longer than the
    dividend is stored without that bit if it then takes fewer blocks: two adders bring it back.
    """
    found = [Reciprocal(0, *scale_reciprocal(divisor, largest))]
    twos = (divisor & -divisor).bit_length() - 1
    if twos and largest >> twos >= divisor >> twos > 1:
        found.append(Reciprocal(twos, *scale_reciprocal(divisor >> twos, largest >> twos)))
    for each in list(found):
        bits = (largest >> each.before).bit_length()
        if each.factor.bit_length() == bits + 1:
            rest = each.factor - (1 << bits)
            found.append(Reciprocal(each.before, rest, each.shift, wraps=True))
    return min(found, key=lambda each: (count_blocks(each, largest), each.wraps, each.before))


def count_blocks(reciprocal: Reciprocal, largest: int) -> int:
    """DSP blocks of the product."""
    bits = (largest >> reciprocal.before).bit_length()
    return digits(bits) * digits(reciprocal.factor.bit_length())


def digits(bits: int) -> int:
    """Digits of a factor that one DSP block takes."""
    return -(-bits // DIGIT)
