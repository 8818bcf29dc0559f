"""Factors that are never negative are widened with zeros.

A product is made of products of digits, each a DSP block. In a factor of 6 bits that is widened to
32 by its sign the upper digit is the sign in every bit, and its product takes LUTs; if zeros are
put in front there is none.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from loom.analysis.program.value_ranges import value_ranges
from loom.dialects.ops.types import width_of
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic
from loom.lower.scalar.reciprocal import digits


def extend_factors(module: ModuleOp, options: Options) -> None:
    """No product extends the sign of a factor that has none by whole digits."""
    for function in module.ops:
        if not isinstance(function, FuncOp):
            continue
        products = [op for op in function.walk() if isinstance(op, arith.MuliOp)]
        found = [
            (product, place, factor.owner)
            for product in products
            for place, factor in enumerate(product.operands)
            if isinstance(factor.owner, arith.ExtSIOp) and gains_digits(factor.owner)
        ]
        ranges = value_ranges(function, options.index_width) if found else {}
        for product, place, cast in found:
            known = ranges.get(cast.input)
            if known is not None and known.is_natural:
                wide = arith.ExtUIOp(cast.input, cast.result.type)
                product.operands[place] = Arithmetic(product).insert(wide)
                if not cast.result.uses:
                    cast.detach()
                    cast.erase()


def gains_digits(cast: arith.ExtSIOp) -> bool:
    """Whether the cast's result has more digits than its operand."""
    before, after = (width_of(value.type, 0) for value in (cast.input, cast.result))
    return digits(before) < digits(after)
