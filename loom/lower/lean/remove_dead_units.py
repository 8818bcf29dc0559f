"""Every unit has an effect: a result, a memory or an error hears of what it makes.

A loop carries the done tokens of its reads although no iteration waits for one, and values that
nothing asks for. The units of such a cycle feed each other and, in the end, sinks. A token of
theirs reaches no result, no memory and no error output, so the circuit does the same without them,
on the same cycles or earlier: a fork waits for fewer readers.
"""

from __future__ import annotations

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from loom.dialects.operators.catalogue import find
from loom.dialects.ops.handshake_function import FuncOp, ReturnOp
from loom.dialects.ops.handshake_memory import MemoryInterface
from loom.lower.options import Options


def remove_dead_units(module: ModuleOp, options: Options) -> None:
    """No unit of a handshake function is left whose tokens end in sinks alone."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            block = function.body.block
            live = live_operations(block)
            dead = [operation for operation in block.ops if operation not in live]
            for operation in dead:
                operation.detach()
            for operation in dead:
                operation.erase(safe_erase=False)


def live_operations(block: Block) -> set[Operation]:
    """The operations with an effect, and those that they depend on."""
    work = [operation for operation in block.ops if has_effect(operation)]
    live = set(work)
    while work:
        for operand in work.pop().operands:
            owner = operand.owner
            if isinstance(owner, Operation) and owner not in live:
                live.add(owner)
                work.append(owner)
    return live


def has_effect(operation: Operation) -> bool:
    """True of the return, of memories, and of units that can report an error."""
    if isinstance(operation, ReturnOp):
        return True
    if isinstance(operation, ConstantOp):
        return False
    operator = find(operation.name)
    return (
        operator is None or bool(operator.semantics.error) or isinstance(operation, MemoryInterface)
    )
