"""A load waits for those stores of earlier iterations alone that have its address.

`thread_memory_order` carries the done token of a store to the load of the next iteration, if the
two may alias: one iteration begins when the last one has stored. Where that token orders nothing
else (`CARRIED_STORE`) and the store has the address of its iteration's load, as in `h[k] += w`, a
`dataflow.disambiguate` takes its place. It takes the addresses in order, and the store's done
tokens; it keeps the addresses of stores that are not done, and lets an address pass that is none of
them. The load still waits for what is done before its loop: the token that the loop begins with.

Only the bits in which places of the array differ are compared. The unit has as many addresses as
iterations are under way (`size_comparators`): the cycles from its token to the store's done, by the
loop's II. With `auto` it is there if that makes the II shorter, and if no other load waits for the
store: behind that load the comparison would gain nothing.

Source: address comparison in front of memories as in load-store queues, Sethumadhavan et al.,
Scalable hardware memory disambiguation for high ILP processors, MICRO 2003; without the queue.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, MemRefType, ModuleOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from loom.analysis.schedule.initiation_intervals import initiation_intervals
from loom.dialects.facts.program_facts import CARRIED_STORE
from loom.dialects.ops.dataflow import CarryOp, DisambiguateOp, ReplicateOp
from loom.dialects.ops.handshake import CondBranchOp, JoinOp
from loom.dialects.ops.handshake_function import FuncOp
from loom.dialects.ops.handshake_memory import LoadOp, MemoryInterface, StoreOp
from loom.lower.dataflow.choose_units import choose_units
from loom.lower.dataflow.control_tokens import values_after_start, waits_for_access
from loom.lower.options import Options

LEAST, MOST = 2, 16
"""Addresses that are compared, if the user gives no number."""


@dataclass(frozen=True)
class Pair:
    """A load, the carry of its token, and the done token of the store that it waits for."""

    load: LoadOp
    carry: CarryOp
    done: SSAValue
    rotated: bool


def compare_addresses(module: ModuleOp, options: Options) -> None:
    """Loads that may compare addresses do, wherever they can or where a loop's II is shorter."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            block = function.body.block
            loads = [op for op in block.ops if isinstance(op, LoadOp) and CARRIED_STORE.is_on(op)]
            pairs = [pair for load in loads if (pair := find_pair(load)) is not None]
            if pairs:
                choose_units(module, options)
            for pair in pairs:
                compare(pair, block, options)


def size_comparators(module: ModuleOp, options: Options) -> None:
    """Comparators keep no more addresses than the IIs of their loops need."""
    for function in module.ops:
        if isinstance(function, FuncOp) and options.order_depth is None:
            block = function.body.block
            for unit in [op for op in block.ops if isinstance(op, DisambiguateOp)]:
                shorten(unit, block, options)


def shorten(unit: DisambiguateOp, block: Block, options: Options) -> None:
    """The unit has the least depth at which no loop is slower."""
    set_depth(unit, MOST)
    needed = intervals(block, options)
    low, high = LEAST, MOST
    while low < high:
        middle = (low + high) // 2
        set_depth(unit, middle)
        if intervals(block, options) == needed:
            high = middle
        else:
            low = middle + 1
    set_depth(unit, high)


def set_depth(unit: DisambiguateOp, depth: int) -> None:
    """The unit keeps so many addresses."""
    unit.attributes["depth"] = IntegerAttr(depth, 64)


def find_pair(load: LoadOp) -> Pair | None:
    """The load with the store it waits for; None if the store has another address, or entries of
    the loop take turns."""
    token = load.ctrl
    owner = token.owner
    if isinstance(owner, CondBranchOp) and token is owner.true_result:
        test, token = owner.condition, owner.data
        carry = token.owner
        if not isinstance(carry, CarryOp) or carry.d is not test:
            return None
        done, rotated = carry.b, False
    elif isinstance(owner, CarryOp):
        carry, back = owner, owner.b.owner
        if not isinstance(back, CondBranchOp) or owner.b is not back.true_result:
            return None
        if back.condition is not carry.d:
            return None
        done, rotated = back.data, True
    else:
        return None
    fits = carry.lanes == 1 and address_of(done) is load.address
    return Pair(load, carry, done, rotated) if fits else None


def address_of(done: SSAValue) -> SSAValue | None:
    """The address of the store whose done token this is; None of any other token."""
    memory = done.owner
    if not isinstance(memory, MemoryInterface) or not isinstance(done, OpResult):
        return None
    number = done.index - memory.load_count
    if not 0 <= number < memory.store_count:
        return None
    address = memory.channels[2 * number + 1]
    return address.owner.address if isinstance(address.owner, StoreOp) else address


def compare(pair: Pair, block: Block, options: Options) -> None:
    """The load takes the token of a comparison, if that is faster or requested."""
    load, before = pair.load, pair.load.ctrl
    tokens = intervals(block, options)
    depth = options.order_depth or depth_for(max(tokens, default=1))
    made = insert_comparison(pair, block, depth, options)
    if CARRIED_STORE.take(load) == "auto" and sum(intervals(block, options)) >= sum(tokens):
        load.operands[list(load.operands).index(load.ctrl)] = before
        for operation in reversed(made):
            operation.detach()
            operation.erase()


def depth_for(cycles: int) -> int:
    """The addresses to compare if a store is done so many cycles after its load's token.

    No more than the II needs, with which registers for the clock period do not lengthen the way
    that iterations with one address go: they would make the loop slower too.
    """
    return max(LEAST, -(-cycles // -(-cycles // MOST)))


def insert_comparison(pair: Pair, block: Block, depth: int, options: Options) -> list[Operation]:
    """The load waits for a comparison, and for what the loop begins with; what is new."""
    load, carry = pair.load, pair.carry
    made: list[Operation] = []
    address, bits = load.address, bits_of_places(pair.done)
    if isinstance(address.type, IntegerType) and address.type.width.data > bits:
        made.append(arith.TruncIOp(address, IntegerType(bits)))
    elif isinstance(address.type, IndexType) and options.index_width > bits:
        made.append(arith.IndexCastOp(address, IntegerType(bits)))
    unit = DisambiguateOp(made[0].results[0] if made else address, pair.done, depth)
    made.append(unit)
    token: SSAValue = unit.clear
    if waits_for_access(carry.a) or load.address not in values_after_start(block):
        entry = ReplicateOp(carry.d, carry.a, pair.rotated)
        both = JoinOp([token, entry.o])
        made += [entry, both]
        token = both.out
    for operation in made:
        operation.location = load.location
        block.insert_op_before(operation, load)
    load.operands[list(load.operands).index(load.ctrl)] = token
    return made


def bits_of_places(done: SSAValue) -> int:
    """The bits in which the places of an array differ, by a done token of its memory."""
    memory = done.owner
    assert isinstance(memory, MemoryInterface) and isinstance(memory.array_type, MemRefType)
    return max(1, (memory.array_type.get_shape()[0] - 1).bit_length())


def intervals(block: Block, options: Options) -> Sequence[int]:
    """The IIs of all loops [cycles]."""
    return [each.ii for each in initiation_intervals(block, options.index_width, options.cores)]
