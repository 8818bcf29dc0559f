"""Facts that passes leave about a whole program, and about its accesses."""

from __future__ import annotations

from loom.dialects.facts.fact import number

BITS_SAVED = number("loom.bits_saved", 0, "a number of bits")
"""Of the module: the bit-width reduction of all integer values together [bits]."""
BANK = number("loom.bank", 0, "the number of a bank")
"""Of a load or store of an array in banks: the bank that it goes to."""
