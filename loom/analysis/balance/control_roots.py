"""Control tokens of memory accesses come from the start token or from their own memory only.

Source: docs/spec/memory-order.md, "Memories".
"""

from __future__ import annotations

from xdsl.dialects.builtin import NoneType
from xdsl.ir import Block, SSAValue

from loom.dialects.facts.places import place_of
from loom.dialects.ops.dataflow import CarryOp, GateOp, InvariantOp, ReplicateOp
from loom.dialects.ops.handshake import CondBranchOp, ForkOp, JoinOp, MuxOp
from loom.dialects.ops.handshake_buffer import BufferOp
from loom.dialects.ops.handshake_function import FuncOp
from loom.dialects.ops.handshake_memory import LoadOp, MemoryInterface, StoreOp
from loom.dialects.ops.ordering.comparators import PendingStoresOp
from loom.errors import LoomError

CODE = "COMP_HANDSHAKE_CTRL_MULTI_MEM"


def control_problems(function: FuncOp) -> list[LoomError]:
    """Every access whose control depends on the done token of another memory."""
    found: list[LoomError] = []
    for operation in function.body.block.ops:
        if isinstance(operation, LoadOp | StoreOp):
            own = interface_of(operation)
            others = roots(operation.ctrl) - {own}
            names = sorted(other.array_name for other in others if other is not None)
            if own is not None and names:
                found.append(
                    LoomError(
                        CODE,
                        place_of(operation),
                        f"an access to {own.array_name} controlled by done tokens of "
                        + ", ".join(names),
                        "control from the start token and from done tokens of the same memory",
                    )
                )
    return found


def interface_of(access: LoadOp | StoreOp) -> MemoryInterface | None:
    """The memory that an access sends its address to."""
    work: list[SSAValue] = [access.address_out]
    seen: set[SSAValue] = set()
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        for use in value.uses:
            reader = use.operation
            if isinstance(reader, MemoryInterface):
                return reader
            if isinstance(reader, BufferOp | ForkOp):
                work.extend(reader.results)
    return None


def roots(token: SSAValue) -> set[MemoryInterface | None]:
    """The memories whose done tokens a control token depends on; None for an argument."""
    found: set[MemoryInterface | None] = set()
    seen: set[SSAValue] = set()
    work = [token]
    while work:
        value = work.pop()
        if value in seen or not isinstance(value.type, NoneType):
            continue
        seen.add(value)
        owner = value.owner
        if isinstance(owner, Block):
            found.add(None)
        elif isinstance(owner, MemoryInterface):
            found.add(owner)
        elif isinstance(owner, CondBranchOp):
            work.append(owner.data)
        elif isinstance(owner, MuxOp):
            work.extend(owner.data)
        elif isinstance(owner, CarryOp):
            work += [owner.a, owner.b]
        elif isinstance(owner, InvariantOp | ReplicateOp):
            work.append(owner.a)
        elif isinstance(owner, ForkOp | JoinOp | BufferOp | GateOp | PendingStoresOp):
            work.extend(owner.operands)
    return found
