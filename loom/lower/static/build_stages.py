"""Operations with start times become stages; what another stage uses is a stage's result."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, Region, SSAValue

from loom.dialects.ops.staticlogic import RegisterOp, StageOp
from loom.lower.static.predicate_ifs import Predicates


def build_stages(
    operations: Sequence[Operation], start: Sequence[int], predicates: Predicates
) -> list[StageOp]:
    """The stages in the order of their start times; operations in no block yet are in them.

    In a cycle first the stage without a predicate, then one for each predicate. The operations
    have been detached from their block in the order of the text, and stay in it.
    """
    groups: dict[tuple[int, int], list[Operation]] = {}
    numbers: dict[SSAValue | None, int] = {None: 0}
    for operation, time in zip(operations, start, strict=True):
        number = numbers.setdefault(predicates.get(operation), len(numbers))
        groups.setdefault((time, number), []).append(operation)
    guarded = {numbers[value]: op for op, value in predicates.items() if value in numbers}
    stages = []
    for time, number in sorted(groups):
        stage = build_stage(time, groups[time, number], predicates)
        if number:
            stage.operands = [predicates[guarded[number]]]
        stages.append(stage)
    return stages


def build_stage(start: int, operations: Sequence[Operation], predicates: Predicates) -> StageOp:
    """One stage; what is used outside it is a result of it, as are predicates of other stages.

    Predicates that the stage makes are then its results.
    """
    block = Block()
    for operation in operations:
        block.add_op(operation)
    wanted = set(predicates.values())
    given = [
        value
        for operation in operations
        for value in operation.results
        if value in wanted or any(use.operation.parent is not block for use in value.uses)
    ]
    block.add_op(RegisterOp(given))
    stage = StageOp(start, Region(block), [value.type for value in given])
    stage.location = operations[0].location
    for value, result in zip(given, stage.res, strict=True):
        result.name_hint = value.name_hint
        for use in list(value.uses):
            if use.operation.parent is not block:
                use.operation.operands[use.index] = result
        for operation, predicate in predicates.items():
            if predicate is value:
                predicates[operation] = result
    return stage
