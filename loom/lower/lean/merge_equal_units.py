"""Units that do the same with the same tokens are one unit.

Two units of one operator, with equal attributes, that read the same channels give the same tokens
in the same order: a pure operator is a function of its operands, and a carry, invariant, replicate,
branch or mux decides by the values of its tokens alone, never by when they come. So the readers of
the second unit get what they got, from the first. Each channel carries as many tokens as before.
Units that touch a memory or take tokens by arrival are left alone.

No reader comes to wait for another one farther than before: each of these units gives no more
tokens than it takes on one of its operands, whose fork tied the two units together already. That is
not so of a stream, which makes many tokens of one: two loops with the same bounds, of which one
waits for the other, keep their own.

The second unit goes, with a fork leg on each channel that it read; a fork leg on each of its
outputs comes in exchange. So a unit without operands is left alone, and so is one that widens its
datum: a FIFO behind it would be wider than the FIFO before it.

Source: value numbering, Cooper and Torczon, Engineering a Compiler, 8.4.1.
"""

from __future__ import annotations

from collections.abc import Hashable

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from loom.dialects.facts.instances import is_constant
from loom.dialects.operators.catalogue import find
from loom.dialects.ops.dataflow import CarryOp, InvariantOp, ReplicateOp
from loom.dialects.ops.handshake import CondBranchOp, MuxOp
from loom.dialects.ops.handshake_function import FuncOp
from loom.dialects.ops.types import width_of
from loom.lower.options import Options

DECIDED_BY_VALUES = (CarryOp, InvariantOp, ReplicateOp, CondBranchOp, MuxOp)
"""Operations with a state or a choice that depends on the values of their tokens alone."""


def merge_equal_units(module: ModuleOp, options: Options) -> None:
    """No two units of a handshake function do the same with the same channels."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            merge_in_block(function.body.block, options.index_width)


def merge_in_block(block: Block, index_width: int) -> None:
    """The units of the block are different.

    The first of equal units stays. What a loop carries back is a value of its own, as the text
    makes it below its use.
    """
    first: dict[Hashable, Operation] = {}
    for operation in list(block.ops):
        if not is_function_of_tokens(operation) or widens(operation, index_width):
            continue
        key = (
            operation.name,
            frozenset({**operation.attributes, **operation.properties}.items()),
            tuple(operation.operands),
            tuple(result.type for result in operation.results),
        )
        earlier = first.setdefault(key, operation)
        if earlier is not operation:
            for result, same in zip(operation.results, earlier.results, strict=True):
                same.name_hint = same.name_hint or result.name_hint
                result.replace_all_uses_with(same)
            operation.detach()
            operation.erase()


def is_function_of_tokens(operation: Operation) -> bool:
    """True if the tokens that leave are a function of those that come, whenever they come."""
    if not operation.operands:
        return False
    if isinstance(operation, DECIDED_BY_VALUES):
        return True
    operator = find(operation.name)
    return operator is not None and operator.semantics.meaning is not None


def widens(operation: Operation, index_width: int) -> bool:
    """True if the unit's results have more bits than its operands."""
    bits = [
        sum(width_of(value.type, index_width) for value in values if not is_constant(value))
        for values in (operation.operands, operation.results)
    ]
    return bits[1] > bits[0]
