"""Moving the operations of a block to another place."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue


def move_before(
    block: Block, before: Operation, arguments: Sequence[SSAValue] = ()
) -> list[SSAValue]:
    """The block's operations stand before `before`, with these values for its arguments.

    Its terminator is gone; what it passed on is returned.
    """
    target = before.parent
    assert target is not None
    for argument, value in zip(block.args, arguments, strict=True):
        argument.replace_all_uses_with(value)
    end = block.last_op
    assert end is not None
    passed = list(end.operands)
    end.detach()
    end.erase()
    for op in list(block.ops):
        op.detach()
        target.insert_op_before(op, before)
    return passed
