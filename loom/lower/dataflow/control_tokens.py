"""What control tokens are made of: done tokens of accesses, or the start alone.

The rules for tokens that come after `start` are those of `drop_idle_control`.
"""

from __future__ import annotations

from xdsl.ir import Block, Operation, SSAValue

from loom.dialects.operators.catalogue import find
from loom.dialects.ops.dataflow import CarryOp, InvariantOp, ReplicateOp
from loom.dialects.ops.handshake import CondBranchOp, JoinOp, MuxOp
from loom.dialects.ops.handshake_memory import LoadOp, MemoryInterface
from loom.dialects.ops.handshake_routing import ShareOp, SourceOp


def waits_for_access(token: SSAValue) -> bool:
    """True if a done token leads to this token, or what is not control."""
    work, seen = [token], set[SSAValue]()
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        match value.owner:
            case Block():
                pass
            case CondBranchOp() as unit:
                work.append(unit.data)
            case MuxOp() as unit:
                work += unit.data
            case CarryOp() as unit:
                work += [unit.a, unit.b]
            case InvariantOp() | ReplicateOp() as unit:
                work.append(unit.a)
            case JoinOp() | SourceOp() as unit:
                work += unit.operands
            case _:
                return True
    return False


def values_after_start(block: Block) -> set[SSAValue]:
    """The values none of whose tokens is there before the start token of its activation."""
    started: set[SSAValue] = {block.args[-1]}
    work: list[SSAValue] = list(started)
    while work:
        value = work.pop()
        for use in value.uses:
            for result in results_after(use.operation, use.index):
                if result not in started:
                    started.add(result)
                    work.append(result)
    return started


def results_after(unit: Operation, index: int) -> tuple[SSAValue, ...]:
    """The results that the unit gives only after it took the token of operand `index`."""
    if isinstance(unit, MemoryInterface):
        access = unit.access_of_operand(index)
        return tuple(r for r in unit.results if unit.access_of_result(r.index) == access)
    if isinstance(unit, ShareOp):
        return unit.results_after(index)
    operator = find(unit.name)
    if operator is None:
        return ()
    if isinstance(unit, LoadOp):
        return (unit.data,) if index == 1 else (unit.address_out,)
    if isinstance(unit, MuxOp):
        return tuple(unit.results) if index == 0 else ()
    if operator.semantics.leads:
        rest = [port.name for port in operator.signature.inputs].index(operator.semantics.rest)
        return tuple(unit.results) if index == rest else ()
    return tuple(unit.results)
