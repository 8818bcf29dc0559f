"""Upper bounds of values, from the operations that define them."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from loom.dialects.ops.index import IndexCastUIOp
from loom.dialects.ops.types import is_token_type, width_of
from loom.lower.scalar.arith_builder import constant_of


def upper_bound(value: SSAValue, width: int, unsigned: bool) -> int:
    """A number that the value never exceeds, read as signed or unsigned; of `width` [bits]."""
    top = (1 << width) - 1 if unsigned else (1 << (width - 1)) - 1
    number = constant_of(value)
    if number is not None:
        number &= (1 << width) - 1
        return number if number <= top else number - (1 << width)
    reach = max_pattern(value, width)
    # A pattern that can have its highest bit set may be any signed number.
    return reach if reach is not None and reach <= top else top


def max_pattern(value: SSAValue, width: int) -> int | None:
    """The largest bit pattern that the value can be, if its operation leaves bits 0."""
    owner = value.owner
    if isinstance(owner, arith.ExtUIOp | IndexCastUIOp):
        source = owner.operands[0]
        assert is_token_type(source.type)
        narrow = width_of(source.type)
        return (1 << narrow) - 1 if narrow < width else None
    if not isinstance(owner, arith.AndIOp | arith.RemUIOp | arith.MinUIOp):
        return None
    numbers = [constant_of(side) for side in owner.operands]
    if isinstance(owner, arith.RemUIOp):
        return None if not numbers[1] else (numbers[1] & ((1 << width) - 1)) - 1
    return min((n & ((1 << width) - 1) for n in numbers if n is not None), default=None)
