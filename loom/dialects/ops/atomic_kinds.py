"""The kinds of memref.atomic_rmw and of affine.parallel's reductions, by MLIR 22's numbers.

Source: the enumeration AtomicRMWKind of MLIR's arith dialect.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith

Combine = type[arith.SignlessIntegerBinaryOperation] | type[arith.FloatingPointLikeBinaryOperation]


@dataclass(frozen=True)
class Kind:
    """One kind: how it is written, what it combines with, what it starts from at a width [bits].

    Without `operation` the new value replaces the old one; without `identity` nothing can be
    reduced. `is_float` kinds combine floats, others integers.
    """

    word: str
    operation: Combine | None = None
    identity: Callable[[int], int] | None = None
    is_float: bool = False


KINDS: tuple[Kind, ...] = (
    Kind("addf", arith.AddfOp, is_float=True),
    Kind("addi", arith.AddiOp, lambda _: 0),
    Kind("andi", arith.AndIOp, lambda _: -1),
    Kind("assign"),
    Kind("maximumf", arith.MaximumfOp, is_float=True),
    Kind("maxnumf", arith.MaxnumfOp, is_float=True),
    Kind("maxs", arith.MaxSIOp, lambda width: -(1 << (width - 1))),
    Kind("maxu", arith.MaxUIOp, lambda _: 0),
    Kind("minimumf", arith.MinimumfOp, is_float=True),
    Kind("minnumf", arith.MinnumfOp, is_float=True),
    Kind("mins", arith.MinSIOp, lambda width: (1 << (width - 1)) - 1),
    Kind("minu", arith.MinUIOp, lambda _: -1),
    Kind("mulf", arith.MulfOp, is_float=True),
    Kind("muli", arith.MuliOp, lambda _: 1),
    Kind("ori", arith.OrIOp, lambda _: 0),
    Kind("xori", arith.XOrIOp, lambda _: 0),
)
"""Kinds in the order of their numbers."""
NUMBERS = {kind.word: number for number, kind in enumerate(KINDS)}


def atomic_words(is_float: bool) -> list[str]:
    """The kinds that an element may be combined with."""
    return [kind.word for kind in KINDS if kind.operation is None or kind.is_float == is_float]


REDUCTIONS = ", ".join(kind.word for kind in KINDS if kind.identity is not None)
"""The kinds that a reduction of integers may have, for messages."""
