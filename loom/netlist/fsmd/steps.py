"""The steps of a block, and on which earlier steps each waits.

A step is a run of stages, a pipeline, a loop or a branch. It waits for the steps whose values it
uses, and for those with which it shares a memory or a pipelined unit: each has ports for one step
at a time. Steps that have nothing in common run side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, memref
from xdsl.ir import Block, Operation, OpResult, SSAValue

from loom.dialects.facts.arrays import identity_of
from loom.dialects.ops.staticlogic import StageOp, sharers_of

SIGNED_CASTS = (arith.ExtSIOp, arith.IndexCastOp)
CASTS = (*SIGNED_CASTS, arith.ExtUIOp, arith.TruncIOp, arith.BitcastOp)
"""Operations that are wires: what they give is made anew wherever it is used."""
PLAIN = (*CASTS, arith.ConstantOp, memref.GetGlobalOp, memref.AllocOp)


@dataclass(frozen=True)
class Step:
    """One operation with regions, or a run of stages; `waits` are numbers of earlier steps."""

    operations: tuple[Operation, ...]
    waits: tuple[int, ...] = ()


def steps_of(block: Block) -> list[Step]:
    """The steps in the order of the text; what a step waits for by way of another is left out."""
    found: list[Step] = []
    behind: list[set[int]] = []
    used: list[frozenset[object]] = []
    for operations in groups_of(block):
        own = frozenset(shared_by(operations))
        needed = {step for value in values_of(operations) for step in makers(value, found)}
        needed |= {number for number, other in enumerate(used) if own & other}
        implied = {each for number in needed for each in behind[number]}
        found.append(Step(operations, tuple(sorted(needed - implied))))
        behind.append(needed | implied)
        used.append(own)
    return found


def last_of(steps: Sequence[Step]) -> list[int]:
    """The steps that no other waits for."""
    waited = {number for step in steps for number in step.waits}
    return [number for number in range(len(steps)) if number not in waited]


def groups_of(block: Block) -> Iterator[tuple[Operation, ...]]:
    """The operations of each step."""
    run: list[Operation] = []
    for operation in block.ops:
        if isinstance(operation, StageOp):
            run.append(operation)
        elif operation.regions:
            if run:
                yield tuple(run)
                run = []
            yield (operation,)
        else:
            assert isinstance(operation, PLAIN) or operation is block.last_op
    if run:
        yield tuple(run)


def values_of(operations: Sequence[Operation]) -> Iterator[SSAValue]:
    """All values that are used in a step."""
    for operation in operations:
        for inside in operation.walk():
            yield from inside.operands


def makers(value: SSAValue, steps: Sequence[Step]) -> Iterator[int]:
    """The steps that make a value, by way of wires; none of a value from outside the block."""
    if not isinstance(value, OpResult):
        return
    if isinstance(value.op, PLAIN):
        for operand in value.op.operands:
            yield from makers(operand, steps)
        return
    for number, step in enumerate(steps):
        if value.op in step.operations:
            yield number


def shared_by(operations: Sequence[Operation]) -> Iterator[object]:
    """The memories that a step accesses, and the kinds of units that it shares."""
    for operation in operations:
        for inside in operation.walk():
            if isinstance(inside, memref.LoadOp | memref.StoreOp):
                yield identity_of(inside.memref)
            elif sharers_of(inside) > 1:
                yield inside.name


def inner(value: SSAValue) -> SSAValue:
    """The value that a stage's result is in its stage."""
    while isinstance(value, OpResult) and isinstance(value.op, StageOp):
        value = value.op.register.values[value.index]
    return value
