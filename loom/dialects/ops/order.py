"""The order dialect: memory accesses that carry their place in the memory's order as tokens.

It stands between scf and handshake: the pass `thread_memory_order` rewrites every access into
one that takes a control token and gives one back, so that order is data like any other and one
lowering serves both (docs/spec/memory-order.md, "Which accesses wait").
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerType,
    MemRefType,
    NoneType,
    i64,
)
from xdsl.ir import Dialect, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_result_def,
    prop_def,
    result_def,
    var_operand_def,
)

from loom.dialects.ops.staticlogic.island import StaticLoopOp

NONE = NoneType()


@irdl_op_definition
class LoadOp(IRDLOperation):
    """A load that starts once `after` is there; `done` comes when it is served."""

    name = "order.load"
    memory = operand_def(MemRefType)
    index = operand_def(IntegerType | IndexType)
    after = operand_def(NONE)
    value = result_def()
    done = result_def(NONE)

    def __init__(self, memory: SSAValue, index: SSAValue, after: SSAValue) -> None:
        assert isinstance(memory.type, MemRefType)
        super().__init__(
            operands=[memory, index, after], result_types=[memory.type.element_type, NONE]
        )


@irdl_op_definition
class StoreOp(IRDLOperation):
    """A store that starts once `after` is there; `done` comes when it is served.

    `accepted`, of an array behind a channel alone: it is accepted, and later stores come behind it.
    """

    name = "order.store"
    value = operand_def()
    memory = operand_def(MemRefType)
    index = operand_def(IntegerType | IndexType)
    after = operand_def(NONE)
    done = result_def(NONE)
    accepted = opt_result_def(NONE)

    def __init__(
        self,
        value: SSAValue,
        memory: SSAValue,
        index: SSAValue,
        after: SSAValue,
        *,
        accepts: bool = False,
    ) -> None:
        accepted = [NONE] if accepts else []
        super().__init__(operands=[value, memory, index, after], result_types=[NONE, accepted])


@irdl_op_definition
class JoinOp(IRDLOperation):
    """One token once all are there."""

    name = "order.join"
    tokens = var_operand_def(NONE)
    done = result_def(NONE)

    def __init__(self, tokens: Sequence[SSAValue]) -> None:
        super().__init__(operands=[list(tokens)], result_types=[NONE])


@irdl_op_definition
class EndOp(IRDLOperation):
    """A token once all accesses of an array that a load-store queue orders are done."""

    name = "order.end"
    memory = operand_def(MemRefType)
    last = operand_def(NONE)
    done = result_def(NONE)

    def __init__(self, memory: SSAValue, last: SSAValue) -> None:
        super().__init__(operands=[memory, last], result_types=[NONE])


@irdl_op_definition
class PlaceOp(IRDLOperation):
    """An address, and the subscripts that it is made of in a table of `sizes`, row by row.

    Where an access is made with it, each subscript lies inside its size; elsewhere it says nothing.
    It is gone once order is threaded.
    """

    name = "order.place"
    address = operand_def(IndexType)
    subscripts = var_operand_def(IndexType)
    sizes = prop_def(DenseArrayBase)
    result = result_def(IndexType)

    def __init__(
        self, address: SSAValue, subscripts: Sequence[SSAValue], sizes: Sequence[int]
    ) -> None:
        super().__init__(
            operands=[address, list(subscripts)],
            result_types=[IndexType()],
            properties={"sizes": DenseArrayBase.from_list(i64, sizes)},
        )


def join_tokens(tokens: Sequence[SSAValue], before: Operation) -> SSAValue:
    """One token for all of `tokens`, at least one, made before `before`."""
    different = list(dict.fromkeys(tokens))
    if len(different) == 1:
        return different[0]
    join = JoinOp(different)
    join.location = before.location
    block = before.parent
    assert block is not None
    block.insert_op_before(join, before)
    return join.done


OPERATIONS: list[type[Operation]] = [LoadOp, StoreOp, JoinOp, EndOp, PlaceOp, StaticLoopOp]
Order = Dialect("order", OPERATIONS, [])
