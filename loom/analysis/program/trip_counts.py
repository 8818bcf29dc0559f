"""How often a counted loop runs, as far as its constants say."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue

from loom.dialects.facts.loop_attributes import is_unsigned


def constant_of(value: SSAValue) -> int | None:
    """The integer a value always has, or None."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return int(owner.value.value.data)
    return None


def has_constant_nonzero_trip(loop: scf.ForOp) -> bool:
    """True if constant bounds prove one trip or more."""
    lower, upper = constant_of(loop.lb), constant_of(loop.ub)
    if lower is None or upper is None:
        return False
    if is_unsigned(loop) and (lower < 0) != (upper < 0):
        return upper < 0
    return lower < upper
