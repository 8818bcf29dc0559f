"""The float formats: how a bit pattern is a number, and the nearest pattern of an exact number.

Source: IEEE 754-2019, sections 3.4 (encodings) and 4.3.1 (round to nearest, ties to even). Numbers
are kept as integers ``mantissa * 2^exponent``, so that nothing is rounded before the one place
that rounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Format:
    """A binary interchange format: widths of its exponent and fraction fields [bits]."""

    name: str
    exponent_width: int
    fraction_width: int

    @cached_property
    def width(self) -> int:
        """Width of the pattern [bits]: sign, exponent, fraction from the top."""
        return 1 + self.exponent_width + self.fraction_width

    @cached_property
    def sign_bit(self) -> int:
        """The pattern of -0."""
        return 1 << (self.width - 1)

    @cached_property
    def infinity(self) -> int:
        """The pattern of plus infinity: exponent all ones, fraction 0."""
        return ((1 << self.exponent_width) - 1) << self.fraction_width

    @cached_property
    def nan(self) -> int:
        """The canonical quiet NaN: sign 0, of the fraction only the top bit."""
        return self.infinity | 1 << (self.fraction_width - 1)

    @cached_property
    def least_exponent(self) -> int:
        """The power of two that the last bit of a subnormal counts."""
        return 2 - (1 << (self.exponent_width - 1)) - self.fraction_width

    @cached_property
    def one(self) -> int:
        """The pattern of 1."""
        return ((1 << (self.exponent_width - 1)) - 1) << self.fraction_width

    @cached_property
    def hidden_bit(self) -> int:
        """The bit that a normal number has above its fraction."""
        return 1 << self.fraction_width

    def magnitude(self, bits: int) -> int:
        """The pattern without its sign: larger patterns are larger numbers, above all NaNs."""
        return bits & (self.sign_bit - 1)

    def sign(self, bits: int) -> int:
        """1 if the sign is minus."""
        return bits >> (self.width - 1)

    def is_nan(self, bits: int) -> bool:
        """True for quiet and signaling NaNs."""
        return bits & (self.sign_bit - 1) > self.infinity

    def is_infinite(self, bits: int) -> bool:
        """True for both infinities."""
        return bits & (self.sign_bit - 1) == self.infinity

    def power_of_two(self, bits: int) -> int | None:
        """The exponent k of the normal numbers 2^k and -2^k; None for other patterns."""
        size = self.magnitude(bits)
        if size % self.hidden_bit or not 0 < size < self.infinity:
            return None
        return (size - self.one) // self.hidden_bit

    def unpack(self, bits: int) -> tuple[int, int]:
        """Mantissa and exponent of the magnitude of a finite number: ``mantissa * 2^exponent``."""
        field = (bits & self.infinity) >> self.fraction_width
        fraction = bits & (self.hidden_bit - 1)
        if field == 0:
            return fraction, self.least_exponent
        return fraction | self.hidden_bit, self.least_exponent + field - 1

    def pack(self, sign: int, mantissa: int, exponent: int) -> int:
        """The pattern nearest to ``mantissa * 2^exponent``, ties to even, with this sign.

        The mantissa is not negative and of any length; what overflows is infinite.
        """
        if mantissa == 0:
            return sign << (self.width - 1)
        shift = max(mantissa.bit_length() - self.fraction_width - 1, self.least_exponent - exponent)
        if shift <= 0:
            mantissa <<= -shift
        else:
            half = 1 << (shift - 1)
            rest = mantissa & ((1 << shift) - 1)
            mantissa >>= shift
            mantissa += rest > half or (rest == half and mantissa & 1)
        # The hidden bit of a normal number, and a carry into the next power of two, add 1 to the
        # exponent field, which is therefore one too small before.
        bits = ((exponent + shift - self.least_exponent) << self.fraction_width) + mantissa
        return sign << (self.width - 1) | min(bits, self.infinity)


FORMATS: dict[str, Format] = {
    "f16": Format("f16", 5, 10),
    "bf16": Format("bf16", 8, 7),
    "f32": Format("f32", 8, 23),
    "f64": Format("f64", 11, 52),
}
"""The formats that LOOM computes with, by the name of their type."""

SMALL_FORMATS: dict[str, Format] = {
    "e2m1": Format("e2m1", 2, 1),
    "e3m2": Format("e3m2", 3, 2),
    "e4m4": Format("e4m4", 4, 4),
}
"""Formats of no type, so small that a proof or a test tries all their numbers."""

KNOWN_FORMATS: dict[str, Format] = FORMATS | SMALL_FORMATS
"""All formats that units are made for, by name."""

ROUNDING_MODES = ("to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away")
"""MLIR's words for its rounding modes, by number."""
