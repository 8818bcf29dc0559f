"""How many loops deep every value of a handshake function lies."""

from __future__ import annotations

from collections import deque

from xdsl.ir import Block, Operation, SSAValue

from loom.dialects.dataflow import CarryOp, InvariantOp, ReplicateOp, StreamOp
from loom.dialects.handshake import CondBranchOp, ForkOp
from loom.dialects.handshake_buffer import BufferOp
from loom.dialects.handshake_memory import ExternalMemoryOp, MemoryOp

Repeater = CarryOp | InvariantOp | ReplicateOp


def origin_of(value: SSAValue) -> SSAValue:
    """The value behind forks and buffers."""
    owner = value.owner
    while isinstance(owner, ForkOp | BufferOp):
        value = owner.operands[0]
        owner = value.owner
    return value


def loop_conditions(block: Block) -> set[SSAValue]:
    """The values that decide about another iteration."""
    found: set[SSAValue] = set()
    for operation in block.ops:
        if isinstance(operation, Repeater):
            found.add(origin_of(operation.d))
        elif isinstance(operation, StreamOp):
            found.add(operation.cont)
    return found


def loop_depths(block: Block) -> dict[SSAValue, int]:
    """The depth of every value that a token can reach; arguments have depth 0."""
    conditions = loop_conditions(block)
    depths: dict[SSAValue, int] = dict.fromkeys(block.args, 0)
    work = deque(operation for operation in block.ops)
    waiting: dict[Operation, None] = {}
    while work:
        operation = work.popleft()
        waiting.pop(operation, None)
        for result, depth in result_depths(operation, depths, conditions):
            if result not in depths:
                depths[result] = depth
                for use in result.uses:
                    if use.operation not in waiting:
                        waiting[use.operation] = None
                        work.append(use.operation)
    return depths


def result_depths(
    operation: Operation, depths: dict[SSAValue, int], conditions: set[SSAValue]
) -> list[tuple[SSAValue, int]]:
    """The depths of the results that the known operands determine."""
    if isinstance(operation, Repeater):
        known = depths.get(operation.a)
        return [] if known is None else [(operation.o, known + 1)]
    if isinstance(operation, MemoryOp | ExternalMemoryOp):
        return memory_depths(operation, depths)
    found = [depths[operand] for operand in operation.operands if operand in depths]
    if not found:
        return []
    depth = max(found)
    if isinstance(operation, StreamOp):
        return [(result, depth + 1) for result in operation.results]
    if isinstance(operation, CondBranchOp) and origin_of(operation.condition) in conditions:
        inside = depths.get(operation.data, depth)
        return [(operation.true_result, inside), (operation.false_result, max(inside - 1, 0))]
    return [(result, depth) for result in operation.results]


def memory_depths(
    operation: MemoryOp | ExternalMemoryOp, depths: dict[SSAValue, int]
) -> list[tuple[SSAValue, int]]:
    """A port's results lie as deep as its address."""
    loads, stores = int(operation.loads.value.data), int(operation.stores.value.data)
    found: list[tuple[SSAValue, int]] = []
    for k in range(stores):
        address = operation.ports[2 * k + 1]
        if address in depths:
            found.append((operation.outputs[loads + k], depths[address]))
    for k in range(loads):
        address = operation.ports[2 * stores + k]
        if address in depths:
            found.append((operation.outputs[k], depths[address]))
            found.append((operation.outputs[loads + stores + k], depths[address]))
    return found
