"""A load-store queue stands between the accesses of an array and its memory, with `queue`.

`thread_memory_order` leads one token through all accesses of such an array, in the order of the
text and of iterations. Here the token goes to the queue instead: accesses whose tokens follow each
other at once are a group (at most as many as the queue has places), and the token that leaves it is
`allocated`. Addresses and data wait for no token any more, and the memory has one load and one
store. The token that leaves the program's last access asks for the end of all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import IndexType, IntegerType, MemRefType, ModuleOp
from xdsl.ir import Attribute, SSAValue

from loom.dialects.facts.instances import shape_of
from loom.dialects.facts.program_facts import QUEUE_END, QUEUED
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.ordering.load_store_queue import (
    LOAD,
    MOST_OUTSTANDING,
    STORE,
    Groups,
)
from loom.dialects.ops.handshake import JoinOp
from loom.dialects.ops.handshake_function import FuncOp
from loom.dialects.ops.handshake_memory import (
    ACCEPTS,
    LoadOp,
    MemoryInterface,
    StoreOp,
    count_attributes,
    interface_types,
)
from loom.dialects.ops.ordering.load_store_queue import LoadStoreQueueOp
from loom.lower.options import Options

PLACES, PLACES_OF_FLOATS = 4, 8
"""Places for loads, and for stores, if the user gives no number: float operators take longer."""
ANSWERED = 2
"""Loads under way in the queue itself: one on its way to the memory, one that leaves."""
AccessOp = LoadOp | StoreOp


def build_queues(module: ModuleOp, options: Options) -> None:
    """Each memory whose accesses a queue orders has one."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            block = function.body.block
            ends = {
                number: op
                for op in block.ops
                if isinstance(op, JoinOp) and (number := QUEUE_END.take(op)) is not None
            }
            for memory in [op for op in block.ops if isinstance(op, MemoryInterface)]:
                found = accesses_of(memory)
                number = QUEUE_END.take(memory)
                end = None if number is None else ends[number]
                if end is not None and memory.load_count and memory.store_count:
                    build_queue(memory, found, end, options)
            for op in block.ops:
                QUEUED.drop(op)


def accesses_of(memory: MemoryInterface) -> list[AccessOp]:
    """The accesses of a memory in the order of its ports, stores first."""
    addresses = [*memory.channels[1 : 2 * memory.store_count : 2]]
    addresses += memory.channels[2 * memory.store_count :]
    return [op for each in addresses if isinstance(op := each.owner, AccessOp)]


def done_of(memory: MemoryInterface, number: int) -> SSAValue:
    """The done token of an access, by its number."""
    return memory.results[memory.load_count + number]


def build_queue(
    memory: MemoryInterface, accesses: Sequence[AccessOp], end: JoinOp, options: Options
) -> None:
    """The queue takes the place of the accesses, and one load and one store that of their ports."""
    dones = {access: done_of(memory, number) for number, access in enumerate(accesses)}
    depth = options.order_depth or places_for(memory)
    chains = list(groups_in(accesses, dones, depth))
    groups = Groups(
        ",".join(
            "".join(LOAD if isinstance(each, LoadOp) else STORE for each in chain)
            for chain in chains
        )
    )
    store = next(each for each in accesses if isinstance(each, StoreOp))
    load = next(each for each in accesses if isinstance(each, LoadOp))
    made = with_one_of_each(memory, load, store)
    taken = [*(chain[0].ctrl for chain in chains), end.operands[0]]
    for chain in chains:
        for each in chain:
            taken += [each.address] if isinstance(each, LoadOp) else [each.address, each.data]
    taken += [made.results[0], made.results[1]]
    sent = min(MOST_OUTSTANDING, latency_of(memory, options.index_width) + ANSWERED)
    queue = LoadStoreQueueOp(taken, groups, depth, sent)
    queue.location = memory.location
    given = iter(queue.given)
    for chain in chains:
        dones[chain[-1]].replace_all_uses_with(next(given))
    end.out.replace_all_uses_with(next(given))
    for chain in chains:
        for each in chain:
            if isinstance(each, LoadOp):
                each.data.replace_all_uses_with(next(given))
    address, value, place = given
    first = made.first_port
    made.operands = [*made.operands[:first], value, place, address]
    block = memory.parent
    assert block is not None
    block.insert_op_before(made, memory)
    block.insert_op_before(queue, memory)
    for op in (end, memory, *accesses):
        block.detach_op(op)
    for op in (end, memory, *accesses):
        op.erase(safe_erase=False)


def groups_in(
    accesses: Sequence[AccessOp], dones: dict[AccessOp, SSAValue], depth: int
) -> Iterator[list[AccessOp]]:
    """Accesses each of which takes the token of the one before it, in the order of the text."""
    after: dict[AccessOp, AccessOp] = {}
    for access, done in dones.items():
        uses = list(done.uses)
        following = uses[0].operation if len(uses) == 1 else None
        if isinstance(following, AccessOp) and following in dones and following.ctrl is done:
            after[access] = following
    block = accesses[0].parent
    assert block is not None
    places = {op: place for place, op in enumerate(block.ops)}
    followed = set(after.values())
    for access in sorted(accesses, key=lambda each: places[each]):
        if access in followed:
            continue
        group = [access]
        while group[-1] in after:
            following = after[group[-1]]
            group.append(following)
        for first in range(0, len(group), depth):
            yield group[first : first + depth]


def places_for(memory: MemoryInterface) -> int:
    """The places of a queue in front of a memory."""
    return PLACES if isinstance(element_of(memory), IntegerType | IndexType) else PLACES_OF_FLOATS


def element_of(memory: MemoryInterface) -> Attribute:
    """The type of the memory's elements."""
    type_ = memory.array_type
    assert isinstance(type_, MemRefType)
    found: Attribute = type_.element_type
    return found


def with_one_of_each(memory: MemoryInterface, load: LoadOp, store: StoreOp) -> MemoryInterface:
    """The memory with one load and one store; its ports are those of two accesses at first."""
    kept = {
        name: said
        for name, said in memory.attributes.items()
        if not name.endswith(("_banks", "_requesters")) and name != ACCEPTS
    }
    ports = [store.data_out, store.address_out, load.address_out]
    _, results = interface_types(load.data.type, 1, 1, accepts=False)
    made = type(memory).create(
        operands=[*memory.operands[: memory.first_port], *ports],
        result_types=results,
        attributes={**kept, **count_attributes(1, 1)},
    )
    made.location = memory.location
    return made


def latency_of(memory: MemoryInterface, index_width: int) -> int:
    """From a request to its datum [cycles]."""
    operator = CATALOGUE[memory.name]
    kind = operator.hardware.memory_kind
    assert kind is not None
    return kind.latency_of(shape_of(memory, operator, index_width))
