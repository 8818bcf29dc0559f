"""Every value of a handshake function gets exactly one reader: forks for many, sinks for none."""

from __future__ import annotations

from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from loom.dialects.ops.handshake import ForkOp, SinkOp
from loom.dialects.ops.handshake_function import FuncOp
from loom.lower.options import Options


def materialize_forks(module: ModuleOp, options: Options) -> None:
    """Fork values with several uses, sink values with none."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            block = function.body.block
            for argument in block.args:
                add_fork_or_sink(argument, block, None)
            for operation in list(block.ops):
                for result in operation.results:
                    add_fork_or_sink(result, block, operation)


def add_fork_or_sink(value: SSAValue, block: Block, producer: Operation | None) -> None:
    """Give `value` exactly one use."""
    if isinstance(value.type, MemRefType):
        return
    uses = list(value.uses)
    if len(uses) == 1:
        return
    new: Operation
    if uses:
        fork = ForkOp(value, len(uses))
        for use, copy in zip(reversed(uses), fork.copies, strict=True):
            use.operation.operands[use.index] = copy
            copy.name_hint = value.name_hint
        new = fork
    else:
        new = SinkOp(value)
    if producer is None:
        first = block.first_op
        assert first is not None
        block.insert_op_before(new, first)
    else:
        new.location = producer.location
        block.insert_op_after(new, producer)
