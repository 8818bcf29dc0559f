"""The loops in which every value of a handshake function lies, the innermost last."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from xdsl.ir import Block, Operation, SSAValue

from loom.dialects.ops.dataflow import (
    AccumulateOp,
    CarryOp,
    InvariantOp,
    ReplicateOp,
    StreamOp,
)
from loom.dialects.ops.handshake import CondBranchOp, ForkOp, MuxOp
from loom.dialects.ops.handshake_buffer import BufferOp
from loom.dialects.ops.handshake_memory import MemoryInterface
from loom.dialects.ops.handshake_routing import ShareOp

Repeater = CarryOp | InvariantOp | ReplicateOp

Loops = tuple[SSAValue, ...]
"""The conditions of the loops around a value, outermost first."""


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
        elif isinstance(operation, AccumulateOp):
            found.add(origin_of(operation.cond))
    return found


def conditional_values(block: Block) -> set[SSAValue]:
    """Values that do not come in every iteration of their loop: what branches lead to."""
    conditions = loop_conditions(block)
    found: set[SSAValue] = set()
    for operation in block.ops:
        if isinstance(operation, CondBranchOp) and origin_of(operation.condition) not in conditions:
            found.update(operation.results)
        elif isinstance(operation, MuxOp):
            found.update(operation.results if operation.select in found else ())
        elif any(operand in found for operand in operation.operands):
            found.update(operation.results)
    return found


def loop_depths(block: Block) -> dict[SSAValue, int]:
    """How many loops deep every value that a token can reach lies; arguments have depth 0."""
    return {value: len(loops) for value, loops in loops_of_values(block).items()}


def loops_of_values(block: Block) -> Mapping[SSAValue, Loops]:
    """The loops around every value that a token can reach."""
    conditions = loop_conditions(block)
    loops: dict[SSAValue, Loops] = dict.fromkeys(block.args, ())
    work = deque(operation for operation in block.ops)
    waiting: dict[Operation, None] = {}
    accesses: dict[Operation, Accesses] = {}
    while work:
        operation = work.popleft()
        waiting.pop(operation, None)
        if isinstance(operation, MemoryInterface):
            if operation not in accesses:
                accesses[operation] = Accesses(operation, loops)
            found = accesses[operation].new_results(loops)
        else:
            found = loops_of_results(operation, loops, conditions)
        for result, around in found:
            if result not in loops:
                loops[result] = around
                for use in result.uses:
                    if use.operation in accesses:
                        accesses[use.operation].new_operands.append(use.index)
                    if use.operation not in waiting:
                        waiting[use.operation] = None
                        work.append(use.operation)
    return loops


def loops_of_results(
    operation: Operation, loops: Mapping[SSAValue, Loops], conditions: set[SSAValue]
) -> list[tuple[SSAValue, Loops]]:
    """The loops around the results that the known operands determine."""
    if isinstance(operation, Repeater):
        known = loops.get(operation.a)
        return [] if known is None else [(operation.o, (*known, origin_of(operation.d)))]
    if isinstance(operation, AccumulateOp):
        inside = loops.get(operation.cond)
        return [] if inside is None else [(operation.result, inside[:-1])]
    if isinstance(operation, ShareOp):
        # The shared circuit lies in no loop, whatever its callers lie in.
        pairs = zip(operation.callers, operation.outs, strict=True)
        return [(operation.called, ()), *((o, loops[i]) for i, o in pairs if i in loops)]
    found = [loops[operand] for operand in operation.operands if operand in loops]
    if not found:
        return []
    deepest = max(found, key=len)
    if isinstance(operation, StreamOp):
        return [(result, (*deepest, operation.cont)) for result in operation.results]
    if isinstance(operation, CondBranchOp) and origin_of(operation.condition) in conditions:
        inside = loops.get(operation.data, deepest)
        return [(operation.true_result, inside), (operation.false_result, inside[:-1])]
    return [(result, deepest) for result in operation.results]


class Accesses:
    """The accesses of a memory, each looked at once its address is known: there may be very many.

    `new_operands` are the operands that have become known since the last `new_results`.
    """

    def __init__(self, operation: MemoryInterface, loops: Mapping[SSAValue, Loops]):
        self.loads = operation.load_count
        self.stores = operation.store_count
        self.ports = operation.channels
        self.outputs = tuple(operation.results)
        self.accepted = self.outputs[2 * self.loads + self.stores :]
        self.first = operation.first_port
        self.new_operands = [self.first + k for k, port in enumerate(self.ports) if port in loops]

    def new_results(self, loops: Mapping[SSAValue, Loops]) -> list[tuple[SSAValue, Loops]]:
        """A port's results lie as deep as its address."""
        found: list[tuple[SSAValue, Loops]] = []
        for index in sorted(self.new_operands):
            place = index - self.first
            around = loops[self.ports[place]]
            load = place - 2 * self.stores
            if load >= 0:
                found.append((self.outputs[load], around))
                found.append((self.outputs[self.loads + self.stores + load], around))
            elif place % 2:
                number = place // 2
                tokens = self.outputs[self.loads + number], *self.accepted[number : number + 1]
                found += [(token, around) for token in tokens]
        self.new_operands.clear()
        return found
