"""A difference of two squares becomes a product: x*x - y*y is (x - y) * (x + y), modulo 2^n too.

One multiplier is left of two.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from loom import Options


def factor_squares(module: ModuleOp, options: Options) -> None:
    """No difference of two squares is left."""
    for difference in [op for op in module.walk() if isinstance(op, arith.SubiOp)]:
        left, right = root_of(difference.lhs), root_of(difference.rhs)
        if left is not None and right is not None:
            replace(difference, left, right)


def root_of(value: SSAValue) -> SSAValue | None:
    """What the value is the square of, if nothing else reads it; else None."""
    owner = value.owner
    if not isinstance(owner, arith.MuliOp) or owner.lhs is not owner.rhs:
        return None
    return owner.lhs if value.has_one_use() else None


def replace(difference: arith.SubiOp, left: SSAValue, right: SSAValue) -> None:
    """The product stands in place of the difference; its squares are gone."""
    squares = [difference.lhs.owner, difference.rhs.owner]
    less, more = arith.SubiOp(left, right), arith.AddiOp(left, right)
    product = arith.MuliOp(less.result, more.result)
    block = difference.parent
    assert block is not None
    for each in (less, more, product):
        # II and errors are reported at the line of what it comes from.
        each.location = difference.location
        block.insert_op_before(each, difference)
    difference.result.replace_all_uses_with(product.result)
    for old in (difference, *squares):
        old.detach()
        old.erase()
