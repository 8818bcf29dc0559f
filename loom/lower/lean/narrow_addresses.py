"""An index that is only an address waits in as many bits as its array's size has.

A memory looks at an address twice: whether it lies in the array, and where. So any index outside
may stand for all of them: the lesser of the index and the array's size lies outside if and only if
the index does, and is the index otherwise. The access reads 0 or writes nothing, and raises the
same error in the same cycle.

So where buffers hold an index on its way to memories alone, it is bounded in front of them, once,
and they and the branches between hold the bits of the largest size. The memory then compares few
bits. Bounded is what comes from a register, or goes into one at once, so that the path with that
compare is short. Buffers are placed already: as many tokens wait in the same places.

Source: retiming, Leiserson and Saxe, Retiming synchronous circuitry, Algorithmica 6, 1991.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, MemRefType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from loom.dialects.facts.program_facts import IN_RANGE
from loom.dialects.ops.dataflow import StreamOp
from loom.dialects.ops.handshake import CondBranchOp, ForkOp, SinkOp
from loom.dialects.ops.handshake_buffer import BufferOp
from loom.dialects.ops.handshake_function import FuncOp
from loom.dialects.ops.handshake_memory import LoadOp, MemoryInterface, StoreOp
from loom.dialects.ops.ordering.comparators import PendingStoresOp
from loom.dialects.ops.partition_attribute import PARTITION
from loom.lower.options import Options

REGISTERED = ("seq", "stage")
"""Kinds of buffers whose tokens come from registers."""


@dataclass
class Ways:
    """All that an index passes on its way to memories: values, the ends of the ways, and slots."""

    values: list[SSAValue] = field(default_factory=list)
    ends: set[tuple[MemoryInterface, int]] = field(default_factory=set)
    slots: int = 0


def narrow_addresses(module: ModuleOp, options: Options) -> None:
    """No buffer holds more bits of an index than the arrays need that it is an address of."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            for maker in makers_of(function.body.block):
                narrow_index(maker.results[0], function.body.block)


def makers_of(block: Block) -> list[Operation]:
    """What gives numbers from a register, or into one at once: streams first."""
    buffers = [op for op in block.ops if isinstance(op, BufferOp)]
    registers = [op for op in buffers if op.kind.data in REGISTERED and op.initial is None]
    into = {op.source for op in registers}
    streams = [op for op in block.ops if isinstance(op, StreamOp) and op.index in into]
    return [*streams, *registers]


def narrow_index(root: SSAValue, block: Block) -> None:
    """The index is bounded where it is made, if slots on its ways lose half its bits."""
    type_, ways = root.type, Ways()
    if not isinstance(type_, IntegerType) or not follow(root, ways):
        return
    memories = {memory for memory, _ in ways.ends}
    if any((each, index) not in ways.ends for each in memories for index in addresses_of(each)):
        return
    size = max(size_of(memory) for memory in memories)
    bits = size.bit_length()
    if not ways.slots or 2 * bits > type_.width.data:
        return
    owner = root.owner
    assert isinstance(owner, Operation) and block.first_op is not None
    (use,) = root.uses
    limit = arith.ConstantOp(IntegerAttr(size, type_))
    bounded = arith.MinUIOp(root, limit.result)
    address = arith.TruncIOp(bounded.result, IntegerType(bits))
    block.insert_op_before(limit, block.first_op)
    block.insert_op_after(bounded, owner)
    block.insert_op_after(address, bounded)
    for made in (limit, bounded, address):
        made.location, made.results[0].name_hint = owner.location, root.name_hint
    use.operation.operands[use.index] = address.result
    for value in ways.values:
        Rewriter.replace_value_with_new_type(value, IntegerType(bits))
    for use in [use for value in (address.result, *ways.values) for use in value.uses]:
        cast = use.operation
        if isinstance(cast, arith.TruncIOp) and cast.result.type == cast.input.type:
            cast.result.replace_all_uses_with(cast.input)
            cast.detach()
            cast.erase()


def follow(value: SSAValue, ways: Ways) -> bool:
    """True if the index goes to addresses alone; `ways` has all that it passes."""
    work = [value]
    while work:
        (use,) = work.pop().uses
        reader = use.operation
        if isinstance(reader, MemoryInterface):
            if use.index not in addresses_of(reader) or not is_compared(reader):
                return False
            ways.ends.add((reader, use.index))
            continue
        passed = passed_on(reader, use.index)
        if passed is None:
            return False
        if isinstance(reader, BufferOp):
            ways.slots += reader.slots.value.data
        ways.values += passed
        work += passed
    return bool(ways.ends)


def passed_on(reader: Operation, index: int) -> list[SSAValue] | None:
    """The values that are the operand once more; None where it is looked at."""
    if isinstance(reader, SinkOp):
        return []
    if isinstance(reader, BufferOp) and reader.initial is None:
        return [reader.out]
    if isinstance(reader, ForkOp):
        return list(reader.copies)
    if isinstance(reader, CondBranchOp) and index == 1:
        return list(reader.results)
    if is_compared_only(reader):
        # All addresses outside are one there too: an access may wait for one that it need not.
        return []
    if isinstance(reader, LoadOp | StoreOp) and index == 0:
        return [reader.address_out]
    return None


def is_compared_only(reader: Operation) -> bool:
    """True if addresses are compared there, perhaps their lowest bits."""
    if isinstance(reader, arith.TruncIOp):
        return all(isinstance(use.operation, PendingStoresOp) for use in reader.result.uses)
    return isinstance(reader, PendingStoresOp)


def addresses_of(memory: MemoryInterface) -> Iterator[int]:
    """The numbers of the operands that are addresses."""
    pairs = 2 * memory.store_count
    for port in range(pairs + memory.load_count):
        if port >= pairs or port % 2:
            yield memory.first_port + port


def is_compared(memory: MemoryInterface) -> bool:
    """Whether the memory, which is in one piece, compares addresses with its size."""
    return not IN_RANGE.is_on(memory) and PARTITION not in memory.attributes


def size_of(memory: MemoryInterface) -> int:
    """Elements of the array."""
    assert isinstance(memory.array_type, MemRefType)
    return int(memory.array_type.get_shape()[0])
