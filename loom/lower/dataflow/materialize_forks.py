"""Every value of a handshake function gets exactly one reader: forks for many, sinks for none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue, Use

from loom.dialects.facts.instances import is_constant
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


MOST_LEGS = 32
"""Readers of one fork; more have a tree of forks, between which registers may stand."""
BRANCHES = 8
"""Legs of the forks inside of a tree."""


def add_fork_or_sink(value: SSAValue, block: Block, producer: Operation | None) -> None:
    """Give `value` exactly one use."""
    if isinstance(value.type, MemRefType) or is_constant(value):
        return
    uses = list(value.uses)
    if len(uses) == 1:
        return
    added = list(add_forks(value, list(reversed(uses)))) if uses else [SinkOp(value)]
    if producer is None:
        first = block.first_op
        assert first is not None
        block.insert_ops_before(added, first)
    else:
        for new in added:
            new.location = producer.location
        block.insert_ops_after(added, producer)


def add_forks(value: SSAValue, uses: Sequence[Use]) -> Iterator[Operation]:
    """The forks by which each of the uses, two at least, has a copy of its own."""
    if len(uses) <= MOST_LEGS:
        fork = ForkOp(value, len(uses))
        yield fork
        for use, copy in zip(uses, fork.copies, strict=True):
            use.operation.operands[use.index] = copy
            copy.name_hint = value.name_hint
        return
    size = -(-len(uses) // BRANCHES)
    groups = [uses[k : k + size] for k in range(0, len(uses), size)]
    fork = ForkOp(value, len(groups))
    yield fork
    for group, copy in zip(groups, fork.copies, strict=True):
        copy.name_hint = value.name_hint
        if len(group) == 1:
            group[0].operation.operands[group[0].index] = copy
        else:
            yield from add_forks(copy, group)
